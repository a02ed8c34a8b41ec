//! Channels: each message that is sent is received once or given back, every waiter is woken, and
//! the end of a channel is the end for all.

use std::collections::VecDeque;
use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use super::common::{Client, Geometry, Walk};
use super::library::error::{RecvError, RecvTimeoutError, SendError, TrySendError};
use super::library::{Receiver, Sender, bounded, mpmc, mpsc, spmc, spsc};
use aqueduct_model::alloc::Track;
use aqueduct_model::await_until;
use aqueduct_model::future::block_on;
use aqueduct_model::sync::atomic::AtomicBool;
use aqueduct_model::sync::atomic::Ordering::{Acquire, Release};
use aqueduct_model::thread::{JoinHandle, spawn};
use std::sync::Arc;

/// A message that is dropped once.
type Message = Track<u32>;

fn join<R, const N: usize>(threads: [JoinHandle<R>; N]) -> [R; N] {
    threads.map(|thread| thread.join().unwrap())
}

fn channel() -> (Sender<Message>, Receiver<Message>) {
    bounded(1).unwrap()
}

/// The numbers of all messages until the channel ends.
fn rest(receiver: &Receiver<Message>) -> Vec<u32> {
    receiver.iter().map(Track::into_inner).collect()
}

/// Sends the number, and returns what came back.
fn send(sender: &Sender<Message>, number: u32) -> Option<u32> {
    sender.send(Track::new(number)).err().map(|SendError(message)| message.into_inner())
}

/// The receiver may have to wait; the channel ends with the sender.
fn one_message() {
    let (sender, receiver) = channel();
    let thread = spawn(move || assert_eq!(send(&sender, 7), None));
    assert_eq!(rest(&receiver), [7]);
    join([thread]);
}

/// Each side may have to wait for the other one.
fn two_messages() {
    let (sender, receiver) = channel();
    let thread = spawn(move || assert_eq!([send(&sender, 0), send(&sender, 1)], [None; 2]));
    assert_eq!(rest(&receiver), [0, 1]);
    join([thread]);
}

macro_rules! of_each_sidedness {
    ($($module:ident: $name:ident;)*) => {$(
        mod $module {
            use super::*;

            pub(super) fn one_message() {
                let (mut sender, mut receiver) = $name::bounded::<u32>(1).unwrap();
                let thread = spawn(move || assert_eq!(sender.send(7), Ok(())));
                assert_eq!(receiver.iter().collect::<Vec<_>>(), [7]);
                join([thread]);
            }

            pub(super) fn two_messages() {
                let (mut sender, mut receiver) = $name::bounded::<u32>(1).unwrap();
                let thread = spawn(move || assert_eq!([sender.send(0), sender.send(1)], [Ok(()); 2]));
                assert_eq!(receiver.iter().collect::<Vec<_>>(), [0, 1]);
                join([thread]);
            }

            /// A message sent when the receiver goes is dropped, even if the sender stays.
            pub(super) fn the_receiver_goes() {
                let (mut sender, receiver) = $name::bounded::<Dropped>(1).unwrap();
                let thread = spawn(move || {
                    let is_dropped = Arc::new(AtomicBool::new(false));
                    let _ = sender.send(Dropped(Arc::clone(&is_dropped)));
                    await_until(|| is_dropped.load(Acquire));
                });
                drop(receiver);
                join([thread]);
            }
        }
    )*};
}

/// Records its drop.
struct Dropped(Arc<AtomicBool>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.store(true, Release);
    }
}

of_each_sidedness! {
    one_to_one: spsc;
    many_to_one: mpsc;
    one_to_many: spmc;
    many_to_many: mpmc;
}

/// The channel ends with the last sender, whichever that is.
fn two_senders_go() {
    let (sender, receiver) = channel();
    let other = sender.clone();
    let threads = [spawn(move || assert_eq!(send(&sender, 7), None)), spawn(move || drop(other))];
    assert_eq!(rest(&receiver), [7]);
    join(threads);
}

/// A sender that waits for room gets its message back when the receiver goes, or sends it into the
/// room that the receiver makes then.
fn the_receiver_goes_from_a_full_channel() {
    let (sender, receiver) = channel();
    while sender.try_send(Track::new(0)).is_ok() {}
    let thread = spawn(move || assert!([Some(7), None].contains(&send(&sender, 7))));
    drop(receiver);
    join([thread]);
}

/// The end of a channel concerns each receiver.
fn two_receivers_end() {
    let (sender, receiver) = channel();
    let other = receiver.clone();
    let thread = spawn(move || rest(&other).len());
    assert_eq!(send(&sender, 7), None);
    drop(sender);
    assert_eq!(rest(&receiver).len() + thread.join().unwrap(), 1);
}

