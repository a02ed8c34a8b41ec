//! The times at which threads are stopped, and for how long.

use super::Dice;

/// A plan of how the threads of a round are stopped.
///
/// After about every `gap` points a decision is due: whether the thread stops, until the others
/// have passed a number of points. A short gap with short stops is noise, which finds races of a
/// few accesses. A long gap with long stops leaves a thread behind at one place, as a busy machine
/// does, while the others go far ahead: that finds errors that need a slow thread or two. Some
/// threads of a round are slow throughout.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The average number of points between two decisions.
    gap: usize,
    /// One in this number of decisions is a stop.
    stops: usize,
    /// The greatest number of other threads' points that a stop lasts.
    longest: u32,
    /// The threads, as bits, that stop at each decision.
    slow: u64,
}

impl Plan {
    /// Draws a plan for `threads` threads.
    pub fn draw(dice: &mut Dice, threads: usize) -> Self {
        let slow = match dice.below(3) {
            0 => 0,
            // The slow threads are one, or two.
            kind => (0..kind).fold(0, |slow, _| slow | 1 << dice.below(threads)),
        };
        Self {
            gap: dice.magnitude(250) as usize,
            stops: dice.between(1, 40),
            longest: 32 * dice.magnitude(1_000),
            slow,
        }
    }

    /// Returns the number of points until the next decision.
    pub(super) fn gap(&self, dice: &mut Dice) -> u32 {
        dice.below(2 * self.gap) as u32
    }

    /// Returns the number of other threads' points for which the thread stops, if it stops.
    pub(super) fn stop(&self, dice: &mut Dice, thread: usize) -> Option<u32> {
        let stops = self.slow >> thread & 1 != 0 || dice.one_in(self.stops);
        stops.then(|| dice.magnitude(self.longest))
    }
}
