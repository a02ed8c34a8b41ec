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

use std::fmt::Debug;

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
    let few = if cfg!(miri) { 2 } else { all.len() };
    let geometries = all.into_iter().take(few).map(|(blocks, size)| geometry(blocks, size));
    cases(geometries)
}

/// Returns the cases. If the test fails in one, it prints the case.
pub(crate) fn cases<C: Copy + Debug>(cases: impl Iterator<Item = C>) -> impl Iterator<Item = C> {
    Cases { cases, present: None }
}

/// Cases of a test, and the present one. A panic's message names the line alone.
struct Cases<I: Iterator<Item: Debug>> {
    cases: I,
    present: Option<I::Item>,
}

impl<I: Iterator<Item: Copy + Debug>> Iterator for Cases<I> {
    type Item = I::Item;

    fn next(&mut self) -> Option<I::Item> {
        self.present = self.cases.next();
        self.present
    }
}

impl<I: Iterator<Item: Debug>> Drop for Cases<I> {
    fn drop(&mut self) {
        if let (true, Some(case)) = (std::thread::panicking(), &self.present) {
            eprintln!("the test fails with {case:?}");
        }
    }
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
