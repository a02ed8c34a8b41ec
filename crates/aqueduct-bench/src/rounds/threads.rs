//! How many threads there are on either side.

use std::fmt;
use std::str::FromStr;

/// How many threads there are on either side; written as `2x4`, producers first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Threads {
    /// Producing threads.
    pub producers: usize,
    /// Consuming threads.
    pub consumers: usize,
}

impl Threads {
    /// One on either side.
    pub const PAIR: Self = Self::new(1, 1);

    /// Most threads on one side. A machine with more cores may find that too few.
    pub const MOST: usize = 256;

    /// That many producers and consumers.
    #[must_use]
    pub const fn new(producers: usize, consumers: usize) -> Self {
        Self { producers, consumers }
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
}
