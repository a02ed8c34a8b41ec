//! Rendezvous, and selects by index, on threads of the system.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::{Duration, Instant};

use aqueduct_channel::error::{RecvError, RecvTimeoutError, SendError, SendTimeoutError, TryRecvError, TrySendError};
use aqueduct_channel::{IndexSelect, Receiver, Select, Sender, bounded, rendezvous, select, unbounded};

const ITEMS: usize = if cfg!(miri) { 30 } else { 3_000 };
/// Longer than any test takes.
const LONG: Duration = Duration::from_secs(600);

fn poll_once<F: Future + Unpin>(future: &mut F) -> Poll<F::Output> {
    pin!(future).poll(&mut Context::from_waker(Waker::noop()))
}

#[test]
fn nothing_is_sent_without_a_receiver() {
    let (sender, receiver) = rendezvous();
    assert_eq!(sender.try_send(7), Err(TrySendError::Full(7)));
    assert_eq!(sender.send_timeout(7, Duration::from_millis(1)), Err(SendTimeoutError::Timeout(7)));
    assert_eq!(sender.send_deadline(7, Instant::now()), Err(SendTimeoutError::Timeout(7)));
    assert_eq!(receiver.try_recv(), Err(TryRecvError::Empty));
    assert_eq!(receiver.recv_timeout(Duration::from_millis(1)), Err(RecvTimeoutError::Timeout));
    assert_eq!(sender.try_reserve().err(), Some(TrySendError::Full(())));
    drop(receiver);
    assert_eq!(sender.send(7), Err(SendError(7)));
    assert_eq!(sender.reserve().err(), Some(SendError(())));
}

/// A task that waits is met by a thread that tries.
#[test]
fn a_try_meets_a_task_that_waits() {
    let (sender, receiver) = rendezvous();
    let mut receiving = receiver.recv_async();
    assert!(poll_once(&mut receiving).is_pending());
    assert_eq!(sender.try_send(7), Ok(()));
    assert_eq!(poll_once(&mut receiving), Poll::Ready(Ok(7)));
    let mut sending = sender.send_async(8);
    assert!(poll_once(&mut sending).is_pending());
    assert_eq!(receiver.try_recv(), Ok(8));
    assert_eq!(poll_once(&mut sending), Poll::Ready(Ok(())));
}

/// The end comes behind a message for a future that is never polled: another receiver gets the
/// message before the end.
#[test]
fn a_receiver_finds_no_end_before_the_last_message() {
    let (sender, receiver) = rendezvous();
    let mut receiving = receiver.recv_async();
    assert!(poll_once(&mut receiving).is_pending());
    assert_eq!(sender.try_send(7), Ok(()));
    drop(sender);
    assert_eq!(receiver.try_recv(), Ok(7));
    assert_eq!(receiver.try_recv(), Err(TryRecvError::Disconnected));
    assert_eq!(poll_once(&mut receiving), Poll::Ready(Err(RecvError)));
}

/// Messages for tasks are received in their order, whichever receiver comes first, and also at the
/// end.
#[test]
fn messages_for_tasks_stay_in_their_order() {
    let (sender, receiver) = rendezvous();
    let mut tasks = [receiver.recv_async(), receiver.recv_async()];
    assert!(tasks.iter_mut().all(|task| poll_once(task).is_pending()));
    assert_eq!([0, 1].map(|number| sender.try_send(number)), [Ok(()); 2]);
    drop(sender);
    assert_eq!(poll_once(&mut tasks[1]), Poll::Ready(Ok(0)));
    assert_eq!(receiver.try_recv(), Ok(1));
    assert_eq!(poll_once(&mut tasks[0]), Poll::Ready(Err(RecvError)));
}

/// A task whose message another receiver has taken is the first one that waits.
#[test]
fn a_task_that_is_called_in_vain_waits_again() {
    let (sender, receiver) = rendezvous();
    let mut tasks = [receiver.recv_async(), receiver.recv_async()];
    assert!(tasks.iter_mut().all(|task| poll_once(task).is_pending()));
    assert_eq!((sender.try_send(1), receiver.try_recv()), (Ok(()), Ok(1)));
    assert!(poll_once(&mut tasks[0]).is_pending());
    assert_eq!(sender.try_send(2), Ok(()));
    let [first, second] = &mut tasks;
    assert_eq!(poll_once(first), Poll::Ready(Ok(2)));
    assert!(poll_once(second).is_pending());
    assert_eq!((sender.try_send(3), receiver.try_recv()), (Ok(()), Ok(3)));
    // A sender that found no receiver has come in the meantime.
    let mut sending = sender.send_async(4);
    assert!(poll_once(&mut sending).is_pending());
    assert_eq!(poll_once(second), Poll::Ready(Ok(4)));
}

