//! The number of items of a batch.

/// A workload's choice of batch sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Batch {
    /// A fixed number; 1 is the single-item interface.
    Of(usize),
    /// Each time another number from 1 to [`MOST`].
    Random,
}

/// The largest random batch.
pub(super) const MOST: usize = 32;

impl Batch {
    /// Returns the number in records: 0 if it is random.
    pub(super) fn in_records(self) -> usize {
        match self {
            Self::Of(count) => count,
            Self::Random => 0,
        }
    }

    /// Returns the largest number.
    pub(super) fn most(self) -> usize {
        match self {
            Self::Of(count) => count,
            Self::Random => MOST,
        }
    }
}

/// A thread's batch sizes: equal in each run, for all queues.
#[derive(Clone, Debug)]
pub(super) struct Sizes {
    batch: Batch,
    state: u32,
}

impl Sizes {
    pub(super) fn new(batch: Batch, seed: u32) -> Self {
        Self { batch, state: 2 * seed + 1 }
    }

    #[inline(always)]
    pub(super) fn next(&mut self) -> usize {
        match self.batch {
            Batch::Of(count) => count,
            Batch::Random => {
                // Marsaglia's xorshift.
                self.state ^= self.state << 13;
                self.state ^= self.state >> 17;
                self.state ^= self.state << 5;
                (self.state % MOST as u32) as usize + 1
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_batches_have_every_size() {
        let mut sizes = Sizes::new(Batch::Random, 1);
        let mut seen = [0; MOST + 1];
        (0..32_000).for_each(|_| seen[sizes.next()] += 1);
        assert_eq!(seen[0], 0);
        assert!(seen[1..].iter().all(|&count| (700..1300).contains(&count)), "{seen:?}");
    }
}
