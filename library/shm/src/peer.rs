//! What is known about the other side: what its words say, and what the system knows.
//!
//! A side, or a place of it, has a word. Its low half is the number of the handle that has it, or 0; its high half
//! counts how many have had it ([`layout::claim`](crate::layout)). So the word says that nobody has come yet, that
//! a handle has it, or that the last one has left, and no value comes again before 2^32 handles have had it. A handle
//! that is dropped takes its number out by one exchange, behind all that it has done, and then wakes the other side: a
//! process that is killed before the exchange died, and one that is killed after it has left.
//!
//! Of a word with a number, the system knows whether its process lives. Between two looks at the words that find the
//! same values, nobody has come and nobody has left. So what the system says in between is true of them: a handle whose
//! number is there, and whose lock is free, died; and if no word has a number, all had left at one moment.

use core::iter;

use crate::layout::{Memory, OWNER, Peer};
use crate::sync::{Ordering, Word};

/// How often the words are looked at while others come and go.
const ATTEMPTS: u32 = 4;

/// What the words of a side say: [`Peer::Unknown`] if one has a number.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Said {
    peer: Peer,
    /// A mix of all values.
    mark: u64,
}

fn said<'w>(words: impl Iterator<Item = &'w Word>) -> Said {
    let mut said = Said { peer: Peer::Absent, mark: 0 };
    for word in words {
        // Ordering: Acquire pairs with the release of `layout::leave`: what the last handle did is found afterwards.
        let value = word.load(Ordering::Acquire);
        said.peer = both(said.peer, meant(value));
        said.mark = (said.mark.rotate_left(7) ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
    said
}

fn meant(value: u64) -> Peer {
    match value {
        0 => Peer::Absent,
        _ if value & OWNER == 0 => Peer::Left,
        _ => Peer::Unknown,
    }
}

/// What one word of a side says, of which [`of`] looks at all before and after.
pub(crate) fn said_by(word: &Word) -> Peer {
    meant(word.load(Ordering::Relaxed))
}

/// What is known about a side of which one part is this, and the other one that.
pub(crate) fn both(one: Peer, other: Peer) -> Peer {
    [Peer::Alive, Peer::Unknown, Peer::Died, Peer::Left]
        .into_iter()
        .find(|peer| [one, other].contains(peer))
        .unwrap_or(one)
}

/// Returns what is known about the side with these words. `ask` asks the system, after what they say.
pub(crate) fn of<'w, W: Iterator<Item = &'w Word>>(words: impl Fn() -> W, ask: impl Fn(Peer) -> Peer) -> Peer {
    for _ in 0..ATTEMPTS {
        let before = said(words());
        let peer = ask(before.peer);
        // Nobody has to have been there all the time.
        if matches!(peer, Peer::Alive | Peer::Unknown) || said(words()) == before {
            return peer;
        }
    }
    Peer::Unknown
}

/// Returns what is known about the side that has one word.
pub(crate) fn of_one(memory: &impl Memory, word: usize) -> Peer {
    let word = &memory.words()[word];
    of(|| iter::once(word), |said| memory.peer(said))
}

/// Whether the side that has one word was left.
pub(crate) fn one_has_left(words: &[Word], word: usize) -> bool {
    has_left(iter::once(&words[word]))
}

/// Whether these words say that all have left. Others may come meanwhile.
pub(crate) fn has_left<'w>(words: impl Iterator<Item = &'w Word>) -> bool {
    said(words).peer == Peer::Left
}
