//! The sites in the queues' source with an ordering stronger than `Relaxed`, and their notation.

use std::fmt;
use std::str::FromStr;
use std::sync::atomic::Ordering;

use aqueduct_model::minimal::{ordering_named, takes};
use aqueduct_model::{Override, SiteReport};

macro_rules! sources {
    ($($file:literal)*) => {
        /// The files of the library that name such orderings, below its `src`, with their text.
        pub const SOURCES: &[(&str, &str)] = &[$(($file, include_str!(concat!("../../../../library/queues/src/", $file)))),*];
    };
}

sources! {
    "bbq/consumer/fetch_add.rs"
    "bbq/consumer/many.rs"
    "bbq/consumer/reader.rs"
    "bbq/consumer/single.rs"
    "bbq/items.rs"
    "bbq/memory/block.rs"
    "bbq/memory/entry.rs"
    "bbq/memory/line.rs"
    "bbq/producer/many.rs"
    "bbq/producer/single.rs"
    "bbq/producer/skipped.rs"
    "bbq/records/bytes.rs"
    "bbq/ring.rs"
    "bwos/fifo/grants.rs"
    "bwos/fifo/position.rs"
    "bwos/fifo/slow.rs"
    "bwos/fifo/thieves.rs"
    "bwos/lifo/position.rs"
    "bwos/lifo/slow.rs"
    "bwos/lifo/thieves.rs"
    "bwos/queue.rs"
    "bwos/request.rs"
    "bwos/seize.rs"
    "bwos/steal.rs"
    "cnq/capsule.rs"
    "cnq/fragments.rs"
    "cnq/shared.rs"
    "cnq/windows.rs"
    "exact/ring.rs"
    "heap.rs"
    "hold.rs"
    "nblfq/ring.rs"
    "spsc/batched_lamport.rs"
    "spsc/fast_forward.rs"
    "spsc/lamport.rs"
    "spsc/lazy_lamport.rs"
    "spsc/partitions.rs"
    "spsc/stamped_line.rs"
    "spsc/words.rs"
    "tube/index_queues.rs"
    "tube/sequenced_ring.rs"
    "unbounded/block.rs"
    "unbounded/chain.rs"
    "unbounded/reclaim.rs"
    "unbounded/single.rs"
}

/// Whether a file contains queues, and not their clients.
#[must_use]
pub fn has_queue(file: &str) -> bool {
    file.contains("/library/queues/src/") || file.ends_with("/chase_lev/deque.rs")
}

/// Returns a file's path below its crate's `src`.
#[must_use]
pub fn short(file: &str) -> &str {
    file.rsplit_once("/src/").map_or(file, |(_, short)| short)
}

/// An ordering in the source that is stronger than `Relaxed`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Named {
    /// The file, below the library's `src`.
    pub file: &'static str,
    /// The line, from 1 on.
    pub line: u32,
    /// The code in that line.
    pub code: &'static str,
}

impl Named {
    /// Whether this is a line of a file, which is named by its path.
    #[must_use]
    pub fn is_at(&self, file: &str, line: u32) -> bool {
        line == self.line && short(file) == self.file
    }
}

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.code)
    }
}

/// Returns the lines of a file's text that name orderings stronger than `Relaxed`, numbered from 1
/// on.
pub fn named_in(text: &str) -> impl Iterator<Item = (u32, &str)> {
    let strong = ["Acquire", "Release", "AcqRel", "SeqCst"].map(|name| format!("Ordering::{name}"));
    (1..)
        .zip(text.lines().map(str::trim))
        .filter(move |(_, code)| !code.starts_with("//") && strong.iter().any(|name| code.contains(name)))
}

/// Returns all orderings stronger than `Relaxed` in the library's source.
pub fn named() -> impl Iterator<Item = Named> {
    SOURCES.iter().flat_map(|&(file, text)| named_in(text).map(move |(line, code)| Named { file, line, code }))
}

/// Returns the orderings that are at none of these files and lines.
#[must_use]
pub fn unreached(reached: &[(&str, u32)]) -> Vec<Named> {
    named().filter(|named| !reached.iter().any(|&(file, line)| named.is_at(file, line))).collect()
}

/// Another ordering for a site: `FILE:LINE:COLUMN=ORDERING`, and `/ORDERING` after it for the
/// failure of a compare-exchange.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Instead(pub Override);

impl FromStr for Instead {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let form = || format!("`{text}` is not FILE:LINE:COLUMN=ORDERING, as in spsc/lamport.rs:62:36=Relaxed");
        let ordering = |name: &str| {
            ordering_named(name).ok_or_else(|| format!("`{name}` is none of Relaxed, Acquire, Release, AcqRel, SeqCst"))
        };
        let (site, orderings) = text.split_once('=').ok_or_else(form)?;
        let mut parts = site.rsplitn(3, ':');
        let mut number = || parts.next().and_then(|part| part.parse().ok());
        let (column, line) = (number().ok_or_else(form)?, number().ok_or_else(form)?);
        let file = parts.next().filter(|file| !file.is_empty()).ok_or_else(form)?.to_owned();
        let (access, failure) = orderings.split_once('/').map_or((orderings, None), |(a, f)| (a, Some(f)));
        let failure = failure.map(ordering).transpose()?;
        Ok(Self(Override { file, line, column, ordering: Some(ordering(access)?), failure }))
    }
}

impl fmt::Display for Instead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Override { file, line, column, ordering, failure } = &self.0;
        write!(f, "{}:{line}:{column}={:?}", short(file), ordering.unwrap_or(Ordering::Relaxed))?;
        failure.map_or(Ok(()), |failure| write!(f, "/{failure:?}"))
    }
}

impl Instead {
    /// Whether a report is about this site.
    ///
    /// # Errors
    /// An explanation, if it is and its operation cannot have the ordering.
    pub fn is_at(&self, site: &SiteReport) -> Result<bool, String> {
        if !self.0.is_for(site.file, site.line, site.column) {
            return Ok(false);
        }
        for (operation, ordering) in [(site.operation, self.0.ordering), ("load", self.0.failure)] {
            if let Some(ordering) = ordering.filter(|&ordering| !takes(operation, ordering)) {
                return Err(format!("{self}: there is no {ordering:?} {operation}"));
            }
        }
        Ok(true)
    }
}
