//! The model backend: every access is an event of the execution that the model checker explores.

use std::cell::Cell;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::mem::MaybeUninit;
use std::ptr::NonNull;
use std::time::{Duration, Instant};

use aqueduct_model::alloc::{Layout, alloc, dealloc};
use aqueduct_model::cell::UnsafeCell;
use aqueduct_model::sync::{self, MutexGuard};
use aqueduct_model::{hint, thread};

pub(crate) use aqueduct_model::sync::Arc;
pub(crate) use aqueduct_model::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering, fence};
pub(crate) use aqueduct_model::thread::{Thread, current};

/// The model's lock, which is never poisoned.
#[derive(Debug, Default)]
pub(crate) struct Mutex<T>(sync::Mutex<T>);

impl<T> Mutex<T> {
    pub(crate) const fn new(value: T) -> Self {
        Self(sync::Mutex::new(value))
    }

    #[track_caller]
    pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
        match self.0.lock() {
            Ok(guard) => guard,
            Err(_) => unreachable!("nothing is ever poisoned"),
        }
    }

    /// Takes the lock if it is free.
    #[track_caller]
    pub(crate) fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
        self.0.try_lock().ok()
    }
}

/// Memory for a value that one thread hands to another.
#[derive(Debug)]
pub(crate) struct Slot<T>(UnsafeCell<MaybeUninit<T>>);

impl<T> Slot<T> {
    /// Makes a slot without a value.
    pub(crate) const fn new() -> Self {
        Self(UnsafeCell::new(MaybeUninit::uninit()))
    }

    /// Moves a value in. One that is there is forgotten.
    ///
    /// # Safety
    /// No other thread accesses the slot at the same time; the model reports if one does.
    #[track_caller]
    pub(crate) unsafe fn put(&self, value: T) {
        // SAFETY: the caller has the slot to itself.
        self.0.with_mut(|slot| unsafe { *slot = MaybeUninit::new(value) });
    }

    /// Moves the value out.
    ///
    /// # Safety
    /// There is a value, and no other thread accesses the slot at the same time; the model reports
    /// if one does.
    #[track_caller]
    pub(crate) unsafe fn take(&self) -> T {
        // SAFETY: the caller has the slot to itself, and it holds a value.
        self.0.with_mut(|slot| unsafe { (*slot).assume_init_read() })
    }
}

/// Puts a value into memory that the model watches.
#[track_caller]
pub(crate) fn allocate<T>(value: T) -> NonNull<T> {
    const { assert!(size_of::<T>() > 0) };
    // SAFETY: the size is not 0.
    let memory = unsafe { alloc(Layout::new::<T>()) }.cast::<T>();
    // SAFETY: the memory is new, and large enough.
    unsafe { memory.write(value) };
    NonNull::new(memory).expect("the model has memory")
}

/// Drops the value and frees its memory.
///
/// # Safety
/// It comes from [`allocate`], and nothing uses it any more; the model reports if something does.
#[track_caller]
pub(crate) unsafe fn free<T>(value: NonNull<T>) {
    // SAFETY: it is dropped once.
    unsafe { value.drop_in_place() };
    // SAFETY: the memory comes from `alloc`, with this layout.
    unsafe { dealloc(value.as_ptr().cast(), Layout::new::<T>()) };
}

/// Returns false: in the model, deadlines pass only while a thread is parked.
pub(crate) fn has_passed(_deadline: Option<Instant>) -> bool {
    false
}

/// Parks the calling thread. With a deadline, the model explores that it passes at any moment.
#[track_caller]
pub(crate) fn park(deadline: Option<Instant>) -> bool {
    match deadline {
        Some(_) => thread::park_timeout(Duration::ZERO),
        None => thread::park(),
    }
    deadline.is_some()
}

/// A thread that others wake.
#[derive(Clone, Debug)]
pub(crate) struct Sleeper(Thread);

impl Sleeper {
    pub(crate) fn current() -> Self {
        Self(current())
    }

    #[track_caller]
    pub(crate) fn wake(&self) {
        self.0.unpark();
    }
}

/// Rounds of a spin, natively.
pub(crate) const BRIEF: usize = 8;

/// Returns false: threads do not spin in the model.
pub(crate) fn take_wake_up() -> bool {
    false
}

/// Does nothing: time does not pass in the model.
pub(crate) fn relax(_round: usize) {}

/// Waits until another thread has changed something.
pub(crate) fn snooze(_round: u32) {
    hint::spin_loop();
}

/// A random choice: the model explores each number in an execution of its own.
pub(crate) struct Dice;

impl Dice {
    pub(crate) fn new() -> Self {
        Self
    }

    /// Picks a number below `count`, which is not 0.
    #[track_caller]
    pub(crate) fn pick(&mut self, count: usize) -> usize {
        (0..count - 1).find(|_| hint::either()).unwrap_or(count - 1)
    }
}

/// Threads do not spin in the model.
pub(crate) fn first_round() -> usize {
    0
}

/// Threads do not spin in the model.
pub(crate) fn spun(_round: usize) {}

/// Threads do not spin in the model.
pub(crate) struct Limit;

impl Limit {
    pub(crate) fn new(_deadline: Option<Instant>) -> Self {
        Self
    }

    pub(crate) fn is_reached(&mut self, _round: usize) -> bool {
        false
    }
}

/// Threads do not spin in the model: an attempt that fails is repeated when something has changed.
pub(crate) fn longest_spin() -> usize {
    0
}

/// Tasks do not spin in the model.
pub(crate) fn may_spin_in_task() -> bool {
    false
}

/// Tasks do not spin in the model.
pub(crate) fn spun_in_task(_is_success: bool) {}

aqueduct_model::thread_local! {
    static NEXT: Cell<u64> = Cell::new(0);
}

/// Returns a number that no other call returns, and that each execution returns to this thread's
/// call.
pub(crate) fn unique() -> u64 {
    let number = NEXT.with(|next| next.replace(next.get() + 1));
    let mut hasher = DefaultHasher::new();
    (current().id(), number).hash(&mut hasher);
    hasher.finish()
}

/// Whether the calling thread unwinds its stack.
pub(crate) fn is_panicking() -> bool {
    std::thread::panicking()
}
