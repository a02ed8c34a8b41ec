//! The clock of all threads, and its ticks.

use std::time::{Duration, Instant};

/// The source of ticks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Clock {
    /// The processor's time stamp counter, which has a constant rate.
    #[cfg_attr(not(all(target_arch = "x86_64", not(miri))), allow(dead_code))]
    Counter,
    /// Nanoseconds of the system's monotonic clock since this instant.
    Monotonic(Instant),
}

impl Clock {
    /// Chooses the processor's counter where its rate is known to be constant.
    pub(crate) fn choose() -> Self {
        #[cfg(all(target_arch = "x86_64", not(miri)))]
        if has_invariant_counter() {
            return Self::Counter;
        }
        Self::Monotonic(Instant::now())
    }

    /// Returns the time in ticks.
    #[inline]
    pub(crate) fn now(self) -> u64 {
        match self {
            Self::Counter => counter(),
            Self::Monotonic(start) => start.elapsed().as_nanos() as u64,
        }
    }

    /// Returns the number of ticks per second. Measures the processor's counter for some
    /// milliseconds.
    pub(crate) fn rate(self) -> u64 {
        const MEASURED: Duration = Duration::from_millis(5);
        let Self::Counter = self else { return 1_000_000_000 };
        let (start, first) = (Instant::now(), self.now());
        loop {
            let (passed, ticks) = (start.elapsed(), self.now() - first);
            if passed >= MEASURED {
                return (u128::from(ticks) * 1_000_000_000 / passed.as_nanos()) as u64;
            }
        }
    }
}

/// Returns the processor's count of ticks.
#[inline]
fn counter() -> u64 {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: every processor of this architecture has the instruction.
    unsafe {
        core::arch::x86_64::_rdtsc()
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    0
}

/// Whether the counter has a constant rate in all states of the processor.
#[cfg(all(target_arch = "x86_64", not(miri)))]
fn has_invariant_counter() -> bool {
    use core::arch::x86_64::__cpuid;
    const LAST: u32 = 0x8000_0000;
    const POWER: u32 = 0x8000_0007;
    #[allow(unused_unsafe, reason = "newer compilers need no `unsafe`")]
    // SAFETY: every processor of this architecture has the instruction.
    let query = |leaf| unsafe { __cpuid(leaf) };
    query(LAST).eax >= POWER && query(POWER).edx & (1 << 8) != 0
}
