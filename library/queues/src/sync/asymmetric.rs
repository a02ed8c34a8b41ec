//! Asymmetric fences, natively: one side of a pair of fences is free, and the other pays for both.
//!
//! The operating system makes all threads of a process pass a barrier. On Linux that is
//! `membarrier` (its private expedited kind): an interrupt to each core that runs a thread of this
//! process. A thread that does not run is not waited for. If the system lacks the call or refuses
//! it, both fences are core's. If it refuses the call later, the thread that pays visits each
//! processor instead.

use core::sync::atomic::{AtomicBool, Ordering, compiler_fence, fence};

/// True if light fences cost nothing. It is set before the first queue that uses light fences has
/// handles, and never reset. A thread that still reads `false` uses a stronger fence.
static IS_ASYMMETRIC: AtomicBool = AtomicBool::new(false);

/// Registers the process for the barrier, and returns whether light fences cost nothing from now
/// on.
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

/// A light fence if light fences are free, and nothing otherwise.
#[inline(always)]
pub(crate) fn free_fence(ordering: Ordering) {
    compiler_fence(ordering);
}

/// A light fence between a store and `is_less` or `is_greater`, for a thread that acts on the
/// comparison only if light fences cost nothing.
///
/// It does not check whether they do: the caller has kept the result of `prepare_fences`. Where the
/// comparison is assembly, compilers take it to read all memory, and put no store after it. So no
/// fence is needed there. After a fence, they would load again what they had in registers.
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
    use core::ffi::{c_int, c_long, c_uint, c_ulong};
    use core::time::Duration;

    const PRIVATE_EXPEDITED: c_int = 1 << 3;
    const REGISTER_PRIVATE_EXPEDITED: c_int = 1 << 4;

    #[cfg(target_arch = "x86_64")]
    const NUMBERS: [c_long; 3] = [324, 203, 204];
    #[cfg(target_arch = "aarch64")]
    const NUMBERS: [c_long; 3] = [283, 122, 123];
    /// The system's numbers of the calls.
    const MEMBARRIER: c_long = NUMBERS[0];
    const SET_AFFINITY: c_long = NUMBERS[1];
    const GET_AFFINITY: c_long = NUMBERS[2];

    unsafe extern "C" {
        /// The C library's function, which std links.
        fn syscall(number: c_long, ...) -> c_long;
    }

    fn call(command: c_int) -> bool {
        // SAFETY: the call takes these three numbers and no memory.
        unsafe { syscall(MEMBARRIER, command, 0 as c_uint, 0 as c_int) == 0 }
    }

    /// Registers for the use of [`run`]. Returns whether the system grants it, for all threads of
    /// this process.
    pub(super) fn register() -> bool {
        call(REGISTER_PRIVATE_EXPEDITED)
    }

    /// Makes all threads of this process pass a barrier.
    pub(super) fn run() {
        // A forked process may have to register again.
        let is_done = call(PRIVATE_EXPEDITED) || (register() && call(PRIVATE_EXPEDITED));
        if !is_done && !visit_processors() {
            // Longer than any processor keeps a store in its buffer: the barrier has to drain that,
            // and no more.
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Words of a set of processors: room for 8192 of them.
    const WORDS: usize = 8192 / c_ulong::BITS as usize;
    type Processors = [c_ulong; WORDS];

    /// Runs on each processor in turn, as a barrier for a process whose filter of system calls now
    /// refuses the other one.
    ///
    /// A thread that was running there has been switched out by then, which is a barrier, and one
    /// that runs elsewhere by now has been switched in. Returns whether the system let this thread
    /// do so.
    #[cold]
    pub(super) fn visit_processors() -> bool {
        const INVALID: Option<i32> = Some(22);
        let mut usual: Processors = [0; WORDS];
        // SAFETY: the set has the given size, and the call writes no more.
        let bytes = unsafe { syscall(GET_AFFINITY, 0 as c_int, size_of::<Processors>(), usual.as_mut_ptr()) };
        let keep_to = |processors: &Processors| {
            // SAFETY: the set has the given size, and the call only reads it.
            unsafe { syscall(SET_AFFINITY, 0 as c_int, size_of::<Processors>(), processors.as_ptr()) == 0 }
        };
        let (mut has_visited, mut is_refused) = (false, bytes <= 0);
        // Processors that this thread was not allowed are included: another thread may be bound to
        // them.
        for processor in 0..8 * usize::try_from(bytes).unwrap_or(0) {
            let mut one: Processors = [0; WORDS];
            one[processor / c_ulong::BITS as usize] = 1 << (processor % c_ulong::BITS as usize);
            if keep_to(&one) {
                has_visited = true;
            } else {
                // A processor that is not there, or where no thread of this process may run, is
                // invalid.
                is_refused |= std::io::Error::last_os_error().raw_os_error() != INVALID;
            }
        }
        if has_visited {
            keep_to(&usual);
        }
        has_visited && !is_refused
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
        store_buffering(50_000, || ());
    }

    /// A filter of system calls of this thread alone refuses the barrier.
    #[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"), not(miri)))]
    #[test]
    fn one_of_two_sees_the_other_where_the_barrier_is_refused_later() {
        use core::ffi::{c_int, c_long, c_ulong, c_ushort};
        #[repr(C)]
        struct Program {
            length: c_ushort,
            instructions: *const [u64; 4],
        }
        unsafe extern "C" {
            fn prctl(option: c_int, ...) -> c_int;
            fn syscall(number: c_long, ...) -> c_long;
        }
        /// A filter's instruction: what it does, how far it goes on if so and if not, and its
        /// operand.
        const fn instruction(code: u64, if_so: u64, if_not: u64, operand: u64) -> u64 {
            code | if_so << 16 | if_not << 24 | operand << 32
        }
        const MEMBARRIER: u64 = if cfg!(target_arch = "x86_64") { 324 } else { 283 };
        const NOT_PERMITTED: u64 = 1;
        let refuse = || {
            // Loads the number of the call, and answers that it is not permitted, or allows it.
            let instructions = [
                instruction(0x20, 0, 0, 0),
                instruction(0x15, 0, 1, MEMBARRIER),
                instruction(0x06, 0, 0, 0x5_0000 | NOT_PERMITTED),
                instruction(0x06, 0, 0, 0x7fff_0000),
            ];
            let program = Program { length: 4, instructions: &raw const instructions };
            const NO_NEW_PRIVILEGES: c_int = 38;
            const SECCOMP: c_int = 22;
            const FILTER: c_ulong = 2;
            // SAFETY: the first call takes numbers, the second one reads the program, which is
            // alive, and the third one is refused.
            unsafe {
                assert_eq!(prctl(NO_NEW_PRIVILEGES, 1 as c_ulong, 0 as c_ulong, 0 as c_ulong, 0 as c_ulong), 0);
                assert_eq!(prctl(SECCOMP, FILTER, &raw const program), 0, "a filter is possible here");
                assert_eq!(syscall(MEMBARRIER as c_long, 0 as c_int, 0 as c_int, 0 as c_int), -1, "it is refused");
            }
            let cores = || thread::available_parallelism().map(usize::from).ok();
            let before = cores();
            assert!(membarrier::visit_processors(), "this thread may go to all of its cores");
            assert_eq!(cores(), before, "and it may use them all afterwards");
        };
        thread::spawn(move || store_buffering(100, refuse)).join().expect("each round has a witness");
    }

    /// Runs `before` on the side that pays, once the fences are prepared.
    fn store_buffering(rounds: usize, before: impl FnOnce()) {
        // Miri changes threads at random, so fewer rounds find as much.
        let rounds = if cfg!(miri) { 100 } else { rounds };
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
            for round in 1..=rounds {
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
            before();
            talk(1, heavy_fence);
        });
    }
}