/// A select whose chosen case failed waits for all of its cases.
#[test]
fn a_select_that_is_chosen_in_vain_waits_again() {
    let [(one, first), (other, second)] = [rendezvous(), rendezvous()];
    for is_alone in [true, false] {
        for owes in [true, false] {
            let mut select = Select::new().on(first.recv_async(), |result| result);
            if !is_alone {
                select = select.on(second.recv_async(), |result| result);
            }
            assert!(poll_once(&mut select).is_pending());
            if owes {
                let permit = one.try_reserve().unwrap();
                assert!(poll_once(&mut select).is_pending());
                drop(permit);
            } else {
                assert_eq!((one.try_send(1), first.try_recv()), (Ok(()), Ok(1)));
            }
            assert!(poll_once(&mut select).is_pending());
            let sender = if is_alone { &one } else { &other };
            assert_eq!(sender.try_send(2), Ok(()));
            assert_eq!(poll_once(&mut select), Poll::Ready(Ok(2)));
        }
    }
}

/// A permit of a channel that is closed sends nothing, and its receiver finds the end.
#[test]
fn a_permit_does_not_outlive_the_end() {
    let (sender, receiver) = rendezvous();
    let mut receiving = receiver.recv_async();
    assert!(poll_once(&mut receiving).is_pending());
    let permit = sender.reserve().unwrap();
    assert!(sender.close());
    assert_eq!(poll_once(&mut receiving), Poll::Ready(Err(RecvError)));
    assert_eq!(permit.send(7), Err(SendError(7)));
}

/// A message that was handed to a future stays in the channel when the future is dropped.
#[test]
fn a_future_that_is_dropped_leaves_its_message() {
    let (sender, receiver) = rendezvous();
    let mut receiving = receiver.recv_async();
    assert!(poll_once(&mut receiving).is_pending());
    assert_eq!(sender.try_send(7), Ok(()));
    drop(receiving);
    assert_eq!((receiver.len(), receiver.is_empty()), (1, false));
    drop(sender);
    assert_eq!(receiver.recv(), Ok(7));
    assert_eq!(receiver.recv(), Err(RecvError));
}

/// Each of four threads sends to and receives from the others by selects; all messages arrive.
#[test]
fn selects_on_both_sides() {
    let (sent, received) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let (one, first) = rendezvous::<usize>();
    let (other, second) = rendezvous::<usize>();
    let count = |result: Result<usize, RecvError>| received.fetch_add(result.unwrap(), SeqCst);
    thread::scope(|scope| {
        for thread in 0..4 {
            let (one, first, other, second) = (&one, &first, &other, &second);
            let (sent, count) = (&sent, &count);
            scope.spawn(move || {
                let mut left = ITEMS;
                while left > 0 {
                    let (to, from) = if thread % 2 == 0 { (one, second) } else { (other, first) };
                    let is_sent = Select::new()
                        .on(to.send_async(1), |result| result.is_ok())
                        .on(from.recv_async(), |result| {
                            count(result);
                            false
                        })
                        .wait_timeout(Duration::from_millis(20));
                    sent.fetch_add(usize::from(is_sent == Some(true)), SeqCst);
                    // After a time-out, the other threads may have ended.
                    left = if is_sent.is_some() { left } else { 1 };
                    left -= 1;
                }
            });
        }
    });
    assert_eq!(sent.into_inner(), received.into_inner());
}

/// Threads with selects by index over channels of all kinds.
#[test]
fn channels_of_all_kinds_by_index() {
    let channels = [bounded(0).unwrap(), bounded(1).unwrap(), bounded(3).unwrap(), unbounded()];
    let (senders, receivers): (Vec<Sender<usize>>, Vec<Receiver<usize>>) = channels.into_iter().unzip();
    let total = thread::scope(|scope| {
        for _ in 0..2 {
            let senders = senders.clone();
            scope.spawn(move || {
                for _ in 0..ITEMS {
                    let mut select = IndexSelect::new();
                    for sender in &senders {
                        select.send(sender);
                    }
                    let chosen = select.select();
                    let index = chosen.index();
                    chosen.send(&senders[index], 1).unwrap();
                }
            });
        }
        drop(senders);
        let count = || {
            let (mut select, mut sum, mut open) = (IndexSelect::new(), 0, receivers.len());
            receivers.iter().for_each(|receiver| {
                select.recv(receiver);
            });
            while open > 0 {
                let chosen = select.select();
                let index = chosen.index();
                match chosen.recv(&receivers[index]) {
                    Ok(number) => sum += number,
                    Err(RecvError) => {
                        select.remove(index);
                        open -= 1;
                    }
                }
            }
            sum
        };
        let other = scope.spawn(count);
        count() + other.join().unwrap()
    });
    assert_eq!(total, 2 * ITEMS);
}

