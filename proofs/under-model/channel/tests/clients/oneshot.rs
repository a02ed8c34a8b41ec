//! Channels for one message: it is received once, dropped once, or given back.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use super::common::{Client, Walk};
use super::library::IndexSelect;
use super::library::error::{RecvError, RecvTimeoutError, SendError};
use super::library::oneshot::{Receiver, Sender, channel};
use aqueduct_model::alloc::Track;
use aqueduct_model::future::block_on;
use aqueduct_model::sync::atomic::AtomicUsize;
use aqueduct_model::sync::atomic::Ordering::Relaxed;
use aqueduct_model::thread::{scope, spawn};

/// A channel whose message is dropped once.
fn tracked() -> (Sender<Track<u32>>, Receiver<Track<u32>>) {
    channel()
}

fn a_message() {
    let (sender, receiver) = tracked();
    let thread = spawn(move || assert!(sender.send(Track::new(7)).is_ok()));
    assert_eq!(receiver.recv().map(Track::into_inner), Ok(7));
    thread.join().unwrap();
}

fn a_message_for_a_task() {
    let (sender, mut receiver) = tracked();
    let thread = spawn(move || assert!(sender.send(Track::new(7)).is_ok()));
    assert_eq!(block_on(receiver.recv_async()).map(Track::into_inner), Ok(7));
    assert_eq!(receiver.recv().map(Track::into_inner), Err(RecvError));
    thread.join().unwrap();
}

fn the_sender_goes() {
    let (sender, receiver) = tracked();
    let thread = spawn(move || drop(sender));
    assert_eq!(receiver.recv().map(Track::into_inner), Err(RecvError));
    thread.join().unwrap();
}

/// The message is dropped with the channel, or comes back.
fn the_receiver_goes() {
    let (sender, receiver) = tracked();
    let thread = spawn(move || {
        let back = sender.send(Track::new(7)).map_err(SendError::into_inner).map_err(Track::into_inner);
        assert!([Ok(()), Err(7)].contains(&back));
    });
    drop(receiver);
    thread.join().unwrap();
}

fn both_go() {
    let (sender, receiver) = tracked();
    let thread = spawn(move || drop(sender));
    drop(receiver);
    thread.join().unwrap();
}

fn the_receiver_has_no_patience() {
    let (sender, mut receiver) = tracked();
    let thread = spawn(move || sender.send(Track::new(7)).is_ok());
    match receiver.recv_timeout(Duration::ZERO).map(Track::into_inner) {
        Ok(number) => assert_eq!(number, 7),
        Err(error) => {
            assert_eq!(error, RecvTimeoutError::Timeout);
            assert_eq!(receiver.recv().map(Track::into_inner), Ok(7));
        }
    }
    assert!(thread.join().unwrap());
}

/// A future is dropped: the message stays for the next one.
fn a_dropped_future_takes_nothing() {
    let (sender, mut receiver) = tracked();
    let thread = spawn(move || sender.send(Track::new(7)).is_ok());
    let first = Pin::new(&mut receiver.recv_async()).poll(&mut Context::from_waker(Waker::noop()));
    match first {
        Poll::Ready(message) => assert_eq!(message.map(Track::into_inner), Ok(7)),
        Poll::Pending => assert_eq!(receiver.recv().map(Track::into_inner), Ok(7)),
    }
    assert!(thread.join().unwrap());
}

/// A future is polled by another task while the sender may be about to wake the first one.
fn a_task_moves_beside_its_message() {
    let (sender, mut receiver) = tracked();
    let thread = spawn(move || sender.send(Track::new(7)).is_ok());
    let mut future = receiver.recv_async();
    let message = match Pin::new(&mut future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(message) => message,
        Poll::Pending => block_on(future),
    };
    assert_eq!(message.map(Track::into_inner), Ok(7));
    assert!(thread.join().unwrap());
}

/// A receiver that waits is dropped: the message is dropped with it, or comes back.
fn a_waiter_goes_beside_its_message() {
    let (sender, mut receiver) = tracked();
    let thread = spawn(move || {
        let back = sender.send(Track::new(7)).map_err(SendError::into_inner).map_err(Track::into_inner);
        assert!([Ok(()), Err(7)].contains(&back));
    });
    let _ = Pin::new(&mut receiver.recv_async()).poll(&mut Context::from_waker(Waker::noop()));
    drop(receiver);
    thread.join().unwrap();
}

