//! The records of one thread: a ring in a caller's memory, which overwrites the oldest records.
//!
//! One [`Writer`] at a time adds records, without waiting, locking or allocating. Any thread, and
//! any process that maps the memory, can take a [`Snapshot`] at any time, also after the writer was
//! stopped between two instructions.
//!
//! # Guarantees
//! * A writer is wait-free. Readers write nothing into the ring.
//! * A snapshot has the last records, up to the last one that was committed before the snapshot
//!   began: each once, unchanged, in the order of writing, and without a gap. It is lock-free: it
//!   is repeated only if the writer has overwritten the whole ring meanwhile.
//! * [`Snapshot::overwritten`] is exact: the number of records, and of their bytes, that were
//!   committed before the first record of the snapshot.
//!
//! # Design
//! Records lie in blocks, as in BBQ's drop-old mode (Wang et al., USENIX ATC 2022, section 4.3): a
//! writer overwrites one block at a time. A block's header has the block's number (`stamp`), and
//! the numbers of records and bytes before the block. So losses are counted without work in each
//! record. Blocks are numbered from `blocks` on; block `n` lies in slot `n % blocks`. `end` is the
//! position behind the last committed record, in bytes. Block `n` has the positions from
//! `n * block_bytes` to `(n + 1) * block_bytes`, the latter included.
//!
//! Records are bytes without gaps between them, and words are stored as a whole. The next record
//! stores the last word of a record again, with more bytes. A reader may copy either value of that
//! word: the bytes of the first record are equal in both.
//!
//! A block is a sequence lock (Boehm, MSPC 2012) without a second counter:
//! 1. The writer stores the new stamp, then executes a release fence, then stores words of the
//!    block.
//! 2. A reader copies words of the block, then executes an acquire fence, then loads the stamp. If
//!    it has copied a word of a later block, the fences make it find a later stamp.
//! 3. The writer stores `end` with release after the words of a record. A reader that loads `end`
//!    with acquire finds the words of all records before it, and the headers of their blocks.
//!
//! A writer that is stopped before step 3 leaves words behind `end`, which no reader takes for a
//! record. A writer that is stopped between steps 1 and 3 has overwritten the oldest block and no
//! other.
//!
//! # Limits
//! The stores of a stopped process are in memory. The stores of a stopped machine may not be on the
//! disk.

#[cfg(feature = "std")]
mod cut;
mod geometry;
#[cfg(feature = "std")]
mod reader;
mod writer;

#[cfg(feature = "std")]
pub use cut::Cut;
pub use geometry::{LayoutError, Ring};
#[cfg(feature = "std")]
pub use reader::{Amount, Record, Snapshot};
pub use writer::{Draft, Writer};

/// A word of a ring's memory.
pub use crate::sync::AtomicU64 as Word;
