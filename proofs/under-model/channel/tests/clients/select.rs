//! The first of several operations: no message is taken from a channel that was not chosen, and no
//! wake-up is lost.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use super::common::Client;
use super::library::error::{RecvError, SendError};
use super::library::{Receiver, Select, bounded};
use aqueduct_model::future::block_on;
use aqueduct_model::thread::{JoinHandle, spawn};

fn join<R, const N: usize>(threads: [JoinHandle<R>; N]) -> [R; N] {
    threads.map(|thread| thread.join().unwrap())
}

/// Receives from the first of two channels that has a message.
fn either<'a>(one: &'a Receiver<u32>, other: &'a Receiver<u32>) -> Select<'a, Result<u32, RecvError>> {
    Select::new().on(one.recv_async(), |message| message).on(other.recv_async(), |message| message)
}

/// A thread waits for two channels, and one has a message.
fn the_first_message_is_chosen() {
    let ((one, receiver), (_other, silent)) = (bounded(1).unwrap(), bounded(1).unwrap());
    let thread = spawn(move || one.send(7));
    assert_eq!(either(&silent, &receiver).wait(), Ok(7));
    assert_eq!(join([thread]), [Ok(())]);
}

/// Both channels have a message in the end: the one that is not chosen keeps its own.
fn the_other_message_stays() {
    let ((one, first), (other, second)) = (bounded(1).unwrap(), bounded(1).unwrap());
    let open = (one.clone(), other.clone());
    other.send(2).unwrap();
    let thread = spawn(move || one.send(1));
    let chosen = either(&first, &second).wait();
    assert_eq!(join([thread]), [Ok(())]);
    let rest = [first.try_recv().ok(), second.try_recv().ok()];
    assert_eq!(rest, if chosen == Ok(1) { [None, Some(2)] } else { [Some(1), None] });
    drop(open);
}

/// A task waits for two channels.
fn a_task_chooses() {
    let ((one, receiver), (_other, silent)) = (bounded(1).unwrap(), bounded(1).unwrap());
    let thread = spawn(move || one.send(7));
    assert_eq!(block_on(either(&silent, &receiver)), Ok(7));
    assert_eq!(join([thread]), [Ok(())]);
}

/// The end of a channel is chosen.
fn an_end_is_chosen() {
    let ((one, receiver), (_other, silent)) = (bounded::<u32>(1).unwrap(), bounded(1).unwrap());
    let thread = spawn(move || drop(one));
    assert_eq!(either(&silent, &receiver).wait(), Err(RecvError));
    join([thread]);
}

/// A select waits for two channels, and both get a message: if it chooses the second one, the
/// wake-up of the first one goes to the receiver that waits there.
fn a_choice_hands_on() {
    let ((one, first), (other, second)) = (bounded(2).unwrap(), bounded(1).unwrap());
    let (also, again) = (first.clone(), one.clone());
    let mut select = either(&first, &second);
    assert!(Pin::new(&mut select).poll(&mut Context::from_waker(Waker::noop())).is_pending());
    let threads = [spawn(move || one.send(1).unwrap()), spawn(move || assert_eq!(also.recv(), Ok(1)))];
    other.send(2).unwrap();
    match Pin::new(&mut select).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(Ok(1)) => assert_eq!(again.send(1), Ok(())),
        Poll::Ready(chosen) => assert_eq!(chosen, Ok(2)),
        Poll::Pending => panic!("the second channel has a message"),
    }
    drop(select);
    join(threads);
}

/// The time is over, or there is a message: it is taken or stays.
fn a_select_has_no_patience() {
    let ((one, first), (_other, second)) = (bounded(1).unwrap(), bounded::<u32>(1).unwrap());
    let thread = spawn(move || one.send(7).unwrap());
    let chosen = either(&first, &second).wait_timeout(Duration::ZERO);
    join([thread]);
    assert_eq!(chosen.or(first.recv().ok().map(Ok)), Some(Ok(7)));
}

/// A send beside a receive: the message is sent, or the other one is received.
fn a_send_and_a_receive() {
    let ((one, first), (other, second)) = (bounded(1).unwrap(), bounded::<u32>(1).unwrap());
    while one.try_send(0).is_ok() {}
    let thread = spawn(move || {
        assert_eq!(first.recv(), Ok(0));
        first
    });
    let chosen: Result<(), SendError<u32>> =
        Select::new().on(second.recv_async(), |_| Ok(())).on(one.send_async(7), |sent| sent).wait();
    assert_eq!(chosen, Ok(()));
    drop((one, other));
    assert_eq!(join([thread])[0].iter().last(), Some(7));
}

/// Each client, and its number of executions.
pub(crate) const CLIENTS: &[Client] = &[
    ("the_first_message_is_chosen", the_first_message_is_chosen, 206),
    ("the_other_message_stays", the_other_message_stays, 4),
    ("a_task_chooses", a_task_chooses, 206),
    ("an_end_is_chosen", an_end_is_chosen, 32),
    ("a_select_has_no_patience", a_select_has_no_patience, 282),
    ("a_send_and_a_receive", a_send_and_a_receive, 64),
    ("a_choice_hands_on", a_choice_hands_on, 17_040),
];
