//! Offers: a receiver pushes the message of a sender that waits, or a sender pops one for a
//! receiver that waits. Each message is received once or given back, whatever comes between the
//! offer and its end.

use std::time::Duration;

use super::common::{Client, Walk};
use super::library::error::RecvError;
use super::library::{Receiver, Sender, bounded, mpsc, spmc};
use aqueduct_model::alloc::Track;
use aqueduct_model::thread::{JoinHandle, spawn};

/// A message that is dropped once.
type Message = Track<u32>;

fn join<R, const N: usize>(threads: [JoinHandle<R>; N]) -> [R; N] {
    threads.map(|thread| thread.join().unwrap())
}

/// A channel that is full of a message 0, and a second sender, without which no offer is
/// made.
fn full() -> (Sender<Message>, Sender<Message>, Receiver<Message>) {
    let (sender, receiver) = bounded(1).unwrap();
    assert!(sender.send(Track::new(0)).is_ok());
    (sender.clone(), sender, receiver)
}

/// Sends the number, and returns what came back.
fn send(sender: &Sender<Message>, number: u32) -> Option<u32> {
    sender.send(Track::new(number)).err().map(|error| error.0.into_inner())
}

fn recv(receiver: &Receiver<Message>) -> Result<u32, RecvError> {
    receiver.recv().map(Track::into_inner)
}

/// The messages of both senders are received, in either order.
fn two_senders_are_served() {
    let (sender, other, receiver) = full();
    let threads = [(sender, 1), (other, 2)].map(|(sender, number)| spawn(move || send(&sender, number)));
    assert_eq!(recv(&receiver), Ok(0));
    let received = [recv(&receiver), recv(&receiver)];
    assert!([[Ok(1), Ok(2)], [Ok(2), Ok(1)]].contains(&received));
    assert_eq!(recv(&receiver), Err(RecvError));
    assert_eq!(join(threads), [None, None]);
}

/// A sender that does not have the channel's only handle is served.
fn one_sender_is_served() {
    let (sender, _other, receiver) = full();
    let thread = spawn(move || send(&sender, 1));
    assert_eq!([recv(&receiver), recv(&receiver)], [Ok(0), Ok(1)]);
    assert_eq!(join([thread]), [None]);
}

/// Producers' handles change hands for a push.
fn a_handle_is_served() {
    let (mut sender, mut receiver) = mpsc::bounded::<u32>(1).unwrap();
    let _other = sender.clone();
    while sender.try_send(0).is_ok() {}
    let thread = spawn(move || sender.send(1));
    while receiver.recv() != Ok(1) {}
    assert_eq!(join([thread]), [Ok(())]);
}

/// The time of a sender is over while a receiver may be at work on its message.
fn a_sender_runs_out_of_time() {
    let (sender, other, receiver) = full();
    let thread = spawn(move || {
        let back = sender.send_timeout(Track::new(1), Duration::ZERO).err();
        back.map(|error| error.into_inner().into_inner())
    });
    assert_eq!(recv(&receiver), Ok(0));
    drop(other);
    let received = recv(&receiver);
    let [back] = join([thread]);
    assert_eq!(received, if back.is_none() { Ok(1) } else { Err(RecvError) });
}

/// The close beside a receiver that may be at work on the message.
fn close_beside_an_offer() {
    let (sender, other, receiver) = full();
    let threads = [
        spawn(move || send(&sender, 1)),
        spawn(move || {
            other.close();
            None
        }),
    ];
    assert_eq!(recv(&receiver), Ok(0));
    let received = recv(&receiver);
    let [back, _] = join(threads);
    assert_eq!(received, if back.is_none() { Ok(1) } else { Err(RecvError) });
}

/// A second sender takes the room in which the first one's message was to go.
fn another_one_takes_the_room() {
    let (sender, other, receiver) = full();
    let thread = spawn(move || send(&sender, 1));
    let second = spawn(move || other.try_send(Track::new(2)).is_ok());
    assert_eq!(recv(&receiver), Ok(0));
    let received: Vec<u32> = receiver.iter().map(Track::into_inner).collect();
    let is_sent = second.join().unwrap();
    assert_eq!(join([thread]), [None]);
    assert_eq!((received.contains(&1), received.contains(&2)), (true, is_sent));
}

