//! Channels for an exact number of messages, and room that is reserved in them.

use std::collections::VecDeque;
use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use super::common::{Client, Walk};
use super::library::error::{SendError, TryRecvError, TrySendError};
use super::library::{Receiver, bounded};
use aqueduct_model::alloc::Track;
use aqueduct_model::thread::{JoinHandle, spawn};

fn join<R, const N: usize>(threads: [JoinHandle<R>; N]) -> [R; N] {
    threads.map(|thread| thread.join().unwrap())
}

/// The numbers of the messages that are there.
fn all(receiver: &Receiver<Track<u32>>) -> Vec<u32> {
    receiver.try_iter().map(Track::into_inner).collect()
}

/// Two senders have one place: one of them gets it.
fn one_place_is_for_one() {
    let (sender, receiver) = bounded(1).unwrap();
    let other = sender.clone();
    let thread = spawn(move || other.try_send(Track::new(1)).is_ok());
    let is_sent = sender.try_send(Track::new(2)).is_ok();
    assert_eq!([is_sent, join([thread])[0]].iter().filter(|&&is_sent| is_sent).count(), 1);
    assert_eq!(all(&receiver), [if is_sent { 2 } else { 1 }]);
}

/// A place is used again and again, and content comes with it.
fn a_place_is_used_again() {
    let (sender, receiver) = bounded(1).unwrap();
    let thread = spawn(move || {
        let first = receiver.try_recv();
        let second = receiver.try_recv();
        let numbers = [first, second].map(|message| message.ok().map(Track::into_inner));
        (numbers, receiver)
    });
    let sent = [1, 2, 3].map(|number| sender.try_send(Track::new(number)).is_ok());
    let [(numbers, receiver)] = join([thread]);
    let received: Vec<u32> = numbers.into_iter().flatten().chain(all(&receiver)).collect();
    let expected: Vec<u32> = [1, 2, 3].into_iter().zip(sent).filter_map(|(number, is)| is.then_some(number)).collect();
    assert_eq!(received, expected);
}

/// Of three places that are not a power of two, each is used.
fn three_places() {
    let (sender, receiver) = bounded(3).unwrap();
    for lap in 0..3 {
        for number in 0..3 {
            assert_eq!(sender.try_send(3 * lap + number), Ok(()));
        }
        assert_eq!((sender.try_send(9), sender.len()), (Err(TrySendError::Full(9)), 3));
        // The laps begin anywhere.
        assert_eq!((receiver.try_recv(), sender.try_send(100 + lap)), (Ok(3 * lap), Ok(())));
        assert_eq!(receiver.try_iter().collect::<Vec<_>>(), [3 * lap + 1, 3 * lap + 2, 100 + lap]);
        assert_eq!((receiver.try_recv(), receiver.len()), (Err(TryRecvError::Empty), 0));
    }
}

/// Room that is reserved is not for others.
fn a_permit_keeps_its_room() {
    let (sender, receiver) = bounded(1).unwrap();
    let other = sender.clone();
    let permit = sender.reserve().unwrap();
    let thread = spawn(move || other.try_send(Track::new(1)).is_err());
    assert!(permit.send(Track::new(2)).is_ok());
    assert_eq!((join([thread]), all(&receiver)), ([true], vec![2]));
}

/// A send passes a permit that is not used, and the permit gets a later place, which another thread
/// has found free.
fn a_send_passes_a_permit() {
    let (sender, receiver) = bounded(2).unwrap();
    assert!(sender.send(Track::new(0)).is_ok());
    let permit = sender.reserve().unwrap();
    let (other, open) = (sender.clone(), receiver.clone());
    let threads = [
        spawn(move || receiver.try_recv().is_ok().then_some(0)),
        spawn(move || other.try_send(Track::new(1)).is_ok().then_some(1)),
    ];
    assert!(permit.send(Track::new(2)).is_ok());
    let [first, sent] = join(threads);
    let mut received: Vec<u32> = first.into_iter().chain(all(&open)).collect();
    received.sort_unstable();
    let expected: Vec<u32> = [Some(0), sent, Some(2)].into_iter().flatten().collect();
    assert_eq!(received, expected);
}

/// A sender waits for the room of a permit that is dropped.
fn a_permit_gives_its_room_back() {
    let (sender, receiver) = bounded(1).unwrap();
    let permit = sender.reserve().unwrap();
    let other = sender.clone();
    let thread = spawn(move || assert!(other.send(Track::new(1)).is_ok()));
    drop(permit);
    join([thread]);
    assert_eq!(all(&receiver), [1]);
}

/// A receiver waits for the message of a permit.
fn a_permit_wakes_a_receiver() {
    let (sender, receiver) = bounded(1).unwrap();
    let permit = sender.reserve().unwrap();
    let thread = spawn(move || assert_eq!(receiver.recv(), Ok(7)));
    assert_eq!(permit.send(7), Ok(()));
    join([thread]);
}

