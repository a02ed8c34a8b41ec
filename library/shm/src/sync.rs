//! The only module that names atomics, fences and futexes.
//!
//! The packages `aqueduct-shm-under-model` and `aqueduct-faults` compile the queues with a module
//! of their own in its place.

use core::sync::atomic::compiler_fence;
use core::time::Duration;

pub(crate) use core::sync::atomic::{Ordering, fence};

/// A word of a queue's memory.
///
/// All of the memory is accessed by atomic words. So a process that writes it at any time causes no
/// undefined behaviour in another one.
pub type Word = core::sync::atomic::AtomicU64;

/// Reads a word of data.
#[inline(always)]
pub(crate) fn read(word: &Word) -> u64 {
    word.load(Ordering::Relaxed)
}

/// Writes a word of data.
#[inline(always)]
pub(crate) fn write(word: &Word, value: u64) {
    word.store(value, Ordering::Relaxed);
}

/// A `SeqCst` fence with respect to heavy fences of any process, and no fence with respect to
/// others.
///
/// It costs nothing where the system has a barrier for it.
#[inline(always)]
pub(crate) fn light_fence(_ordering: Ordering) {
    if barrier::is_ready() {
        compiler_fence(Ordering::SeqCst);
    } else {
        fence(Ordering::SeqCst);
    }
}

/// A `SeqCst` fence, also with respect to light fences of any process.
#[cold]
pub(crate) fn heavy_fence(_ordering: Ordering) {
    // This fence orders the compiler, and the processor if there is no barrier.
    fence(Ordering::SeqCst);
    barrier::run();
    fence(Ordering::SeqCst);
}

/// Prepares this process's light fences. Each handle calls it before it uses the memory.
pub(crate) use barrier::prepare;

/// The longest sleep of a thread whose heavy fence has no `membarrier`: it may miss a wake.
#[cfg_attr(not(all(feature = "std", target_os = "linux", not(miri))), allow(dead_code))]
const SHORT: Duration = Duration::from_millis(1);

#[cfg(all(feature = "std", target_os = "linux", not(miri)))]
mod barrier {
    use core::sync::atomic::{AtomicU8, Ordering};

    /// State of this process's registration for the barriers of other processes.
    static STATE: AtomicU8 = AtomicU8::new(UNKNOWN);
    const UNKNOWN: u8 = 0;
    const READY: u8 = 1;
    const REFUSED: u8 = 2;

    const GLOBAL_EXPEDITED: libc::c_int = 1 << 1;
    const REGISTER_GLOBAL_EXPEDITED: libc::c_int = 1 << 2;

    fn call(command: libc::c_int) -> bool {
        // SAFETY: the call takes these numbers and no memory.
        unsafe { libc::syscall(libc::SYS_membarrier, command, 0 as libc::c_uint, 0 as libc::c_int) == 0 }
    }

    /// Registers the process for the barriers of others.
    pub(crate) fn prepare() {
        // Ordering: Relaxed. A thread that does not see the state yet uses a stronger fence.
        if STATE.load(Ordering::Relaxed) == UNKNOWN {
            let state = if call(REGISTER_GLOBAL_EXPEDITED) { READY } else { REFUSED };
            STATE.store(state, Ordering::Relaxed);
        }
    }

    #[inline(always)]
    pub(super) fn is_ready() -> bool {
        // Ordering: Relaxed, for the reason in `prepare`.
        STATE.load(Ordering::Relaxed) == READY
    }

    /// Makes all threads of processes that are registered pass a barrier.
    pub(super) fn run() -> bool {
        call(GLOBAL_EXPEDITED)
    }

    /// Whether `run` has its effect.
    pub(super) fn works() -> bool {
        is_ready()
    }
}

#[cfg(not(all(feature = "std", target_os = "linux", not(miri))))]
mod barrier {
    pub(crate) fn prepare() {}

    #[inline(always)]
    pub(super) fn is_ready() -> bool {
        false
    }

    pub(super) fn run() -> bool {
        false
    }
}

/// Sleeps on the futex while the word has this value, until a wake, and not for longer than
/// `timeout`.
///
/// It may return earlier.
#[cfg(all(feature = "std", target_os = "linux", not(miri)))]
pub(crate) fn sleep(word: &Word, value: u32, timeout: Duration) {
    let timeout = if barrier::works() { timeout } else { timeout.min(SHORT) };
    let time = libc::timespec {
        tv_sec: libc::time_t::try_from(timeout.as_secs()).unwrap_or(libc::time_t::MAX),
        tv_nsec: timeout.subsec_nanos() as _,
    };
    // SAFETY: the word is mapped, and the time is a valid `timespec`. The futex is shared by
    // processes.
    unsafe { libc::syscall(libc::SYS_futex, half(word), libc::FUTEX_WAIT, value, &raw const time) };
}

/// Wakes all threads that sleep on the word's futex.
#[cfg(all(feature = "std", target_os = "linux", not(miri)))]
#[cold]
pub(crate) fn wake(word: &Word) {
    // SAFETY: the kernel takes the address as a name, and accesses nothing there.
    unsafe { libc::syscall(libc::SYS_futex, half(word), libc::FUTEX_WAKE, i32::MAX) };
}

/// The word's low half, which the kernel compares: a futex has 32 bits.
#[cfg(all(feature = "std", target_os = "linux", not(miri)))]
fn half(word: &Word) -> *mut u32 {
    word.as_ptr().cast::<u32>().wrapping_add(usize::from(cfg!(target_endian = "big")))
}

/// Polls: this system has no futex.
#[cfg(all(feature = "std", not(all(target_os = "linux", not(miri)))))]
pub(crate) fn sleep(word: &Word, value: u32, timeout: Duration) {
    if word.load(Ordering::Relaxed) == u64::from(value) {
        std::thread::sleep(timeout.min(Duration::from_millis(1)));
    }
}

/// Returns at once: there is no system that could wake the caller.
#[cfg(not(feature = "std"))]
pub(crate) fn sleep(_word: &Word, _value: u32, _timeout: Duration) {
    core::hint::spin_loop();
}

/// Does nothing: the sleeper polls.
#[cfg(not(all(feature = "std", target_os = "linux", not(miri))))]
pub(crate) fn wake(_word: &Word) {}
