//! Policies that choose the queue to steal from.
//!
//! # Examples
//! ```
//! use aqueduct::bwos::policy::{Select, Thief};
//! use aqueduct::bwos::{Steal, fifo};
//!
//! let (mut owner, stealer) = fifo::new(100)?;
//! let (_idle, other) = fifo::new(100)?;
//! for task in 0..90 {
//!     owner.push(task)?;
//! }
//! let mut thief = Thief::new(Select::Random, 1).probabilistic();
//! // All items are in the owner's current block: the thief sends a request, and gets `Retry`.
//! assert_eq!(thief.steal(&[other.clone(), stealer.clone()]), Steal::Retry);
//! // The owner's next operation gives away the later half. Without one, the thief seizes the items after
//! // some attempts.
//! owner.push(90)?;
//! assert!(matches!(thief.steal(&[other, stealer]), Steal::Success(_)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Design and proof
//! These are the policies of J. Wang's thesis (TU Dresden, 2024, section 4.6.2.3), each with or
//! without its probabilistic acceptance (section 4.3.4).

mod topology;
mod victim;

pub use topology::Topology;
pub use victim::{Divides, Victim};

use super::steal::Steal;

/// The way in which a thief selects a victim.
///
/// # Examples
/// ```
/// use aqueduct::bwos::lifo;
/// use aqueduct::bwos::policy::{Select, Thief};
///
/// let queues = (0..4).map(|_| lifo::new::<u64>(100)).collect::<Result<Vec<_>, _>>()?;
/// let victims: Vec<_> = queues.iter().map(|(_, stealer)| stealer.clone()).collect();
/// for select in [Select::Random, Select::Last, Select::BestOf(2)] {
///     assert!(Thief::new(select, 1).steal(&victims).is_empty());
/// }
/// # Ok::<(), aqueduct::error::CapacityError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Select {
    /// A random victim, each with equal probability.
    Random,
    /// One victim after the other, in the order given, from the first one on.
    Sequential,
    /// The last victim that had an item, as long as it has one.
    ///
    /// Otherwise a random victim.
    Last,
    /// The victim that seems to have [most](Victim::estimate), of this number of different ones
    /// chosen at random.
    ///
    /// 2 is the thesis' best of two; half of all victims is its best of many.
    BestOf(usize),
    /// A random victim of the nearest node.
    ///
    /// After as many attempts as that node has victims, a random victim of the next node.
    Near(Topology),
}

/// A thief's choices: its policy, and its memory of earlier attempts. One for each thread that
/// steals.
///
/// Victims are named by their indices in the slice that is passed to [`steal`](Self::steal). That
/// slice should list the same victims each time.
///
/// # Examples
/// ```
/// use aqueduct::bwos::policy::{Select, Thief};
/// use aqueduct::bwos::{Geometry, Steal, lifo};
///
/// let (mut owner, stealer) = lifo::with_geometry(Geometry::new(8, 1)?)?;
/// let (_idle, other) = lifo::new(100)?;
/// owner.push(1)?;
/// owner.push(2)?;
/// let mut thief = Thief::new(Select::BestOf(2), 7);
/// assert_eq!(thief.steal(&[stealer, other]), Steal::Success(1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Thief {
    select: Select,
    accepts_by_chance: bool,
    last: usize,
    counts: Counts,
    dice: Dice,
}

/// Counts of a thief's attempts so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counts {
    /// The attempts on single victims.
    pub attempts: u64,
    /// The attempts that stole an item.
    pub steals: u64,
    /// The attempts that returned [`Steal::Retry`]: they lost a race, or sent a steal request.
    pub retries: u64,
    /// The items that came along with a stolen one, into the thief's own queue.
    pub moved: u64,
}

impl Counts {
    const NONE: Self = Self { attempts: 0, steals: 0, retries: 0, moved: 0 };
}

impl Thief {
    /// Makes a thief with that policy. An equal `seed` leads to equal choices.
    #[must_use]
    pub const fn new(select: Select, seed: u64) -> Self {
        Self { select, accepts_by_chance: false, last: 0, counts: Counts::NONE, dice: Dice(seed) }
    }

    /// Adds probabilistic acceptance, so that fuller queues are stolen from more often.
    ///
    /// The thief reads one random block of a selected victim, and leaves the victim alone if
    /// nothing of that block can be stolen. If thieves may take any item, the item is taken from
    /// that block (randomised stealing).
    #[must_use]
    pub const fn probabilistic(mut self) -> Self {
        self.accepts_by_chance = true;
        self
    }

