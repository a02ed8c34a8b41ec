//! Memory that the model allocates.
//!
//! Each thread has an arena of its own and starts it afresh in every run, so a thread that repeats
//! its operations gets the old addresses. Freed memory stays readable, and its use is reported. It
//! is used again within the run only on request. Then all events of the old block come
//! before the new one, in the graph and so in each replay, or the exploration ends with an error;
//! so an address belongs to the newest allocation there.

use std::alloc::Layout;
use std::sync::Arc;

use crate::graph::clock::{Clock, MAX_THREADS};
use crate::graph::event::{EventId, LocId};

use super::place::Zero;

/// The size of a chunk of an arena, unless one allocation needs more.
const CHUNK: usize = 64 * 1024;

/// The alignment of chunks.
const ALIGN: usize = 128;

/// A piece of memory that an arena cuts allocations from.
struct Chunk {
    memory: *mut u8,
    layout: Layout,
}

impl Drop for Chunk {
    fn drop(&mut self) {
        // SAFETY: It was allocated with this layout, and no run is in progress.
        unsafe { std::alloc::dealloc(self.memory, self.layout) }
    }
}

/// One thread's memory.
#[derive(Default)]
struct Arena {
    chunks: Vec<Chunk>,
    chunk: usize,
    used: usize,
}

impl Arena {
    /// Returns the memory at an address, if it is in this arena.
    fn at(&self, address: usize) -> Option<*mut u8> {
        self.chunks.iter().find_map(|chunk| {
            let offset = address.checked_sub(chunk.memory as usize)?;
            (offset < chunk.layout.size()).then(|| chunk.memory.wrapping_add(offset))
        })
    }

    fn allocate(&mut self, layout: Layout) -> *mut u8 {
        loop {
            if let Some(chunk) = self.chunks.get(self.chunk) {
                let base = chunk.memory as usize;
                let start = (base + self.used).next_multiple_of(layout.align()) - base;
                // The gap keeps one allocation's end from being the next one's start.
                let end = start + layout.size().max(1);
                if end <= chunk.layout.size() {
                    self.used = end + 1;
                    return chunk.memory.wrapping_add(start);
                }
                self.chunk += 1;
                self.used = 0;
                continue;
            }
            let size = CHUNK.max(layout.size() + layout.align());
            let Ok(chunk) = Layout::from_size_align(size, ALIGN) else { std::alloc::handle_alloc_error(layout) };
            // SAFETY: The size is not zero.
            let memory = unsafe { std::alloc::alloc(chunk) };
            if memory.is_null() {
                std::alloc::handle_alloc_error(layout);
            }
            self.chunks.push(Chunk { memory, layout: chunk });
        }
    }
}

/// An allocation of the present run.
#[derive(Clone, Copy, Debug)]
struct Allocation {
    address: usize,
    layout: Layout,
    loc: LocId,
}

impl Allocation {
    fn contains(&self, address: usize) -> bool {
        address >= self.address && address < self.address + self.layout.size().max(1)
    }
}

/// A block that was freed in the present run.
#[derive(Debug)]
struct Freed {
    address: usize,
    layout: Layout,
    by: EventId,
    /// The allocation that has taken the block.
    taken: Option<EventId>,
    claim: Arc<Zero>,
}

/// A freed block that may be allocated again, by the thread that takes the claim.
#[derive(Debug)]
pub(crate) struct Block {
    pub(crate) address: usize,
    pub(crate) claim: Arc<Zero>,
}

/// The allocations of the present run in their order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Allocations(Vec<Allocation>);

impl Allocations {
    /// Returns the allocation that contains an address, and the offset there.
    pub(crate) fn find(&self, address: usize) -> Option<(LocId, usize)> {
        (self.0.iter().rev()).find(|a| a.contains(address)).map(|a| (a.loc, address - a.address))
    }

    /// Whether this location is an allocation.
    pub(crate) fn has(&self, loc: LocId) -> bool {
        self.0.iter().any(|a| a.loc == loc)
    }

    /// Returns the allocation that begins at an address, and its size.
    pub(crate) fn begins_at(&self, address: usize) -> Option<(LocId, usize)> {
        (self.0.iter().rev()).find(|a| address == a.address).map(|a| (a.loc, a.layout.size()))
    }
}

/// All memory of one engine.
#[derive(Default)]
pub(crate) struct Heap {
    arenas: [Arena; MAX_THREADS],
    pub(crate) allocations: Allocations,
    freed: Vec<Freed>,
    /// The number of allocations when the first thread was created.
    early: Option<usize>,
}

impl Heap {
    /// Takes all memory back for a new run.
    pub(crate) fn begin_run(&mut self) {
        self.early = None;
        if !self.allocations.0.is_empty() {
            self.allocations.0.clear();
            self.freed.clear();
            for arena in &mut self.arenas {
                arena.chunk = 0;
                arena.used = 0;
            }
        }
    }

    /// Notes that a thread is created.
    pub(crate) fn begin_sharing(&mut self) {
        self.early.get_or_insert(self.allocations.0.len());
    }

    /// Returns a name for an object that is equal in all executions, if it lies in memory from
    /// before the first thread was created: up to there all executions are equal.
    pub(crate) fn name(&self, address: usize) -> Option<u64> {
        let allocation = self.allocations.0.iter().rposition(|a| a.contains(address))?;
        let offset = address - self.allocations.0[allocation].address;
        self.early.is_none_or(|early| allocation < early).then_some((allocation as u64) << 32 | offset as u64)
    }

    /// Returns memory for `thread`, as the location `loc`.
    pub(crate) fn allocate(&mut self, thread: usize, layout: Layout, loc: LocId) -> *mut u8 {
        let memory = self.arenas[thread].allocate(layout);
        self.allocations.0.push(Allocation { address: memory as usize, layout, loc });
        memory
    }

    /// Returns a freed block again, as the location `loc`, for the allocation `by`.
    pub(crate) fn take(&mut self, address: usize, layout: Layout, loc: LocId, by: EventId) -> *mut u8 {
        let block = self.freed.iter_mut().rev().find(|block| block.address == address);
        let memory = self.arenas.iter().find_map(|arena| arena.at(address));
        let (Some(block), Some(memory)) = (block, memory) else { unreachable!("only a freed block is taken") };
        block.taken = Some(by);
        self.allocations.0.push(Allocation { address, layout, loc });
        memory
    }

    /// Notes that this event has freed the allocation `loc`, which may be used again.
    pub(crate) fn give_back(&mut self, loc: LocId, by: EventId) {
        if let Some(&Allocation { address, layout, .. }) = self.allocations.0.iter().rev().find(|a| a.loc == loc) {
            let claim = Arc::new(Zero::new());
            self.freed.push(Freed { address, layout, by, taken: None, claim });
        }
    }

    /// Returns the blocks of this layout that were freed in `past`, and not taken there. It is a
    /// function of `past` alone.
    pub(crate) fn blocks(&self, layout: Layout, past: &Clock) -> Vec<Block> {
        let open = |block: &&Freed| {
            block.layout == layout && past.contains(block.by) && block.taken.is_none_or(|by| !past.contains(by))
        };
        let mut blocks: Vec<&Freed> = self.freed.iter().filter(open).collect();
        blocks.sort_by_key(|block| block.by);
        blocks.iter().map(|block| Block { address: block.address, claim: Arc::clone(&block.claim) }).collect()
    }
}
