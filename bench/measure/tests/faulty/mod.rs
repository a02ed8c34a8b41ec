//! The common parts of the tests of all benches: a store with faults, and an observer that ends a
//! run. Each test compiles this file as a module of its own.

#![allow(dead_code, reason = "each test takes a part of it")]

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use aqueduct_measure::items::Item;
use aqueduct_measure::rounds::Observer;

/// Has no fault.
pub(crate) const SOUND: u8 = 0;
/// One item disappears.
pub(crate) const LOSES: u8 = 1;
/// One item comes twice.
pub(crate) const DOUBLES: u8 = 2;
/// One item is replaced by another one.
pub(crate) const CHANGES: u8 = 3;
/// Refuses all items from some item on.
pub(crate) const STICKS: u8 = 4;
/// Panics at some item.
pub(crate) const PANICS: u8 = 5;
/// Takes more than was asked for, some time after a refusal.
pub(crate) const GROWS: u8 = 6;
/// Returns the newest item instead of the oldest, always.
pub(crate) const REVERSES: u8 = 7;
/// Never returns an item to a thief.
pub(crate) const DENIES: u8 = 8;

/// Returns the time to wait for a queue with this fault: short if it cannot go on, longer if that
/// depends on the caller, and as long as a busy machine needs if the run ends by itself.
pub(crate) fn patience(wrong: u8) -> Duration {
    match wrong {
        LOSES | STICKS | DENIES => Duration::from_millis(300),
        SOUND | PANICS => Duration::from_secs(20),
        _ => Duration::from_secs(1),
    }
}

/// Items behind a lock, with a fault at the 100th of them, or the 100th call.
#[derive(Debug)]
pub(crate) struct Store {
    pub(crate) wrong: u8,
    capacity: usize,
    items: Mutex<VecDeque<Item>>,
    /// Items that were taken.
    taken: AtomicU64,
    /// Items that were refused.
    refused: AtomicU64,
}

impl Store {
    pub(crate) fn new(wrong: u8, capacity: usize) -> Arc<Self> {
        let (items, taken, refused) = Default::default();
        Arc::new(Self { wrong, capacity, items, taken, refused })
    }

    /// Locks the items. A panic in one thread must not become one in all.
    pub(crate) fn items(&self) -> MutexGuard<'_, VecDeque<Item>> {
        self.items.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn push(&self, item: Item) -> bool {
        let mut items = self.items();
        let grown = self.wrong == GROWS && self.refused.load(Ordering::Relaxed) >= 100;
        if items.len() >= self.capacity && !grown {
            self.refused.fetch_add(1, Ordering::Relaxed);
            return false;
        }
        let is_100th = self.taken.load(Ordering::Relaxed) == 100;
        match self.wrong {
            LOSES if is_100th => {}
            DOUBLES if is_100th => items.extend([item, item]),
            CHANGES if is_100th => items.push_back(item.saturating_add(1)),
            STICKS if is_100th => return false,
            PANICS if is_100th => panic!("the hundredth"),
            _ => items.push_back(item),
        }
        self.taken.fetch_add(1, Ordering::Relaxed);
        true
    }
}

/// Asks for the end after some measurements, and keeps the observed calls.
#[derive(Debug)]
pub(crate) struct StopAfter<'a> {
    pub(crate) left: u32,
    pub(crate) stop: &'a AtomicBool,
    pub(crate) planned: u64,
    pub(crate) measured: u64,
    pub(crate) ended: bool,
}

impl<'a> StopAfter<'a> {
    pub(crate) fn new(left: u32, stop: &'a AtomicBool) -> Self {
        Self { left, stop, planned: 0, measured: 0, ended: false }
    }
}

impl Observer for StopAfter<'_> {
    fn begin(&mut self, total: u64) {
        self.planned = total;
    }

    fn measuring(&mut self, _bench: &str, _queue: &str) {}

    fn measured(&mut self) {
        self.measured += 1;
        self.left = self.left.saturating_sub(1);
        self.stop.store(self.left == 0, Ordering::Relaxed);
    }

    fn end(&mut self) {
        self.ended = true;
    }
}
