//! The state of the other side: what its words record, and what the system knows.
//!
//! A side, or a place of it, has a word. Its low half is the number of the handle that owns the
//! side, or 0. Its high half counts the handles that have owned it
//! ([`layout::claim`](crate::layout)). So the word distinguishes three states: no handle was ever
//! made, a handle owns the side, or the last one has left. No value recurs before 2^32 handles have
//! owned the side. A handle that is dropped removes its number by one compare-exchange, behind all
//! its operations, and then wakes the other side. A process that is killed before that exchange has
//! died; one that is killed after it has left.
//!
//! If a word has a number, the system knows whether its process lives. If two reads of all words
//! return the same values, no handle was made and none was dropped in between. So the system's
//! answer in between holds for them: a handle whose number is in a word, and whose lock is free,
//! has died. If no word has a number, all handles had left at one moment.

use core::iter;

use crate::layout::{Memory, OWNER, Peer};
use crate::sync::{Ordering, Word};

/// Number of times that the words are read while handles are made and dropped.
const ATTEMPTS: u32 = 4;

/// The state that the words of a side record: [`Peer::Unknown`] if one has a number.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Recorded {
    peer: Peer,
    /// A hash of all values.
    mark: u64,
}

fn recorded<'w>(words: impl Iterator<Item = &'w Word>) -> Recorded {
    let mut recorded = Recorded { peer: Peer::Absent, mark: 0 };
    for word in words {
        // Ordering: Acquire pairs with the release of `layout::leave`: the last handle's operations
        // are seen afterwards.
        let value = word.load(Ordering::Acquire);
        recorded.peer = combined(recorded.peer, peer_of(value));
        recorded.mark = (recorded.mark.rotate_left(7) ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
    recorded
}

fn peer_of(value: u64) -> Peer {
    match value {
        0 => Peer::Absent,
        _ if value & OWNER == 0 => Peer::Left,
        _ => Peer::Unknown,
    }
}

/// Returns the state that one word records. [`of`] reads all words of its side before and after.
pub(crate) fn recorded_by(word: &Word) -> Peer {
    peer_of(word.load(Ordering::Relaxed))
}

/// Combines the states of two parts of a side.
pub(crate) fn combined(one: Peer, other: Peer) -> Peer {
    [Peer::Alive, Peer::Unknown, Peer::Died, Peer::Left]
        .into_iter()
        .find(|peer| [one, other].contains(peer))
        .unwrap_or(one)
}

/// Returns the state of the side with these words. `ask` gets the state that they record, and asks
/// the system.
pub(crate) fn of<'w, W: Iterator<Item = &'w Word>>(words: impl Fn() -> W, ask: impl Fn(Peer) -> Peer) -> Peer {
    for _ in 0..ATTEMPTS {
        let before = recorded(words());
        let peer = ask(before.peer);
        // These two states need no second read: they do not claim that a handle is gone.
        if matches!(peer, Peer::Alive | Peer::Unknown) || recorded(words()) == before {
            return peer;
        }
    }
    Peer::Unknown
}

/// Returns the state of a side that has one word.
pub(crate) fn of_one(memory: &impl Memory, word: usize) -> Peer {
    let word = &memory.words()[word];
    of(|| iter::once(word), |recorded| memory.peer(recorded))
}

/// Whether the handle of a side with one word has left.
pub(crate) fn one_has_left(words: &[Word], word: usize) -> bool {
    has_left(iter::once(&words[word]))
}

/// Whether all handles of the side with these words have left. New ones may be made meanwhile.
pub(crate) fn has_left<'w>(words: impl Iterator<Item = &'w Word>) -> bool {
    recorded(words).peer == Peer::Left
}
