//! Emulated work: a chain of dependent steps, calibrated so that it takes the time asked for.
//!
//! The SPSC paper spins on the time-stamp counter. Where a read of that counter takes long (virtual
//! machines), it cannot distinguish short times, so here the work is a chain of multiplications
//! that the processor can only do one after the other. The chain starts from the item that was
//! popped, or ends in the item to push, as the SPSC paper demands: the work cannot hide a cache
//! miss of the queue.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// Steps of the chain per nanosecond on this machine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Calibration {
    steps_per_ns: f64,
}

impl Calibration {
    /// Measures the chain for about 20 ms and takes the fastest of many samples.
    #[must_use]
    pub fn measure() -> Self {
        const STEPS: u32 = 50_000;
        let begin = Instant::now();
        let mut fastest = Duration::MAX;
        while begin.elapsed() < Duration::from_millis(20) {
            let sample = Instant::now();
            black_box(work(black_box(1), black_box(STEPS)));
            fastest = fastest.min(sample.elapsed());
        }
        Self { steps_per_ns: f64::from(STEPS) / fastest.as_nanos().max(1) as f64 }
    }

    /// Returns the number of steps that takes about `nanoseconds`.
    #[must_use]
    pub fn steps(self, nanoseconds: u32) -> u32 {
        (f64::from(nanoseconds) * self.steps_per_ns).round() as u32
    }
}

/// Does `steps` steps on `trash`, each of which needs the one before.
#[inline]
pub fn work(mut trash: u64, steps: u32) -> u64 {
    for _ in 0..steps {
        // The optimiser must not merge steps.
        trash = black_box_register(trash.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    }
    trash
}

/// Does what `black_box` does, without the trip through memory that it costs on some versions of
/// the compiler.
#[inline]
fn black_box_register(value: u64) -> u64 {
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    {
        let mut held = value;
        // SAFETY: the empty instruction touches nothing; it only claims to change `held`.
        unsafe { std::arch::asm!("/* {0} */", inout(reg) held, options(nomem, nostack, preserves_flags)) };
        held
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    black_box(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twice_the_time_is_twice_the_steps() {
        let calibration = Calibration { steps_per_ns: 0.75 };
        assert_eq!(calibration.steps(0), 0);
        assert_eq!(calibration.steps(40), 30);
        assert_eq!(calibration.steps(80), 60);
    }

    #[test]
    fn the_chain_takes_at_least_a_tenth_of_the_time_asked_for_and_depends_on_its_start() {
        let steps = Calibration::measure().steps(1_000_000);
        let begin = Instant::now();
        let (one, two) = (work(black_box(1), steps), work(black_box(2), steps));
        assert!(begin.elapsed() >= Duration::from_micros(200), "the chain was optimised away");
        assert_ne!(one, two);
    }
}
