//! Tasks: wake against poll, abort against completion, the handle against both, and the last waker.
//!
//! The main thread is the worker, and runs jobs until the tasks have finished.

mod line;

use std::future::{Future, poll_fn};
use std::panic::resume_unwind;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use super::common::Client;
use super::library::internal::{Next, Runnable, Timers, Watch, new_task};
use super::library::task::{Task, TaskError, block_on};
use aqueduct_model::cell::UnsafeCell;
use aqueduct_model::sync::atomic::{AtomicU32, Ordering};
use aqueduct_model::thread::{self, park, spawn};
use line::{AtSpot, Counted, Home, Line, Shared, Spot, pocket, polled_once, shared, task, waits};

/// Two threads wake a task, each after its own part of the task's condition.
fn two_wake_ups() {
    let line = Line::new();
    let parts = shared([AtomicU32::new(0), AtomicU32::new(0)]);
    let theirs = parts.clone();
    let (task, waker) = polled_once(&line, move || theirs.iter().all(|part| part.load(Ordering::Relaxed) == 1));
    let threads = [0, 1].map(|part| {
        let (waker, parts) = (waker.clone(), parts.clone());
        spawn(move || {
            parts[part].store(1, Ordering::Relaxed);
            waker.wake();
        })
    });
    drop(waker);
    task.detach();
    line.run();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

/// A task is woken while it is polled, because it was woken before.
fn wake_against_poll() {
    let line = Line::new();
    let flag = shared(AtomicU32::new(0));
    let theirs = flag.clone();
    let (task, waker) = polled_once(&line, move || theirs.load(Ordering::Relaxed) == 1);
    waker.wake_by_ref();
    let thread = spawn(move || {
        flag.store(1, Ordering::Relaxed);
        waker.wake_by_ref();
    });
    line.run();
    thread.join().unwrap();
    block_on(task).unwrap();
}

/// Two threads poll a task, one after the other: the second poll finds the writes of the first.
fn polls_on_two_threads<const ORDERED: bool>() {
    let (spot, left, pocket) = (Spot::<ORDERED>::new(), shared(UnsafeCell::new(0)), pocket());
    let theirs = pocket.clone();
    let future = poll_fn(move |context| {
        // SAFETY: polls come one after another; the model reports a race otherwise.
        if left.with_mut(|left| unsafe { std::mem::replace(&mut *left, 1) }) == 0 {
            *theirs.borrow_mut() = Some(context.waker().clone());
        }
        Poll::<()>::Pending
    });
    let (job, task) = new_task(future, AtSpot(spot.clone()));
    job.run();
    let waker = pocket.borrow_mut().take().unwrap();
    waker.wake_by_ref();
    let other = spot.clone();
    let thread = spawn(move || {
        waker.wake();
        other.run_one();
    });
    spot.run_one();
    thread.join().unwrap();
    spot.run_one();
    drop(task);
    spot.run_one();
}

/// A poll that a wake-up has caused sees the waker's earlier writes, although the queue orders
/// nothing.
fn a_wake_up_orders_the_poll<const ORDERED: bool>() {
    let (spot, value, pocket) = (Spot::<ORDERED>::new(), shared(UnsafeCell::new(0)), pocket());
    let theirs = value.clone();
    // SAFETY: a wake-up comes before; the model reports a race otherwise.
    let future = waits(&pocket, move || theirs.with(|value| unsafe { *value == 7 }));
    let (job, task) = new_task(future, AtSpot(spot.clone()));
    job.run();
    let waker = pocket.borrow_mut().take().unwrap();
    let thread = spawn(move || {
        // SAFETY: the poll comes after the wake-up.
        value.with_mut(|value| unsafe { *value = 7 });
        waker.wake();
    });
    let has_run = spot.run_one();
    thread.join().unwrap();
    assert!(has_run || spot.run_one());
    assert_eq!(task.join().map_err(|_| ()), Ok(()));
}

/// Two threads wake a thread that blocks, each after its own part of the condition.
fn two_wake_ups_of_a_thread() {
    let parts = shared([AtomicU32::new(0), AtomicU32::new(0)]);
    let mut is_first = true;
    block_on(poll_fn(|context| {
        if std::mem::take(&mut is_first) {
            for part in [0, 1] {
                let (waker, parts) = (context.waker().clone(), parts.clone());
                spawn(move || {
                    parts[part].store(1, Ordering::Relaxed);
                    waker.wake();
                });
            }
        }
        if parts.iter().all(|part| part.load(Ordering::Relaxed) == 1) { Poll::Ready(()) } else { Poll::Pending }
    }));
}

/// A handle leaves a waker and is dropped, during a poll without a result, and no thread can wake
/// the task.
fn detach_against_poll() {
    let line = Line::new();
    let mut task = task(&line, std::future::pending::<()>());
    let thread = spawn(move || {
        assert!(Pin::new(&mut task).poll(&mut Context::from_waker(Waker::noop())).is_pending());
        task.detach();
    });
    line.run();
    thread.join().unwrap();
    assert_eq!(line.finished.load(Ordering::Relaxed), 1);
}

fn assert_once(drops: &Shared<AtomicU32>) {
    assert_eq!(drops.load(Ordering::Relaxed), 1);
}

/// A task ends while its handle aborts it, and then waits for it.
fn abort_against_completion() {
    let line = Line::new();
    let drops = shared(AtomicU32::new(0));
    let value = Counted(drops.clone());
    let task = task(&line, async move {
        let _value = value;
        7
    });
    let thread = spawn(move || {
        task.abort();
        block_on(task)
    });
    line.run();
    match thread.join().unwrap() {
        Ok(value) => assert_eq!(value, 7),
        Err(error) => assert!(error.is_aborted()),
    }
    assert_once(&drops);
    assert_eq!(line.finished.load(Ordering::Relaxed), 1);
}

/// A waiting task is aborted and woken at the same time: it has one job.
fn abort_against_wake() {
    let line = Line::new();
    let (task, waker) = polled_once(&line, || false);
    let thread = spawn(move || waker.wake());
    task.abort();
    line.run();
    assert!(block_on(task).unwrap_err().is_aborted());
    thread.join().unwrap();
    assert_eq!(line.finished.load(Ordering::Relaxed), 1);
}

/// A task that other threads await ends.
fn await_against_completion() {
    let line = Line::new();
    let task = task(&line, async { Box::new(7) });
    let thread = spawn(move || assert_eq!(*block_on(task).unwrap(), 7));
    line.run();
    thread.join().unwrap();
}

/// The handle is polled with one waker, and then with another one, which is to be woken.
fn the_last_waker_is_woken() {
    let line = Line::new();
    let mut task = task(&line, async { 7 });
    let thread = spawn(move || {
        match Pin::new(&mut task).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(result) => result,
            Poll::Pending => block_on(task),
        }
        .unwrap()
    });
    line.run();
    assert_eq!(thread.join().unwrap(), 7);
}

