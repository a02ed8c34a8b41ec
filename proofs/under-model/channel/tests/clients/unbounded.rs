//! Channels without a limit, over blocks of two messages: each message is received once or given
//! back.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Waker};

use super::common::{Client, Walk};
use super::library::error::{RecvError, SendError, TryRecvError};
use super::library::{Receiver, Sender, unbounded_with_block_size};
use aqueduct_model::alloc::Track;
use aqueduct_model::future::block_on;
use aqueduct_model::thread::{JoinHandle, spawn};

/// A message that is dropped once.
type Message = Track<u32>;

fn join<R, const N: usize>(threads: [JoinHandle<R>; N]) -> [R; N] {
    threads.map(|thread| thread.join().unwrap())
}

fn channel() -> (Sender<Message>, Receiver<Message>) {
    unbounded_with_block_size(2).unwrap()
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

/// Messages of one sender come in their order, also over the end of a block.
fn three_messages() {
    let (sender, receiver) = channel();
    let thread = spawn(move || (0..3).for_each(|number| assert_eq!(send(&sender, number), None)));
    assert_eq!(rest(&receiver), [0, 1, 2]);
    join([thread]);
}

/// The channel ends with the last sender, whichever that is.
fn two_senders_go() {
    let (sender, receiver) = channel();
    let other = sender.clone();
    let threads = [spawn(move || assert_eq!(send(&sender, 7), None)), spawn(move || drop(other))];
    assert_eq!(rest(&receiver), [7]);
    join(threads);
}

/// Two senders and one receiver.
fn two_senders() {
    let (sender, receiver) = channel();
    let other = sender.clone();
    let threads = [(sender, 1), (other, 2)].map(|(sender, number)| spawn(move || send(&sender, number)));
    let mut received = rest(&receiver);
    received.sort_unstable();
    assert_eq!((received, join(threads)), (vec![1, 2], [None; 2]));
}

/// Messages that are left when the last receiver goes are dropped, and a send beside it is dropped
/// or given back.
fn the_receiver_goes() {
    let (sender, receiver) = channel();
    assert_eq!(send(&sender, 1), None);
    let thread = spawn(move || {
        let back = send(&sender, 7);
        assert!([None, Some(7)].contains(&back));
        assert!(back.is_none() || sender.is_closed());
    });
    drop(receiver);
    join([thread]);
}

/// Both sides go at the same time, with a message in the channel.
fn both_sides_go() {
    let (sender, receiver) = channel();
    assert_eq!(send(&sender, 1), None);
    let thread = spawn(move || drop(sender));
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

/// A receiver sleeps while another thread closes the channel.
fn close_wakes_a_receiver() {
    let (sender, receiver) = channel();
    let thread = spawn(move || rest(&receiver));
    sender.close();
    assert!(join([thread])[0].is_empty());
}

/// `try_recv` reports that the channel is empty only if it is.
fn empty_is_true() {
    let (sender, receiver) = channel();
    let open = sender.clone();
    let thread = spawn(move || assert_eq!(send(&sender, 1), None));
    let first = receiver.try_recv().map(Track::into_inner);
    join([thread]);
    match first {
        Ok(number) => assert_eq!(number, 1),
        Err(error) => {
            assert_eq!(error, TryRecvError::Empty);
            assert_eq!(receiver.try_recv().map(Track::into_inner), Ok(1));
        }
    }
    drop(open);
}

fn tasks() {
    let (sender, receiver) = channel();
    let thread = spawn(move || assert!(block_on(sender.send_async(Track::new(7))).is_ok()));
    let received = block_on(async { [receiver.recv_async().await, receiver.recv_async().await] });
    assert_eq!(received.map(|message| message.map(Track::into_inner)), [Ok(7), Err(RecvError)]);
    join([thread]);
}

/// A future that has waited is dropped: the message is left to the receiver.
fn a_dropped_receiver_hands_on() {
    let (sender, receiver) = channel();
    let (other, _open) = (receiver.clone(), sender.clone());
    let mut future = other.recv_async();
    assert!(pin!(&mut future).poll(&mut Context::from_waker(Waker::noop())).is_pending());
    let threads = [
        spawn(move || assert_eq!(send(&sender, 7), None)),
        spawn(move || assert_eq!(receiver.recv().map(Track::into_inner), Ok(7))),
    ];
    drop(future);
    join(threads);
}

/// Each client, and its number of executions.
pub(crate) const CLIENTS: &[Client] = &[
    ("unbounded::one_message", one_message, 1_591),
    ("unbounded::two_senders_go", two_senders_go, 6_364),
    ("unbounded::the_receiver_goes", the_receiver_goes, 148),
    ("unbounded::both_sides_go", both_sides_go, 6),
    ("unbounded::close_beside_a_send", close_beside_a_send, 311),
    ("unbounded::close_wakes_a_receiver", close_wakes_a_receiver, 15),
    ("unbounded::empty_is_true", empty_is_true, 7),
    ("unbounded::tasks", tasks, 1_584),
    ("unbounded::a_dropped_receiver_hands_on", a_dropped_receiver_hands_on, 247),
];

/// Programs with executions picked at random.
pub(crate) const WALKS: &[Walk] = &[
    ("unbounded::three_messages", three_messages),
    ("unbounded::two_senders", two_senders),
    ("unbounded::two_receivers_end", two_receivers_end),
];
