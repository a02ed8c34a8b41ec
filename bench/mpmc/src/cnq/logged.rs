//! The log of a run: the times at which each item was pushed and popped.
//!
//! Threads read the processor's time-stamp counter, before the push that succeeds and after the pop
//! that brings an item, with a fence on the queue's side. Each thread keeps its log to itself, so
//! that threads share nothing but the queue (a common counter would be shared, too); but reading
//! the counter takes time, so the queue is used at a lower rate than in `cnq.throughput`.
//!
//! An item counts as in the queue from the one reading to the other, so for longer than it was. A
//! thread that has read the clock and not pushed yet, or popped and not read it yet, has one such
//! item. So a figure of [`order`](super::order) is too large by the number of the other threads at
//! most, on a machine whose cores' counters agree.

use std::sync::{Arc, Mutex, PoisonError};

use quanta::Clock;

use crate::mpmc::stream::{Opened, stream_numbers_over};
use crate::mpmc::{Fault, Item, Receiver, Sender, Stream, Streamed};

/// An item with the time of an operation on it, in ticks of the clock.
pub(super) type Event = (u64, Item);

/// The log of a run, unsorted.
#[derive(Debug, Default)]
pub(super) struct Log {
    pub(super) pushed: Vec<Event>,
    pub(super) popped: Vec<Event>,
}

/// Runs producers and consumers, one item at a time, and returns their log.
pub(super) fn stream<S: Sender, R: Receiver>(
    spec: &Stream<'_>,
    open: &dyn Fn() -> Opened<S, R>,
) -> Result<(Streamed, Log), Fault> {
    let log = Arc::new(Mutex::new(Log::default()));
    let clock = Clock::new();
    let opened = || {
        let (senders, receivers) = open()?;
        let each = spec.items_each as usize;
        let all = spec.items() as usize;
        let senders = senders.into_iter().map(|end| Logged::new(end, each, &clock, &log, Log::pushes));
        let receivers: Vec<_> =
            receivers.into_iter().map(|end| Logged::new(end, all, &clock, &log, Log::pops)).collect();
        Ok((senders.collect(), receivers))
    };
    let streamed = stream_numbers_over(spec, &opened)?;
    let log = std::mem::take(&mut *log.lock().unwrap_or_else(PoisonError::into_inner));
    Ok((streamed, log))
}

impl Log {
    fn pushes(&mut self) -> &mut Vec<Event> {
        &mut self.pushed
    }

    fn pops(&mut self) -> &mut Vec<Event> {
        &mut self.popped
    }
}

/// A handle that logs its operations.
struct Logged<E> {
    end: E,
    clock: Clock,
    events: Vec<Event>,
    log: Arc<Mutex<Log>>,
    /// Its place in the log.
    part: fn(&mut Log) -> &mut Vec<Event>,
}

impl<E> Logged<E> {
    fn new(end: E, most: usize, clock: &Clock, log: &Arc<Mutex<Log>>, part: fn(&mut Log) -> &mut Vec<Event>) -> Self {
        Self { end, clock: clock.clone(), events: Vec::with_capacity(most), log: Arc::clone(log), part }
    }
}

impl<S: Sender> Sender for Logged<S> {
    #[inline(always)]
    fn push(&mut self, item: Item) -> bool {
        let now = self.clock.raw();
        fence();
        let pushed = self.end.push(item);
        if pushed {
            self.events.push((now, item));
        }
        pushed
    }
}

impl<R: Receiver> Receiver for Logged<R> {
    #[inline(always)]
    fn pop(&mut self) -> Option<Item> {
        let item = self.end.pop()?;
        fence();
        self.events.push((self.clock.raw(), item));
        Some(item)
    }
}

impl<E> Drop for Logged<E> {
    fn drop(&mut self) {
        // After a panic in another thread, the run is invalid anyway.
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        (self.part)(&mut log).append(&mut self.events);
    }
}

/// Completes all earlier instructions, readings of the clock included, before later ones begin.
#[inline(always)]
fn fence() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every processor of the architecture has the instruction.
    unsafe {
        std::arch::x86_64::_mm_lfence();
    }
    #[cfg(not(target_arch = "x86_64"))]
    std::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst);
}
