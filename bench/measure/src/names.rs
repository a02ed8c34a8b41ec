//! The subjects of a record's figures: the bench, one side of it, and the queue with its
//! parameters.
//!
//! In files each of them is one text, as [`Bench`] and [`Queue`] display it. Only this module
//! writes and reads these texts.

use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// One side of a measurement with several figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Facet {
    /// The median.
    P50,
    /// The 99th percentile.
    P99,
    /// The value that 99.9 % do not exceed.
    P999,
    /// The greatest.
    Max,
    /// The least share of a thread.
    Least,
    /// The greatest share of a thread.
    Most,
    /// Jain's index of the shares.
    Jain,
}

impl Facet {
    const ALL: [Self; 7] = [Self::P50, Self::P99, Self::P999, Self::Max, Self::Least, Self::Most, Self::Jain];

    /// Returns its text in files.
    fn suffix(self) -> &'static str {
        match self {
            Self::P50 => "p50",
            Self::P99 => "p99",
            Self::P999 => "p999",
            Self::Max => "max",
            Self::Least => "least_share",
            Self::Most => "greatest_share",
            Self::Jain => "jain",
        }
    }

    /// Returns the heading of its column.
    #[must_use]
    pub fn heading(self) -> &'static str {
        match self {
            Self::P50 => "median",
            Self::P99 => "99 %",
            Self::P999 => "99.9 %",
            Self::Max => "greatest",
            Self::Least => "least share",
            Self::Most => "greatest share",
            Self::Jain => "Jain's index",
        }
    }

    /// Returns, for a quantile, the share of the values that do not exceed it.
    #[must_use]
    pub fn fraction(self) -> Option<f64> {
        match self {
            Self::P50 => Some(0.5),
            Self::P99 => Some(0.99),
            Self::P999 => Some(0.999),
            Self::Max => Some(1.0),
            Self::Least | Self::Most | Self::Jain => None,
        }
    }
}

/// The distribution to which the figures of a record belong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Sample {
    /// A figure for each round.
    #[default]
    Rounds,
    /// Observations of one distribution.
    Distribution,
}

/// The measured quantity.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Bench {
    /// The command's name, a dot, and the experiment, with further parts behind dots.
    pub name: String,
    /// The distribution of its figures.
    pub sample: Sample,
    /// The side of the measurement, if it has several.
    pub facet: Option<Facet>,
}

/// The suffix of the texts of distributions.
const DISTRIBUTION: &str = "_distribution";

impl Bench {
    /// Rounds of a measurement that has one side.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), sample: Sample::Rounds, facet: None }
    }

    /// Observations of one distribution.
    #[must_use]
    pub fn distribution(name: impl Into<String>) -> Self {
        Self { sample: Sample::Distribution, ..Self::new(name) }
    }

    /// Rounds of one side of a measurement.
    #[must_use]
    pub fn side(name: impl Into<String>, facet: Facet) -> Self {
        Self { facet: Some(facet), ..Self::new(name) }
    }

    /// Whether the figures are observations of one distribution.
    #[must_use]
    pub fn is_distribution(&self) -> bool {
        self.sample == Sample::Distribution
    }
}

impl From<&str> for Bench {
    fn from(name: &str) -> Self {
        Self::new(name)
    }
}

impl From<String> for Bench {
    fn from(name: String) -> Self {
        Self::new(name)
    }
}

impl fmt::Display for Bench {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let distribution = if self.is_distribution() { DISTRIBUTION } else { "" };
        let (dot, facet) = self.facet.map_or(("", ""), |facet| (".", facet.suffix()));
        f.pad(&format!("{}{distribution}{dot}{facet}", self.name))
    }
}

impl FromStr for Bench {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        let of = |last| Facet::ALL.into_iter().find(|facet: &Facet| facet.suffix() == last);
        let side = text.rsplit_once('.').and_then(|(name, last)| Some((name, of(last)?)));
        Ok(match (side, text.strip_suffix(DISTRIBUTION)) {
            (Some((name, facet)), _) => Self::side(name, facet),
            (None, Some(name)) => Self::distribution(name),
            (None, None) => Self::new(text),
        })
    }
}

/// A parameter with which a queue was made, where figures over it are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Parameter {
    /// The `k` of the order that the queue promises.
    Order(usize),
    /// Its blocks, where they are others than the queue's own choice.
    Blocks {
        /// Their number.
        count: u32,
        /// Entries of each.
        size: u32,
    },
}