/// Two permits for two places, from two threads.
fn two_permits() {
    let (sender, receiver) = bounded(2).unwrap();
    let other = sender.clone();
    let thread = spawn(move || other.try_reserve().is_ok_and(|permit| permit.send(Track::new(1)).is_ok()));
    assert!(sender.try_reserve().is_ok_and(|permit| permit.send(Track::new(2)).is_ok()));
    assert_eq!(join([thread]), [true]);
    let mut received = all(&receiver);
    received.sort_unstable();
    assert_eq!(received, [1, 2]);
}

/// A permit beside `close`: the message is received, or it comes back.
fn close_beside_a_permit() {
    let (sender, receiver) = bounded(1).unwrap();
    let thread = spawn(move || {
        let permit = sender.reserve().ok()?;
        permit.send(Track::new(7)).err().map(|SendError(message)| message.into_inner())
    });
    receiver.close();
    let received: Vec<u32> = receiver.iter().map(Track::into_inner).collect();
    assert!(join([thread])[0].is_none_or(|back| back == 7 && received.is_empty()) && received.len() < 2);
}

/// A future that has waited for room is dropped: the room is left to the sender.
fn a_dropped_reservation_hands_on() {
    let (sender, receiver) = bounded::<u32>(1).unwrap();
    sender.try_send(0).unwrap();
    let (other, also) = (sender.clone(), receiver.clone());
    let mut future = other.reserve_async();
    assert!(pin!(&mut future).poll(&mut Context::from_waker(Waker::noop())).is_pending());
    let threads =
        [spawn(move || assert_eq!(receiver.recv(), Ok(0))), spawn(move || assert_eq!(sender.send(7), Ok(())))];
    drop(future);
    join(threads);
    drop(also);
}

/// A future that reserves is dropped with the permit that it has: the room is left to the sender.
fn a_reservation_that_is_not_used_hands_on() {
    let (sender, receiver) = bounded::<u32>(1).unwrap();
    sender.try_send(0).unwrap();
    let other = sender.clone();
    let mut future = other.reserve_async();
    assert!(pin!(&mut future).poll(&mut Context::from_waker(Waker::noop())).is_pending());
    let thread = spawn(move || assert_eq!(sender.send(7), Ok(())));
    assert_eq!(receiver.recv(), Ok(0));
    if let Poll::Ready(permit) = pin!(&mut future).poll(&mut Context::from_waker(Waker::noop())) {
        drop(permit.unwrap());
    }
    drop(future);
    join([thread]);
    assert_eq!(receiver.recv(), Ok(7));
}

/// A task sends several messages and is dropped while it waits: the messages not sent are left.
fn a_dropped_batch_leaves_the_rest() {
    let (sender, receiver) = bounded(1).unwrap();
    let thread = spawn(move || receiver.iter().map(Track::into_inner).collect::<Vec<_>>());
    let mut left = VecDeque::from([1, 2, 3].map(Track::new));
    {
        let mut sending = pin!(sender.send_all_async(&mut left));
        let mut context = Context::from_waker(Waker::noop());
        let _ = (0..2).find_map(|_| match sending.as_mut().poll(&mut context) {
            Poll::Ready(result) => Some(result),
            Poll::Pending => None,
        });
    }
    drop(sender);
    let [received] = join([thread]);
    assert_eq!(received.into_iter().chain(left.into_iter().map(Track::into_inner)).collect::<Vec<_>>(), [1, 2, 3]);
}

/// A task receives several messages and is dropped while it waits: they are left.
fn a_dropped_batch_takes_nothing() {
    let (sender, receiver) = bounded(2).unwrap();
    let thread = spawn(move || assert!([1, 2].map(Track::new).into_iter().all(|message| sender.send(message).is_ok())));
    let mut received = Vec::new();
    {
        let mut receiving = pin!(receiver.recv_many_async(&mut received, 2));
        let _ = receiving.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    }
    join([thread]);
    assert_eq!(received.into_iter().map(Track::into_inner).chain(all(&receiver)).collect::<Vec<_>>(), [1, 2]);
}

/// Each client, and its number of executions.
pub(crate) const CLIENTS: &[Client] = &[
    ("one_place_is_for_one", one_place_is_for_one, 10),
    ("a_place_is_used_again", a_place_is_used_again, 53),
    ("three_places", three_places, 1),
    ("a_permit_keeps_its_room", a_permit_keeps_its_room, 6),
    ("a_send_passes_a_permit", a_send_passes_a_permit, 19),
    ("a_permit_gives_its_room_back", a_permit_gives_its_room_back, 12),
    ("a_permit_wakes_a_receiver", a_permit_wakes_a_receiver, 105),
    ("two_permits", two_permits, 42),
    ("close_beside_a_permit", close_beside_a_permit, 271),
    ("a_dropped_reservation_hands_on", a_dropped_reservation_hands_on, 151),
    ("a_dropped_batch_takes_nothing", a_dropped_batch_takes_nothing, 456),
    ("a_reservation_that_is_not_used_hands_on", a_reservation_that_is_not_used_hands_on, 768),
];

/// Programs with executions picked at random.
pub(crate) const WALKS: &[Walk] = &[("a_dropped_batch_leaves_the_rest", a_dropped_batch_leaves_the_rest)];
