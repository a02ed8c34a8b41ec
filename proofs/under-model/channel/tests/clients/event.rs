//! Waiting alone, over the simplest of "queues": a count of items, and room that comes in blocks.
//!
//! A wait that nothing ends is a failure, so a client that ends shows that no wake-up is lost.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use super::common::{Client, Walk};
use super::library::Event;
use aqueduct_model::future::block_on;
use aqueduct_model::sync::atomic::AtomicUsize;
use aqueduct_model::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};
use aqueduct_model::thread;

/// An event with this patience stays armed.
const NEVER: usize = usize::MAX;

/// Items without content, and the event of the threads that wait for one.
struct Items {
    count: AtomicUsize,
    added: Event,
}

impl Items {
    /// An event that is disarmed after `patience` notifications that find no waiter.
    fn new(patience: usize) -> Arc<Self> {
        Arc::new(Self { count: AtomicUsize::new(0), added: Event::with_patience(patience) })
    }

    fn add(&self) {
        self.count.fetch_add(1, AcqRel);
        self.added.notify();
    }

    fn try_take(&self) -> Option<()> {
        self.count.fetch_update(AcqRel, Acquire, |count| count.checked_sub(1)).ok().map(|_| ())
    }

    fn take(&self) {
        self.added.wait(|| self.try_take());
    }

    async fn take_async(&self) {
        self.added.wait_async(|| self.try_take()).await;
    }
}

fn with<F: FnOnce(&Items) + 'static>(items: &Arc<Items>, body: F) -> thread::JoinHandle<()> {
    let items = Arc::clone(items);
    thread::spawn(move || body(&items))
}

