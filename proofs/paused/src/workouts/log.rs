//! The calls of threads, and their times.
//!
//! Each call has an interval: two numbers of a common clock, taken before and after it. One call
//! comes *certainly before* another one if its second number is less than the other one's first.
//! Both come from additions to one atomic word, so a call that came certainly before also happened
//! before, in the sense of the memory model.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

/// An item: its producer and its number there, never 0, in less than 48 bits.
pub type Item = u64;

/// Returns item `number` of a producer.
#[must_use]
pub const fn item(producer: usize, number: usize) -> Item {
    (producer as u64) << 32 | (number as u64 + 1)
}

/// Returns an item's producer.
#[must_use]
pub const fn producer_of(item: Item) -> usize {
    (item >> 32) as usize
}

/// The result of a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum What {
    /// The call added the item.
    Pushed(Item),
    /// The call took the item.
    Popped(Item),
    /// The call found no room.
    Full,
    /// The call found no item.
    Empty,
}

impl What {
    /// Returns the item that the call took.
    #[must_use]
    pub const fn popped(self) -> Option<Item> {
        match self {
            Self::Popped(item) => Some(item),
            Self::Pushed(_) | Self::Full | Self::Empty => None,
        }
    }
}

/// A call, or one item of a call with several.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    /// The clock before the call.
    pub began: u64,
    /// The clock after the call.
    pub ended: u64,
    /// The result.
    pub what: What,
}

/// The calls of one thread, in their order.
#[derive(Clone, Default, Debug)]
pub struct Log {
    /// The calls that have ended.
    pub events: Vec<Event>,
    /// The items that a call was pushing when the round was broken off, and when it began.
    pub pending: Option<(u64, Vec<Item>)>,
}

/// A call's interval, for workouts that write the log themselves.
#[derive(Clone, Copy, Debug)]
pub struct Interval {
    began: u64,
    ended: u64,
}

impl Interval {
    /// Returns the event of that interval.
    #[must_use]
    pub const fn event(self, what: What) -> Event {
        Event { began: self.began, ended: self.ended, what }
    }
}

/// The recorder of one thread's log.
#[derive(Clone, Debug)]
pub struct Recorder {
    clock: Arc<AtomicU64>,
    log: Arc<Mutex<Log>>,
}

impl Recorder {
    /// Makes a recorder for each of `threads` threads, on one clock.
    #[must_use]
    pub fn new(threads: usize) -> Vec<Self> {
        let clock = Arc::new(AtomicU64::new(1));
        (0..threads).map(|_| Self { clock: Arc::clone(&clock), log: Arc::default() }).collect()
    }

    /// Runs `call`, and returns its interval.
    pub fn time<R>(&self, call: impl FnOnce() -> R) -> (Interval, R) {
        let began = self.now();
        let result = call();
        (Interval { began, ended: self.now() }, result)
    }

    /// Adds the events of a call to the log.
    pub fn note(&self, events: impl IntoIterator<Item = Event>) {
        self.log().events.extend(events);
    }

    /// Records that the thread begins to push these items.
    pub fn begin_push(&self, items: &[Item]) {
        self.log().pending = Some((self.now(), items.to_vec()));
    }

    /// Records the result of that push.
    pub fn end_push(&self, events: impl IntoIterator<Item = Event>) {
        let mut log = self.log();
        log.pending = None;
        log.events.extend(events);
    }

    /// Returns the log so far.
    #[must_use]
    pub fn take(&self) -> Log {
        std::mem::take(&mut *self.log())
    }

    // Ordering: AcqRel, so that a call that ended before another one began also happened before it.
    fn now(&self) -> u64 {
        self.clock.fetch_add(1, Ordering::AcqRel)
    }

    fn log(&self) -> MutexGuard<'_, Log> {
        // A thread neither stops nor panics while it holds the lock.
        self.log.lock().expect("nobody panics with it")
    }
}
