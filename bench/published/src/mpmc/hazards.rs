//! Hazard pointers (Michael, "Hazard Pointers: Safe Memory Reclamation for Lock-Free Objects", IEEE
//! TPDS 15, 2004): a thread publishes which objects it is about to read, and an object that was
//! given up (retired) is freed when no thread's pointer holds it.

use std::ptr;

use super::sync::{AtomicPtr, GIVEN_UP_FOR_HELD, Ordering, free};

/// Objects that a thread can hold at a time.
const HELD: usize = 3;

/// One thread's hazard pointers, in lines of their own.
#[derive(Debug)]
#[repr(align(128))]
struct Held<T>([AtomicPtr<T>; HELD]);

/// All threads' hazard pointers.
#[derive(Debug)]
pub(super) struct Hazards<T>(Box<[Held<T>]>);

impl<T> Hazards<T> {
    /// Makes hazard pointers for `threads` threads.
    pub(super) fn new(threads: usize) -> Self {
        Self((0..threads).map(|_| Held(std::array::from_fn(|_| AtomicPtr::new(ptr::null_mut())))).collect())
    }

    /// Publishes that the thread is about to read an object. It is not freed from then on, if it
    /// can still be reached after this.
    #[inline]
    pub(super) fn hold(&self, thread: usize, place: usize, object: *mut T) -> *mut T {
        // Ordering: SeqCst. Either the thread that gives the object up sees this, or this thread
        // sees that it cannot be reached any more.
        self.0[thread].0[place].store(object, Ordering::SeqCst);
        object
    }

    /// Clears the thread's pointers: it reads no object any more.
    #[inline]
    pub(super) fn clear(&self, thread: usize) {
        for place in &self.0[thread].0 {
            // Ordering: Release pairs with the load in `free_unheld`: this thread has read the
            // object.
            place.store(ptr::null_mut(), Ordering::Release);
        }
    }

    /// Gives up an object that cannot be reached any more. Once there are some times as many as can
    /// be held, those that no thread holds are freed.
    ///
    /// # Safety
    /// The objects came from `make`, and each is given up once.
    #[inline]
    pub(super) unsafe fn give_up(&self, given_up: &mut Vec<*mut T>, object: *mut T) {
        given_up.push(object);
        if given_up.len() > GIVEN_UP_FOR_HELD * HELD * self.0.len() {
            // SAFETY: the caller's promise.
            unsafe { self.free_unheld(given_up) };
        }
    }

    /// # Safety
    /// As [`Self::give_up`].
    #[cold]
    unsafe fn free_unheld(&self, given_up: &mut Vec<*mut T>) {
        let places = || self.0.iter().flat_map(|held| &held.0);
        let mut held: Vec<*mut T> = Vec::with_capacity(HELD * self.0.len());
        held.extend(places().map(|place| place.load(Ordering::SeqCst)));
        given_up.retain(|&object| {
            let is_held = held.contains(&object);
            if !is_held {
                // SAFETY: the caller's promise; no thread holds it, or can reach it.
                unsafe { free(object) };
            }
            is_held
        });
    }
}
