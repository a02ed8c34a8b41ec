//! Messages that every receiver sees: each is received or counted as lost, and the end comes after
//! the last one.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Waker};
use std::time::Duration;

use super::common::Client;
use super::library::broadcast::{self, Receiver};
use super::library::error::{RecvError, TryRecvError};
use super::library::latest;
use aqueduct_model::future::block_on;
use aqueduct_model::thread::spawn;

/// Receives all messages until the end, and checks their order.
fn rest(receiver: &mut Receiver<u32>) -> Vec<u32> {
    let came: Vec<u32> = receiver.iter().collect();
    assert!(came.is_sorted());
    came
}

fn a_receiver_waits() {
    let (sender, mut receiver) = broadcast::channel(1).unwrap();
    let thread = spawn(move || sender.send(7).unwrap());
    assert_eq!(receiver.recv(), Ok(7));
    assert_eq!(receiver.recv(), Err(RecvError));
    thread.join().unwrap();
}

/// A task and a thread wait: one notification is for both.
fn both_receivers_wait() {
    let (sender, mut receiver) = broadcast::channel(1).unwrap();
    let mut other = receiver.clone();
    let mut task = receiver.recv_async();
    assert!(Pin::new(&mut task).poll(&mut Context::from_waker(Waker::noop())).is_pending());
    // The channel stays open, so that its end wakes no receiver.
    let another = sender.clone();
    let thread = spawn(move || another.send(7).unwrap());
    assert_eq!(other.recv(), Ok(7));
    assert_eq!(block_on(task), Ok(7));
    thread.join().unwrap();
}

/// Two messages into one slot: the receiver gets both, or the second one, and counts the first as
/// lost.
fn a_slow_receiver_knows_what_it_lost() {
    let (sender, mut receiver) = broadcast::channel(1).unwrap();
    let thread = spawn(move || {
        sender.send(1).unwrap();
        sender.send(2).unwrap();
    });
    let came = rest(&mut receiver);
    assert_eq!(came.last(), Some(&2));
    assert_eq!(came.len() as u64 + receiver.lost(), 2);
    thread.join().unwrap();
}

/// Two senders meet in one slot: each message is received or lost.
fn two_senders_and_one_slot() {
    let (sender, mut receiver) = broadcast::channel(1).unwrap();
    let other = sender.clone();
    let thread = spawn(move || sender.send(1).unwrap());
    other.send(2).unwrap();
    drop(other);
    let came: Vec<u32> = receiver.iter().collect();
    assert!(matches!(came[..], [1] | [2] | [1, 2] | [2, 1]), "{came:?}");
    assert_eq!(came.len() as u64 + receiver.lost(), 2);
    thread.join().unwrap();
}

/// Two senders, a slot each: no message is lost.
fn two_senders_and_two_slots() {
    let (sender, mut receiver) = broadcast::channel(2).unwrap();
    let other = sender.clone();
    let thread = spawn(move || sender.send(1).unwrap());
    other.send(2).unwrap();
    drop(other);
    let came: Vec<u32> = receiver.iter().collect();
    assert!(matches!(came[..], [1, 2] | [2, 1]), "{came:?}");
    assert_eq!(receiver.lost(), 0);
    thread.join().unwrap();
}

/// A receive that times out leaves the message to its receiver.
fn a_receiver_has_no_patience() {
    let (sender, mut receiver) = broadcast::channel(1).unwrap();
    let thread = spawn(move || sender.send(7).unwrap());
    if receiver.recv_timeout(Duration::ZERO).is_err() {
        assert_eq!(receiver.recv(), Ok(7));
    }
    thread.join().unwrap();
}

/// A future is dropped while it waits: its receiver gets the message later, and the other one gets
/// it, too.
fn a_dropped_future_takes_nothing() {
    let (sender, mut receiver) = broadcast::channel(1).unwrap();
    let mut other = receiver.clone();
    let is_pending = Pin::new(&mut receiver.recv_async()).poll(&mut Context::from_waker(Waker::noop())).is_pending();
    assert!(is_pending);
    let thread = spawn(move || sender.send(7).unwrap());
    assert_eq!(other.recv(), Ok(7));
    assert_eq!(receiver.recv(), Ok(7));
    thread.join().unwrap();
}