/// A send beside `close` is received, or its message comes back.
fn close_beside_a_send() {
    let (sender, receiver) = channel();
    let thread = spawn(move || send(&sender, 7));
    receiver.close();
    let received = rest(&receiver);
    assert_eq!(receiver.recv().map(|_| ()), Err(RecvError));
    let [back] = join([thread]);
    assert_eq!((received.len(), back), if back.is_some() { (0, Some(7)) } else { (1, None) });
}

/// Two sends that come late take one message back each.
fn close_beside_two_sends() {
    let (sender, receiver) = bounded::<u32>(2).unwrap();
    let other = sender.clone();
    let threads = [(sender, 1), (other, 2)]
        .map(|(sender, number)| spawn(move || sender.send(number).err().map(SendError::into_inner)));
    receiver.close();
    let received: Vec<_> = receiver.iter().collect();
    let back = join(threads);
    let mut all: Vec<u32> = received.into_iter().chain(back.into_iter().flatten()).collect();
    all.sort_unstable();
    assert_eq!(all, [1, 2]);
}

/// A receiver sleeps while another thread closes the channel.
fn close_wakes_a_receiver() {
    let (sender, receiver) = channel();
    let thread = spawn(move || rest(&receiver));
    sender.close();
    assert!(join([thread])[0].is_empty());
}

/// A sender sleeps while another thread closes the channel.
fn close_wakes_a_sender() {
    let (sender, receiver) = channel();
    while sender.try_send(Track::new(0)).is_ok() {}
    let thread = spawn(move || assert_eq!(send(&sender, 7), Some(7)));
    receiver.close();
    join([thread]);
}

/// The close concerns each sender.
fn close_wakes_two_senders() {
    let (sender, receiver) = channel();
    while sender.try_send(Track::new(0)).is_ok() {}
    let threads = [sender.clone(), sender].map(|sender| spawn(move || assert_eq!(send(&sender, 7), Some(7))));
    receiver.close();
    join(threads);
}

/// The end concerns each receiver, also when all of them sleep.
fn the_end_wakes_two_receivers() {
    let (sender, receiver) = bounded::<u32>(1).unwrap();
    let threads =
        [receiver.clone(), receiver].map(|receiver| spawn(move || assert_eq!(receiver.recv(), Err(RecvError))));
    drop(sender);
    join(threads);
}

/// Each message wakes a receiver, even if another one gets it.
fn two_receivers_and_two_messages() {
    let (sender, receiver) = bounded::<u32>(2).unwrap();
    let threads = [receiver.clone(), receiver].map(|receiver| spawn(move || assert_eq!(receiver.recv(), Ok(7))));
    assert_eq!((sender.send(7), sender.send(7)), (Ok(()), Ok(())));
    join(threads);
}

fn a_receiver_has_no_patience() {
    let (sender, receiver) = channel();
    let thread = spawn(move || send(&sender, 7));
    match receiver.recv_timeout(Duration::ZERO).map(Track::into_inner) {
        Ok(number) => assert_eq!(number, 7),
        Err(RecvTimeoutError::Timeout) => {
            assert!([vec![7], vec![]].contains(&receiver.try_iter().map(Track::into_inner).collect()))
        }
        Err(RecvTimeoutError::Disconnected) => panic!("the message was sent before"),
    }
    join([thread]);
}

fn a_sender_has_no_patience() {
    let (sender, receiver) = channel();
    while sender.try_send(Track::new(0)).is_ok() {}
    let thread = spawn(move || {
        assert_eq!(receiver.recv().map(Track::into_inner), Ok(0));
        receiver
    });
    let result = sender.send_timeout(Track::new(7), Duration::ZERO);
    let back = result.err().map(|error| error.into_inner().into_inner());
    drop(sender);
    let [receiver] = join([thread]);
    assert_eq!(rest(&receiver).contains(&7), back.is_none());
}

/// `try_send` reports that the channel is full only if it is.
fn full_is_true() {
    let (sender, receiver) = channel();
    let thread = spawn(move || receiver.recv().map(Track::into_inner));
    assert!(sender.try_send(Track::new(1)).is_ok());
    assert_eq!(join([thread]), [Ok(1)]);
    assert!(matches!(sender.try_send(Track::new(1)), Err(TrySendError::Disconnected(_))));
}

