//! Channels: their guarantees, and their numbers of executions.

use std::rc::Rc;
use std::sync::Arc;

use aqueduct_model::cell::UnsafeCell;
use aqueduct_model::sync::atomic::Ordering::{Relaxed, SeqCst};
use aqueduct_model::sync::atomic::{AtomicBool, AtomicUsize};
use aqueduct_model::sync::mpsc::{self, RecvError, TryRecvError};
use aqueduct_model::{Config, FailureKind, thread};

use crate::support::{SCHEDULERS, Seen, passed};

/// Runs some threads that send some messages each. Main receives them all.
fn sends(threads: usize, messages: usize) {
    let (sender, receiver) = mpsc::channel();
    let threads: Vec<_> = (0..threads)
        .map(|thread| {
            let sender = sender.clone();
            thread::spawn(move || (0..messages).for_each(|message| sender.send((thread, message)).unwrap()))
        })
        .collect();
    let mut next = vec![0; threads.len()];
    for _ in 0..threads.len() * messages {
        let (thread, message) = receiver.recv().unwrap();
        assert_eq!(message, next[thread], "a sender's messages come in its order");
        next[thread] += 1;
    }
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

/// Each order in which the messages can come is one execution.
#[test]
fn executions_are_orders_of_messages() {
    for (threads, messages, orders) in [(1, 3, 1), (2, 1, 2), (2, 2, 6), (2, 3, 20), (3, 1, 6), (3, 2, 90), (4, 1, 24)]
    {
        for scheduler in SCHEDULERS {
            let report = passed(Config::new().scheduler(scheduler).check(move || sends(threads, messages)));
            assert_eq!(report.executions, orders, "{threads} threads, {messages} messages, {scheduler:?}");
        }
    }
}

/// The order in which the senders are dropped makes no difference, nor does the thread that made
/// them.
#[test]
fn the_end_of_a_channel_costs_no_executions() {
    for scheduler in SCHEDULERS {
        let report = passed(Config::new().scheduler(scheduler).check(|| {
            let (sender, receiver) = mpsc::channel::<()>();
            let threads = [(); 3].map(|()| {
                let sender = sender.clone();
                thread::spawn(move || drop((sender.clone(), sender)))
            });
            drop(sender);
            assert_eq!(receiver.recv(), Err(RecvError));
            assert_eq!(receiver.try_recv(), Err(TryRecvError::Disconnected));
            threads.into_iter().for_each(|thread| thread.join().unwrap());
        }));
        assert_eq!((report.executions, report.blocked), (1, 0), "{scheduler:?}");
    }
}

/// If several threads clone a sender, its clones have one order in each run.
#[test]
fn a_shared_sender_is_cloned_by_several_threads() {
    for scheduler in SCHEDULERS {
        passed(Config::new().scheduler(scheduler).check(|| {
            let (sender, receiver) = mpsc::channel();
            thread::scope(|scope| {
                for message in 0..2 {
                    let sender = &sender;
                    scope.spawn(move || sender.clone().send(message).unwrap());
                }
                assert_eq!(receiver.recv().unwrap() + receiver.recv().unwrap(), 1);
            });
            drop(sender);
            assert_eq!(receiver.recv(), Err(RecvError));
        }));
    }
}

#[test]
fn a_message_that_is_not_there_may_come_or_not() {
    let seen = Seen::default();
    let note = seen.clone();
    let report = passed(Config::new().check(move || {
        let (sender, receiver) = mpsc::channel();
        let thread = thread::spawn(move || sender.send(7).unwrap());
        note.note(match receiver.try_recv() {
            Ok(value) => value,
            Err(TryRecvError::Empty) => 1,
            Err(TryRecvError::Disconnected) => unreachable!("the message comes before the end"),
        });
        thread.join().unwrap();
    }));
    assert_eq!(seen.all(), [1, 7]);
    assert_eq!(report.executions, 2);
}

/// A receiver does not see a sender's end before it gets its messages.
#[test]
fn disconnected_means_empty_for_good() {
    let seen = Seen::default();
    let note = seen.clone();
    passed(Config::new().check(move || {
        let (sender, receiver) = mpsc::channel();
        let senders = [sender.clone(), sender].map(|sender| thread::spawn(move || sender.send(1).unwrap()));
        let mut sum = 0;
        note.note(loop {
            match receiver.try_recv() {
                Ok(value) => sum += value,
                Err(TryRecvError::Empty) => break 9,
                Err(TryRecvError::Disconnected) => break sum,
            }
        });
        senders.into_iter().for_each(|sender| sender.join().unwrap());
    }));
    assert_eq!(seen.all(), [2, 9]);
}

/// The receiver announces its sleep and looks for messages. A sender sends and looks for sleepers.
/// One finds the other.
#[test]
fn no_wake_up_is_lost_between_a_flag_and_a_channel() {
    passed(Config::new().check(|| {
        let (sender, receiver) = mpsc::channel();
        let sleeps = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&sleeps);
        let thread = thread::spawn(move || {
            sender.send(()).unwrap();
            flag.load(SeqCst)
        });
        sleeps.store(true, SeqCst);
        let missed = receiver.try_recv().is_err();
        assert!(thread.join().unwrap() || !missed, "both have missed each other");
    }));
}

