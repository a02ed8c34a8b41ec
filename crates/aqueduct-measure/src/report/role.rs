//! Whose queue a record is about, and which way its unit is good.

use crate::record::Record;

/// Whose figure it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// One of aqueduct's queues.
    Ours,
    /// A peer: a queue that is not of this workspace.
    Peer,
    /// No queue at all: what the machine allows.
    Bound,
}

impl Role {
    /// The role of the queue that `record` names.
    pub fn of(record: &Record) -> Self {
        if record.peer {
            Self::Peer
        } else if record.queue.starts_with("bound/") {
            Self::Bound
        } else {
            Self::Ours
        }
    }

    /// What a heading calls the group.
    pub fn heading(self) -> &'static str {
        match self {
            Self::Ours => "aqueduct",
            Self::Peer => "peers",
            Self::Bound => "bounds",
        }
    }

    /// The three roles in the order in which reports show them.
    pub const ALL: [Self; 3] = [Self::Ours, Self::Peer, Self::Bound];
}

/// Which of two figures of the same unit is the better one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// Rates, and the number of items that one synchronisation carries.
    More,
    /// Times, cache misses, operations and memory that something takes, and how far items come out of order.
    Less,
}

impl Better {
    /// The direction of `unit`. A unit that is not a time, a part of a time, memory, or a number of misses or
    /// operations is taken for a rate.
    pub fn of_unit(unit: &str) -> Self {
        let what = unit.split('/').next().unwrap_or(unit);
        match what {
            "ns" | "us" | "ms" | "s" | "misses" | "cycles" | "operations" | "failed" | "% lost" | "k" | "KiB" => {
                Self::Less
            }
            _ => Self::More,
        }
    }

    /// How a heading says it.
    pub fn words(self) -> &'static str {
        match self {
            Self::More => "more is better",
            Self::Less => "less is better",
        }
    }

    /// How many times as good `figure` is as `reference`: 2.0 is twice as fast in either direction, so
    /// that a ratio above 1 always speaks for `figure`. `None` where either is not a positive number.
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
        assert_eq!(Better::of_unit("Mitems/s").ratio(200.0, 100.0), Some(2.0));
        assert_eq!(Better::of_unit("ns").ratio(100.0, 200.0), Some(2.0));
        assert_eq!(Better::of_unit("misses/item").ratio(1.0, 3.0), Some(3.0));
        assert_eq!(Better::More.ratio(1.0, 0.0), None);
    }
}
