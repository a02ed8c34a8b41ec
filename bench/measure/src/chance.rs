//! Pseudorandom numbers, equal in each run, and pauses of a random number of instructions.

/// A pseudorandom generator: Marsaglia's xorshift.
#[derive(Clone, Copy, Debug)]
pub struct Draw {
    state: u64,
}

impl Draw {
    /// Returns the generator of that thread. Each thread has other numbers.
    #[must_use]
    pub fn of_thread(thread: usize) -> Self {
        // xorshift needs a state other than 0. A product of odd numbers is odd.
        Self { state: 0x9E37_79B9_7F4A_7C15_u64.wrapping_mul(2 * thread as u64 + 1) }
    }

    /// Returns the next number, which is less than `bound`.
    #[inline]
    pub fn below(&mut self, bound: u32) -> u32 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        // The upper half times the number of outcomes: no division, and hardly a bias.
        (((self.state >> 32) * u64::from(bound)) >> 32) as u32
    }
}

/// The greatest number of no-op instructions for each operation (the BBQ paper, section 6.1).
const MOST_NOPS: u32 = 100;

/// Pauses, each of a random number of no-op instructions.
#[derive(Clone, Copy, Debug)]
pub struct Idler(Draw);

impl Idler {
    /// Returns the pauses of that thread, which are equal in each run.
    #[must_use]
    pub fn of_thread(thread: usize) -> Self {
        Self(Draw::of_thread(thread))
    }

    /// Pauses for up to a hundred instructions.
    #[inline]
    pub fn idle(&mut self) {
        for _ in 0..self.0.below(MOST_NOPS + 1) {
            nop();
        }
    }
}

/// Runs an instruction that does nothing and is not optimised away.
#[inline(always)]
fn nop() {
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    // SAFETY: the instruction touches nothing.
    unsafe {
        std::arch::asm!("nop", options(nomem, nostack, preserves_flags));
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    std::hint::black_box(());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_random_within_their_bounds_and_the_same_each_time() {
        let draw = |thread: usize| {
            let mut draw = Draw::of_thread(thread);
            std::iter::repeat_with(move || draw.below(MOST_NOPS + 1)).take(10_000).collect::<Vec<_>>()
        };
        let drawn = draw(0);
        assert_eq!((drawn.iter().min(), drawn.iter().max()), (Some(&0), Some(&MOST_NOPS)));
        let mean = drawn.iter().map(|&number| f64::from(number)).sum::<f64>() / 10_000.0;
        assert!((45.0..55.0).contains(&mean), "{mean}");
        assert_eq!(drawn, draw(0));
        assert_ne!(drawn, draw(1));
        let mut one = Draw::of_thread(3);
        assert!((0..100).all(|_| one.below(1) == 0));
    }
}