/// A message is received, or given back, whether the close comes before or after it.
fn a_close_beside_the_message() {
    let (sender, mut receiver) = tracked();
    let thread = spawn(move || sender.send(Track::new(7)).err().map(|SendError(message)| message.into_inner()));
    let was_empty = receiver.close();
    let received = receiver.recv().map(Track::into_inner);
    let back = thread.join().unwrap();
    assert_eq!((received, back), if was_empty { (Err(RecvError), Some(7)) } else { (Ok(7), None) });
}

/// A select by index waits for the message.
fn a_message_for_a_case() {
    let (sender, mut receiver) = tracked();
    let thread = spawn(move || assert!(sender.send(Track::new(7)).is_ok()));
    let case = receiver.recv_case();
    let mut select = IndexSelect::new();
    select.case(&case);
    assert_eq!(select.select().complete(&case).map(Track::into_inner), Ok(7));
    thread.join().unwrap();
}

/// Lets other threads come further, in walks that pick the next event's thread at random.
fn dawdle(events: usize) {
    let own = AtomicUsize::new(0);
    (0..events).for_each(|_| _ = own.fetch_add(1, Relaxed));
}

/// The end of the channel is for each of two threads whose selects have one case.
///
/// By chance, it would hardly ever come when both wait, and neither has found the end of the other
/// in use.
fn the_end_for_a_case_of_two_threads() {
    let (sender, mut receiver) = tracked();
    let case = receiver.recv_case();
    let mut select = IndexSelect::new();
    select.case(&case);
    let mut other = select.clone();
    scope(|scope| {
        scope.spawn(|| {
            dawdle(60);
            assert!(other.select().complete(&case).is_err());
        });
        scope.spawn(|| {
            dawdle(200);
            drop(sender);
        });
        assert!(select.select().complete(&case).is_err());
    });
}

/// A select waits until the message is there, and leaves it to the receiver.
fn a_case_is_ready_and_goes() {
    let (sender, mut receiver) = tracked();
    let thread = spawn(move || assert!(sender.send(Track::new(7)).is_ok()));
    let case = receiver.recv_case();
    let mut select = IndexSelect::new();
    select.case(&case);
    assert_eq!(select.ready(), 0);
    drop(case);
    assert_eq!(receiver.recv().map(Track::into_inner), Ok(7));
    thread.join().unwrap();
}

/// The time of a select is over, and its case goes while the sender may be about to wake it.
fn a_case_goes_beside_its_message() {
    let (sender, mut receiver) = tracked();
    let thread = spawn(move || assert!(sender.send(Track::new(7)).is_ok()));
    let case = receiver.recv_case();
    let mut select = IndexSelect::new();
    select.case(&case);
    let chosen = select.select_timeout(Duration::ZERO).map(|chosen| chosen.complete(&case).map(Track::into_inner));
    drop(case);
    assert_eq!(chosen.unwrap_or_else(|| receiver.recv().map(Track::into_inner)), Ok(7));
    thread.join().unwrap();
}

/// Each client, and its number of executions.
pub(crate) const CLIENTS: &[Client] = &[
    ("a_message", a_message, 6),
    ("a_message_for_a_task", a_message_for_a_task, 5),
    ("the_only_sender_goes", the_sender_goes, 6),
    ("the_only_receiver_goes", the_receiver_goes, 5),
    ("both_go", both_go, 5),
    ("the_receiver_has_no_patience", the_receiver_has_no_patience, 79),
    ("a_dropped_future_takes_nothing", a_dropped_future_takes_nothing, 58),
    ("a_task_moves_beside_its_message", a_task_moves_beside_its_message, 67),
    ("a_waiter_goes_beside_its_message", a_waiter_goes_beside_its_message, 49),
    ("a_close_beside_the_message", a_close_beside_the_message, 14),
    ("a_message_for_a_case", a_message_for_a_case, 15),
    ("a_case_is_ready_and_goes", a_case_is_ready_and_goes, 26),
    ("a_case_goes_beside_its_message", a_case_goes_beside_its_message, 122),
];

/// Programs with too many executions for all of them.
pub(crate) const WALKS: &[Walk] = &[("the_end_for_a_case_of_two_threads", the_end_for_a_case_of_two_threads)];
