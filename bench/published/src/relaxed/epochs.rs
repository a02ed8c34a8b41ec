//! Epochs (Fraser, "Practical Lock-Freedom", 2004): a thread publishes the epoch in which it begins
//! an operation, and an object is freed two epochs after the one in which it was given up. A next
//! epoch begins when all threads that are in the middle of an operation have begun it in the
//! current one.
//!
//! So a thread that stops in the middle of an operation keeps all memory from being freed that is
//! given up meanwhile.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::thread;

use aqueduct_measure::run::Apart;

use super::sync::{AtomicU64, GIVEN_UP_FOR_HELD, Ordering, free};
use super::words::{exchange, load};

/// Instead of an epoch: the thread is in no operation.
const OUTSIDE: u64 = 0;
/// A thread tries to free objects after it has given up that many more, times
/// [`GIVEN_UP_FOR_HELD`].
const BATCH: usize = 32;

/// The epochs of a queue that is made of objects of type `T`.
#[derive(Debug)]
pub struct Epochs<T> {
    now: Apart<AtomicU64>,
    threads: Box<[Apart<AtomicU64>]>,
    /// Objects given up by threads that have left.
    left: Mutex<Vec<*mut T>>,
}

/// A thread's part in it.
#[derive(Debug)]
pub struct Member<T> {
    thread: usize,
    /// Objects with their epochs, the earliest first.
    given_up: VecDeque<(u64, *mut T)>,
    /// The number of objects with which it tries to free some.
    enough: usize,
}

impl<T> Epochs<T> {
    pub(super) fn new(threads: usize) -> Self {
        Self {
            now: Apart(AtomicU64::new(OUTSIDE + 1)),
            threads: (0..threads).map(|_| Apart(AtomicU64::new(OUTSIDE))).collect(),
            left: Mutex::default(),
        }
    }

    /// Returns the part of that thread.
    pub(super) fn member(thread: usize) -> Member<T> {
        Member { thread, given_up: VecDeque::new(), enough: 0 }
    }

    /// Begins an operation: objects that can be reached from now on are not freed before its end.
    #[inline]
    pub(super) fn enter(&self, member: &Member<T>) {
        // Ordering: SeqCst. Either a thread that ends the epoch sees this, or this thread finds the
        // object unlinked.
        self.threads[member.thread].0.store(load(&self.now.0), Ordering::SeqCst);
    }

    /// Ends the operation.
    #[inline]
    pub(super) fn leave(&self, member: &Member<T>) {
        // Ordering: Release pairs with the load in `free_old`: this thread has read the objects.
        self.threads[member.thread].0.store(OUTSIDE, Ordering::Release);
    }

    /// Gives up an object that a thread which begins an operation now cannot reach.
    ///
    /// # Safety
    /// It came from `make`, and is given up once.
    #[inline]
    pub(super) unsafe fn give_up(&self, member: &mut Member<T>, object: *mut T) {
        member.given_up.push_back((load(&self.now.0), object));
        if member.given_up.len() > member.enough {
            self.free_old(member);
            member.enough = member.given_up.len() + GIVEN_UP_FOR_HELD * BATCH;
        }
    }

    #[cold]
    fn free_old(&self, member: &mut Member<T>) {
        let now = load(&self.now.0);
        if self.threads.iter().all(|epoch| [OUTSIDE, now].contains(&load(&epoch.0))) {
            exchange(&self.now.0, now, now + 1);
        }
        let now = load(&self.now.0);
        while let Some(&(epoch, object)) = member.given_up.front()
            && epoch + 2 <= now
        {
            member.given_up.pop_front();
            // SAFETY: it was given up, once, and all operations that could reach it have ended.
            unsafe { free(object) };
        }
    }

    /// Takes over the objects of a thread that leaves.
    pub(super) fn inherit(&self, member: &mut Member<T>) {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        left.extend(member.given_up.drain(..).map(|(_, object)| object));
    }
}

impl<T> Drop for Epochs<T> {
    fn drop(&mut self) {
        // After a panic an object may be here twice; a second panic would end the process.
        if thread::panicking() {
            return;
        }
        for object in self.left.get_mut().unwrap_or_else(PoisonError::into_inner).drain(..) {
            // SAFETY: it was given up, once, and all threads have left.
            unsafe { free(object) };
        }
    }
}
