//! Upper bound: a ring with a precomputed split between owner and thief. A theft costs no more than
//! the cache lines that the thief reads.
//!
//! Every `100 / percent`th block is the thief's. For each such block, the owner signals once that
//! it has filled it, and the thief once that it has read it. No item is claimed, because no item
//! can go to both; but the lines that the thief has read have to come back for the owner to write
//! to them again. No queue can avoid that.

use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering, compiler_fence};
use std::sync::{Arc, OnceLock};

use aqueduct::bwos::Steal;
use aqueduct::bwos::policy::Victim;

use super::kind::{Kind, Order, Owner, Room, Thief, item};
use aqueduct_measure::items::Item;
use aqueduct_measure::run::Apart;

/// The number of blocks: each share in percent is a whole number of them.
const BLOCKS: usize = 100;

/// The number of the first block. Lower numbers exist, so they are not a special case.
const FIRST: usize = BLOCKS;

/// The shared state of owner and thief.
struct Ring {
    slots: Box<[AtomicU64]>,
    /// Items of a block.
    size: usize,
    percent: usize,
    /// For each block, the number under which the owner filled it last.
    filled: Box<[Apart<AtomicUsize>]>,
    /// For each block, the number under which the thief read it last.
    read: Box<[Apart<AtomicUsize>]>,
    /// The thief's position when it was dropped.
    left: OnceLock<Place>,
}

impl Ring {
    fn is_thiefs(&self, block: usize) -> bool {
        block * self.percent % BLOCKS < self.percent
    }

    /// Returns the entries of a block.
    fn entries(&self, block: usize) -> [usize; 2] {
        let first = block % BLOCKS * self.size;
        [first, first + self.size]
    }

    /// Notes that the owner has filled a block.
    fn fill(&self, block: usize) {
        // Ordering: Release pairs with the Acquire in `is_filled`: the items are there.
        self.filled[block % BLOCKS].0.store(block, Ordering::Release);
    }

    /// Whether the thief may read a block.
    fn is_filled(&self, block: usize) -> bool {
        // Ordering: Acquire pairs with the Release in `fill`.
        self.filled[block % BLOCKS].0.load(Ordering::Acquire) == block
    }

    /// Notes that the thief has read a block.
    fn give_back(&self, block: usize) {
        // Ordering: Release pairs with the Acquire in `is_read`: the items have been read.
        self.read[block % BLOCKS].0.store(block, Ordering::Release);
    }

    /// Whether the owner may fill a block that belongs to the thief.
    fn is_read(&self, block: usize) -> bool {
        // Ordering: Acquire pairs with the Release in `give_back`.
        self.read[block % BLOCKS].0.load(Ordering::Acquire) == block - BLOCKS
    }
}

/// A position: a slot, its block, and the end of the block.
#[derive(Clone, Copy, Debug)]
struct Place {
    block: usize,
    next: usize,
    end: usize,
}

impl Place {
    fn begin(ring: &Ring, block: usize) -> Self {
        let [next, end] = ring.entries(block);
        Self { block, next, end }
    }

    /// Whether the block has no item before `back`.
    fn is_over(self, back: Self) -> bool {
        self.next == if self.block == back.block { back.next } else { self.end }
    }
}

/// The owner's end.
pub(super) struct DividedOwner {
    ring: Arc<Ring>,
    /// The ring's first slot.
    slots: NonNull<AtomicU64>,
    back: Place,
    /// The end is the block's, or the last position that the owner has seen filled.
    front: Place,
}

// SAFETY: `slots` points to memory of the ring.
unsafe impl Send for DividedOwner {}

impl DividedOwner {
    /// Returns a slot, without a check of its number, since every instruction counts here.
    #[inline(always)]
    fn slot(&self, number: usize) -> &AtomicU64 {
        debug_assert!(number < self.ring.slots.len());
        // SAFETY: numbers of places are less than that, and the ring lives as long as this.
        unsafe { self.slots.add(number).as_ref() }
    }
}

// Ordering: Relaxed for the slots, and so a plain instruction. A block changes hands by `filled`
// and `read`.
impl Owner for DividedOwner {
    #[inline(always)]
    fn push(&mut self, item: Item) -> bool {
        if self.back.next == self.back.end {
            let Some(back) = next_to_fill(&self.ring, self.back.block, self.front.block) else { return false };
            self.back = back;
        }
        self.slot(self.back.next).store(item.get(), Ordering::Relaxed);
        self.back.next += 1;
        compiler_fence(Ordering::SeqCst);
        true
    }

