//! Random numbers for the tests with threads, where a failure cannot be replayed from a `seed`
//! anyway.

/// A xorshift generator: one `seed` always gives the same numbers.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// Returns a number in `0..below`.
    pub(crate) fn below(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % below
    }

    /// Pauses: mostly not at all, now and then for a short spin, seldom for the rest of the
    /// thread's time.
    pub(crate) fn pause(&mut self) {
        match self.below(64) {
            0 => std::thread::yield_now(),
            1..=4 => (0..self.below(200)).for_each(|_| std::hint::spin_loop()),
            _ => {}
        }
    }
}
