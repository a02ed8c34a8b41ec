//! The owners of a value and the weak references to it, as the model sees them.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool as Flag, Ordering as Native};
use std::sync::{Arc, Mutex, PoisonError};

use super::owners::Owner;
use crate::alloc::Track;
use crate::hint::await_here;
use crate::runtime::driver;
use crate::sync::atomic::{AtomicUsize, Ordering, fence};

/// The number of weak references while [`Count::is_alone`] looks at the owners.
const LOCKED: usize = usize::MAX;

/// The state that the owners of a value share with its weak references.
pub(super) struct Count {
    /// The number of owners if they are counted, otherwise that of their families: see `owners`.
    pub(super) owners: AtomicUsize,
    /// One above the number of weak references, if they are counted. All owners together have the
    /// one.
    weak: AtomicUsize,
    is_counted: bool,
    /// Whether there has been a weak reference.
    is_weakened: Flag,
    life: Mutex<Option<Track<()>>>,
}

impl Count {
    /// Begins the life of a value with this number of owners, one or none.
    #[track_caller]
    pub(super) fn new(owners: usize) -> Arc<Self> {
        Arc::new(Self {
            owners: AtomicUsize::new(owners),
            weak: AtomicUsize::new(1),
            is_counted: driver::counts_owners(),
            is_weakened: Flag::new(false),
            life: Mutex::new(Some(Track::new(()))),
        })
    }

    pub(super) fn is_counted(&self) -> bool {
        self.is_counted
    }

    /// Returns an owner that is not a clone, unless all are counted.
    pub(super) fn family(&self) -> Option<Owner> {
        (!self.is_counted).then(Owner::first)
    }

    /// Ends the value's life, after its last owner was dropped.
    #[track_caller]
    pub(super) fn end(&self) {
        let life = self.life.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(life) = life {
            life.into_inner();
        }
    }

    /// Requests counts: the check begins anew if there are none.
    pub(super) fn ask(&self) {
        if !self.is_counted {
            driver::ask_for_counts();
        }
    }

    /// Notes that there is a weak reference.
    pub(super) fn note_weak(&self) {
        self.is_weakened.store(true, Native::Relaxed);
    }

    /// Whether there has been a weak reference. That happens before the last owner's drop, so the
    /// last owner reads it without an event.
    pub(super) fn is_weakened(&self) -> bool {
        self.is_weakened.load(Native::Relaxed)
    }

    /// Adds a weak reference for an owner.
    #[track_caller]
    pub(super) fn weaken(&self) {
        self.note_weak();
        if self.is_counted {
            // Ordering: Acquire, as in std, pairs with the Release store in `is_alone`.
            await_here!(self.weak.share(LOCKED));
        }
    }

    /// Adds a weak reference beside another one.
    #[track_caller]
    pub(super) fn weaken_again(&self) {
        if self.is_counted {
            self.weak.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Removes a weak reference.
    #[track_caller]
    pub(super) fn strengthen(&self) {
        if self.is_counted {
            // Ordering: Release pairs with the Acquire exchange in `is_alone`: an owner that then
            // has the value alone sees what the thread did with this reference.
            self.weak.fetch_sub(1, Ordering::Release);
        }
    }

    /// Removes the weak reference that all owners had together, after the value was dropped.
    #[track_caller]
    pub(super) fn strengthen_for_good(&self) {
        if self.is_weakened() {
            self.strengthen();
        }
    }

    /// Whether the calling owner has the value alone, without weak references. Then it synchronizes
    /// with all others' drops.
    #[track_caller]
    pub(super) fn is_alone(&self) -> bool {
        if self.owners.load(Ordering::Relaxed) != 1 {
            return false;
        }
        if !self.is_weakened() {
            // Ordering: Acquire pairs with the Release of the owners' drops.
            fence(Ordering::Acquire);
            return true;
        }
        // Ordering: Acquire pairs with the Release in `strengthen`; without it, the owner does not
        // see what an owner did that an upgrade made. Relaxed failure: the value is not touched.
        if self.weak.compare_exchange(1, LOCKED, Ordering::Acquire, Ordering::Relaxed).is_err() {
            return false;
        }
        // Ordering: Acquire, as the fence above.
        let alone = self.owners.load(Ordering::Acquire) == 1;
        // Ordering: Release pairs with the Acquire in `weaken`: what happens before this is no
        // upgrade's.
        self.weak.store(1, Ordering::Release);
        alone
    }

    /// Takes the value from the calling owner, if there is no other one: no upgrade succeeds from
    /// then on.
    #[track_caller]
    pub(super) fn take(&self, success: Ordering) -> bool {
        self.owners.compare_exchange(1, 0, success, Ordering::Relaxed).is_ok()
    }

    /// Returns the number of weak references.
    #[track_caller]
    pub(super) fn weak(&self, order: Ordering) -> usize {
        match self.weak.load(order) {
            LOCKED => 0,
            number => number.saturating_sub(1),
        }
    }
}

/// The counts of the values to which raw pointers have been made, by address.
static RAW: Mutex<Option<HashMap<usize, Arc<Count>>>> = Mutex::new(None);

fn raw<R>(with: impl FnOnce(&mut HashMap<usize, Arc<Count>>) -> R) -> R {
    with(RAW.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_default())
}

fn address<T: ?Sized>(value: *const T) -> usize {
    value.cast::<()>().addr()
}

/// Notes the count of the value at an address.
pub(super) fn remember<T: ?Sized>(pointer: *const T, count: &Arc<Count>) {
    raw(|counts| counts.insert(address(pointer), Arc::clone(count)));
}

/// Returns the count of the value at an address.
pub(super) fn recall<T: ?Sized>(pointer: *const T) -> Option<Arc<Count>> {
    raw(|counts| counts.get(&address(pointer)).map(Arc::clone))
}

/// Forgets the count of the value at an address. A run that does not count owners continues to
/// its end after the first raw pointer, and has no record of others that stand for an owner.
pub(super) fn forget<T: ?Sized>(pointer: *const T, count: &Count) {
    if count.is_counted() {
        drop(raw(|counts| counts.remove(&address(pointer))));
    }
}

/// Counts with numbers of weak references for which raw pointers stand, by the value's address.
type Weakened = HashMap<usize, (Arc<Count>, usize)>;

static RAW_WEAK: Mutex<Option<Weakened>> = Mutex::new(None);

fn raw_weak<R>(with: impl FnOnce(&mut Weakened) -> R) -> R {
    with(RAW_WEAK.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_default())
}

/// Notes one more weak reference for which an address stands.
pub(super) fn remember_weak<T: ?Sized>(pointer: *const T, count: Arc<Count>) {
    raw_weak(|counts| counts.entry(address(pointer)).or_insert((count, 0)).1 += 1);
}

/// Takes a weak reference for which an address stands, and returns its count: none if it has no
/// value.
pub(super) fn recall_weak<T: ?Sized>(pointer: *const T) -> Option<Arc<Count>> {
    raw_weak(|counts| {
        let (count, number) = counts.get_mut(&address(pointer))?;
        let count = Arc::clone(count);
        *number -= 1;
        if *number == 0 {
            counts.remove(&address(pointer));
        }
        Some(count)
    })
}
