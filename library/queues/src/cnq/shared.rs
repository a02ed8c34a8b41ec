//! The state that all handles of a queue share.

use core::fmt;
use core::ptr::NonNull;

use super::capsule::Capsules;
use super::fragments::Fragments;
use super::geometry::Geometry;
use super::windows::{Finished, Open};
use crate::array::Array;
use crate::error::CapacityError;
use crate::heap::drop_all;
use crate::isolated::Isolated;
use crate::sync::{AtomicUsize, Cell, Ordering, prepare_fences};
use crate::tube::Tube;
use crate::tube::raw::{Reserved, Ticket};

/// The content of a slot of the tube.
#[derive(Clone, Copy)]
pub(super) struct SlotContent {
    /// The number of the slot's capsule.
    pub(super) id: usize,
    /// The number of the capsule that returns to the tube in place of this one if the producer has
    /// not left this one.
    pub(super) spare: usize,
    /// The capsule's item count at the start of this use.
    pub(super) base: usize,
    /// The number of items read from the capsule.
    pub(super) read: usize,
}

pub(super) struct Shared<T, U: Tube> {
    pub(super) tube: U,
    pub(super) capsules: Capsules<T>,
    /// By slot of the tube: the slot's content. Belongs to the slot's owner alone.
    slots: Array<Cell<SlotContent>>,
    pub(super) open: Open,
    pub(super) finished: Finished,
    pub(super) fragments: Fragments,
    /// By producer: its spare capsule, or `REGISTERED` while the producer has it.
    spares: Array<AtomicUsize>,
    consumers: Isolated<AtomicUsize>,
    pub(super) geometry: Geometry,
}

// SAFETY: items go from one thread to another, which `T: Send` allows; threads never share one.
unsafe impl<T: Send, U: Tube> Send for Shared<T, U> {}
// SAFETY: the reason for `Send` holds.
unsafe impl<T: Send, U: Tube> Sync for Shared<T, U> {}

const REGISTERED: usize = usize::MAX;

/// Why a handle could not be registered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HandleError {
    /// The queue has this many producers, the number that it was made for.
    Producers(usize),
    /// The queue has this many consumers, the number that it was made for.
    Consumers(usize),
}

impl fmt::Display for HandleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (registered, side) = match *self {
            Self::Producers(registered) => (registered, "producers"),
            Self::Consumers(registered) => (registered, "consumers"),
        };
        write!(
            f,
            "{registered} {side} are registered, as many as the queue was made for and as its order allows: drop one, \
             or make the queue for more"
        )
    }
}

impl core::error::Error for HandleError {}

impl<T, U: Tube> Shared<T, U> {
    /// Makes a queue whose tube starts in lap `lap`.
    pub(super) fn new(geometry: Geometry, lap: usize) -> Result<Self, CapacityError> {
        prepare_fences();
        let tube = U::starting_at(geometry.capsules(), lap)?;
        let slots = tube.slots();
        let first = lap.wrapping_mul(slots);
        let contents = Array::<Cell<SlotContent>>::cells(slots)?;
        for (id, content) in contents.iter().enumerate() {
            // SAFETY: the queue is not shared yet.
            unsafe { content.write(SlotContent { id, spare: id, base: 0, read: 0 }) };
        }
        let capsules = Capsules::new(slots + geometry.producers(), geometry.capsule_size(), lap)?;
        Ok(Self {
            capsules,
            slots: contents,
            open: Open::new(geometry.producers(), slots + geometry.producers(), first)?,
            finished: Finished::new(geometry.consumers(), first)?,
            fragments: Fragments::new(slots)?,
            spares: Array::new(geometry.producers(), |producer| AtomicUsize::new(slots + producer))?,
            consumers: Isolated(AtomicUsize::new(0)),
            tube,
            geometry,
        })
    }

    /// Returns how many items fit if all capsules are filled.
    pub(super) fn capacity(&self) -> usize {
        self.tube.slots() * self.capsules.size
    }

    /// Takes the content out of the slot.
    ///
    /// # Safety
    /// The slot is the caller's.
    #[inline]
    pub(super) unsafe fn take(&self, ticket: Ticket) -> SlotContent {
        // SAFETY: the caller's promise; a slot has content whenever its owner changes.
        unsafe { self.slots[ticket.slot].take() }
    }

