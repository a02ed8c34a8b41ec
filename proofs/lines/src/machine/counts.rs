//! The counts, by the line of the source.

use std::collections::HashMap;
use std::panic::Location;
use std::path::Path;

/// The counts of a line of the source.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Count {
    /// The number of accesses.
    pub accesses: u64,
    /// The number of accesses for which a line had to come from another core.
    pub transfers: u64,
    /// The number of accesses that were locked instructions.
    pub locked: u64,
    /// The number of accesses that were failed exchanges: they found another value.
    pub failed: u64,
    /// The time for which cores have waited, in tenths of a nanosecond.
    pub waited: u64,
    /// The time for which cores have executed spin hints, in tenths of a nanosecond.
    pub paused: u64,
}

impl Count {
    fn add(&mut self, other: &Self) {
        self.accesses += other.accesses;
        self.transfers += other.transfers;
        self.locked += other.locked;
        self.failed += other.failed;
        self.waited += other.waited;
        self.paused += other.paused;
    }
}

/// The counts of all lines of the source.
#[derive(Clone, Debug, Default)]
pub struct Counts(HashMap<&'static Location<'static>, Count>);

impl Counts {
    pub(super) fn of(&mut self, site: &'static Location<'static>) -> &mut Count {
        self.0.entry(site).or_default()
    }

    /// Returns the counts of all sites whose files' names contain `part`.
    #[must_use]
    pub fn within(&self, part: &str) -> Count {
        let mut sum = Count::default();
        self.0.iter().filter(|(site, _)| site.file().contains(part)).for_each(|(_, count)| sum.add(count));
        sum
    }

    /// Returns the counts of all sites.
    #[must_use]
    pub fn all(&self) -> Count {
        self.within("")
    }

    /// Returns the sites, as `FILE:LINE`, and their counts, sorted by transfers, the most first.
    #[must_use]
    pub fn sites(&self) -> Vec<(String, Count)> {
        let mut sites: Vec<_> = self.0.iter().map(|(site, &count)| (name(site), count)).collect();
        sites.sort_by_key(|(name, count)| (std::cmp::Reverse((count.transfers, count.paused)), name.clone()));
        sites
    }
}

/// Returns the name of a site: its file in the copy, and its line.
fn name(site: &Location<'_>) -> String {
    let parts: Vec<_> = Path::new(site.file()).components().map(|part| part.as_os_str().to_string_lossy()).collect();
    let from = parts.iter().rposition(|part| part == "source").map_or(parts.len() - 1, |at| at + 1);
    format!("{}:{}", parts[from..].join("/"), site.line())
}