fn tasks() {
    let (sender, receiver) = bounded(1).unwrap();
    let thread = spawn(move || assert_eq!(block_on(sender.send_async(7)), Ok(())));
    assert_eq!(block_on(async { [receiver.recv_async().await, receiver.recv_async().await] }), [Ok(7), Err(RecvError)]);
    join([thread]);
}

/// A task waits for room.
fn a_task_sends_into_a_full_channel() {
    let (sender, receiver) = bounded(1).unwrap();
    while sender.try_send(0).is_ok() {}
    let thread = spawn(move || {
        assert_eq!(receiver.recv(), Ok(0));
        receiver
    });
    assert_eq!(block_on(sender.send_async(7)), Ok(()));
    join([thread]);
}

/// A future that has waited is dropped: the message is left to the receiver.
fn a_dropped_receiver_hands_on() {
    let (sender, receiver) = bounded::<u32>(1).unwrap();
    let (other, _open) = (receiver.clone(), sender.clone());
    let mut future = other.recv_async();
    assert!(pin!(&mut future).poll(&mut Context::from_waker(Waker::noop())).is_pending());
    let threads =
        [spawn(move || assert_eq!(sender.send(7), Ok(()))), spawn(move || assert_eq!(receiver.recv(), Ok(7)))];
    drop(future);
    join(threads);
}

/// A future that has waited is dropped: the room is left to the sender.
fn a_dropped_sender_hands_on() {
    let (sender, receiver) = bounded::<u32>(1).unwrap();
    while sender.try_send(0).is_ok() {}
    let (other, also) = (sender.clone(), receiver.clone());
    let mut future = other.send_async(1);
    assert!(pin!(&mut future).poll(&mut Context::from_waker(Waker::noop())).is_pending());
    let threads =
        [spawn(move || assert_eq!(receiver.recv(), Ok(0))), spawn(move || assert_eq!(sender.send(7), Ok(())))];
    drop(future);
    join(threads);
    drop(also);
}

/// A batch waits for room for its second message.
fn a_batch_waits() {
    let (mut sender, mut receiver) = spsc::bounded::<u32>(1).unwrap();
    let mut room = 0;
    while sender.try_send(0).is_ok() {
        room += 1;
    }
    let thread = spawn(move || {
        let mut batch = VecDeque::from([1, 2]);
        assert_eq!((sender.send_all(&mut batch), batch.len()), (Ok(()), 0));
    });
    let received: Vec<_> = receiver.iter().skip(room).collect();
    assert_eq!(received, [1, 2]);
    join([thread]);
}

