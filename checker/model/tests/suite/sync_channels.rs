//! Channels with a bound: no more values than the bound are in them, and none is lost.

use std::sync::Arc;
use std::time::Duration;

use aqueduct_model::sync::atomic::AtomicUsize;
use aqueduct_model::sync::atomic::Ordering::Relaxed;
use aqueduct_model::sync::mpsc::{RecvTimeoutError, SendError, TrySendError, sync_channel};
use aqueduct_model::{Config, FailureKind, thread};

use crate::support::{SCHEDULERS, Seen, passed};

/// A sender sends numbers through a channel with this bound. When a send has returned, the receiver
/// has begun to receive all values but those that the channel may hold.
fn is_bounded(bound: usize, messages: usize) {
    let (sender, receiver) = sync_channel(bound);
    let begun = Arc::new(AtomicUsize::new(0));
    let sending = {
        let begun = Arc::clone(&begun);
        thread::spawn(move || {
            for sent in 1..=messages {
                sender.send(sent).unwrap();
                // Relaxed is enough: the receipt that freed the slot happens before the send.
                assert!(begun.load(Relaxed) + bound >= sent, "{sent} values are sent through {bound} places");
            }
        })
    };
    for number in 1..=messages {
        begun.store(number, Relaxed);
        assert_eq!(receiver.recv(), Ok(number));
    }
    assert!(receiver.recv().is_err(), "the sender has gone");
    sending.join().unwrap();
}

#[test]
fn no_more_values_than_the_bound_are_on_their_way() {
    for scheduler in SCHEDULERS {
        for bound in 0..=2 {
            passed(Config::new().scheduler(scheduler).check(move || is_bounded(bound, 3)));
        }
    }
}

#[test]
fn the_greatest_bound_is_none() {
    passed(Config::new().check(|| {
        let (sender, receiver) = sync_channel(usize::MAX);
        for number in 0..3 {
            sender.send(number).unwrap();
            sender.try_send(number).unwrap();
            assert_eq!(receiver.recv(), Ok(number / 2));
        }
    }));
}

/// Each order of two senders' values occurs, in rendezvous channels, too.
#[test]
fn senders_come_in_each_order() {
    for bound in 0..=1 {
        let seen = Seen::default();
        let note = seen.clone();
        passed(Config::new().check(move || {
            let (sender, receiver) = sync_channel(bound);
            let threads = [1, 2].map(|message| {
                let sender = sender.clone();
                thread::spawn(move || sender.send(message).unwrap())
            });
            note.note(10 * receiver.recv().unwrap() + receiver.recv().unwrap());
            threads.into_iter().for_each(|thread| thread.join().unwrap());
        }));
        assert_eq!(seen.all(), [12, 21], "a bound of {bound}");
    }
}

#[test]
fn a_send_that_does_not_wait_finds_room_or_none() {
    let seen = Seen::default();
    let note = seen.clone();
    passed(Config::new().check(move || {
        let (sender, receiver) = sync_channel(1);
        sender.try_send(1).unwrap();
        let receiving = thread::spawn(move || receiver.recv().unwrap());
        note.note(match sender.try_send(2) {
            // The receiver is dropped when it has the first value.
            Ok(()) => 2,
            Err(TrySendError::Full(2)) => 3,
            Err(TrySendError::Disconnected(2)) => 4,
            other => panic!("{other:?}"),
        });
        assert_eq!(receiving.join().unwrap(), 1);
        assert_eq!(sender.try_send(5), Err(TrySendError::Disconnected(5)));
    }));
    assert_eq!(seen.all(), [2, 3, 4]);
}

/// In a rendezvous channel, a send that does not wait needs a receiver that does.
#[test]
fn a_send_that_does_not_wait_meets_a_receiver_or_none() {
    let seen = Seen::default();
    let note = seen.clone();
    passed(Config::new().check(move || {
        let (sender, receiver) = sync_channel(0);
        let receiving = thread::spawn(move || receiver.recv());
        let met = match sender.try_send(1) {
            Ok(()) => true,
            Err(TrySendError::Full(1)) => false,
            other => panic!("{other:?}"),
        };
        drop(sender);
        assert_eq!(receiving.join().unwrap().is_ok(), met, "a value that is sent is received");
        note.note(usize::from(met));
    }));
    assert_eq!(seen.all(), [0, 1]);
}

/// The receiver's time may be over before a sender claims it, and not after.
#[test]
fn a_receiver_whose_time_is_limited_is_met_or_not() {
    let seen = Seen::default();
    let note = seen.clone();
    passed(Config::new().check(move || {
        let (sender, receiver) = sync_channel(0);
        let sending = thread::spawn(move || sender.try_send(1).is_ok());
        let received = match receiver.recv_timeout(Duration::from_secs(1)) {
            Ok(value) => value == 1,
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => false,
        };
        assert_eq!(sending.join().unwrap(), received, "a value that is sent is received");
        note.note(usize::from(received));
    }));
    assert_eq!(seen.all(), [0, 1]);
}

/// A sender that waits when the receiver is dropped gets its value back.
#[test]
fn a_value_without_a_receiver_comes_back() {
    for bound in 0..=1 {
        let seen = Seen::default();
        let note = seen.clone();
        passed(Config::new().check(move || {
            let (sender, receiver) = sync_channel(bound);
            let receiving = thread::spawn(move || receiver.try_recv().is_ok());
            let sent: Vec<_> = (0..2).map(|value| sender.send(value)).collect();
            let received = receiving.join().unwrap();
            let accepted = sent.iter().filter(|sent| sent.is_ok()).count();
            assert!(sent[1] == Err(SendError(1)) || bound == 1 && received, "{sent:?}");
            assert!(accepted >= usize::from(received) && accepted <= usize::from(received) + bound, "{sent:?}");
            note.note(accepted);
        }));
        assert_eq!(seen.all(), if bound == 0 { vec![0, 1] } else { vec![0, 1, 2] }, "a bound of {bound}");
    }
}

#[test]
fn senders_without_room_and_a_receiver_that_stays_are_a_deadlock() {
    for bound in 0..=1 {
        let report = Config::new().check(move || {
            let (sender, _receiver) = sync_channel(bound);
            (0..=bound).for_each(|value| sender.send(value).unwrap());
        });
        let failure = report.failure.expect("nobody makes room");
        assert_eq!(failure.kind, FailureKind::Liveness, "a bound of {bound}");
    }
}
