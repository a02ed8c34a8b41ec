//! Pauses that become rarer while they do not help, for threads that keep their memory in one
//! shared word.

/// The number of occasions that pass without a pause.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Seldom {
    /// The number of occasions left before the next pause.
    left: u32,
    /// The number of occasions between the last pause and the one before it.
    gap: u32,
}

/// The bits of each of the two numbers.
const HALF: u32 = 15;
/// The greatest number of occasions between two pauses.
const MOST: u32 = (1 << HALF) - 1;

impl Seldom {
    /// The bits of a [`word`](Self::word). Those above are free.
    pub(super) const BITS: u32 = 2 * HALF;

    pub(super) const fn of_word(word: u32) -> Self {
        Self { left: word & MOST, gap: word >> HALF & MOST }
    }

    pub(super) const fn word(self) -> u32 {
        self.gap << HALF | self.left
    }

    /// Whether to pause at this occasion.
    pub(super) const fn is_due(&mut self) -> bool {
        if self.left == 0 {
            return true;
        }
        self.left -= 1;
        false
    }

    /// Notes whether the last pause helped. After one that did not, twice as many occasions pass
    /// without a pause.
    pub(super) fn has_paused(&mut self, helped: bool) {
        self.gap = if helped { 0 } else { (2 * self.gap + 1).min(MOST) };
        self.left = self.gap;
    }
}
