//! The fate of the frames of a capture.

use std::fmt;
use std::time::Duration;

use super::client::StationCounts;
use super::run::ReplayError;
use crate::drops::Drops;
use crate::mac::MacAddress;
use crate::ports::QueueKind;
use crate::switch::Switch;

/// A station of the capture, with its counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Station {
    /// Its address.
    pub address: MacAddress,
    /// The number of frames that it sent.
    pub sent: u64,
    /// The number of frames that it received as originals.
    pub received: u64,
    /// The number of frames that it received as copies.
    pub received_copies: u64,
}

impl Station {
    pub(super) fn new(address: MacAddress, counts: StationCounts) -> Self {
        let StationCounts { sent, received, received_copies } = counts;
        Self { address, sent, received, received_copies }
    }
}

/// The fate of the frames of a capture. Copies made by flooding are counted apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// The number of frames read from the capture.
    pub read: u64,
    /// The number of dropped frames, by reason.
    pub dropped: Drops,
    /// The number of frames that went to all other ports.
    pub flooded: u64,
    /// The number of copies made for that.
    pub copies: u64,
    /// The number of copies dropped because the receive queue stayed full.
    pub copies_dropped: u64,
    /// The number of stations that the switch learned.
    pub learned: u64,
    /// The stations in the order in which they first sent.
    pub stations: Vec<Station>,
    /// The time from the first thread's start to the last one's end.
    pub elapsed: Duration,
}

impl Summary {
    pub(super) fn new<Q: QueueKind>(
        read: u64,
        mut dropped: Drops,
        stations: Vec<Station>,
        switch: &Switch<Q>,
        elapsed: Duration,
    ) -> Self {
        let counts = switch.counts();
        for (reason, count) in counts.dropped.reasons() {
            dropped[reason] += count;
        }
        Self {
            read,
            dropped,
            flooded: counts.flooded,
            copies: counts.copies,
            copies_dropped: counts.copies_dropped,
            learned: switch.table().learned(),
            stations,
            elapsed,
        }
    }

    /// Returns the number of frames that arrived somewhere, each counted once.
    #[must_use]
    pub fn delivered(&self) -> u64 {
        self.stations.iter().map(|station| station.received).sum()
    }

    /// Returns the number of copies that arrived.
    #[must_use]
    pub fn copies_delivered(&self) -> u64 {
        self.stations.iter().map(|station| station.received_copies).sum()
    }

    /// Checks that every frame and every copy was delivered or dropped.
    ///
    /// # Errors
    /// [`ReplayError::Accounting`] names the wrong sum.
    pub fn check(&self) -> Result<(), ReplayError> {
        let sums = [
            ("frames read, and delivered or dropped", self.read, self.delivered() + self.dropped.total()),
            ("copies made, and delivered or dropped", self.copies, self.copies_delivered() + self.copies_dropped),
        ];
        match sums.into_iter().find(|(_, one, other)| one != other) {
            Some((what, one, other)) => Err(ReplayError::Accounting(format!("{what}: {one} and {other}"))),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "  station              sent  received    copies")?;
        for station in &self.stations {
            let Station { address, sent, received, received_copies } = station;
            writeln!(formatter, "  {address} {sent:>8}  {received:>8}  {received_copies:>8}")?;
        }
        let (read, delivered, dropped) = (self.read, self.delivered(), self.dropped.total());
        writeln!(formatter, "  {read} frames read = {delivered} delivered + {dropped} dropped")?;
        for (reason, count) in self.dropped.reasons() {
            writeln!(formatter, "    {count} dropped: {reason}")?;
        }
        let (copies, copies_delivered) = (self.copies, self.copies_delivered());
        writeln!(
            formatter,
            "  {} frames flooded; {copies} copies made = {copies_delivered} delivered + {} dropped (receive queue full)",
            self.flooded, self.copies_dropped
        )?;
        write!(
            formatter,
            "  {} stations learned; {:.1} ms from the first thread's start to the last one's end",
            self.learned,
            self.elapsed.as_secs_f64() * 1e3
        )
    }
}
