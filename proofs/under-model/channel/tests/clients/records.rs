//! Channels of records: each record that is committed is read once, and a cancelled record holds up
//! no receiver.

use std::future::Future;
use std::mem;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use super::common::{Client, Walk};
use super::library::IndexSelect;
use super::library::error::{RecvError, ReserveError, TryRecvError};
use super::library::records::{Space, mpmc, mpsc, spmc, spsc};
use aqueduct_model::future::block_on;
use aqueduct_model::thread::{JoinHandle, spawn};

fn join<R, const N: usize>(threads: [JoinHandle<R>; N]) -> [R; N] {
    threads.map(|thread| thread.join().unwrap())
}

/// Two blocks of one record each.
fn space() -> Space {
    Space::new(2, 2 * size_of::<usize>()).unwrap()
}

/// Two blocks of two records each.
fn larger() -> Space {
    Space::new(2, 4 * size_of::<usize>()).unwrap()
}

macro_rules! of_each_sidedness {
    ($($module:ident: $name:ident;)*) => {$(
        mod $module {
            use super::*;

            pub(super) fn one_record() {
                let (mut sender, mut receiver) = $name::bounded(space()).unwrap();
                let thread = spawn(move || assert_eq!(sender.send(&[7]), Ok(())));
                assert_eq!(receiver.recv().map(|record| record.to_vec()), Ok(vec![7]));
                assert!(receiver.recv().is_err());
                join([thread]);
            }

            /// The sender waits for room, or finds that there is no receiver.
            pub(super) fn the_receiver_goes() {
                let (mut sender, receiver) = $name::bounded(space()).unwrap();
                while sender.try_send(&[0]).is_ok() {}
                let thread = spawn(move || assert_eq!(sender.send(&[7]), Err(ReserveError::Disconnected)));
                drop(receiver);
                join([thread]);
            }
        }
    )*};
}

of_each_sidedness! {
    one_to_one: spsc;
    many_to_one: mpsc;
    one_to_many: spmc;
    many_to_many: mpmc;
}

fn tasks() {
    let (mut sender, mut receiver) = spsc::bounded(space()).unwrap();
    let thread = spawn(move || assert_eq!(block_on(sender.send_async(&[7])), Ok(())));
    assert_eq!(block_on(receiver.recv_async()).map(|record| record.to_vec()), Ok(vec![7]));
    assert_eq!(block_on(receiver.recv_async()).map(drop), Err(RecvError));
    join([thread]);
}

/// A sender waits until a record has been given back; the receiver does nothing afterwards.
fn a_record_gives_its_room_back() {
    let (mut sender, mut receiver) = spsc::bounded(space()).unwrap();
    let mut sent = 0;
    while sender.try_send(&[sent]).is_ok() {
        sent += 1;
    }
    let thread = spawn(move || {
        assert_eq!(sender.send(&[7]), Ok(()));
        sender
    });
    assert_eq!(receiver.recv().map(|record| record.to_vec()), Ok(vec![0]));
    join([thread]);
}

/// A receiver waits for a record behind a grant that is cancelled.
fn a_cancelled_grant_holds_up_nobody() {
    let (mut sender, mut receiver) = mpsc::bounded(larger()).unwrap();
    let mut other = sender.clone();
    let grant = sender.reserve(1).unwrap();
    let thread = spawn(move || assert_eq!(other.send(&[7]), Ok(())));
    let reader = spawn(move || assert_eq!(receiver.recv().map(|record| record.to_vec()), Ok(vec![7])));
    drop(grant);
    join([thread, reader]);
    drop(sender);
}

