//! Asymmetric fences, natively: one side of a pair of fences is free, and the other pays for both.
//!
//! The operating system makes all threads of a process pass a barrier. On Linux that is `membarrier` (its
//! private expedited kind): an interrupt to each core that runs a thread of this process. A thread that does
//! not run is not waited for. If the system lacks the call or refuses it, both fences are core's.

use core::sync::atomic::{AtomicBool, Ordering, compiler_fence, fence};

/// Whether light fences cost nothing.
/// It is set before the first queue that uses light fences has handles, and never reset. A thread that does
/// not see it yet uses a stronger fence.
/// not see it yet uses a stronger fence.
static IS_ASYMMETRIC: AtomicBool = AtomicBool::new(false);

/// Registers the process for the barrier, and says whether light fences cost nothing from now on.
///
/// Call it before anything that uses the fences is shared.
pub(crate) fn prepare_fences() -> bool {
    // Ordering: Relaxed. A queue made after this reaches other threads by an operation that orders.
    if !IS_ASYMMETRIC.load(Ordering::Relaxed) && membarrier::register() {
        IS_ASYMMETRIC.store(true, Ordering::Relaxed);
    }
    // Ordering: Relaxed, for the reason above.
    IS_ASYMMETRIC.load(Ordering::Relaxed)
}

/// A `SeqCst` fence with respect to heavy fences, and no fence with respect to others.
#[inline(always)]
pub(crate) fn light_fence(_ordering: Ordering) {
    // Ordering: Relaxed, for the reason in `prepare_fences`.
    if IS_ASYMMETRIC.load(Ordering::Relaxed) {
        compiler_fence(Ordering::SeqCst);
    } else {
        fence(Ordering::SeqCst);
    }
}

/// A light fence, if light fences are free. Otherwise, it is none.
#[inline(always)]
pub(crate) fn free_fence(ordering: Ordering) {
    compiler_fence(ordering);
}

/// A light fence between a store and `is_less` or `is_greater`, for a thread that acts on the
/// comparison only if light fences cost nothing.
///
/// It saves the look at whether they do; the caller has kept what `prepare_fences` said. Where the
/// comparison is assembly, compilers take it to read all memory, and put no store after it. So it
/// needs no fence there, after which they would load again what they had in registers.
#[inline(always)]
pub(crate) fn free_light_fence(_ordering: Ordering) {
    #[cfg(any(miri, not(all(target_arch = "x86_64", target_pointer_width = "64"))))]
    compiler_fence(Ordering::SeqCst);
}

/// A `SeqCst` fence, also with respect to light fences. It takes some microseconds.
#[cold]
pub(crate) fn heavy_fence(_ordering: Ordering) {
    // This fence orders the compiler, and the processor if there is no barrier.
    fence(Ordering::SeqCst);
    // Ordering: Relaxed, for the reason in `prepare_fences`.
    if IS_ASYMMETRIC.load(Ordering::Relaxed) {
        membarrier::run();
    }
    fence(Ordering::SeqCst);
}

#[cfg(all(feature = "std", target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"), not(miri)))]
mod membarrier {
    use core::ffi::{c_int, c_long, c_uint};

    const PRIVATE_EXPEDITED: c_int = 1 << 3;
    const REGISTER_PRIVATE_EXPEDITED: c_int = 1 << 4;

    #[cfg(target_arch = "x86_64")]
    const NUMBER: c_long = 324;
    #[cfg(target_arch = "aarch64")]
    const NUMBER: c_long = 283;

    unsafe extern "C" {
        /// The C library's function, which std links.
        fn syscall(number: c_long, ...) -> c_long;
    }

    fn call(command: c_int) -> bool {
        // SAFETY: the call takes these three numbers and no memory.
        unsafe { syscall(NUMBER, command, 0 as c_uint, 0 as c_int) == 0 }
    }

    /// Registers for the use of [`run`]. Returns whether the system grants it, for all threads of this
    /// process.
    pub(super) fn register() -> bool {
        call(REGISTER_PRIVATE_EXPEDITED)
    }

    /// Makes all threads of this process pass a barrier.
    ///
    /// # Panics
    /// If the system refuses the barrier after it has granted it, because the caller relies on the barrier.
    pub(super) fn run() {
        // A forked process may have to register again.
        assert!(
            call(PRIVATE_EXPEDITED) || (register() && call(PRIVATE_EXPEDITED)),
            "the system refuses `membarrier`, which it had granted: has a filter of system calls been installed?"
        );
    }
}

/// The fallback of systems without a barrier.
#[cfg(not(all(
    feature = "std",
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64"),
    not(miri)
)))]
mod membarrier {
    pub(super) fn register() -> bool {
        false
    }

    pub(super) fn run() {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::sync::atomic::AtomicUsize;
    use std::thread;

    /// Store buffering: of two threads that each store and then load, one sees the other's store.
    ///
    /// On two cores, this fails without the barrier in `heavy_fence`.
    #[test]
    fn one_of_two_sees_the_other() {
        // Miri changes threads at random, so fewer rounds find as much.
        const ROUNDS: usize = if cfg!(miri) { 100 } else { 50_000 };
        prepare_fences();
        let zeros = || [AtomicUsize::new(0), AtomicUsize::new(0)];
        let (said, saw, come, gone) = (zeros(), zeros(), AtomicUsize::new(0), AtomicUsize::new(0));
        let meet = |count: &AtomicUsize, round: usize| {
            count.fetch_add(1, Ordering::AcqRel);
            for wait in 0_u32.. {
                if count.load(Ordering::Acquire) >= 2 * round {
                    break;
                }
                if wait % 1024 == 1023 {
                    thread::yield_now();
                }
            }
        };
        let talk = |me: usize, fence: fn(Ordering)| {
            for round in 1..=ROUNDS {
                meet(&come, round);
                // One of the two threads is ahead by some steps.
                (0..round % 32 * me).for_each(|_| core::hint::spin_loop());
                said[me].store(round, Ordering::Relaxed);
                fence(Ordering::SeqCst);
                saw[me].store(said[1 - me].load(Ordering::Relaxed), Ordering::Relaxed);
                meet(&gone, round);
                let seen = saw.iter().any(|saw| saw.load(Ordering::Relaxed) >= round);
                assert!(seen, "round {round}: neither saw the other");
            }
        };
        thread::scope(|scope| {
            scope.spawn(|| talk(0, light_fence));
            talk(1, heavy_fence);
        });
    }
}
