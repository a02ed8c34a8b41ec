//! Z47: an early BWoS for LIFO order (its paper, section 5.2). A thief that advances to a block
//! resets the block's steal position for the new lap.
//!
//! The owner, which comes back to that block at this moment, takes it over by moving that position
//! to the block's end. The thief's reset undoes that, and the owner's entries are stolen once more.
//! (The paper's client saw entries lost.) The repaired form leaves the reset to the owner, which
//! does it when it grants the block.

use std::sync::Arc;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

use super::super::{AtomicUsize, Slot, spawn};
use super::cursor::{cursor, offset, version};

const ENTRIES: usize = 2;
const ROUND: usize = 1;

struct Block {
    s_pos: AtomicUsize,
    entries: [Slot<usize>; ENTRIES],
}

impl Block {
    /// Steals one entry as a thief that has come to this block in this lap, if there is one and no
    /// other thief interferes.
    fn steal(&self, thief_resets: bool) -> Option<usize> {
        let mut s_pos = self.s_pos.load(Acquire);
        if thief_resets && version(s_pos) < ROUND {
            s_pos = cursor(ROUND, 0);
            self.s_pos.store(s_pos, Release);
        }
        if offset(s_pos) == ENTRIES || self.s_pos.compare_exchange(s_pos, s_pos + 1, AcqRel, Relaxed).is_err() {
            return None;
        }
        Some(self.entries[offset(s_pos)].get())
    }

    /// Takes the block over as the owner: entries that have not been stolen are its own.
    fn take_over(&self) -> Vec<usize> {
        let s_pos = self.s_pos.swap(cursor(ROUND, ENTRIES), AcqRel);
        let front = if version(s_pos) == ROUND { offset(s_pos) } else { 0 };
        self.entries[front..].iter().map(Slot::get).collect()
    }
}

/// The owner has filled a block in this lap and granted it. A thief comes, and the owner comes
/// back.
fn client(thief_resets: bool) {
    let granted = if thief_resets { cursor(ROUND - 1, ENTRIES) } else { cursor(ROUND, 0) };
    let block = Block { s_pos: AtomicUsize::new(granted), entries: std::array::from_fn(|index| Slot::new(1 << index)) };
    let block = Arc::new(block);
    let thief = Arc::clone(&block);
    let thief = spawn(move || thief.steal(thief_resets));
    let owned: usize = block.take_over().into_iter().sum();
    let stolen = thief.join().unwrap().unwrap_or(0);
    assert_eq!(owned + stolen, 0b11, "entries were lost or taken twice");
}

pub(crate) fn broken() {
    client(true);
}

pub(crate) fn repaired() {
    client(false);
}