/// The queue is full of cancelled records: the receiver passes over it, and the sender learns that
/// there is room.
fn what_is_cancelled_makes_room() {
    let (mut sender, mut receiver) = mpsc::bounded(space()).unwrap();
    let mut other = sender.clone();
    // Each space is cancelled behind another one, and stays.
    while let Ok(grant) = sender.try_reserve(1) {
        let is_last = other.try_reserve(1).map(drop).is_err();
        drop(grant);
        if is_last {
            break;
        }
    }
    let thread = spawn(move || assert_eq!(other.send(&[7]), Ok(())));
    assert_eq!(receiver.recv().map(|record| record.to_vec()), Ok(vec![7]));
    join([thread]);
    drop(sender);
}

/// A grant that is forgotten ends with its sender, and the channel with the last one.
fn a_forgotten_grant_ends_with_its_sender() {
    let (mut sender, mut receiver) = mpsc::bounded(space()).unwrap();
    let thread = spawn(move || {
        mem::forget(sender.reserve(1).unwrap());
        drop(sender);
    });
    assert_eq!(receiver.recv().map(drop), Err(RecvError));
    join([thread]);
}

/// A grant that is forgotten ends with its sender; the receiver gets what another one has sent
/// behind it.
fn a_forgotten_grant_holds_up_nobody() {
    let (mut sender, mut receiver) = mpsc::bounded(larger()).unwrap();
    let mut other = sender.clone();
    mem::forget(sender.reserve(1).unwrap());
    assert_eq!(other.send(&[7]), Ok(()));
    let thread = spawn(move || drop(sender));
    assert_eq!(receiver.recv().map(|record| record.to_vec()), Ok(vec![7]));
    join([thread]);
    drop(other);
}

/// A record that is forgotten ends with its receiver, and a sender finds its room.
fn a_forgotten_record_ends_with_its_receiver() {
    let (mut sender, mut receiver) = spmc::bounded(space()).unwrap();
    let other = receiver.clone();
    while sender.try_send(&[0]).is_ok() {}
    mem::forget(receiver.recv().unwrap());
    let thread = spawn(move || assert_eq!(sender.send(&[7]), Ok(())));
    drop(receiver);
    join([thread]);
    drop(other);
}

/// A future that has waited is dropped: the record is left to the receiver.
fn a_dropped_reader_hands_on() {
    let (mut sender, mut receiver) = spmc::bounded(space()).unwrap();
    let mut other = receiver.clone();
    let mut future = other.recv_async();
    assert!(pin!(&mut future).poll(&mut Context::from_waker(Waker::noop())).is_pending());
    let thread = spawn(move || {
        assert_eq!(sender.send(&[7]), Ok(()));
        sender
    });
    let reader = spawn(move || assert_eq!(receiver.recv().map(|record| record.to_vec()), Ok(vec![7])));
    drop(future);
    join([reader]);
    // The end of the channel wakes no receiver before.
    drop(thread.join().unwrap());
}

/// A future that has waited is dropped: the room is left to the other sender.
fn a_dropped_reservation_of_bytes_hands_on() {
    let (mut sender, mut receiver) = mpsc::bounded(space()).unwrap();
    let mut other = sender.clone();
    while sender.try_send(&[0]).is_ok() {}
    let mut future = other.reserve_async(1);
    assert!(pin!(&mut future).poll(&mut Context::from_waker(Waker::noop())).is_pending());
    let reader = spawn(move || {
        drop(receiver.recv().unwrap());
        receiver
    });
    let thread = spawn(move || assert_eq!(sender.send(&[7]), Ok(())));
    drop(future);
    join([thread]);
    drop(reader.join().unwrap());
}

/// A grant that is forgotten ends with the next reservation, even if that is refused.
fn a_refused_reservation_ends_a_forgotten_grant() {
    let (mut sender, mut receiver) = mpsc::bounded(larger()).unwrap();
    let mut other = sender.clone();
    mem::forget(sender.reserve(1).unwrap());
    assert_eq!(other.send(&[7]), Ok(()));
    let reader = spawn(move || assert_eq!(receiver.recv().map(|record| record.to_vec()), Ok(vec![7])));
    assert!(matches!(sender.reserve(1000).map(drop), Err(ReserveError::TooLong { .. })));
    join([reader]);
}