/// A queue, or a bound.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Queue {
    /// `CRATE/NAME`, or `bound/NAME`.
    pub name: String,
    /// Its parameters, if they are compared.
    pub parameter: Option<Parameter>,
}

impl Queue {
    /// Makes a queue that promises an order of `k`.
    #[must_use]
    pub fn with_order(name: impl Into<String>, k: usize) -> Self {
        Self { parameter: Some(Parameter::Order(k)), ..Self::from(name.into()) }
    }

    /// Makes a queue of `count` blocks, each of `size` entries.
    #[must_use]
    pub fn with_blocks(name: impl Into<String>, count: u32, size: u32) -> Self {
        Self { parameter: Some(Parameter::Blocks { count, size }), ..Self::from(name.into()) }
    }

    /// Returns the `k` of its order, if it promises one.
    #[must_use]
    pub fn order(&self) -> Option<usize> {
        match self.parameter {
            Some(Parameter::Order(k)) => Some(k),
            Some(Parameter::Blocks { .. }) | None => None,
        }
    }

    /// Returns the number of its blocks and their size, if these are compared.
    #[must_use]
    pub fn blocks(&self) -> Option<(u32, u32)> {
        match self.parameter {
            Some(Parameter::Blocks { count, size }) => Some((count, size)),
            Some(Parameter::Order(_)) | None => None,
        }
    }
}

impl From<&str> for Queue {
    fn from(name: &str) -> Self {
        name.to_owned().into()
    }
}

impl From<String> for Queue {
    fn from(name: String) -> Self {
        Self { name, parameter: None }
    }
}

impl fmt::Display for Queue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.name;
        match self.parameter {
            None => f.pad(name),
            Some(Parameter::Order(k)) => f.pad(&format!("{name}[k={k}]")),
            Some(Parameter::Blocks { count, size }) => f.pad(&format!("{name}[{count}x{size}]")),
        }
    }
}

impl FromStr for Queue {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        let parameter = text.strip_suffix(']').and_then(|rest| rest.split_once('[')).and_then(|(name, words)| {
            if let Some(k) = words.strip_prefix("k=") {
                return Some(Self::with_order(name, k.parse().ok()?));
            }
            let (count, size) = words.split_once('x')?;
            Some(Self::with_blocks(name, count.parse().ok()?, size.parse().ok()?))
        });
        Ok(parameter.unwrap_or_else(|| text.into()))
    }
}

/// Rounds of a measurement that has one side.
impl PartialEq<&str> for Bench {
    fn eq(&self, name: &&str) -> bool {
        self.sample == Sample::Rounds && self.facet.is_none() && self.name == *name
    }
}

/// A queue without a parameter.
impl PartialEq<&str> for Queue {
    fn eq(&self, name: &&str) -> bool {
        self.parameter.is_none() && self.name == *name
    }
}

/// One text in files.
macro_rules! as_text {
    ($name:ty) => {
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = String::deserialize(deserializer)?;
                let Ok(name) = text.parse();
                Ok(name)
            }
        }
    };
}

as_text!(Bench);
as_text!(Queue);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bench_is_read_as_it_is_written() {
        let all = [
            ("spsc.throughput", Bench::new("spsc.throughput")),
            ("spsc.pingpong_distribution", Bench::distribution("spsc.pingpong")),
            ("mpmc.latency.push.p999", Bench::side("mpmc.latency.push", Facet::P999)),
            ("mpmc.fairness.producers.jain", Bench::side("mpmc.fairness.producers", Facet::Jain)),
            ("p50", Bench::new("p50")),
        ];
        for (text, bench) in all {
            assert_eq!((bench.to_string().as_str(), text.parse()), (text, Ok(bench)), "{text}");
        }
    }

    #[test]
    fn a_queue_is_read_as_it_is_written() {
        let all = [
            ("aqueduct/bbq_mpmc", Queue::from("aqueduct/bbq_mpmc")),
            ("aqueduct/cnq_bbq[k=100]", Queue::with_order("aqueduct/cnq_bbq", 100)),
            ("aqueduct/bbq_mpmc[8x512]", Queue::with_blocks("aqueduct/bbq_mpmc", 8, 512)),
        ];
        for (text, queue) in all {
            assert_eq!((queue.to_string().as_str(), text.parse()), (text, Ok(queue)), "{text}");
        }
        for other in ["a/b[k=]", "a/b[k=1", "a/b[k=x]", "a/b[8]", "a/b[8x]", "a/b[x8]", "a/b[8x8"] {
            assert_eq!(other.parse(), Ok(Queue::from(other)));
        }
    }
}
