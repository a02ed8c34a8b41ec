//! The scenarios' common code: the forms behind one interface, items, and a generator of random
//! numbers.

mod ends;
mod forms;
#[path = "../../spsc/common/items.rs"]
mod items;
mod patterned;
#[path = "../../spsc/common/random.rs"]
mod random;

pub(crate) use ends::{PopEnd, PushEnd};
pub(crate) use forms::*;
pub(crate) use items::{Ledger, Number, Token, Tracked};
pub(crate) use patterned::{Patterned, aligned};
pub(crate) use random::Random;

use aqueduct::bbq::Geometry;

/// The last lap of a queue; the one after it is 0.
pub(crate) const LAST_LAP: usize = usize::MAX >> (usize::BITS / 4);

/// Laps around the last one, and the first.
pub(crate) const LAPS: [usize; 5] = [1, 0, LAST_LAP, LAST_LAP - 1, LAST_LAP - 2];

pub(crate) fn geometry(blocks: usize, block_size: usize) -> Geometry {
    Geometry::new(blocks, block_size).expect("a small geometry")
}

/// Blocks of one entry, of a part of a line, of several lines.
pub(crate) fn geometries() -> impl Iterator<Item = Geometry> {
    // Miri has time for the smallest ones.
    let all = [(2, 1), (2, 2), (3, 1), (3, 7), (4, 5), (2, 40)];
    all.into_iter().take(if cfg!(miri) { 2 } else { all.len() }).map(|(blocks, size)| geometry(blocks, size))
}

/// Entries of a queue.
pub(crate) fn entries(geometry: Geometry) -> usize {
    geometry.blocks() * geometry.block_size()
}

/// The number of items that can be pushed until a refusal, after `pushed` pushes and `popped` pops.
/// A block is filled again when the last of its items has been popped.
pub(crate) fn room(geometry: Geometry, pushed: usize, popped: usize) -> usize {
    popped - popped % geometry.block_size() + entries(geometry) - pushed
}