    /// Steals an item from one of the victims.
    ///
    /// Makes as many attempts by the policy as there are victims. Then it tries each victim once,
    /// so that no available item is overlooked. If no victim has given an item away, it
    /// [steals](Victim::steal) from them, one after the other, what they have not given away.
    pub fn steal<V: Victim>(&mut self, victims: &[V]) -> Steal<V::Item> {
        if victims.is_empty() {
            return Steal::Empty;
        }
        let mut lost = false;
        for attempt in 0..victims.len() {
            let chosen = self.choose(victims, attempt);
            let stolen = self.attempt(&victims[chosen]);
            if self.note(chosen, &stolen) {
                return stolen;
            }
            lost |= stolen.is_retry();
        }
        let first = self.dice.below(victims.len());
        for chosen in (first..victims.len()).chain(0..first) {
            let stolen = victims[chosen].steal_granted();
            if self.note(chosen, &stolen) {
                return stolen;
            }
            lost |= stolen.is_retry();
        }
        if lost {
            return Steal::Retry;
        }
        // Not all idle thieves begin with the first owner: each look takes a line from the owner.
        for chosen in (first..victims.len()).chain(0..first) {
            let stolen = victims[chosen].steal();
            if self.note(chosen, &stolen) {
                return stolen;
            }
            lost |= stolen.is_retry();
        }
        if lost { Steal::Retry } else { Steal::Empty }
    }

    /// Steals an item from one of the victims, and up to half of that victim's other items.
    ///
    /// Chooses the victim and returns the item like [`steal`](Self::steal), and moves the others
    /// into the thief's own queue, over several blocks. It leaves alone what it would have to
    /// seize.
    ///
    /// # Examples
    /// ```
    /// use aqueduct::bwos::policy::{Select, Thief};
    /// use aqueduct::bwos::{Geometry, Steal, lifo};
    ///
    /// let (mut victim, stealer) = lifo::with_geometry(Geometry::new(4, 4)?)?;
    /// let (mut own, _) = lifo::new(100)?;
    /// for task in 0..13 {
    ///     victim.push(task)?;
    /// }
    /// let mut thief = Thief::new(Select::Random, 1);
    /// assert_eq!(thief.steal_half(&[stealer], &mut own), Steal::Success(0));
    /// // Eleven items were left that the owner has given.
    /// assert_eq!(own.len(), 5);
    /// assert_eq!((thief.counts().steals, thief.counts().moved), (1, 5));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn steal_half<V: Divides>(&mut self, victims: &[V], own: &mut V::Owner) -> Steal<V::Item> {
        let stolen = self.steal(victims);
        if stolen.is_success() {
            self.counts.moved += victims[self.last].steal_half_into(own) as u64;
        }
        stolen
    }

    /// Returns how often this thief has tried and stolen since it was made.
    #[must_use]
    pub const fn counts(&self) -> Counts {
        self.counts
    }

    /// Records an attempt on a victim, and returns whether it stole an item.
    fn note<T>(&mut self, chosen: usize, stolen: &Steal<T>) -> bool {
        self.counts.attempts += 1;
        self.counts.retries += u64::from(stolen.is_retry());
        if stolen.is_success() {
            self.counts.steals += 1;
            self.last = chosen;
        }
        stolen.is_success()
    }

    /// Returns the victim for that attempt.
    fn choose<V: Victim>(&mut self, victims: &[V], attempt: usize) -> usize {
        let count = victims.len();
        match &self.select {
            Select::Sequential => attempt,
            Select::Last if attempt == 0 && self.last < count => self.last,
            Select::Random | Select::Last => self.dice.below(count),
            Select::BestOf(several) => {
                let mut best = (0, None);
                for chosen in Several::of(*several, count, &mut self.dice) {
                    let estimate = victims[chosen].estimate();
                    if estimate > best.0 || best.1.is_none() {
                        best = (estimate, Some(chosen));
                    }
                }
                best.1.unwrap_or(0)
            }
            Select::Near(topology) => {
                let node = topology.node(attempt);
                // A victim that the topology lacks is tried in the end, and one that does not exist
                // is never chosen.
                if node.is_empty() { attempt } else { node[self.dice.below(node.len())].min(count - 1) }
            }
        }
    }

    fn attempt<V: Victim>(&mut self, victim: &V) -> Steal<V::Item> {
        if self.accepts_by_chance {
            victim.steal_sampled(self.dice.below(victim.blocks()))
        } else {
            victim.steal_granted()
        }
    }
}

/// Different numbers less than a bound, chosen at random: each set of them with equal probability.
///
/// Selection sampling: of the numbers that are left, each is taken by the share that is still to be
/// chosen. It needs no memory of the numbers that it has chosen.
struct Several<'d> {
    dice: &'d mut Dice,
    wanted: usize,
    next: usize,
    bound: usize,
    /// Added to each number, modulo the bound: so the first one is no more often a low one than a
    /// high one.
    turn: usize,
}

