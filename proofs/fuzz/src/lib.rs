//! Random numbers and the environment's variables, for the tests of this package.

use std::env;

/// A generator of random numbers: SplitMix64.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Makes a generator. Equal `seed`s give equal numbers.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns any number.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ mixed >> 31
    }

    /// Returns a number less than `end`, which is at least 1.
    pub fn below(&mut self, end: usize) -> usize {
        (self.number() % end as u64) as usize
    }

    /// Returns `true` once in `count` calls on average.
    pub fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    /// Returns one of these values. There must be at least one.
    pub fn any<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    /// Returns an index from which counters soon wrap, or 0.
    pub fn index(&mut self) -> usize {
        match self.below(3) {
            0 => 0,
            1 => usize::MAX - self.below(200),
            _ => self.number() as usize,
        }
    }

    /// Returns a lap of blocks, of three quarters of a word, from which laps soon wrap, or 0.
    pub fn lap(&mut self) -> usize {
        let bits = usize::BITS / 4;
        match self.below(3) {
            0 => 1,
            1 => (usize::MAX >> bits) - self.below(4),
            _ => self.number() as usize >> bits,
        }
    }

    /// Makes another generator, for another thread.
    pub fn fork(&mut self) -> Self {
        Self(self.number())
    }
}

/// Returns the number in a variable of the environment.
///
/// # Panics
///
/// If the variable is not a number.
pub fn number(variable: &str) -> Option<u64> {
    env::var(variable).ok().map(|value| value.parse().unwrap_or_else(|_| panic!("{variable}={value} is no number")))
}
