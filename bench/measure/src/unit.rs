//! Units of figures, and their better direction.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The unit of a figure. Files have its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Unit {
    /// Millions of items in a second.
    #[serde(rename = "Mitems/s")]
    Mitems,
    /// Millions of operations in a second.
    #[serde(rename = "Mops/s")]
    Mops,
    /// Millions of tasks in a second.
    #[serde(rename = "Mtasks/s")]
    Mtasks,
    /// Millions of records in a second.
    #[serde(rename = "Mrecords/s")]
    Mrecords,
    /// Millions of packets in a second.
    #[serde(rename = "Mpackets/s")]
    Mpackets,
    /// Executions that a checker explores in a second.
    #[serde(rename = "executions/s")]
    Executions,
    /// Seconds.
    #[serde(rename = "s")]
    Seconds,
    /// Nanoseconds.
    #[serde(rename = "ns")]
    Ns,
    /// Microseconds.
    #[serde(rename = "us")]
    Us,
    /// A share, in percent.
    #[serde(rename = "%")]
    Percent,
    /// Items that were overwritten, in percent of the pushed items.
    #[serde(rename = "% lost")]
    Lost,
    /// The number of places by which an item left the order of a queue.
    #[serde(rename = "k")]
    K,
    /// Units of 1,024 bytes.
    #[serde(rename = "KiB")]
    Kib,
    /// Bytes.
    #[serde(rename = "bytes")]
    Bytes,
    /// Cache misses for each item.
    #[serde(rename = "misses/item")]
    Misses,
    /// The number of operations that an action takes.
    #[serde(rename = "operations")]
    Operations,
    /// Items that one synchronisation carries.
    #[serde(rename = "items")]
    Items,
    /// A thread's part of the work of all threads.
    #[serde(rename = "share")]
    Share,
}

impl Unit {
    /// Returns its text in tables and files.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::Mitems => "Mitems/s",
            Self::Mops => "Mops/s",
            Self::Mtasks => "Mtasks/s",
            Self::Mrecords => "Mrecords/s",
            Self::Mpackets => "Mpackets/s",
            Self::Executions => "executions/s",
            Self::Seconds => "s",
            Self::Ns => "ns",
            Self::Us => "us",
            Self::Percent => "%",
            Self::Lost => "% lost",
            Self::K => "k",
            Self::Kib => "KiB",
            Self::Bytes => "bytes",
            Self::Misses => "misses/item",
            Self::Operations => "operations",
            Self::Items => "items",
            Self::Share => "share",
        }
    }

    /// Returns which of two figures is better.
    #[must_use]
    pub const fn better(self) -> Better {
        match self {
            Self::Mitems | Self::Mops | Self::Mtasks | Self::Mrecords | Self::Mpackets | Self::Executions => {
                Better::More
            }
            Self::Percent | Self::Items | Self::Share => Better::More,
            Self::Seconds | Self::Ns | Self::Us | Self::Lost | Self::K | Self::Kib | Self::Bytes => Better::Less,
            Self::Misses | Self::Operations => Better::Less,
        }
    }

    /// True if figures of this unit explain others and do not rank queues. The number of items per
    /// synchronisation explains why a queue is fast, but is not a goal; nor is the share of a
    /// thread.
    #[must_use]
    pub const fn explains(self) -> bool {
        matches!(self, Self::Items | Self::Share)
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.text())
    }
}

/// Compares two figures of one unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// Rates, and the number of items that one synchronisation carries.
    More,
    /// Times, cache misses, operations and memory, and how far items come out of order.
    Less,
}

impl Better {
    /// Returns its words in a heading.
    pub fn words(self) -> &'static str {
        match self {
            Self::More => "more is better",
            Self::Less => "less is better",
        }
    }

    /// Returns how many times as good `figure` is as `reference`: 2.0 is twice as fast in either
    /// direction, so that a ratio above 1 always favours `figure`. `None` where either is not a
    /// positive number.
    pub fn ratio(self, figure: f64, reference: f64) -> Option<f64> {
        if !(figure > 0.0 && reference > 0.0 && figure.is_finite() && reference.is_finite()) {
            return None;
        }
        Some(match self {
            Self::More => figure / reference,
            Self::Less => reference / figure,
        })
    }

    /// Whether `a` is strictly better than `b`.
    pub fn is_better(self, a: f64, b: f64) -> bool {
        match self {
            Self::More => a > b,
            Self::Less => a < b,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_above_one_speaks_for_the_figure_in_both_directions() {
        assert_eq!(Unit::Mitems.better().ratio(200.0, 100.0), Some(2.0));
        assert_eq!(Unit::Ns.better().ratio(100.0, 200.0), Some(2.0));
        assert_eq!(Unit::Misses.better().ratio(1.0, 3.0), Some(3.0));
        assert_eq!(Better::More.ratio(1.0, 0.0), None);
    }

    #[test]
    fn files_have_the_text_of_tables() {
        for unit in [Unit::Mitems, Unit::Lost, Unit::Kib, Unit::Percent] {
            assert_eq!(serde_json::to_string(&unit).unwrap(), format!("{:?}", unit.text()));
        }
        let error = serde_json::from_str::<Unit>("\"furlongs\"").unwrap_err().to_string();
        assert!(error.contains("unknown variant `furlongs`") && error.contains("`Mitems/s`"), "{error}");
    }
}
