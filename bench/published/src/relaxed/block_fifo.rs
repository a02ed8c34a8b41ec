//! BlockFIFO (Koch, Sanders and Williams, "BlockFIFO & MultiFIFO: Scalable Relaxed Queues", 2025),
//! after the paper's abstract and the authors' program: a ring of windows of some blocks each. A
//! thread takes a random block of the window for pushes, and fills it alone; others empty blocks of
//! the window for pops, which comes before that one. When all blocks of a window have been taken,
//! the window for pushes moves on. When all have been emptied, the window for pops moves on, and if
//! it comes to the one for pushes, that moves on first.
//!
//! 1. A block's header has the number of the window, and how many of its cells are read and
//!    written. A thread reads or writes in the name of one window, and its exchange of the header
//!    fails if the block has gone over to another.
//! 2. A pop that finds a block of its window empty closes it: it opens the block for the next
//!    window at that place of the ring. The thread that was to fill it takes another one.
//! 3. A cell counts its changes, so that a late write for a window that is gone does not change a
//!    later item.
//!
//! # What differs from the authors' program
//! - A window's bits, of the blocks that have been taken, are in one word with its number. So no
//!   thread takes a block of a later window by mistake.
//! - Cells count their changes. In the program a cell is 0 or an item.
//! - It has no look at windows ahead of the one for pushes, with which the paper shortens a search.

use std::array;
use std::sync::Arc;

use aqueduct_measure::run::Apart;

use super::dice::Dice;
use super::sync::AtomicU64;
use super::words::{changed, exchange, load, value};

/// Most blocks of a window: bits of half a word.
pub const MOST_BLOCKS: usize = 32;
/// Fewest windows, as the authors have them.
const FEWEST_WINDOWS: usize = 4;
/// The lowest bit of the window's number, in a header and in the word of a window.
const NUMBER: u32 = 32;
/// The lowest bit of the number of read cells, in a header.
const READ: u32 = 16;

/// A block: its header, and cells for items.
#[derive(Debug)]
#[repr(align(64))]
struct Block<const CELLS: usize> {
    header: AtomicU64,
    cells: [AtomicU64; CELLS],
}

#[derive(Debug)]
struct Window<const CELLS: usize> {
    /// Its number, and a bit for each block that is taken by a producer.
    taken: Apart<AtomicU64>,
    blocks: Box<[Block<CELLS>]>,
}

#[derive(Debug)]
struct Windows<const CELLS: usize> {
    /// The windows for pushes and for pops, by their numbers, which only grow; the second is less.
    push_at: Apart<AtomicU64>,
    pop_at: Apart<AtomicU64>,
    windows: Box<[Window<CELLS>]>,
}

/// A block, by the number of its window and its place in it.
type Place = (u64, usize);

/// A thread's end of the queue.
#[derive(Debug)]
pub struct BlockFifo<const CELLS: usize> {
    windows: Arc<Windows<CELLS>>,
    filling: Option<Place>,
    emptying: Option<Place>,
    dice: Dice,
}

/// Makes a queue of `capacity` items or more, in windows of that many blocks, and an end for each
/// thread.
pub fn new<const CELLS: usize>(blocks: usize, capacity: usize, threads: usize) -> Vec<BlockFifo<CELLS>> {
    assert!((1..=MOST_BLOCKS).contains(&blocks), "{blocks} blocks");
    // All but the window for pops can be full.
    let count = (capacity.div_ceil(blocks * CELLS) + 1).max(FEWEST_WINDOWS);
    let zero = || AtomicU64::new(0);
    let block = |number| Block { header: AtomicU64::new(opened(number)), cells: array::from_fn(|_| zero()) };
    let window = |number| Window {
        taken: Apart(AtomicU64::new(opened(number))),
        blocks: (0..blocks).map(|_| block(number)).collect(),
    };
    let windows = Arc::new(Windows {
        push_at: Apart(AtomicU64::new(1)),
        pop_at: Apart(zero()),
        windows: (0..count as u64).map(window).collect(),
    });
    let end =
        |thread| BlockFifo { windows: Arc::clone(&windows), filling: None, emptying: None, dice: Dice::of(thread) };
    (0..threads).map(end).collect()
}

/// Returns the header of an empty block, or the word of a window without taken blocks.
#[inline]
fn opened(number: u64) -> u64 {
    number << NUMBER
}

/// Whether a header, or the word of a window, is of the window with that number.
#[inline]
fn is_of(word: u64, number: u64) -> bool {
    word >> NUMBER == number & (u64::MAX >> NUMBER)
}

#[inline]
fn written(header: u64) -> usize {
    (header & ((1 << READ) - 1)) as usize
}

