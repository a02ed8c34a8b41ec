//! Work-stealing queues of C++, called through functions that `cpp/deques.cpp` makes of them; each
//! call is one call of a function. They are built by the feature `cpp-peers`. Of both, the owner
//! takes the newest item and thieves the oldest.
//!
//! xenium's deque is Chase and Lev's, with an array of a fixed size; it has no interface for
//! batches. Eigen's `RunQueue` is that of its thread pool, where thieves take turns at a lock; its
//! batch is half of all items, which cannot be limited to a share, so it takes part with single
//! items. Both are made for the next power of two items, 65,536 at the most.

use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::Arc;

use aqueduct::bwos::Steal;
use aqueduct::bwos::policy::Victim;

use super::kind::{Kind, Order, Owner, Room, Thief};
use super::subject::{Subject, subject_of};
use aqueduct_measure::items::Item;

/// Returns all of this build.
pub(super) fn all() -> Vec<Box<dyn Subject>> {
    vec![subject_of::<ChaseLev>(), subject_of::<RunQueue>()]
}

/// The functions of a queue of some size, as `cpp/deques.cpp` has them.
#[derive(Debug)]
#[repr(C)]
struct Functions {
    open: unsafe extern "C" fn() -> *mut c_void,
    close: unsafe extern "C" fn(*mut c_void),
    push: unsafe extern "C" fn(*mut c_void, Item) -> bool,
    pop: unsafe extern "C" fn(*mut c_void, *mut Item) -> bool,
    steal: unsafe extern "C" fn(*mut c_void, *mut Item) -> bool,
    size: unsafe extern "C" fn(*mut c_void) -> usize,
}

/// Finds the functions for a number of items, or none.
type Find = unsafe extern "C" fn(usize) -> Option<&'static Functions>;

unsafe extern "C" {
    fn aqueduct_chase_lev_deque(capacity: usize) -> Option<&'static Functions>;
    fn aqueduct_run_queue_deque(capacity: usize) -> Option<&'static Functions>;
}

/// A queue and its functions. Its last handle closes it.
#[derive(Clone)]
struct Handle {
    queue: NonNull<c_void>,
    functions: &'static Functions,
    #[expect(dead_code, reason = "keeps it open")]
    open: Arc<Open>,
}

// SAFETY: the queues are made to be used by several threads; the types below ensure that only one
// of them is the owner.
unsafe impl Send for Handle {}

/// An open queue.
struct Open(NonNull<c_void>, &'static Functions);

// SAFETY: its only operation is to be closed.
unsafe impl Send for Open {}
// SAFETY: its only operation is to be closed.
unsafe impl Sync for Open {}

impl Drop for Open {
    fn drop(&mut self) {
        // SAFETY: opened by the same functions, and closed once, by the last handle.
        unsafe { (self.1.close)(self.0.as_ptr()) };
    }
}

impl Handle {
    fn open(name: &str, capacity: usize, find: Find) -> Result<Self, String> {
        let refused = || format!("{name} cannot hold {capacity} items");
        // SAFETY: it looks for functions and does nothing else.
        let functions = unsafe { find(capacity) }.ok_or_else(refused)?;
        // SAFETY: the function returns null on failure.
        let queue = NonNull::new(unsafe { (functions.open)() }).ok_or_else(refused)?;
        Ok(Self { queue, functions, open: Arc::new(Open(queue, functions)) })
    }

    /// Takes an item by one of the queue's functions.
    ///
    /// # Safety
    /// The function is one that this thread may call.
    #[inline(always)]
    unsafe fn take(&self, function: unsafe extern "C" fn(*mut c_void, *mut Item) -> bool) -> Option<Item> {
        let mut item = Item::MIN;
        // SAFETY: the queue is open; the caller may call it. Items that come are items that were
        // pushed.
        unsafe { function(self.queue.as_ptr(), &raw mut item) }.then_some(item)
    }
}

/// The owner's handle, which is the only one.
struct CppOwner(Handle);

impl Owner for CppOwner {
    #[inline(always)]
    fn push(&mut self, item: Item) -> bool {
        // SAFETY: the queue is open, and this is its only owner.
        unsafe { (self.0.functions.push)(self.0.queue.as_ptr(), item) }
    }

    #[inline(always)]
    fn pop(&mut self) -> Option<Item> {
        // SAFETY: this is the only owner.
        unsafe { self.0.take(self.0.functions.pop) }
    }
}

/// A thief's handle.
struct CppThief(Handle);

impl Victim for CppThief {
    type Item = Item;

    /// The queue does not report why it returned no item. If it still has one, another thread was
    /// quicker.
    fn steal_granted(&self) -> Steal<Item> {
        // SAFETY: every thread may steal.
        match unsafe { self.0.take(self.0.functions.steal) } {
            Some(item) => Steal::Success(item),
            None if self.granted(0) == 0 => Steal::Empty,
            None => Steal::Retry,
        }
    }

    /// The whole queue is one block.
    fn granted(&self, _block: usize) -> usize {
        // SAFETY: the queue is open, and every thread may call it.
        unsafe { (self.0.functions.size)(self.0.queue.as_ptr()) }
    }
}

impl Thief for CppThief {
    fn another(&self) -> Self {
        Self(self.0.clone())
    }

    fn steal_one(&mut self) -> Option<Item> {
        // SAFETY: every thread may steal.
        unsafe { self.0.take(self.0.functions.steal) }
    }
}

macro_rules! deque {
    ($kind:ident = $name:literal, $find:ident) => {
        struct $kind;

        impl Kind for $kind {
            const NAME: &'static str = $name;
            const ORDER: Order = Order::Lifo;
            const BATCHES: bool = false;
            type Owner = CppOwner;
            type Thief = CppThief;

            fn open(Room { capacity, .. }: Room) -> Result<(CppOwner, CppThief), String> {
                let handle = Handle::open($name, capacity, $find)?;
                Ok((CppOwner(handle.clone()), CppThief(handle)))
            }
        }
    };
}

deque!(ChaseLev = "xenium/chase_work_stealing_deque", aqueduct_chase_lev_deque);
deque!(RunQueue = "eigen/run_queue", aqueduct_run_queue_deque);

#[cfg(test)]
mod tests {
    use super::super::kind::item;
    use super::*;

    fn check<K: Kind<Owner = CppOwner, Thief = CppThief>>() {
        for (asked, capacity) in [(1, 16), (448, 512), (8192, 8192), (65_536, 65_536)] {
            let (mut owner, mut thief) = K::open(asked.into()).unwrap();
            assert_eq!((owner.pop(), thief.steal_one(), thief.steal_granted()), (None, None, Steal::Empty));
            let pushed = (1..).take_while(|&number| owner.push(item(number))).count();
            assert_eq!((pushed, thief.granted(0)), (capacity, capacity), "{} for {asked}", K::NAME);
            let last = capacity as u64;
            assert_eq!(
                (owner.pop(), thief.steal_one()),
                (Some(item(last)), Some(item(1))),
                "the newest, and the oldest"
            );
            assert_eq!(thief.another().steal_granted(), Steal::Success(item(2)));
            assert_eq!(thief.granted(0), capacity - 3);
        }
        let refused = K::open(65_537.into()).err().expect("it is too large");
        assert!(refused.ends_with("cannot hold 65537 items"), "{refused}");
    }

    #[test]
    fn they_are_as_large_as_asked_or_the_next_power_of_two_and_thieves_take_the_oldest() {
        check::<ChaseLev>();
        check::<RunQueue>();
    }
}