    /// Puts content into the slot.
    ///
    /// # Safety
    /// The slot is the caller's.
    #[inline]
    pub(super) unsafe fn put(&self, ticket: Ticket, content: SlotContent) {
        // SAFETY: the caller's promise.
        unsafe { self.slots[ticket.slot].write(content) }
    }

    /// Registers a producer, and returns its number and its spare capsule.
    pub(super) fn register_producer(&self) -> Result<(usize, usize), HandleError> {
        for (number, place) in self.spares.iter().enumerate() {
            // Ordering: Relaxed, the exchange fails if the spare is gone.
            let spare = place.load(Ordering::Relaxed);
            // Ordering: Acquire pairs with the Release in `unregister_producer`: its use of the
            // spare happens before (`cnq-ring/spare-going`).
            if spare != REGISTERED
                && place.compare_exchange(spare, REGISTERED, Ordering::Acquire, Ordering::Relaxed).is_ok()
            {
                return Ok((number, spare));
            }
        }
        Err(HandleError::Producers(self.spares.len()))
    }

    /// Unregisters the producer of that number, which leaves its spare.
    pub(super) fn unregister_producer(&self, number: usize, spare: usize) {
        // Ordering: Release pairs with the Acquire in `register_producer`: all uses of the spare
        // happen before the next one.
        self.spares[number].store(spare, Ordering::Release);
    }

    pub(super) fn register_consumer(&self) -> Result<(), HandleError> {
        let most = self.geometry.consumers();
        // Ordering: Relaxed throughout, it is a number.
        let mut registered = self.consumers.load(Ordering::Relaxed);
        while registered < most {
            match self.consumers.compare_exchange(registered, registered + 1, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return Ok(()),
                Err(now) => registered = now,
            }
        }
        Err(HandleError::Consumers(most))
    }

    pub(super) fn unregister_consumer(&self) {
        // Ordering: Relaxed, it is a number.
        self.consumers.fetch_sub(1, Ordering::Relaxed);
    }

    /// Returns the items left in a slot's capsule: the first entry, and their number.
    ///
    /// # Safety
    /// The slot is the caller's, and no handle is left.
    unsafe fn rest(&self, ticket: Ticket) -> (NonNull<Cell<T>>, usize) {
        // SAFETY: the caller's promise.
        let SlotContent { id, base, read, .. } = unsafe { self.take(ticket) };
        // No more have been read than there were. Saturating, so that a drop while a panic unwinds
        // does not panic again.
        let left = self.capsules.capsule(id).count(base).saturating_sub(read);
        // SAFETY: within the capsule.
        (unsafe { self.capsules.entries(id).add(read) }, left)
    }

    /// Takes a capsule that no consumer reads any more, while the queue is dropped.
    fn drain(&self) -> Option<(NonNull<Cell<T>>, usize)> {
        let near = self.finished.near();
        if let Some(ticket) = self.fragments.remove(near, |_| true) {
            // SAFETY: the fragment is the caller's now, and all handles are gone.
            return Some(unsafe { self.rest(ticket) });
        }
        let Reserved { ticket, .. } = self.tube.reserve(|_| true).ok()?;
        // SAFETY: just reserved, and all handles are gone.
        let rest = unsafe { self.rest(ticket) };
        // SAFETY: just reserved.
        unsafe { self.tube.consume(ticket) };
        Some(rest)
    }
}

impl<T, U: Tube> Drop for Shared<T, U> {
    fn drop(&mut self) {
        if !core::mem::needs_drop::<T>() {
            return;
        }
        let (mut next, mut left) = (NonNull::dangling(), 0);
        drop_all(&mut || {
            while left == 0 {
                let Some(rest) = self.drain() else { return false };
                (next, left) = rest;
            }
            let entry: NonNull<Cell<T>> = next;
            // SAFETY: within the capsule, or its end.
            next = unsafe { entry.add(1) };
            left -= 1;
            // SAFETY: the entry holds an item, and is visited once.
            drop(unsafe { entry.as_ref().take() });
            true
        });
    }
}