fn join<const N: usize>(threads: [thread::JoinHandle<()>; N]) {
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

fn one_waiter() {
    let items = Items::new(1);
    let adder = with(&items, Items::add);
    items.take();
    join([adder]);
}

/// The event is armed, disarmed by notifications that find no waiter, and armed again.
fn a_waiter_comes_and_goes() {
    let items = Items::new(1);
    let adder = with(&items, |items| (0..2).for_each(|_| items.add()));
    (0..2).for_each(|_| items.take());
    join([adder]);
}

fn two_waiters_and_two_notifiers() {
    let items = Items::new(NEVER);
    let threads = [with(&items, Items::take), with(&items, Items::add), with(&items, Items::add)];
    items.take();
    join(threads);
}

/// Two of each thread: more executions than can be explored.
fn two_waiters_and_two_items() {
    let items = Items::new(2);
    let threads = [with(&items, Items::take), with(&items, |items| (0..2).for_each(|_| items.add()))];
    items.take();
    join(threads);
}

fn a_notification_for_two() {
    let items = Items::new(NEVER);
    let threads = [with(&items, Items::take), with(&items, Items::take)];
    items.count.fetch_add(2, AcqRel);
    items.added.notify_many(2);
    join(threads);
}

fn all_waiters_are_woken() {
    let open = Arc::new((AtomicUsize::new(0), Event::with_patience(NEVER)));
    let waiters = [0, 1].map(|_| {
        let open = Arc::clone(&open);
        thread::spawn(move || open.1.wait(|| (open.0.load(Acquire) == 1).then_some(())))
    });
    open.0.store(1, Relaxed);
    open.1.notify_all();
    join(waiters);
}

/// One item, and two waiters: one leaves when its time is over, and if it has the item, it gives it
/// back.
fn a_time_out_hands_on() {
    let items = Items::new(NEVER);
    let adder = with(&items, Items::add);
    let impatient = with(&items, |items| {
        if items.added.wait_timeout(Duration::ZERO, || items.try_take()).is_some() {
            items.add();
        }
    });
    items.take();
    join([adder, impatient]);
}

/// As with the time-out: a future is dropped after one poll, or two.
fn a_dropped_future_hands_on(polls: usize) {
    let items = Items::new(NEVER);
    let adder = with(&items, Items::add);
    let canceller = with(&items, move |items| {
        let mut context = Context::from_waker(Waker::noop());
        let mut future = pin!(items.take_async());
        for _ in 0..polls {
            if future.as_mut().poll(&mut context) == Poll::Ready(()) {
                items.add();
                break;
            }
        }
    });
    items.take();
    join([adder, canceller]);
}

fn a_task() {
    let items = Items::new(NEVER);
    let adder = with(&items, |items| (0..2).for_each(|_| items.add()));
    block_on(async {
        items.take_async().await;
        items.take_async().await;
    });
    join([adder]);
}

/// A future is polled in one task, and then in another: the second one is woken.
fn a_task_moves() {
    let items = Items::new(NEVER);
    let mut future = pin!(items.take_async());
    assert!(future.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    let adder = with(&items, Items::add);
    block_on(future);
    join([adder]);
}

fn a_task_and_a_thread() {
    let items = Items::new(NEVER);
    let threads = [with(&items, Items::take), with(&items, Items::add), with(&items, Items::add)];
    block_on(items.take_async());
    join(threads);
}

/// A waiter fails in an attempt because another one was faster, and waits again.
fn an_item_is_taken_by_another() {
    let items = Items::new(NEVER);
    let adder = with(&items, Items::add);
    let barger = with(&items, |items| {
        if items.try_take().is_some() {
            items.add();
        }
    });
    items.take();
    join([adder, barger]);
}

/// Room that comes in blocks of two: a change that makes no room is followed by one that makes room
/// for two.
fn room_comes_in_blocks(before: usize) {
    const TAKEN: usize = 16;
    let room = Arc::new((AtomicUsize::new(before * TAKEN), Event::with_patience(NEVER)));
    let fill = |count: usize| (count % TAKEN < count / TAKEN / 2 * 2).then_some(count + 1);
    let fillers = [0, 1].map(|_| {
        let room = Arc::clone(&room);
        thread::spawn(move || room.1.wait(|| room.0.fetch_update(AcqRel, Acquire, fill).ok().map(|_| ())))
    });
    for _ in before..2 {
        room.0.fetch_add(TAKEN, AcqRel);
        room.1.notify();
    }
    join(fillers);
}

/// A task that is polled without a notification takes what another one was notified for, and leaves
/// the list: the next notification is for a thread.
fn a_task_takes_another_ones_item() {
    let items = Items::new(NEVER);
    let mut context = Context::from_waker(Waker::noop());
    {
        let mut others = [pin!(items.take_async()), pin!(items.take_async())];
        let mut last = pin!(items.take_async());
        assert!(others.iter_mut().all(|other| other.as_mut().poll(&mut context).is_pending()));
        assert!(last.as_mut().poll(&mut context).is_pending());
        items.add();
        assert!(last.as_mut().poll(&mut context).is_ready());
        // They use up their notifications.
        assert!(others.iter_mut().all(|other| other.as_mut().poll(&mut context).is_pending()));
    }
    let others = Arc::clone(&items);
    let thread = thread::spawn(move || others.take());
    items.add();
    thread.join().unwrap();
}

/// Each client, and its number of executions.
pub(crate) const CLIENTS: &[Client] = &[
    ("one_waiter", one_waiter, 14),
    ("a_waiter_comes_and_goes", a_waiter_comes_and_goes, 992),
    ("a_notification_for_two", a_notification_for_two, 4_920),
    ("all_waiters_are_woken", all_waiters_are_woken, 261),
    ("a_time_out_hands_on", a_time_out_hands_on, 24_488),
    ("a_dropped_future_hands_on", || a_dropped_future_hands_on(1), 22_454),
    ("a_polled_future_hands_on", || a_dropped_future_hands_on(2), 54_184),
    ("a_task", a_task, 412),
    ("a_task_takes_another_ones_item", a_task_takes_another_ones_item, 24),
    ("a_task_moves", a_task_moves, 14),
    ("an_item_is_taken_by_another", an_item_is_taken_by_another, 1_640),
    ("room_comes_in_a_block", || room_comes_in_blocks(1), 4_552),
];

/// Programs with executions picked at random.
pub(crate) const WALKS: &[Walk] = &[
    ("two_waiters_and_two_notifiers", two_waiters_and_two_notifiers),
    ("two_waiters_and_two_items", two_waiters_and_two_items),
    ("a_task_and_a_thread", a_task_and_a_thread),
    ("room_comes_in_blocks", || room_comes_in_blocks(0)),
];