#[test]
fn a_message_publishes_what_came_before_it_and_no_more() {
    let publish = |late: bool| {
        Config::new().check(move || {
            let (sender, receiver) = mpsc::channel();
            let cell = Rc::new(UnsafeCell::new(0));
            let theirs = Rc::clone(&cell);
            let thread = thread::spawn(move || {
                theirs.with_mut(|_| ());
                sender.send(()).unwrap();
                if late {
                    theirs.with_mut(|_| ());
                }
            });
            receiver.recv().unwrap();
            cell.with(|_| ());
            thread.join().unwrap();
        })
    };
    passed(publish(false));
    assert_eq!(publish(true).failure.map(|failure| failure.kind), Some(FailureKind::Race));
}

/// A message that was sent before another sender's does not synchronize with that sender.
#[test]
fn a_later_message_publishes_nothing_to_the_receiver_of_an_earlier_one() {
    let report = Config::new().check(|| {
        let (sender, receiver) = mpsc::channel();
        let cell = Rc::new(UnsafeCell::new(0));
        let (theirs, other) = (Rc::clone(&cell), sender.clone());
        thread::spawn(move || {
            theirs.with_mut(|_| ());
            other.send(2).unwrap();
        });
        sender.send(1).unwrap();
        if receiver.recv() == Ok(1) {
            cell.with(|_| ());
        }
    });
    assert_eq!(report.failure.map(|failure| failure.kind), Some(FailureKind::Race));
}

#[test]
fn a_receiver_without_messages_waits_forever() {
    let report = Config::new().check(|| {
        let (sender, receiver) = mpsc::channel::<()>();
        let kept = sender.clone();
        drop(sender);
        let _ = receiver.recv();
        drop(kept);
    });
    assert_eq!(report.failure.map(|failure| failure.kind), Some(FailureKind::Liveness));
}

/// A message to a dropped receiver comes back. Messages that were sent before are dropped with the
/// receiver. Each is received, returned or dropped once.
#[test]
fn no_value_is_lost_when_the_receiver_goes() {
    struct Counted(Arc<AtomicUsize>);
    impl Drop for Counted {
        fn drop(&mut self) {
            self.0.fetch_add(1, Relaxed);
        }
    }
    let seen = Seen::default();
    let note = seen.clone();
    passed(Config::new().check(move || {
        let (sender, receiver) = mpsc::channel();
        let drops = Arc::new(AtomicUsize::new(0));
        let counted = [(); 2].map(|()| Counted(Arc::clone(&drops)));
        let thread = thread::spawn(move || counted.map(|value| sender.send(value).is_ok()));
        drop(receiver);
        let sent = thread.join().unwrap();
        assert!(sent[0] || !sent[1], "a receiver that has gone does not come back");
        assert_eq!(drops.load(Relaxed), 2);
        note.note(sent.into_iter().filter(|&sent| sent).count());
    }));
    assert_eq!(seen.all(), [0, 1, 2]);
}

/// A thread that is killed while it sends has sent the message or not.
#[test]
fn a_killed_sender_stops_no_other_thread() {
    for steps in 0..6 {
        let report = Config::new().kill(1, steps).check(|| {
            let (sender, receiver) = mpsc::channel();
            thread::spawn(move || sender.send(1).unwrap());
            assert!(receiver.recv().is_ok_and(|value| value == 1) || receiver.recv().is_err());
        });
        assert!(report.failure.is_none(), "killed after {steps} steps: {}", report.failure.unwrap());
        assert!(report.threads[0].always_ends(), "killed after {steps} steps: {report}");
    }
}

#[test]
fn long_chains_of_clones_end_outside_of_a_model() {
    let (mut sender, receiver) = mpsc::channel::<()>();
    for _ in 0..100_000 {
        sender = sender.clone();
    }
    drop(sender);
    assert_eq!(receiver.recv(), Err(RecvError));
}

#[test]
fn threads_of_the_system_use_a_channel_too() {
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..2 {
            let sender = sender.clone();
            scope.spawn(move || (0..1000).for_each(|message| sender.send(message).unwrap()));
        }
        drop(sender);
        let mut sum = 0;
        while let Ok(message) = receiver.recv() {
            sum += message;
        }
        assert_eq!(sum, 999 * 1000);
    });
}

#[test]
fn the_iterators_end_where_their_receives_do() {
    let seen = Seen::default();
    let note = seen.clone();
    passed(Config::new().check(move || {
        let (sender, receiver) = mpsc::channel();
        let thread = thread::spawn(move || (1..=3).for_each(|message| sender.send(message).unwrap()));
        note.note(receiver.try_iter().count());
        let rest: Vec<_> = (&receiver).into_iter().collect();
        assert!(rest.is_sorted() && (rest.is_empty() || rest.ends_with(&[3])));
        thread.join().unwrap();
        assert_eq!(receiver.into_iter().count(), 0);
    }));
    assert_eq!(seen.all(), [0, 1, 2, 3]);
}