/// The handle is dropped while the task ends: the result is dropped once.
fn handle_against_completion(leave: fn(Task<Counted>)) {
    let line = Line::new();
    let drops = shared(AtomicU32::new(0));
    let value = Counted(drops.clone());
    let task = task(&line, async move { value });
    let thread = spawn(move || leave(task));
    line.run();
    thread.join().unwrap();
    assert_once(&drops);
    assert_eq!(line.finished.load(Ordering::Relaxed), 1);
}

fn drop_against_completion() {
    handle_against_completion(drop);
}

fn detach_against_completion() {
    handle_against_completion(Task::detach);
}

/// A waiting task loses its handle, which aborts it, while a waker is dropped.
fn drop_against_the_last_waker() {
    let line = Line::new();
    let (task, waker) = polled_once(&line, || false);
    let thread = spawn(move || drop(waker));
    drop(task);
    line.run();
    thread.join().unwrap();
    assert_eq!(line.finished.load(Ordering::Relaxed), 1);
}

/// A waiting task loses its handle, which aborts it, while it is woken.
fn drop_against_wake() {
    let line = Line::new();
    let (task, waker) = polled_once(&line, || false);
    let theirs = waker.clone();
    let thread = spawn(move || theirs.wake());
    drop(task);
    line.run();
    thread.join().unwrap();
    assert_eq!(line.finished.load(Ordering::Relaxed), 1);
    drop(waker);
}

/// No waker of a task is left: its future is dropped, once.
fn two_last_wakers() {
    let line = Line::new();
    let drops = shared(AtomicU32::new(0));
    let value = Counted(drops.clone());
    let (task, waker) = polled_once(&line, move || {
        let _ = &value;
        false
    });
    let other = waker.clone();
    task.detach();
    let thread = spawn(move || drop(other));
    drop(waker);
    line.run();
    thread.join().unwrap();
    assert_once(&drops);
}

/// The last waker is dropped during a poll, and the poll leaves no other waker.
fn the_last_waker_against_poll() {
    let line = Line::new();
    let (task, waker) = polled_once(&line, || false);
    task.detach();
    waker.wake_by_ref();
    let thread = spawn(move || drop(waker));
    line.run();
    thread.join().unwrap();
    assert_eq!(line.finished.load(Ordering::Relaxed), 1);
}

/// A poll panics while another thread awaits the task.
fn a_panic_in_a_poll() {
    let line = Line::new();
    let task = task(&line, async { resume_unwind(Box::new(7)) });
    let thread = spawn(move || {
        let result: Result<(), TaskError> = block_on(task);
        assert_eq!(result.unwrap_err().try_into_panic().unwrap().downcast_ref(), Some(&7));
    });
    line.run();
    thread.join().unwrap();
    assert_eq!(line.lost_panics.load(Ordering::Relaxed), 0);
}

