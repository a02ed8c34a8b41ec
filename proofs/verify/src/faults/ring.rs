//! A ring that is right, or has one of several faults on request: the clients have to find each.

use std::ptr::NonNull;

use aqueduct_model::alloc::{Layout, alloc, dealloc};
use aqueduct_model::cell;
use aqueduct_model::sync::atomic::{AtomicUsize, Ordering};

use crate::clients::item::Boxed;
use crate::clients::spsc::Setup;
use crate::clients::spsc::queue::{Consumer, Producer, Queue};

/// The fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// The ring is right.
    None,
    /// A push announces its item before it is in the slot.
    AnnouncesEarly,
    /// A pop gives the slot back before it has taken the item.
    ReleasesEarly,
    /// The ring accepts one item more than it has slots.
    OneTooMany,
    /// Comparisons assume that the indices never wrap.
    ComparesIndices,
    /// A push into a full ring drops its item and returns `Ok`.
    SwallowsRefused,
    /// A pop leaves its item in the ring.
    PopsTwice,
    /// Items that are left are not dropped with the ring.
    LeavesRest,
    /// Popped items are dropped again with the ring.
    DropsPopped,
    /// The end that is dropped first frees the memory of the slots.
    FreesFirst,
    /// The producer's end counts as gone after its first use.
    AbandonedEarly,
}

/// A maker of such rings.
#[derive(Clone, Copy, Debug)]
pub struct FaultyRing {
    /// The parameters.
    pub setup: Setup,
    /// The fault.
    pub fault: Fault,
}

/// The memory that both ends share.
struct Shared {
    write: AtomicUsize,
    read: AtomicUsize,
    ends: AtomicUsize,
    slots: NonNull<Boxed>,
    broken: FaultyRing,
}

const SHARED: Layout = Layout::new::<Shared>();

impl Shared {
    fn layout(&self) -> Layout {
        Layout::array::<Boxed>(self.broken.setup.capacity).expect("a few slots")
    }

    fn has(&self, fault: Fault) -> bool {
        self.broken.fault == fault
    }

    fn slot(&self, index: usize) -> *mut Boxed {
        let capacity = self.broken.setup.capacity;
        // SAFETY: the index is less than the number of slots.
        unsafe { self.slots.as_ptr().add(index.wrapping_sub(self.broken.setup.index) % capacity) }
    }

    fn len(&self) -> usize {
        let (write, read) = (self.write.load(Ordering::Acquire), self.read.load(Ordering::Acquire));
        if self.has(Fault::ComparesIndices) && write < read { 0 } else { write.wrapping_sub(read) }
    }

    fn is_full(&self) -> bool {
        self.len() >= self.broken.setup.capacity + usize::from(self.has(Fault::OneTooMany))
    }
}

/// Either end of the ring.
#[derive(Debug)]
pub struct End(NonNull<Shared>);

// SAFETY: the model reports what the two threads do wrong to each other.
unsafe impl Send for End {}

impl End {
    fn shared(&self) -> &Shared {
        // SAFETY: the last end frees it.
        unsafe { self.0.as_ref() }
    }
}

impl Queue for FaultyRing {
    type Item = Boxed;
    type Producer = End;
    type Consumer = End;
    const EXACT: bool = true;
    const COUNTS_SEEN: bool = true;

    fn ends(self) -> (End, End) {
        let slots = Layout::array::<Boxed>(self.setup.capacity).expect("a few slots");
        // SAFETY: neither size is 0.
        let (shared, slots) = unsafe { (alloc(SHARED).cast::<Shared>(), alloc(slots).cast::<Boxed>()) };
        let shared = NonNull::new(shared).expect("the model's memory does not run out");
        let index = || AtomicUsize::new(self.setup.index);
        let slots = NonNull::new(slots).expect("the model's memory does not run out");
        // SAFETY: freshly allocated with this layout.
        unsafe {
            shared.write(Shared { write: index(), read: index(), ends: AtomicUsize::new(2), slots, broken: self })
        };
        (End(shared), End(shared))
    }

    fn capacity(self) -> usize {
        self.setup.capacity
    }
}

impl Producer for End {
    type Item = Boxed;

    fn push(&mut self, item: Boxed) -> Result<(), Boxed> {
        let shared = self.shared();
        if shared.is_full() {
            return if shared.has(Fault::SwallowsRefused) { Ok(()) } else { Err(item) };
        }
        let write = shared.write.load(Ordering::Relaxed);
        if shared.has(Fault::AnnouncesEarly) {
            shared.write.store(write.wrapping_add(1), Ordering::Release);
        }
        // SAFETY: there is room; the model reports what the fault does to it.
        unsafe { cell::write(shared.slot(write), item) };
        if !shared.has(Fault::AnnouncesEarly) {
            shared.write.store(write.wrapping_add(1), Ordering::Release);
        }
        Ok(())
    }

    fn len(&self) -> usize {
        self.shared().len()
    }

    fn is_empty(&self) -> bool {
        self.shared().len() == 0
    }

    fn is_full(&self) -> bool {
        self.shared().is_full()
    }

    fn is_closed(&self) -> bool {
        self.shared().ends.load(Ordering::Acquire) == 1
    }

    fn capacity(&self) -> usize {
        self.shared().broken.setup.capacity
    }
}

impl Consumer for End {
    type Item = Boxed;

    fn pop(&mut self) -> Option<Boxed> {
        let shared = self.shared();
        if shared.len() == 0 {
            return None;
        }
        let read = shared.read.load(Ordering::Relaxed);
        if shared.has(Fault::ReleasesEarly) {
            shared.read.store(read.wrapping_add(1), Ordering::Release);
        }
        // SAFETY: there is an item; the model reports what the fault does to it.
        let item = unsafe { cell::read(shared.slot(read)) };
        if !shared.has(Fault::ReleasesEarly) && !shared.has(Fault::PopsTwice) {
            shared.read.store(read.wrapping_add(1), Ordering::Release);
        }
        Some(item)
    }

    fn len(&self) -> usize {
        self.shared().len()
    }

    fn is_empty(&self) -> bool {
        self.shared().len() == 0
    }

    fn is_closed(&self) -> bool {
        let shared = self.shared();
        shared.ends.load(Ordering::Acquire) == 1
            || shared.has(Fault::AbandonedEarly) && shared.write.load(Ordering::Acquire) != shared.broken.setup.index
    }
}

impl Drop for End {
    fn drop(&mut self) {
        let shared = self.shared();
        let last = shared.ends.fetch_sub(1, Ordering::AcqRel) == 1;
        if last == shared.has(Fault::FreesFirst) {
            return;
        }
        let mut read = shared.read.load(Ordering::Relaxed);
        if shared.has(Fault::DropsPopped) && read != shared.broken.setup.index {
            read = read.wrapping_sub(1);
        }
        while !shared.has(Fault::LeavesRest) && read != shared.write.load(Ordering::Relaxed) {
            // SAFETY: the slot was filled and not popped; the model reports what the fault does to
            // it.
            drop(unsafe { cell::read(shared.slot(read)) });
            read = read.wrapping_add(1);
        }
        let (slots, layout) = (shared.slots, shared.layout());
        // SAFETY: the memory was allocated with these layouts; unless the fault changes that, the
        // last end is the only user.
        unsafe {
            dealloc(slots.as_ptr().cast(), layout);
            dealloc(self.0.as_ptr().cast(), SHARED);
        }
    }
}