/// As `two_senders_and_one_slot`, with messages that receivers share until they have cloned them.
fn two_senders_and_one_slot_of_shared_messages() {
    let (sender, mut receiver) = broadcast::channel(1).unwrap();
    let other = sender.clone();
    let thread = spawn(move || sender.send(Box::new(1)).unwrap());
    other.send(Box::new(2)).unwrap();
    drop(other);
    let came: Vec<u32> = receiver.iter().map(|message| *message).collect();
    assert!(matches!(came[..], [1] | [2] | [1, 2] | [2, 1]), "{came:?}");
    assert_eq!(came.len() as u64 + receiver.lost(), 2);
    thread.join().unwrap();
}

/// The newest value, which receivers share until they have cloned it.
fn the_newest_shared_value_is_seen() {
    let (sender, mut receiver) = latest::channel(Box::new(0));
    let thread = spawn(move || sender.send(Box::new(1)).unwrap());
    assert!(*receiver.newest() <= 1);
    assert_eq!(receiver.iter().map(|value| *value).collect::<Vec<u32>>(), [1]);
    thread.join().unwrap();
}

/// The last receiver is dropped while a message is sent: the message comes back, or is dropped with
/// the channel.
fn the_receiver_goes() {
    let (sender, receiver) = broadcast::channel(1).unwrap();
    let thread = spawn(move || {
        if let Err(back) = sender.send(7) {
            assert_eq!(back.into_inner(), 7);
        }
        assert!(sender.subscribe().try_recv().is_err_and(|error| error == TryRecvError::Empty));
    });
    drop(receiver);
    thread.join().unwrap();
}

/// A receiver of the newest value sees the last one, and then the end.
fn the_newest_value_is_seen() {
    let (sender, mut receiver) = latest::channel(0);
    let thread = spawn(move || {
        sender.send(1).unwrap();
        sender.send(2).unwrap();
    });
    assert!(receiver.newest() <= 2);
    let came: Vec<u32> = receiver.iter().collect();
    assert!(matches!(came[..], [2] | [1, 2]), "{came:?}");
    assert_eq!(receiver.newest(), 2);
    thread.join().unwrap();
}

/// A weak sender that becomes a sender in time sends, and the end comes after its message.
fn a_weak_sender() {
    let (sender, mut receiver) = broadcast::channel(1).unwrap();
    let weak = sender.downgrade();
    let also = weak.clone();
    let thread = spawn(move || weak.upgrade().is_some_and(|sender| sender.send(7).is_ok()));
    drop(sender);
    let is_sent = thread.join().unwrap();
    assert_eq!(receiver.iter().count(), usize::from(is_sent));
    assert!(also.upgrade().is_none());
}

/// Each client, and its number of executions.
pub(crate) const CLIENTS: &[Client] = &[
    ("a_receiver_of_news_waits", a_receiver_waits, 165),
    ("both_receivers_of_news_wait", both_receivers_wait, 33),
    ("a_slow_receiver_knows_what_it_lost", a_slow_receiver_knows_what_it_lost, 6_656),
    ("two_senders_and_one_slot", two_senders_and_one_slot, 394),
    ("two_senders_and_one_slot_of_shared_messages", two_senders_and_one_slot_of_shared_messages, 426),
    ("the_newest_shared_value_is_seen", the_newest_shared_value_is_seen, 316),
    ("two_senders_and_two_slots", two_senders_and_two_slots, 365),
    ("a_receiver_of_news_has_no_patience", a_receiver_has_no_patience, 152),
    ("a_dropped_future_takes_no_news", a_dropped_future_takes_nothing, 56),
    ("the_receiver_of_news_goes", the_receiver_goes, 15),
    ("a_weak_sender_of_news", a_weak_sender, 7),
    ("the_newest_value_is_seen", the_newest_value_is_seen, 11_519),
];