#[inline]
fn read(header: u64) -> usize {
    (header >> READ & ((1 << READ) - 1)) as usize
}

impl<const CELLS: usize> Block<CELLS> {
    /// Writes an item for the window of that number. Returns whether there was room.
    #[inline]
    fn put(&self, number: u64, item: u64) -> bool {
        let mut header = load(&self.header);
        while is_of(header, number)
            && let Some(cell) = self.cells.get(written(header))
        {
            // Before the header once more: if the block goes over to another window, the cell will
            // have changed.
            let word = load(cell);
            header = load(&self.header);
            if !is_of(header, number) || !exchange(cell, word, changed(word, item)) {
                continue;
            }
            // Pops change the header, and no other push does.
            while is_of(header, number) {
                if exchange(&self.header, header, header + 1) {
                    return true;
                }
                header = load(&self.header);
            }
        }
        false
    }

    /// Takes an item of the window of that number. If there is none, opens the block for the window
    /// `next`.
    #[inline]
    fn take_or_close(&self, number: u64, next: u64) -> Option<u64> {
        loop {
            let header = load(&self.header);
            if !is_of(header, number) {
                return None;
            }
            if read(header) == written(header) {
                if exchange(&self.header, header, opened(next)) {
                    return None;
                }
                continue;
            }
            let word = load(&self.cells[read(header)]);
            if exchange(&self.header, header, header + (1 << READ)) {
                return Some(value(word));
            }
        }
    }
}

impl<const CELLS: usize> Windows<CELLS> {
    fn window(&self, number: u64) -> &Window<CELLS> {
        &self.windows[(number % self.windows.len() as u64) as usize]
    }

    /// Returns the number of the next window at that place of the ring.
    fn after(&self, number: u64) -> u64 {
        number + self.windows.len() as u64
    }

    /// Takes a block for pushes; nothing, if the queue is full.
    fn claim(&self, dice: &mut Dice) -> Option<Place> {
        loop {
            let number = load(&self.push_at.0);
            let window = self.window(number);
            let taken = load(&window.taken.0);
            let count = window.blocks.len();
            let first = dice.throw(count);
            let mut all = (first..count).chain(0..first);
            let Some(block) = all.find(|&block| taken >> block & 1 == 0) else {
                // The window after the ring's last one is the one for pops, which has to be left
                // first.
                if self.after(load(&self.pop_at.0)) == number + 1 {
                    return None;
                }
                exchange(&self.push_at.0, number, number + 1);
                continue;
            };
            if is_of(taken, number) && exchange(&window.taken.0, taken, taken | 1 << block) {
                return Some((number, block));
            }
        }
    }

    /// Takes an item from the window for pops, and returns it with its block.
    fn search(&self, dice: &mut Dice) -> Option<(u64, Place)> {
        loop {
            let number = load(&self.pop_at.0);
            let (window, next) = (self.window(number), self.after(number));
            let count = window.blocks.len();
            let first = dice.throw(count);
            for block in (first..count).chain(0..first) {
                if let Some(item) = window.blocks[block].take_or_close(number, next) {
                    return Some((item, (number, block)));
                }
            }
            // All blocks are closed now.
            if load(&self.push_at.0) == number + 1 {
                let has_item = |block: &Block<CELLS>| {
                    let header = load(&block.header);
                    is_of(header, number + 1) && written(header) > 0
                };
                if !self.window(number + 1).blocks.iter().any(has_item) {
                    return None;
                }
                exchange(&self.push_at.0, number + 1, number + 2);
            }
            loop {
                let taken = load(&window.taken.0);
                if !is_of(taken, number) || exchange(&window.taken.0, taken, opened(next)) {
                    break;
                }
            }
            exchange(&self.pop_at.0, number, number + 1);
        }
    }
}

impl<const CELLS: usize> BlockFifo<CELLS> {
    /// Adds an item, which is not 0. Returns whether there was room.
    #[inline]
    pub fn push(&mut self, item: u64) -> bool {
        loop {
            if let Some((number, block)) = self.filling
                && self.windows.window(number).blocks[block].put(number, item)
            {
                return true;
            }
            self.filling = self.windows.claim(&mut self.dice);
            if self.filling.is_none() {
                return false;
            }
        }
    }

    /// Takes an item, unless none was found.
    #[inline]
    pub fn pop(&mut self) -> Option<u64> {
        if let Some((number, block)) = self.emptying {
            let next = self.windows.after(number);
            if let Some(item) = self.windows.window(number).blocks[block].take_or_close(number, next) {
                return Some(item);
            }
            self.emptying = None;
        }
        let (item, place) = self.windows.search(&mut self.dice)?;
        self.emptying = Some(place);
        Some(item)
    }
}