#[test]
fn a_select_by_index_has_time_outs_and_a_bias() {
    let ((one, first), (other, second)) = (bounded(1).unwrap(), bounded(1).unwrap());
    let mut select = IndexSelect::biased();
    assert_eq!((select.recv(&first), select.recv(&second)), (0, 1));
    assert!(select.try_select().is_none() && select.try_ready().is_none());
    assert!(select.select_timeout(Duration::from_millis(1)).is_none());
    assert!(select.select_deadline(Instant::now()).is_none());
    assert!(select.ready_timeout(Duration::from_millis(1)).is_none());
    one.send("large".repeat(20)).unwrap();
    other.send(String::new()).unwrap();
    assert_eq!((select.try_ready(), select.ready_deadline(Instant::now()), select.ready()), (Some(0), Some(0), 0));
    assert_eq!(select.clone().select().recv(&first).map(|text| text.len()), Ok(100));
    assert_eq!(select.select_timeout(LONG).unwrap().recv(&second), Ok(String::new()));
    drop(one);
    assert_eq!(select.select().recv(&first), Err(RecvError));
}

/// A message may have any size and alignment, and is dropped once.
#[test]
fn a_select_by_index_carries_anything() {
    #[repr(align(64))]
    struct Aligned(u64);
    let (small, aligned, large, empty) = (unbounded(), unbounded(), unbounded(), unbounded());
    small.0.send([Box::new(1), Box::new(2)]).unwrap();
    aligned.0.send(Aligned(3)).unwrap();
    large.0.send([7_u64; 50]).unwrap();
    empty.0.send(()).unwrap();
    let mut select = IndexSelect::biased();
    let index = [select.recv(&small.1), select.recv(&aligned.1), select.recv(&large.1), select.recv(&empty.1)];
    assert_eq!(index, [0, 1, 2, 3]);
    assert_eq!(select.select().recv(&small.1).unwrap(), [Box::new(1), Box::new(2)]);
    assert_eq!(select.select().recv(&aligned.1).unwrap().0, 3);
    assert_eq!(select.select().recv(&large.1).unwrap(), [7; 50]);
    assert_eq!(select.select().recv(&empty.1), Ok(()));
}

/// An operation that is not completed is a mistake; its room is given back.
#[test]
fn an_operation_that_is_not_completed_panics() {
    let (sender, receiver) = bounded(1).unwrap();
    let mut select = IndexSelect::new();
    select.send(&sender);
    assert!(catch_unwind(AssertUnwindSafe(|| drop(select.select()))).is_err());
    assert_eq!(sender.try_send(7), Ok(()));
    let other = bounded::<i32>(1).unwrap();
    let mut select = IndexSelect::new();
    select.recv(&receiver);
    assert!(catch_unwind(AssertUnwindSafe(|| select.select().recv(&other.1))).is_err());
    assert!(catch_unwind(|| IndexSelect::new().select()).is_err());
    assert!(catch_unwind(|| IndexSelect::new().remove(0)).is_err());
}

#[test]
fn cases_with_bodies_meet() {
    let ((requests, request), (answers, answer)) = (rendezvous(), rendezvous());
    let thread = thread::spawn(move || {
        for number in 0..ITEMS {
            requests.send(number).unwrap();
            assert_eq!(answer.recv(), Ok(number + 1));
        }
    });
    let mut sum = 0;
    loop {
        let number = select! {
            recv(request) -> number => match number {
                Ok(number) => number,
                Err(RecvError) => break,
            },
            default(LONG) => unreachable!("the thread sends, or ends"),
        };
        sum += number;
        answers.send(number + 1).unwrap();
    }
    thread.join().unwrap();
    assert_eq!(sum, ITEMS * (ITEMS - 1) / 2);
}

static DROPPED_ELSEWHERE: AtomicUsize = AtomicUsize::new(0);

/// A message that has to be dropped in the thread in which it was made.
struct Stays(thread::ThreadId, std::marker::PhantomData<*const ()>);

impl Drop for Stays {
    fn drop(&mut self) {
        DROPPED_ELSEWHERE.fetch_add(usize::from(self.0 != thread::current().id()), SeqCst);
    }
}

/// A select may go to another thread although the messages of its channels may not: they are not
/// dropped there.
#[test]
fn messages_that_stay_in_their_thread_are_not_dropped_in_another_one() {
    for (sender, receiver) in [rendezvous(), bounded(2).unwrap(), unbounded()] {
        let make = || Stays(thread::current().id(), std::marker::PhantomData);
        let mut sending = sender.send_async(make());
        let _ = poll_once(&mut sending);
        let _ = sender.try_send(make());
        let (mut receiving, mut select) = (IndexSelect::new(), IndexSelect::new());
        receiving.recv(&receiver);
        select.send(&sender);
        thread::scope(|scope| {
            let dropped = scope.spawn(move || {
                // The message is forgotten, and the room given back.
                let is_dropped = |select: &mut IndexSelect<'_>| select.try_select().map(drop);
                let panics = |select| catch_unwind(AssertUnwindSafe(|| is_dropped(select))).is_err();
                let _ = (panics(&mut receiving), panics(&mut select));
            });
            dropped.join().unwrap();
        });
        drop(sending);
        receiver.try_iter().for_each(drop);
    }
    assert_eq!(DROPPED_ELSEWHERE.load(SeqCst), 0);
}