/// A thread that holds a grant finds nothing to receive behind it.
fn a_grant_in_hand_is_nothing_to_receive() {
    let (mut sender, mut receiver) = mpsc::bounded(larger()).unwrap();
    let mut other = sender.clone();
    let grant = sender.reserve(1).unwrap();
    assert_eq!(other.send(&[7]), Ok(()));
    assert_eq!(receiver.try_recv().map(drop), Err(TryRecvError::Empty));
    drop(grant);
    assert_eq!(receiver.try_recv().map(|record| record.to_vec()), Ok(vec![7]));
}

/// A future that may be dropped with a record that it has just received: no receiver has read it
/// then.
fn a_cancelled_reader_loses_nothing() {
    let (mut sender, mut receiver) = spsc::bounded(space()).unwrap();
    let thread = spawn(move || assert_eq!(sender.send(&[7]), Ok(())));
    let first = {
        let mut future = pin!(receiver.recv_async());
        match future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(record) => Some(record.unwrap().to_vec()),
            Poll::Pending => None,
        }
    };
    let record = first.unwrap_or_else(|| receiver.recv().unwrap().to_vec());
    assert_eq!(record, [7]);
    join([thread]);
}

/// A record is a case of a select by index.
fn a_record_is_chosen() {
    let (mut sender, mut receiver) = spsc::bounded(space()).unwrap();
    let thread = spawn(move || assert_eq!(sender.send(&[7]), Ok(())));
    let case = receiver.recv_case();
    let mut select = IndexSelect::new();
    select.case(&case);
    assert_eq!(select.select().complete(&case).map(|record| record.to_vec()), Ok(vec![7]));
    join([thread]);
}

/// Each client, and its number of executions.
pub(crate) const CLIENTS: &[Client] = &[
    ("records::one_to_one::one_record", one_to_one::one_record, 737),
    ("records::many_to_one::one_record", many_to_one::one_record, 1_480),
    ("records::one_to_many::one_record", one_to_many::one_record, 737),
    ("records::many_to_many::one_record", many_to_many::one_record, 1_480),
    ("records::one_to_one::the_receiver_goes", one_to_one::the_receiver_goes, 70),
    ("records::many_to_one::the_receiver_goes", many_to_one::the_receiver_goes, 70),
    ("records::one_to_many::the_receiver_goes", one_to_many::the_receiver_goes, 30),
    ("records::many_to_many::the_receiver_goes", many_to_many::the_receiver_goes, 30),
    ("records::tasks", tasks, 642),
    ("a_record_gives_its_room_back", a_record_gives_its_room_back, 15),
    ("what_is_cancelled_makes_room", what_is_cancelled_makes_room, 981),
    ("a_forgotten_grant_ends_with_its_sender", a_forgotten_grant_ends_with_its_sender, 201),
    ("a_forgotten_grant_holds_up_nobody", a_forgotten_grant_holds_up_nobody, 6),
    ("a_forgotten_record_ends_with_its_receiver", a_forgotten_record_ends_with_its_receiver, 6),
    ("a_dropped_reader_hands_on", a_dropped_reader_hands_on, 40),
    ("a_dropped_reservation_of_bytes_hands_on", a_dropped_reservation_of_bytes_hands_on, 275),
    ("a_refused_reservation_ends_a_forgotten_grant", a_refused_reservation_ends_a_forgotten_grant, 6),
    ("a_grant_in_hand_is_nothing_to_receive", a_grant_in_hand_is_nothing_to_receive, 1),
    ("a_cancelled_reader_loses_nothing", a_cancelled_reader_loses_nothing, 97),
    ("a_record_is_chosen", a_record_is_chosen, 32),
];

/// Programs with executions picked at random.
pub(crate) const WALKS: &[Walk] = &[("a_cancelled_grant_holds_up_nobody", a_cancelled_grant_holds_up_nobody)];