/// A batch that has waited is dropped: it keeps its message, and the room is left to the other
/// sender.
fn a_dropped_batch_hands_on() {
    let (mut sender, mut receiver) = mpsc::bounded::<u32>(1).unwrap();
    let mut room = 0;
    while sender.try_send(0).is_ok() {
        room += 1;
    }
    let mut other = sender.clone();
    let mut batch = VecDeque::from([1]);
    let mut future = Box::pin(other.send_all_async(&mut batch));
    assert!(future.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    let threads = (
        spawn(move || {
            assert!((0..room).all(|_| receiver.recv() == Ok(0)));
            receiver
        }),
        spawn(move || assert_eq!(sender.send(7), Ok(()))),
    );
    drop(future);
    threads.1.join().unwrap();
    drop(threads.0.join().unwrap());
    assert_eq!(batch, [1]);
}

/// Polls a future this number of times. Returns its result if it was ready.
fn poll<F: Future>(future: F, times: usize) -> Option<F::Output> {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    (0..times).find_map(|_| match future.as_mut().poll(&mut context) {
        Poll::Ready(output) => Some(output),
        Poll::Pending => None,
    })
}

/// A future that receives is dropped: the message is left to the other receiver.
fn a_cancelled_receiver_hands_on(times: usize) {
    let (sender, receiver) = bounded::<u32>(1).unwrap();
    let (other, again) = (receiver.clone(), sender.clone());
    let threads = [
        spawn(move || assert_eq!(sender.send(7), Ok(()))),
        spawn(move || {
            if let Some(message) = poll(other.recv_async(), times) {
                assert_eq!(again.send(message.unwrap()), Ok(()));
            }
        }),
    ];
    assert_eq!(receiver.recv(), Ok(7));
    join(threads);
}

/// A future that sends is dropped: the room is left to the other sender.
fn a_cancelled_sender_hands_on(times: usize) {
    let (sender, receiver) = bounded::<u32>(1).unwrap();
    while sender.try_send(0).is_ok() {}
    let other = sender.clone();
    let (first, cancels) = (receiver.clone(), receiver.clone());
    let threads = [
        spawn(move || assert!(first.recv().is_ok())),
        spawn(move || {
            if poll(other.send_async(1), times).is_some() {
                assert!(cancels.recv().is_ok());
            }
        }),
    ];
    assert_eq!(sender.send(7), Ok(()));
    join(threads);
}

/// Two senders and two receivers: a message may be held up behind another one.
fn two_senders_and_two_receivers() {
    let (sender, receiver) = bounded::<u32>(2).unwrap();
    let (other, also) = (sender.clone(), receiver.clone());
    let threads = [
        spawn(move || sender.send(1).map_or(0, |()| 0)),
        spawn(move || other.send(2).map_or(0, |()| 0)),
        spawn(move || also.recv().unwrap()),
    ];
    let first = receiver.recv().unwrap();
    assert_eq!(first + join(threads).into_iter().sum::<u32>(), 3);
}

/// Room comes in blocks: two senders wait, and messages are received one by one.
fn two_senders_wait_for_a_block() {
    let (mut sender, mut receiver) = mpsc::with_geometry::<u32>(Geometry::new(2, 2).unwrap()).unwrap();
    while sender.try_send(0).is_ok() {}
    let mut other = sender.clone();
    let threads = [spawn(move || sender.send(1)), spawn(move || other.send(1))];
    // The messages of two senders at most are left, and none of them waits.
    assert_eq!([receiver.recv(), receiver.recv()], [Ok(0); 2]);
    assert_eq!(join(threads), [Ok(()); 2]);
}

/// Each client, and its number of executions.
pub(crate) const CLIENTS: &[Client] = &[
    ("one_message", one_message, 624),
    ("one_to_one::one_message", one_to_one::one_message, 260),
    ("many_to_one::one_message", many_to_one::one_message, 526),
    ("one_to_many::one_message", one_to_many::one_message, 260),
    ("many_to_many::one_message", many_to_many::one_message, 526),
    ("one_to_one::two_messages", one_to_one::two_messages, 8_252),
    ("one_to_one::the_receiver_goes", one_to_one::the_receiver_goes, 22),
    ("many_to_one::the_receiver_goes", many_to_one::the_receiver_goes, 24),
    ("one_to_many::the_receiver_goes", one_to_many::the_receiver_goes, 22),
    ("many_to_many::the_receiver_goes", many_to_many::the_receiver_goes, 24),
    ("two_senders_go", two_senders_go, 2496),
    ("the_receiver_goes_from_a_full_channel", the_receiver_goes_from_a_full_channel, 52),
    ("two_receivers_end", two_receivers_end, 10_356),
    ("close_beside_a_send", close_beside_a_send, 178),
    ("close_wakes_a_receiver", close_wakes_a_receiver, 15),
    ("close_wakes_a_sender", close_wakes_a_sender, 8),
    ("close_wakes_two_senders", close_wakes_two_senders, 1_996),
    ("a_receiver_has_no_patience", a_receiver_has_no_patience, 130),
    ("a_sender_has_no_patience", a_sender_has_no_patience, 30),
    ("full_is_true", full_is_true, 105),
    ("tasks", tasks, 620),
    ("a_task_sends_into_a_full_channel", a_task_sends_into_a_full_channel, 21),
    ("a_dropped_receiver_hands_on", a_dropped_receiver_hands_on, 157),
    ("a_dropped_sender_hands_on", a_dropped_sender_hands_on, 151),
    ("a_dropped_batch_hands_on", a_dropped_batch_hands_on, 333),
];

/// Programs with executions picked at random.
pub(crate) const WALKS: &[Walk] = &[
    ("two_messages", two_messages),
    ("a_batch_waits", a_batch_waits),
    ("many_to_one::two_messages", many_to_one::two_messages),
    ("one_to_many::two_messages", one_to_many::two_messages),
    ("many_to_many::two_messages", many_to_many::two_messages),
    ("close_beside_two_sends", close_beside_two_sends),
    ("two_receivers_and_two_messages", two_receivers_and_two_messages),
    ("the_end_wakes_two_receivers", the_end_wakes_two_receivers),
    ("a_cancelled_receiver_hands_on", || a_cancelled_receiver_hands_on(1)),
    ("a_polled_receiver_hands_on", || a_cancelled_receiver_hands_on(2)),
    ("a_cancelled_sender_hands_on", || a_cancelled_sender_hands_on(1)),
    ("a_polled_sender_hands_on", || a_cancelled_sender_hands_on(2)),
    ("two_senders_wait_for_a_block", two_senders_wait_for_a_block),
    ("two_senders_and_two_receivers", two_senders_and_two_receivers),
];
