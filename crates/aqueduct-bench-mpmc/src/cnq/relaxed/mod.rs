//! Relaxed queues that are in no registry, written after their authors' descriptions: further queues of comparison.
//!
//! - [`distributed`]: many small queues behind a balancer: round robin, the better of two random ones, the least
//!   recently used one (Haas and others, "Distributed queues in shared memory", CF 2013), or each producer's own
//!   (Haas and others, "Local Linearizability for Concurrent Container-Type Data Structures", CONCUR 2016).
//! - [`segments`]: segments of `k` slots (Kirsch, Lippautz and Payer, "Fast and scalable, lock-free k-FIFO queues").
//!
//! Of the thesis' table 3.2, USQ (the k-FIFO queue without a bound), RTSQ, RDQ and SQ are not here; of later ones,
//! BlockFIFO is not, because its paper's text was not at hand.

mod distributed;
mod multi_fifo;
mod partial;
mod segments;

use super::catalogue::{Contestant, Promise, opened};

/// Returns all of them, with these orders if they have one.
pub(super) fn all(orders: &[usize]) -> Vec<Contestant> {
    let mut all = vec![
        opened("relaxed/round_robin", true, Promise::Attempt, distributed::open::<distributed::Round>),
        opened("relaxed/two_choices", true, Promise::Attempt, distributed::open::<distributed::Choices>),
        opened("relaxed/least_recently_used", true, Promise::Attempt, distributed::open::<distributed::LeastRecent>),
        opened("relaxed/balanced_operations", true, Promise::Attempt, distributed::open::<distributed::Balanced>),
        opened("relaxed/multi_fifo", true, Promise::Attempt, multi_fifo::open),
        opened("relaxed/own_queues", true, Promise::Attempt, distributed::open::<distributed::Own>),
    ];
    all.extend(orders.iter().map(|&k| {
        opened("relaxed/k_segment", true, Promise::Order(k), move |capacity, threads| {
            segments::open(k, capacity, threads)
        })
    }));
    all
}

/// A pseudorandom generator for the choices of threads (Marsaglia's xorshift).
#[derive(Debug)]
struct Dice(u64);

impl Dice {
    /// Makes the generator of a thread.
    fn of(thread: usize) -> Self {
        Self((thread as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }

    /// Returns a number below `sides`.
    #[inline]
    fn throw(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        // The upper half times the number of sides: no division.
        ((self.0 >> 32).wrapping_mul(sides as u64) >> 32) as usize
    }

    /// Returns two numbers below `sides`.
    #[inline]
    fn two(&mut self, sides: usize) -> (usize, usize) {
        (self.throw(sides), self.throw(sides))
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