impl<'d> Several<'d> {
    /// Chooses at least one and at most `bound` numbers less than `bound`.
    fn of(wanted: usize, bound: usize, dice: &'d mut Dice) -> Self {
        let turn = dice.below(bound);
        Self { dice, wanted: wanted.clamp(1, bound), next: 0, bound, turn }
    }
}

impl Iterator for Several<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        while self.wanted > 0 {
            let number = self.next;
            self.next += 1;
            if self.dice.below(self.bound - number) < self.wanted {
                self.wanted -= 1;
                return Some((number + self.turn) % self.bound);
            }
        }
        None
    }
}

/// A pseudo-random number generator.
#[derive(Clone, Debug)]
struct Dice(u64);

impl Dice {
    /// Returns a number less than `bound`.
    ///
    /// (A multiple of an odd number, mixed: an equidistributed sequence of period 2^64.)
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = (self.0 ^ (self.0 >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
        mixed = (mixed ^ (mixed >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
        let mixed = mixed ^ (mixed >> 32);
        // The upper half of a product: as even as the numbers are.
        ((u128::from(mixed) * bound as u128) >> 64) as usize
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    #[test]
    fn dice_fall_evenly() {
        let mut dice = Dice(3);
        let mut counts = [0_u32; 7];
        (0..70_000).for_each(|_| counts[dice.below(7)] += 1);
        assert!(counts.iter().all(|count| (9_500..10_500).contains(count)), "{counts:?}");
    }

    #[test]
    fn several_numbers_are_different_and_each_set_and_each_first_one_is_as_frequent() {
        let (mut dice, mut sets, mut firsts) = (Dice(5), [0_u32; 32], [0_u32; 5]);
        for _ in 0..50_000 {
            let chosen: Vec<usize> = Several::of(2, 5, &mut dice).collect();
            assert!(chosen.len() == 2 && chosen[0] != chosen[1], "{chosen:?}");
            sets[chosen.iter().fold(0, |set, number| set | 1 << number)] += 1;
            firsts[chosen[0]] += 1;
        }
        let pairs: Vec<u32> = sets.into_iter().filter(|&times| times > 0).collect();
        assert!(pairs.len() == 10 && pairs.iter().all(|times| (4_600..5_400).contains(times)), "{pairs:?}");
        assert!(firsts.iter().all(|times| (9_400..10_600).contains(times)), "{firsts:?}");
        assert_eq!(Several::of(9, 3, &mut dice).count(), 3, "no more than there are");
        assert_eq!(Several::of(0, 3, &mut dice).count(), 1, "one at least");
    }

    /// A queue that has these numbers of items in its blocks.
    struct Stocked(&'static [usize]);

    impl Victim for Stocked {
        type Item = ();

        fn steal_granted(&self) -> Steal<()> {
            Steal::Success(())
        }

        fn granted(&self, block: usize) -> usize {
            self.0[block]
        }

        fn blocks(&self) -> usize {
            self.0.len()
        }
    }

    /// A queue whose items are all in its owner's block.
    struct Kept;

    impl Victim for Kept {
        type Item = ();

        fn steal_granted(&self) -> Steal<()> {
            Steal::Empty
        }

        fn granted(&self, _block: usize) -> usize {
            0
        }

        fn steal(&self) -> Steal<()> {
            Steal::Success(())
        }
    }

    #[test]
    fn what_owners_have_kept_is_stolen_from_each_as_often() {
        let (mut thief, mut counts) = (Thief::new(Select::Sequential, 1), [0_u32; 4]);
        for _ in 0..4_000 {
            assert!(thief.steal(&[Kept, Kept, Kept, Kept]).is_success());
            counts[thief.last] += 1;
        }
        assert!(counts.iter().all(|count| (900..1_100).contains(count)), "{counts:?}");
    }

    #[test]
    fn the_best_of_all_is_the_one_with_most_items_in_all_its_blocks() {
        let victims = [Stocked(&[3, 0, 3]), Stocked(&[5]), Stocked(&[0, 7, 0, 0]), Stocked(&[])];
        for seed in 0..100 {
            let mut thief = Thief::new(Select::BestOf(4), seed);
            assert!(thief.steal(&victims).is_success());
            assert_eq!(thief.last, 2, "seven are most");
            let mut thief = Thief::new(Select::BestOf(3), seed);
            assert!(thief.steal(&victims).is_success());
            assert!(thief.last == 2 || thief.last == 0, "of three, two have most or second most");
        }
    }
}
