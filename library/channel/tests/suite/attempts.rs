//! Attempts that do not wait, and waits with an end, beside senders that reserve in a rendezvous.

use std::future::Future;
use std::mem;
use std::pin::pin;
use std::sync::mpsc;
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::{Duration, Instant};

use aqueduct_channel::error::{RecvError, RecvTimeoutError, TryRecvError, TrySendError};
use aqueduct_channel::{IndexSelect, Receiver, Select, Sender, bounded, rendezvous};
use futures_util::{FutureExt, SinkExt};

/// Time limit for a body that ends at once.
const SHORT: Duration = Duration::from_millis(20);

/// Runs the body in a thread of its own, and fails if it hangs.
pub(super) fn within<R: Send + 'static>(body: impl FnOnce() -> R + Send + 'static) -> R {
    let (done, is_done) = mpsc::channel();
    let thread = thread::spawn(move || done.send(body()));
    match is_done.recv_timeout(Duration::from_secs(60)) {
        Ok(result) => result,
        Err(mpsc::RecvTimeoutError::Timeout) => panic!("it hangs"),
        Err(mpsc::RecvTimeoutError::Disconnected) => match thread.join() {
            Err(panic) => std::panic::resume_unwind(panic),
            Ok(_) => unreachable!("it has sent its result"),
        },
    }
}

pub(super) fn poll_once<F: Future + Unpin>(future: &mut F) -> Poll<F::Output> {
    pin!(future).poll(&mut Context::from_waker(Waker::noop()))
}

/// Receives without waiting, or for a moment only, and finds no message.
type Attempt = fn(&Receiver<u32>);

const ATTEMPTS: [(&str, Attempt); 9] = [
    ("try_recv", |receiver| assert_eq!(receiver.try_recv(), Err(TryRecvError::Empty))),
    ("try_iter", |receiver| assert_eq!(receiver.try_iter().count(), 0)),
    ("recv_timeout", |receiver| assert_eq!(receiver.recv_timeout(SHORT), Err(RecvTimeoutError::Timeout))),
    ("recv_deadline", |receiver| assert_eq!(receiver.recv_deadline(Instant::now()), Err(RecvTimeoutError::Timeout))),
    ("Select::try_now", |receiver| {
        let (_open, other) = bounded::<u32>(1).unwrap();
        let select = Select::new().on(receiver.recv_async(), drop).on(other.recv_async(), drop);
        assert!(select.try_now().is_none());
    }),
    ("Select::wait_timeout", |receiver| {
        let (_open, other) = bounded::<u32>(1).unwrap();
        let select = Select::new().on(receiver.recv_async(), drop).on(other.recv_async(), drop);
        assert!(select.wait_timeout(SHORT).is_none());
    }),
    ("IndexSelect::try_select", |receiver| {
        let mut select = IndexSelect::new();
        select.recv(receiver);
        assert!(select.try_select().is_none() && select.try_ready().is_none());
    }),
    ("IndexSelect::select_timeout", |receiver| {
        let mut select = IndexSelect::new();
        select.recv(receiver);
        assert!(select.select_timeout(SHORT).is_none());
    }),
    ("IndexSelect::ready_timeout", |receiver| {
        let mut select = IndexSelect::new();
        select.recv(receiver);
        assert!(select.ready_timeout(SHORT).is_none());
    }),
];

/// One thread has the task that reserves, and makes the attempt: no other thread could send.
#[test]
fn an_attempt_does_not_wait_for_a_task_that_reserves() {
    for (name, attempt) in ATTEMPTS {
        within(move || {
            let (sender, receiver) = rendezvous();
            let mut reserving = sender.reserve_async();
            assert!(poll_once(&mut reserving).is_pending(), "{name}");
            attempt(&receiver);
        });
    }
}

#[test]
fn an_attempt_does_not_wait_for_a_sink() {
    for (name, attempt) in ATTEMPTS {
        within(move || {
            let (sender, receiver) = rendezvous();
            let mut sink = sender.into_sink();
            assert!(poll_once(&mut sink.send(7)).is_pending(), "{name}");
            attempt(&receiver);
        });
    }
}

/// Without a time-out, the reservation keeps its place in the queue, and receivers that
/// wait meet it.
#[test]
fn an_attempt_leaves_a_reservation_in_the_line() {
    let (sender, receiver) = rendezvous();
    let mut reserving = sender.reserve_async();
    assert!(poll_once(&mut reserving).is_pending());
    let mut behind = sender.send_async(8);
    assert!(poll_once(&mut behind).is_pending());
    // An attempt gets the message behind the reservation.
    assert_eq!(receiver.try_recv(), Ok(8));
    assert_eq!(poll_once(&mut behind), Poll::Ready(Ok(())));
    assert_eq!(receiver.try_recv(), Err(TryRecvError::Empty));
    let mut last = sender.send_async(9);
    assert!(poll_once(&mut last).is_pending() && poll_once(&mut reserving).is_pending());
    // A receiver that waits gets the message of the reservation.
    let mut receiving = receiver.recv_async();
    assert!(poll_once(&mut receiving).is_pending() && poll_once(&mut last).is_pending());
    let Poll::Ready(Ok(permit)) = poll_once(&mut reserving) else { panic!("the receiver waits for it") };
    assert_eq!(permit.send(7), Ok(()));
    assert_eq!(poll_once(&mut receiving), Poll::Ready(Ok(7)));
    assert_eq!(receiver.try_recv(), Ok(9));
}

