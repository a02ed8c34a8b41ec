//! Flat combining: the thread whose message is first in the queue does the work of those behind it.

use aqueduct_model::await_until;
use aqueduct_model::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use aqueduct_model::sync::atomic::{AtomicUsize, fence};

use super::{executions, zeros};

/// The state of a message: it waits, its work is done, or its thread continues from the message of
/// this number.
const WAITING: usize = 0;
const FINISHED: usize = 1;

/// The number of the first message.
const FIRST: usize = 2;

/// Work for the combiner. Links are numbers of messages, or 0.
struct Message {
    next: AtomicUsize,
    previous: AtomicUsize,
    done: AtomicUsize,
    is_waited_for: AtomicUsize,
    works: AtomicUsize,
}

/// The last message, and one from which any thread may continue.
struct Combiner {
    last: AtomicUsize,
    takeover: AtomicUsize,
    /// The number of threads that have begun.
    begun: AtomicUsize,
    messages: [Message; 2],
}

impl Combiner {
    fn new() -> Self {
        let [last, takeover, begun] = zeros();
        let messages = [(); 2].map(|()| {
            let [next, previous, done, is_waited_for, works] = zeros();
            Message { next, previous, done, is_waited_for, works }
        });
        Self { last, takeover, begun, messages }
    }

    fn message(&self, number: usize) -> &Message {
        &self.messages[number - FIRST]
    }

    fn run<const THREAD: usize>(&self) {
        self.begun.fetch_add(1, SeqCst);
        let number = FIRST + THREAD;
        let message = self.message(number);
        message.is_waited_for.store(0, Relaxed);
        message.done.store(WAITING, Relaxed);
        if self.enter(number) {
            self.combine(number, number);
        }
        self.complete(number);
        assert_eq!(message.works.load(Relaxed), 1);
    }

    /// Puts a message into the queue. Returns whether it is the first one.
    fn enter(&self, number: usize) -> bool {
        let message = self.message(number);
        message.next.store(0, Relaxed);
        let previous = self.last.swap(number, Release);
        fence(Acquire);
        message.previous.store(previous, Relaxed);
        if previous != 0 {
            self.message(previous).next.store(number, Release);
        }
        previous == 0
    }

    /// Waits for the end of a message's work, or continues in the place of another thread.
    fn complete(&self, number: usize) {
        let message = self.message(number);
        message.is_waited_for.store(1, Relaxed);
        let mut found = WAITING;
        await_until(|| {
            found = message.done.load(Relaxed);
            if found == WAITING && self.takeover.load(Relaxed) != 0 {
                found = self.takeover.swap(0, Relaxed);
            }
            found != WAITING
        });
        fence(Acquire);
        if found != FINISHED {
            self.combine(found, number);
        }
    }

    /// Does the work of messages from the first one on, and that of the own message.
    fn combine(&self, first: usize, own: usize) {
        let last = self.work(first);
        if own != last && self.message(own).done.load(Relaxed) == WAITING {
            self.remove(own);
        }
        let next = self.advance(last);
        self.message(last).done.store(FINISHED, Release);
        if next == 0 {
            return;
        }
        let mut waiting = next;
        while waiting != 0 && self.message(waiting).is_waited_for.load(Relaxed) == 0 {
            waiting = self.message(waiting).next.load(Acquire);
        }
        let told = if waiting == 0 { &self.takeover } else { &self.message(waiting).done };
        told.store(next, Release);
    }

    /// Does the work of at most two messages, and returns the last one.
    fn work(&self, first: usize) -> usize {
        let next = self.work_one(first);
        if next == 0 {
            return first;
        }
        self.work_one(next);
        self.message(first).done.store(FINISHED, Release);
        next
    }

    fn work_one(&self, number: usize) -> usize {
        let message = self.message(number);
        let next = message.next.load(Acquire);
        message.previous.store(0, Relaxed);
        self.do_work(message);
        next
    }

    fn do_work(&self, message: &Message) {
        message.works.store(message.works.load(Relaxed) + 1, Relaxed);
    }

    /// Returns the message behind another one, or takes that one out of the queue if it is the
    /// last.
    fn advance(&self, number: usize) -> usize {
        let link = &self.message(number).next;
        let mut next = link.load(Acquire);
        fence(AcqRel);
        if next == 0 && self.last.compare_exchange(number, 0, Relaxed, Relaxed).is_err() {
            await_until(|| {
                next = link.load(Acquire);
                next != 0
            });
        }
        next
    }

    /// Does a message's work, and takes it out of the queue.
    fn remove(&self, number: usize) {
        let message = self.message(number);
        self.do_work(message);
        message.done.store(FINISHED, Relaxed);
        let previous = message.previous.load(Relaxed);
        if previous == 0 {
            self.advance(number);
            return;
        }
        let mut next = 0;
        await_until(|| {
            next = message.next.load(Acquire);
            next != 0
        });
        self.message(previous).next.store(next, Release);
    }
}

#[test]
fn flat_combining_with_two_threads() {
    // fcombiner-async: 24.
    assert_eq!(executions(Combiner::new, &[Combiner::run::<0>, Combiner::run::<1>]), 24);
}
