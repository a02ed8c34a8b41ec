//! Pseudo-random numbers, which depend on their start only.

/// A generator (xorshift, from a scrambled beginning).
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    /// Returns the generator of that number.
    #[must_use]
    pub const fn new(number: u64) -> Self {
        // This is splitmix64: adjacent numbers start far apart.
        let mut scrambled = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
        scrambled = (scrambled ^ scrambled >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        scrambled = (scrambled ^ scrambled >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        Self((scrambled ^ scrambled >> 31) | 1)
    }

    /// Returns any number.
    pub const fn any(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// Returns a number below `bound`, which is not 0.
    pub const fn below(&mut self, bound: usize) -> usize {
        (((self.any() >> 32) * bound as u64) >> 32) as usize
    }

    /// Returns a number from `least` to `most`.
    pub const fn between(&mut self, least: usize, most: usize) -> usize {
        least + self.below(most - least + 1)
    }

    /// Returns `true` once in `count` calls on average.
    pub const fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    /// Returns a number from 1 to `most`, each order of magnitude as often as any other.
    pub fn magnitude(&mut self, most: u32) -> u32 {
        let bits = self.below(32 - most.leading_zeros() as usize) as u32;
        ((1 << bits) + self.below(1 << bits) as u32).min(most)
    }
}