/// A task that receives several messages has the first one, and looks for others.
#[test]
fn a_batch_does_not_wait_for_a_task_that_reserves() {
    within(|| {
        let (sender, receiver) = rendezvous();
        let (mut sending, mut reserving) = (sender.send_async(7), sender.reserve_async());
        assert!(poll_once(&mut sending).is_pending() && poll_once(&mut reserving).is_pending());
        let mut many = Vec::new();
        assert_eq!(pin!(receiver.recv_many_async(&mut many, 2)).now_or_never(), Some(Ok(1)));
        assert_eq!(many, [7]);
    });
}

/// The ways to wait at most for a time.
const WAITS: [(&str, Attempt); 3] = [ATTEMPTS[2], ATTEMPTS[5], ATTEMPTS[7]];

/// The receiver that a permit has found leaves when its time is over. The permit's message goes to
/// the next receiver.
#[test]
fn a_permit_in_hand_does_not_stretch_a_time_out() {
    for (name, wait) in WAITS {
        within(move || {
            let (sender, receiver) = rendezvous();
            let other = receiver.clone();
            thread::scope(|scope| {
                let waiting = scope.spawn(move || wait(&other));
                // The thread may have left before a permit finds it.
                let permit = reserve_beside(&sender, || !waiting.is_finished());
                waiting.join().unwrap();
                if let Some(permit) = permit {
                    assert_eq!(permit.send(7), Ok(()), "{name}");
                    assert_eq!(receiver.try_recv(), Ok(7), "{name}");
                }
            });
        });
    }
}

/// Returns a permit for a receiver that waits, as long as it may.
fn reserve_beside(sender: &Sender<u32>, may_wait: impl Fn() -> bool) -> Option<aqueduct_channel::Permit<'_, u32>> {
    while may_wait() {
        match sender.try_reserve() {
            Ok(permit) => return Some(permit),
            Err(error) => assert_eq!(error, TrySendError::Full(())),
        }
        thread::yield_now();
    }
    None
}

/// A select that has been promised a message looks at its other cases when its time is over.
#[test]
fn a_select_beside_a_permit_takes_what_has_come() {
    within(|| {
        let (sender, receiver) = rendezvous::<u32>();
        let (other, second) = bounded::<u32>(1).unwrap();
        let mut reserving = sender.reserve_async();
        assert!(poll_once(&mut reserving).is_pending());
        thread::scope(|scope| {
            let waiting = scope.spawn(|| {
                let select = Select::new().on(receiver.recv_async(), |_| None).on(second.recv_async(), Result::ok);
                select.wait_timeout(10 * SHORT)
            });
            thread::sleep(SHORT);
            other.send(8).unwrap();
            assert_eq!(waiting.join().unwrap(), Some(Some(8)));
        });
        drop(reserving);
    });
}

/// Without a permit and without a sender, the promise cannot be kept: the receiver gets the end of
/// the channel.
#[test]
fn a_forgotten_permit_ends_with_the_last_sender() {
    within(|| {
        let (sender, receiver) = rendezvous::<u32>();
        let other = receiver.clone();
        let waiting = thread::spawn(move || other.recv());
        mem::forget(reserve_beside(&sender, || true).unwrap());
        // No other receiver is affected.
        assert_eq!(receiver.recv_timeout(SHORT), Err(RecvTimeoutError::Timeout));
        drop(sender);
        assert_eq!(waiting.join().unwrap(), Err(RecvError));
        assert_eq!(receiver.recv(), Err(RecvError));
    });
}

/// A sink that is closed is not a sender any more, also if it has waited.
#[test]
fn a_closed_sink_leaves_the_line() {
    let (sender, receiver) = rendezvous::<u32>();
    let mut sink = sender.sink();
    assert!(poll_once(&mut sink.send(7)).is_pending());
    assert!(poll_once(&mut sink.close()).is_ready());
    let mut receiving = receiver.recv_async();
    assert!(poll_once(&mut receiving).is_pending());
    // The receiver waits for any sender.
    assert_eq!(sender.try_send(8), Ok(()));
    assert_eq!(poll_once(&mut receiving), Poll::Ready(Ok(8)));
}

/// Attempts to send find receivers that wait in each way.
#[test]
fn an_attempt_to_send_meets_each_receiver_that_waits() {
    let receives: [fn(&Receiver<u32>) -> u32; 4] = [
        |receiver| receiver.recv().unwrap(),
        |receiver| receiver.recv_timeout(Duration::from_secs(60)).unwrap(),
        |receiver| Select::new().on(receiver.recv_async(), Result::unwrap).wait(),
        |receiver| {
            let mut select = IndexSelect::new();
            select.recv(receiver);
            select.select().recv(receiver).unwrap()
        },
    ];
    let sends: [fn(&Sender<u32>) -> bool; 4] = [
        |sender| sender.try_send(7).is_ok(),
        |sender| sender.send_timeout(7, SHORT).is_ok(),
        |sender| sender.try_reserve().is_ok_and(|permit| permit.send(7).is_ok()),
        |sender| {
            let mut select = IndexSelect::new();
            select.send(sender);
            select.try_select().is_some_and(|chosen| chosen.send(sender, 7).is_ok())
        },
    ];
    within(move || {
        for receive in receives {
            for send in sends {
                let (sender, receiver) = rendezvous::<u32>();
                let waiting = thread::spawn(move || receive(&receiver));
                while !send(&sender) {
                    thread::yield_now();
                }
                assert_eq!(waiting.join().unwrap(), 7);
            }
        }
    });
}