/// Two receivers, each of which waits for one message.
fn two_receivers_are_served() {
    let (sender, receiver) = bounded(1).unwrap();
    let threads = [receiver.clone(), receiver].map(|receiver| spawn(move || recv(&receiver)));
    assert_eq!([1, 2].map(|number| send(&sender, number)), [None, None]);
    let received = join(threads);
    assert!([[Ok(1), Ok(2)], [Ok(2), Ok(1)]].contains(&received));
}

/// A receiver that does not have the channel's only handle is served.
fn one_receiver_is_served() {
    let (sender, receiver) = bounded(1).unwrap();
    let _other = receiver.clone();
    let thread = spawn(move || recv(&receiver));
    assert_eq!(send(&sender, 1), None);
    assert_eq!(join([thread]), [Ok(1)]);
}

/// Consumers' handles change hands for a pop.
fn a_receivers_handle_is_served() {
    let (mut sender, mut receiver) = spmc::bounded::<u32>(1).unwrap();
    let _other = receiver.clone();
    let thread = spawn(move || receiver.recv());
    assert_eq!(sender.send(1), Ok(()));
    assert_eq!(join([thread]), [Ok(1)]);
}

/// The time of a receiver is over while the sender may be at work on its message.
fn a_receiver_runs_out_of_time() {
    let (sender, receiver) = bounded(1).unwrap();
    let other = receiver.clone();
    let thread = spawn(move || receiver.recv_timeout(Duration::ZERO).ok().map(Track::into_inner));
    assert_eq!(send(&sender, 1), None);
    drop(sender);
    let left = recv(&other).ok();
    let [received] = join([thread]);
    assert!([(Some(1), None), (None, Some(1))].contains(&(received, left)));
}

/// The end of the channel beside receivers whose attempts the sender makes.
fn the_end_beside_two_offers() {
    let (sender, receiver) = bounded(1).unwrap();
    let threads = [receiver.clone(), receiver].map(|receiver| spawn(move || recv(&receiver)));
    assert_eq!(send(&sender, 1), None);
    drop(sender);
    let received = join(threads);
    assert!([[Ok(1), Err(RecvError)], [Err(RecvError), Ok(1)]].contains(&received));
}

/// Another receiver takes the message that was to be popped for the first one.
fn another_one_takes_the_message() {
    let (sender, receiver) = bounded(1).unwrap();
    let other = receiver.clone();
    let thread = spawn(move || recv(&receiver));
    let second = spawn(move || other.try_recv().ok().map(Track::into_inner));
    assert_eq!(send(&sender, 1), None);
    if second.join().unwrap().is_some() {
        assert_eq!(send(&sender, 1), None);
    }
    assert_eq!(join([thread]), [Ok(1)]);
}

pub(crate) const CLIENTS: &[Client] = &[
    ("one_sender_is_served", one_sender_is_served, 474),
    ("a_handle_is_served", a_handle_is_served, 301),
    ("a_sender_runs_out_of_time", a_sender_runs_out_of_time, 1_890),
    ("one_receiver_is_served", one_receiver_is_served, 27),
    ("a_receivers_handle_is_served", a_receivers_handle_is_served, 8),
    ("a_receiver_runs_out_of_time", a_receiver_runs_out_of_time, 980),
];

/// Programs with executions picked at random.
pub(crate) const WALKS: &[Walk] = &[
    ("two_senders_are_served", two_senders_are_served),
    ("close_beside_an_offer", close_beside_an_offer),
    ("another_one_takes_the_room", another_one_takes_the_room),
    ("two_receivers_are_served", two_receivers_are_served),
    ("the_end_beside_two_offers", the_end_beside_two_offers),
    ("another_one_takes_the_message", another_one_takes_the_message),
];
