//! Channels whose order is relaxed: each message arrives once, and every waiter is woken.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Waker};

use super::common::{Capsules, Client, Walk};
use super::library::error::RecvError;
use super::library::relaxed::{Receiver, Sender, bounded};
use aqueduct_model::alloc::Track;
use aqueduct_model::future::block_on;
use aqueduct_model::thread::{JoinHandle, spawn};

type Message = Track<u32>;

fn join<R, const N: usize>(threads: [JoinHandle<R>; N]) -> [R; N] {
    threads.map(|thread| thread.join().unwrap())
}

fn channel(capsules: usize, capsule_size: usize, senders: usize) -> (Sender<Message>, Receiver<Message>) {
    bounded(Capsules::new(capsules, capsule_size, senders, 1).unwrap()).unwrap()
}

fn send(sender: &mut Sender<Message>, number: u32) {
    assert!(sender.send(Track::new(number)).is_ok());
}

fn one_message() {
    let (mut sender, mut receiver) = channel(2, 2, 1);
    let thread = spawn(move || send(&mut sender, 7));
    assert_eq!(receiver.recv().map(Track::into_inner), Ok(7));
    assert!(receiver.recv().is_err());
    join([thread]);
}

/// The second message goes into the capsule that the receiver holds while it sleeps.
fn two_messages() {
    let (mut sender, mut receiver) = channel(2, 2, 1);
    let thread = spawn(move || {
        send(&mut sender, 0);
        send(&mut sender, 1);
    });
    assert_eq!(receiver.iter().map(Track::into_inner).collect::<Vec<_>>(), [0, 1]);
    join([thread]);
}

/// Capsules of one message: the sender waits for room.
fn a_sender_waits() {
    let (mut sender, mut receiver) = channel(2, 1, 1);
    let mut sent = 0;
    while sender.try_send(Track::new(0)).is_ok() {
        sent += 1;
    }
    assert!(sent >= 2);
    let thread = spawn(move || {
        send(&mut sender, 7);
        sender
    });
    assert_eq!(receiver.recv().map(Track::into_inner), Ok(0));
    join([thread]);
}

fn two_senders() {
    let (mut sender, mut receiver) = channel(4, 2, 2);
    let mut other = sender.try_clone().unwrap();
    let threads = [spawn(move || send(&mut sender, 1)), spawn(move || send(&mut other, 2))];
    assert_eq!(receiver.iter().map(Track::into_inner).sum::<u32>(), 3);
    join(threads);
}

/// Both capsules are partly used, one of them by the receiver. A sender without a capsule waits for
/// room.
fn a_sender_waits_for_a_capsule() {
    let (mut sender, mut receiver) = channel(2, 2, 2);
    let mut other = sender.try_clone().unwrap();
    send(&mut sender, 1);
    let mut sent = 1;
    while other.try_send(Track::new(1)).is_ok() {
        sent += 1;
    }
    let thread = spawn(move || {
        send(&mut other, 1);
        drop((sender, other));
    });
    assert_eq!(receiver.iter().map(Track::into_inner).sum::<u32>(), sent + 1);
    join([thread]);
}

/// A message sent when the receiver goes is dropped.
fn the_receiver_goes() {
    let (mut sender, receiver) = channel(2, 2, 1);
    let thread = spawn(move || {
        let _ = sender.send(Track::new(7));
    });
    drop(receiver);
    join([thread]);
}

fn the_receiver_goes_from_a_full_channel() {
    let (mut sender, receiver) = channel(2, 1, 1);
    while sender.try_send(Track::new(0)).is_ok() {}
    let thread = spawn(move || {
        let _ = sender.send(Track::new(7));
    });
    drop(receiver);
    join([thread]);
}

fn tasks() {
    let (mut sender, mut receiver) = channel(2, 2, 1);
    let thread = spawn(move || assert!(block_on(sender.send_async(Track::new(7))).is_ok()));
    assert_eq!(block_on(receiver.recv_async()).map(Track::into_inner), Ok(7));
    assert_eq!(block_on(receiver.recv_async()).map(drop), Err(RecvError));
    join([thread]);
}

/// A future that has waited is dropped: the room is left to the other sender.
fn a_dropped_sender_hands_on() {
    let (mut sender, mut receiver) = channel(2, 1, 2);
    let mut other = sender.try_clone().unwrap();
    while sender.try_send(Track::new(0)).is_ok() {}
    let mut future = other.send_async(Track::new(1));
    assert!(pin!(&mut future).poll(&mut Context::from_waker(Waker::noop())).is_pending());
    let reader = spawn(move || {
        drop(receiver.recv().unwrap());
        receiver
    });
    let thread = spawn(move || send(&mut sender, 7));
    drop(future);
    thread.join().unwrap();
    drop(reader.join().unwrap());
}

/// Each client, and its number of executions.
pub(crate) const CLIENTS: &[Client] = &[
    ("relaxed::one_message", one_message, 831),
    ("relaxed::a_sender_waits", a_sender_waits, 12),
    ("relaxed::the_receiver_goes", the_receiver_goes, 60),
    ("relaxed::the_receiver_goes_from_a_full_channel", the_receiver_goes_from_a_full_channel, 88),
    ("relaxed::tasks", tasks, 795),
    ("relaxed::a_dropped_sender_hands_on", a_dropped_sender_hands_on, 125),
];

/// Programs with executions picked at random.
pub(crate) const WALKS: &[Walk] = &[
    ("relaxed::two_messages", two_messages),
    ("relaxed::two_senders", two_senders),
    ("relaxed::a_sender_waits_for_a_capsule", a_sender_waits_for_a_capsule),
];
