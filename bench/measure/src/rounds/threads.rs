//! The number of threads on each side.

use std::fmt;
use std::str::FromStr;

use crate::record::Placement;

/// The number of threads on each side; written as `2x4`, producers first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Threads {
    /// Producing threads.
    pub producers: usize,
    /// Consuming threads.
    pub consumers: usize,
}

impl Threads {
    /// One thread on each side.
    pub const PAIR: Self = Self::new(1, 1);

    /// The greatest number of threads on one side. A machine with more cores may need a greater
    /// one.
    pub const MOST: usize = 256;

    /// Makes a setup of `producers` and `consumers`.
    #[must_use]
    pub const fn new(producers: usize, consumers: usize) -> Self {
        Self { producers, consumers }
    }

    /// Returns the core of a producer, counted from 0, by [`placement`](Self::placement).
    pub fn core_of_producer(self, at: usize, cores: &[usize]) -> Option<usize> {
        self.place(at, self.consumers, 0, cores)
    }

    /// Returns the core of a consumer, counted from 0, by [`placement`](Self::placement).
    pub fn core_of_consumer(self, at: usize, cores: &[usize]) -> Option<usize> {
        self.place(at, self.producers, 1, cores)
    }

    /// Returns the cores of all threads.
    ///
    /// If there are cores for all threads, each thread has its own, and the sides alternate
    /// (thesis, 2.6.2); threads of the longer side come last. With fewer cores, each side takes
    /// them in turn, the consumers one core further.
    #[must_use]
    pub fn placement(self, cores: &[usize]) -> Placement {
        Placement {
            producers: (0..self.producers).filter_map(|at| self.core_of_producer(at, cores)).collect(),
            consumers: (0..self.consumers).filter_map(|at| self.core_of_consumer(at, cores)).collect(),
        }
    }

    /// Returns the core of a thread with `others` threads on the other side.
    fn place(self, at: usize, others: usize, side: usize, cores: &[usize]) -> Option<usize> {
        let place = if self.producers + self.consumers > cores.len() {
            at + side
        } else if at < others {
            2 * at + side
        } else {
            others + at
        };
        (!cores.is_empty()).then(|| cores[place % cores.len()])
    }
}

impl fmt::Display for Threads {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}x{}", self.producers, self.consumers)
    }
}

impl FromStr for Threads {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |part: &str| part.trim().parse().ok().filter(|count| (1..=Self::MOST).contains(count));
        text.split_once('x')
            .and_then(|(producers, consumers)| Some(Self::new(number(producers)?, number(consumers)?)))
            .ok_or_else(|| format!("two numbers between 1 and {} are needed, such as 2x4", Self::MOST))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_read_as_they_are_written() {
        let threads = Threads::new(2, 16);
        assert_eq!(threads.to_string().parse(), Ok(threads));
        for wrong in ["2", "0x1", "1x0", "2x", "2x257", "axb"] {
            let why = wrong.parse::<Threads>().unwrap_err();
            assert!(why.contains("such as 2x4"), "{wrong}: {why}");
        }
    }

    /// Returns the cores of all producers, and of all consumers.
    fn placed(threads: Threads, cores: usize) -> (Vec<usize>, Vec<usize>) {
        let cores: Vec<usize> = (0..cores).map(|core| 10 + core).collect();
        let Placement { producers, consumers } = threads.placement(&cores);
        (producers, consumers)
    }

    #[test]
    fn sides_alternate_while_each_thread_has_a_core_of_its_own() {
        assert_eq!(placed(Threads::new(2, 2), 4), (vec![10, 12], vec![11, 13]));
        assert_eq!(placed(Threads::new(1, 3), 4), (vec![10], vec![11, 12, 13]));
        assert_eq!(placed(Threads::new(3, 1), 8), (vec![10, 12, 13], vec![11]));
        let (producers, consumers) = placed(Threads::new(8, 8), 16);
        let mut all = [producers, consumers].concat();
        all.sort_unstable();
        assert_eq!(all, (10..26).collect::<Vec<_>>());
    }

    #[test]
    fn sides_go_round_where_threads_share_cores() {
        assert_eq!(placed(Threads::new(2, 2), 2), (vec![10, 11], vec![11, 10]));
        assert_eq!(placed(Threads::new(1, 1), 1), (vec![10], vec![10]));
        assert_eq!(placed(Threads::new(1, 1), 0), (vec![], vec![]));
    }
}
