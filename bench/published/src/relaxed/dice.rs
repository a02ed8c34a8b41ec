//! The choices of threads.

/// A pseudorandom generator (Marsaglia's xorshift).
#[derive(Debug)]
pub struct Dice(u64);

impl Dice {
    /// Makes the generator of a thread.
    pub fn of(thread: usize) -> Self {
        Self((thread as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }

    /// Returns a number below `sides`.
    #[inline]
    pub fn throw(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        // The upper half times the number of sides: no division.
        ((self.0 >> 32).wrapping_mul(sides as u64) >> 32) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_dice_are_fair() {
        let mut dice = Dice::of(0);
        let mut seen = [0; 8];
        (0..8000).for_each(|_| seen[dice.throw(8)] += 1);
        assert!(seen.iter().all(|count| (900..1100).contains(count)), "{seen:?}");
        assert_eq!(dice.throw(1), 0);
    }
}