    #[inline(always)]
    fn pop(&mut self) -> Option<Item> {
        if self.front.next == self.front.end {
            self.front = next_to_take(&self.ring, self.front, self.back)?;
        }
        let item = item(self.slot(self.front.next).load(Ordering::Relaxed));
        self.front.next += 1;
        compiler_fence(Ordering::SeqCst);
        Some(item)
    }
}

/// The block after one that is full, if it can be filled.
#[inline(never)]
fn next_to_fill(ring: &Ring, block: usize, front: usize) -> Option<Place> {
    if ring.is_thiefs(block) {
        ring.fill(block);
    }
    let next = block + 1;
    let is_free = if ring.is_thiefs(next) { ring.is_read(next) } else { next < front + BLOCKS };
    is_free.then(|| Place::begin(ring, next))
}

/// Returns the positions of the owner's next items. When there are none and the thief is gone,
/// these are the items that the thief has left.
#[inline(never)]
fn next_to_take(ring: &Ring, taken: Place, back: Place) -> Option<Place> {
    let find = |mut from: Place, is_thiefs| {
        while from.block <= back.block && (ring.is_thiefs(from.block) != is_thiefs || from.is_over(back)) {
            from = Place::begin(ring, from.block + 1);
        }
        let end = if from.block == back.block { back.next } else { from.end };
        (from.block <= back.block).then_some(Place { end, ..from })
    };
    let whole = Place { next: taken.next, ..Place::begin(ring, taken.block) };
    if ring.is_thiefs(taken.block) {
        find(whole, true)
    } else {
        find(whole, false).or_else(|| find(*ring.left.get()?, true))
    }
}

/// The thief's end.
pub(super) struct DividedThief {
    ring: Arc<Ring>,
    place: Place,
}

impl Thief for DividedThief {
    fn another(&self) -> Self {
        panic!("what is stolen of this ring is one thief's")
    }

    fn steal_one(&mut self) -> Option<Item> {
        let (ring, place) = (&self.ring, &mut self.place);
        let is_new = place.next == Place::begin(ring, place.block).next;
        if is_new && !ring.is_filled(place.block) {
            return None;
        }
        let item = item(ring.slots[place.next].load(Ordering::Relaxed));
        place.next += 1;
        if place.next == place.end {
            ring.give_back(place.block);
            *place = next_to_steal(ring, place.block + 1);
        }
        Some(item)
    }
}

impl Drop for DividedThief {
    fn drop(&mut self) {
        self.ring.left.set(self.place).expect("there is one thief");
    }
}

/// No policy steals from it.
impl Victim for DividedThief {
    type Item = Item;

    fn steal_granted(&self) -> Steal<Item> {
        Steal::Empty
    }

    fn granted(&self, _block: usize) -> usize {
        0
    }
}

pub(super) struct DividedRing;

impl Kind for DividedRing {
    const NAME: &'static str = "bound/divided_ring";
    const ORDER: Order = Order::Fifo;
    const PEER: bool = false;
    const THIEVES: bool = false;
    const DIVIDED: bool = true;
    type Owner = DividedOwner;
    type Thief = DividedThief;

    fn open(Room { capacity, percent, .. }: Room) -> Result<(DividedOwner, DividedThief), String> {
        // All blocks but the one that is being filled hold the capacity.
        let size = capacity.div_ceil(BLOCKS - 1);
        let words = || (0..BLOCKS).map(|block| Apart(AtomicUsize::new(block))).collect();
        let slots = (0..BLOCKS * size).map(|_| AtomicU64::new(0)).collect();
        let ring =
            Ring { slots, size, percent: percent as usize, filled: words(), read: words(), left: OnceLock::new() };
        let ring = Arc::new(ring);
        let [_, end] = ring.entries(FIRST - 1);
        let front = Place { block: FIRST - 1, next: end, end };
        let slots = NonNull::from(&*ring.slots).cast();
        let owner = DividedOwner { slots, back: Place::begin(&ring, FIRST), front, ring: Arc::clone(&ring) };
        let place = next_to_steal(&ring, FIRST);
        Ok((owner, DividedThief { ring, place }))
    }
}

/// Returns the thief's first block from there on, or one that is never filled.
fn next_to_steal(ring: &Ring, from: usize) -> Place {
    let next = (from..from + BLOCKS).find(|&block| ring.is_thiefs(block));
    Place::begin(ring, next.unwrap_or(usize::MAX))
}