/// A poll panics while the handle is dropped: either the handle takes the panic, or the host.
fn a_panic_that_nobody_awaits() {
    let line = Line::new();
    let task = task(&line, async { resume_unwind(Box::new(7)) });
    let thread = spawn(move || Task::<()>::detach(task));
    line.run();
    thread.join().unwrap();
    assert_eq!(line.lost_panics.load(Ordering::Relaxed), 1);
}

/// A worker puts two tasks into its slot for the next task, while another worker takes from it.
fn the_next_task_is_taken_once() {
    let line = Line::new();
    let next = shared(Next::new());
    let theirs = next.clone();
    let thief = spawn(move || theirs.take().map(Runnable::run));
    let handles = [0, 1].map(|number| {
        let value = UnsafeCell::new(-1);
        // SAFETY: no other thread has the value yet.
        value.with_mut(|value| unsafe { *value = number });
        // SAFETY: the value has been written before; the model reports a race otherwise.
        let future = async move { value.with(|value| unsafe { *value }) };
        let (job, handle) = new_task(future, Home(Arc::clone(&line.0)));
        // SAFETY: only this thread fills the slot.
        if let Some(before) = unsafe { next.put(job) } {
            before.run();
        }
        handle
    });
    if let Some(job) = next.take() {
        job.run();
    }
    thief.join().unwrap();
    for (number, handle) in (0..).zip(handles) {
        assert_eq!(block_on(handle).unwrap(), number);
    }
}

/// A worker makes a task ready while the watch ends: the watch sees the task, or a new one begins.
fn a_push_against_the_end_of_a_watch() {
    let shared = Arc::new((Watch::new(), AtomicU32::new(0)));
    assert!(shared.0.start());
    let theirs = Arc::clone(&shared);
    let worker = spawn(move || {
        theirs.1.store(1, Ordering::Relaxed);
        theirs.0.wants_start()
    });
    shared.0.end();
    let has_seen = shared.1.load(Ordering::Relaxed) == 1;
    let goes_on = has_seen && shared.0.start();
    let is_new = worker.join().unwrap();
    assert!(goes_on != is_new, "one watch, which goes on ({goes_on}) or is new ({is_new})");
}

/// A timer is set while the timers' thread goes to sleep.
fn a_timer_against_sleep() {
    let timers = Arc::new(Timers::new());
    let (theirs, clock) = (Arc::clone(&timers), thread::current());
    let sleeper = spawn(move || {
        let mut number = None;
        let mut has_slept = false;
        block_on(poll_fn(|context| {
            if std::mem::replace(&mut has_slept, true) && !theirs.replace(3, number.unwrap(), context.waker()) {
                return Poll::Ready(());
            }
            if number.is_none() {
                let (new, is_first) = theirs.set(3, context.waker());
                number = Some(new);
                if is_first {
                    clock.unpark();
                }
            }
            Poll::Pending
        }));
    });
    while timers.expire(2).is_none() {
        park();
    }
    assert_eq!(timers.expire(3), None);
    sleeper.join().unwrap();
}

pub(crate) const CLIENTS: &[Client] = &[
    ("wake_against_poll", wake_against_poll, 208),
    ("polls_on_two_threads", polls_on_two_threads::<false>, 224),
    ("a_wake_up_orders_the_poll", a_wake_up_orders_the_poll::<false>, 10),
    ("two_wake_ups_of_a_thread", two_wake_ups_of_a_thread, 49),
    ("detach_against_poll", detach_against_poll, 262),
    ("abort_against_completion", abort_against_completion, 43),
    ("abort_against_wake", abort_against_wake, 162),
    ("await_against_completion", await_against_completion, 27),
    ("the_last_waker_is_woken", the_last_waker_is_woken, 81),
    ("drop_against_completion", drop_against_completion, 10),
    ("detach_against_completion", detach_against_completion, 10),
    ("drop_against_the_last_waker", drop_against_the_last_waker, 14),
    ("drop_against_wake", drop_against_wake, 144),
    ("two_last_wakers", two_last_wakers, 8),
    ("the_last_waker_against_poll", the_last_waker_against_poll, 36),
    ("a_panic_in_a_poll", a_panic_in_a_poll, 27),
    ("a_panic_that_nobody_awaits", a_panic_that_nobody_awaits, 10),
    ("the_next_task_is_taken_once", the_next_task_is_taken_once, 30),
    ("a_push_against_the_end_of_a_watch", a_push_against_the_end_of_a_watch, 5),
    ("a_timer_against_sleep", a_timer_against_sleep, 12),
];

/// Long clients: random executions, unless `AQUEDUCT_THOROUGH` is set.
pub(crate) const LONG: &[Client] = &[("two_wake_ups", two_wake_ups, 234_748)];

/// The clients whose slot orders nothing, with one that orders as a queue does.
#[allow(dead_code, reason = "faults are looked for with the slot that orders nothing")]
pub(crate) const ORDERED: &[Client] = &[
    ("polls_on_two_threads", polls_on_two_threads::<true>, 224),
    ("a_wake_up_orders_the_poll", a_wake_up_orders_the_poll::<true>, 10),
];
