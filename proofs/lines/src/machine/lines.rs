//! The state of every cache line: the cores that have it, and until when.
//!
//! A request goes out, and after half of the transfer the owner loses the line; until then the
//! owner's accesses hit. The next request for the line is answered after the line has arrived.
//! Cores that only read share a line, and do not wait for each other.

use std::collections::HashMap;

/// The bytes of a line.
pub(super) const LINE: usize = 64;

/// A core's copy of a line.
#[derive(Clone, Copy, Debug, Default)]
struct Copy {
    /// The time at which it arrives.
    from: u64,
    /// The time until which it can be read.
    until: u64,
    /// The time until which it can be written.
    owned_until: u64,
}

#[derive(Clone, Debug)]
struct Line {
    copies: Box<[Copy]>,
    owner: Option<usize>,
    /// The time at which the owner's copy has arrived: before that, no other request is answered.
    settled: u64,
    /// True if any core has had the line. The memory answers the first request, which is not a
    /// transfer.
    is_cached: bool,
}

/// The arrival of a line, and whether it was a transfer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrival {
    pub(super) at: u64,
    pub(super) is_transfer: bool,
}

pub(super) struct Lines {
    lines: HashMap<usize, Line>,
    cores: usize,
    transfer: u64,
}

impl Lines {
    pub(super) fn new(cores: usize, transfer: u64) -> Self {
        Self { lines: HashMap::new(), cores, transfer }
    }

    /// Requests the line of an address, to be read or to be written.
    pub(super) fn request(&mut self, core: usize, address: usize, is_exclusive: bool, now: u64) -> Arrival {
        let (cores, transfer) = (self.cores, self.transfer);
        let line = self.lines.entry(address / LINE).or_insert_with(|| Line {
            copies: vec![Copy::default(); cores].into_boxed_slice(),
            owner: None,
            settled: 0,
            is_cached: false,
        });
        let mine = line.copies[core];
        if now < if is_exclusive { mine.owned_until } else { mine.until } {
            return Arrival { at: now.max(mine.from), is_transfer: false };
        }
        let is_transfer = core::mem::replace(&mut line.is_cached, true);
        let start = now.max(line.settled);
        let (leaves, arrives) = (start + transfer / 2, start + transfer);
        if is_exclusive {
            for copy in &mut line.copies {
                copy.until = copy.until.min(leaves);
                copy.owned_until = copy.owned_until.min(leaves);
            }
            line.copies[core] = Copy { from: arrives, until: u64::MAX, owned_until: u64::MAX };
            (line.owner, line.settled) = (Some(core), arrives);
        } else {
            if let Some(owner) = line.owner.take() {
                line.copies[owner].owned_until = line.copies[owner].owned_until.min(leaves);
                line.settled = arrives;
            }
            line.copies[core] = Copy { from: arrives, until: u64::MAX, owned_until: 0 };
        }
        Arrival { at: arrives, is_transfer }
    }
}
