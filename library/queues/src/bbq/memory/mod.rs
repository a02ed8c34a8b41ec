//! The memory of a ring: its blocks, their words, and the entries that a block's content is made
//! of.
//!
//! | file | has |
//! | --- | --- |
//! | `geometry` | how many blocks of how many entries |
//! | `cursor` | a word of a lap number and an offset |
//! | `block` | the two words of each side of a block |
//! | `blocks` | the allocation, and where a head's block lies |
//! | `entry` | the cell of one item, or its words |
//! | `line` | entries and their marks, so that both are on a cache line |
//! | `reason` | why a block has no entry for a thread |
//!
//! Nothing here depends on the number of threads of a side: the rules of the sides are in
//! `producer` and `consumer`.

mod block;
mod blocks;
mod cursor;
mod entry;
mod geometry;
pub(super) mod line;
mod reason;

pub use geometry::Geometry;

pub(crate) use block::{AT_ONCE, BEYOND, Block, MOST_WITH_ADDITIONS, ROOM, bring_back};
pub(crate) use blocks::{Blocks, Limits, Parts};
#[cfg(test)]
pub(crate) use cursor::RENEWAL;
pub(crate) use cursor::{Cursor, MOST};
pub(crate) use entry::{Entry, Words};
pub(crate) use line::{Line, MARK, Marks, Slot, Span, read_ahead};
pub(crate) use reason::Reason;
