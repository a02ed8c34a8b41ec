//! Memory that the model hands out. Each thread has an arena of its own and starts it afresh in
//! every run, so that a thread gets the same addresses again when it does the same. Nothing is
//! used twice in one run: what is freed stays readable, and its use is found.

use std::alloc::Layout;

use crate::graph::clock::MAX_THREADS;
use crate::graph::event::LocId;

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
        // SAFETY: It was allocated with this layout, and no run goes on.
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
    fn allocate(&mut self, layout: Layout) -> *mut u8 {
        loop {
            if let Some(chunk) = self.chunks.get(self.chunk) {
                let base = chunk.memory as usize;
                let start = (base + self.used).next_multiple_of(layout.align()) - base;
                // The gap keeps one allocation's end from being the next one's begin.
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
    size: usize,
    loc: LocId,
}

/// All memory of one engine.
#[derive(Default)]
pub(crate) struct Heap {
    arenas: [Arena; MAX_THREADS],
    allocations: Vec<Allocation>,
}

impl Heap {
    /// Takes everything back: a new run begins.
    pub(crate) fn begin_run(&mut self) {
        if !self.allocations.is_empty() {
            self.allocations.clear();
            for arena in &mut self.arenas {
                arena.chunk = 0;
                arena.used = 0;
            }
        }
    }

    /// Memory for `thread`, as the location `loc`.
    pub(crate) fn allocate(&mut self, thread: usize, layout: Layout, loc: LocId) -> *mut u8 {
        let memory = self.arenas[thread].allocate(layout);
        self.allocations.push(Allocation { address: memory as usize, size: layout.size(), loc });
        memory
    }

    /// The allocation that an address lies in, and the offset there.
    pub(crate) fn find(&self, address: usize) -> Option<(LocId, usize)> {
        (self.allocations.iter().rev())
            .find(|a| address >= a.address && address < a.address + a.size.max(1))
            .map(|a| (a.loc, address - a.address))
    }

    /// The allocation that begins at an address, and its size.
    pub(crate) fn begins_at(&self, address: usize) -> Option<(LocId, usize)> {
        (self.allocations.iter().rev()).find(|a| address == a.address).map(|a| (a.loc, a.size))
    }
}
