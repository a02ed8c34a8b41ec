//! Senders that reserve in a rendezvous: attempts pass them by, and no time-out depends on them.
//! Threads that send at once are met, and waited for.

use std::task::Poll;
use std::time::Duration;

use super::common::Client;
use super::library::error::RecvError;
use super::library::internal::rendezvous_of_threads;
use super::library::{IndexSelect, Receiver, Select, bounded, rendezvous};
use super::rendezvous::{Message, join, number, poll_once, send};
use aqueduct_model::alloc::Track;
use aqueduct_model::future::block_on;
use aqueduct_model::thread::spawn;

/// A task that reserves waits, and another thread makes an attempt: it finds the message behind, or
/// nothing, and the task keeps its place in the queue.
fn attempts_pass_a_reservation_by(attempt: fn(&Receiver<Message>) -> Option<Message>) {
    let (sender, receiver) = rendezvous();
    let (behind, other) = (sender.clone(), receiver.clone());
    let mut reserving = sender.reserve_async();
    assert!(poll_once(&mut reserving).is_pending());
    let sending = spawn(move || behind.try_send(Track::new(1)).is_ok() || send(&behind, 1).is_none());
    let trying = spawn(move || attempt(&other).map(Track::into_inner));
    let [found] = join([trying]);
    assert!(found.is_none_or(|number| number == 1) && poll_once(&mut reserving).is_pending());
    drop(reserving);
    let late = if found.is_none() { number(receiver.recv()) } else { found };
    assert_eq!((late, join([sending])), (Some(1), [true]));
}

fn a_try_passes_a_reservation_by() {
    attempts_pass_a_reservation_by(|receiver| receiver.try_recv().ok());
}

fn a_select_that_tries_passes_a_reservation_by() {
    attempts_pass_a_reservation_by(|receiver| Select::new().on(receiver.recv_async(), Result::ok).try_now().flatten());
}

fn a_select_by_index_that_tries_passes_a_reservation_by() {
    attempts_pass_a_reservation_by(|receiver| {
        let mut select = IndexSelect::new();
        select.recv(receiver);
        select.try_select().and_then(|chosen| chosen.recv(receiver).ok())
    });
}

/// A thread waits for a time while another one has a permit for it, until the time is over. The
/// message goes to the next receiver then, and to none twice.
fn a_permit_beside_a_time_out(wait: fn(&Receiver<Message>) -> Option<Message>) {
    let (sender, receiver) = rendezvous();
    let other = receiver.clone();
    let waiting = spawn(move || wait(&other).map(Track::into_inner));
    // The permit finds the receiver, or the receiver finds the permit, or neither.
    let mut reserving = sender.reserve_async();
    let mut reserved = poll_once(&mut reserving);
    assert_eq!(join([waiting]), [None]);
    if reserved.is_pending() {
        reserved = poll_once(&mut reserving);
    }
    match reserved {
        Poll::Ready(permit) => {
            assert!(permit.unwrap().send(Track::new(7)).is_ok());
            assert_eq!(number(receiver.recv()), Some(7));
        }
        Poll::Pending => assert!(receiver.try_recv().is_err()),
    }
}

fn a_time_out_beside_a_permit() {
    a_permit_beside_a_time_out(|receiver| receiver.recv_timeout(Duration::ZERO).ok());
}

fn a_select_with_a_time_out_beside_a_permit() {
    a_permit_beside_a_time_out(|receiver| {
        let (_open, silent) = rendezvous::<Message>();
        let select = Select::new().on(receiver.recv_async(), Result::ok).on(silent.recv_async(), Result::ok);
        select.wait_timeout(Duration::ZERO).flatten()
    });
}

fn a_select_by_index_with_a_time_out_beside_a_permit() {
    a_permit_beside_a_time_out(|receiver| {
        let mut select = IndexSelect::new();
        select.recv(receiver);
        select.select_timeout(Duration::ZERO).and_then(|chosen| chosen.recv(receiver).ok())
    });
}

/// A permit is used, or dropped, while the time of its receiver is over: the message is received
/// once.
fn a_permit_is_used_beside_a_time_out() {
    let (sender, receiver) = rendezvous();
    let other = receiver.clone();
    let waiting = spawn(move || other.recv_timeout(Duration::ZERO).ok().map(Track::into_inner));
    let is_sent = sender.try_reserve().is_ok_and(|permit| permit.send(Track::new(7)).is_ok());
    drop(sender);
    let received = [join([waiting])[0], number(receiver.recv())];
    assert_eq!(received.iter().flatten().count(), usize::from(is_sent));
}

/// The receiver of a permit goes when its time is over, and the channel is closed. The message
/// comes back, unless a receiver gets it: those that have got the end do not look again.
fn a_permit_is_used_after_the_close() {
    let (sender, receiver) = rendezvous();
    let waiting = spawn(move || {
        let first = receiver.recv_timeout(Duration::ZERO).ok();
        (first.or_else(|| receiver.recv().ok()).map(Track::into_inner), receiver)
    });
    let permit = sender.try_reserve();
    sender.close();
    let is_sent = permit.is_ok_and(|permit| permit.send(Track::new(7)).is_ok());
    let [(received, _receiver)] = join([waiting]);
    assert_eq!(received, is_sent.then_some(7));
}

/// A select has been promised a message, and its other channel has one: it takes that when its time
/// is over, or leaves it there.
fn a_select_beside_a_permit_loses_nothing() {
    let (sender, receiver) = rendezvous::<u32>();
    let (other, second) = bounded::<u32>(1).unwrap();
    let waiting = spawn(move || {
        let select = Select::new().on(receiver.recv_async(), Result::ok).on(second.recv_async(), Result::ok);
        let chosen = select.wait_timeout(Duration::ZERO);
        (chosen.flatten(), second)
    });
    let permit = sender.try_reserve();
    other.send(8).unwrap();
    let [(chosen, second)] = join([waiting]);
    assert_eq!(chosen.or_else(|| second.try_recv().ok()), Some(8));
    assert!(second.try_recv().is_err());
    drop(permit);
}

/// A permit is forgotten, and its sender is dropped: the receiver gets the end.
fn a_forgotten_permit_ends_with_its_sender() {
    let (sender, receiver) = rendezvous::<u32>();
    let waiting = spawn(move || receiver.recv());
    if let Ok(permit) = sender.try_reserve() {
        std::mem::forget(permit);
    }
    drop(sender);
    assert_eq!(join([waiting]), [Err(RecvError)]);
}

/// A send that is polled again after it was ready promises nothing.
fn a_send_polled_again_promises_nothing() {
    let (sender, receiver) = rendezvous::<u32>();
    let waiting = spawn(move || [receiver.recv(), receiver.recv()]);
    let mut sending = sender.send_async(7);
    block_on(&mut sending).unwrap();
    assert!(poll_once(&mut sending).is_ready());
    drop(sending);
    assert_eq!(sender.send(8), Ok(()));
    assert_eq!(join([waiting]), [[Ok(7), Ok(8)]]);
}

/// A select sends its message at once, or goes when its time is over. An attempt meets it, or not:
/// if it is sent, it is received by that attempt.
fn an_attempt_beside_a_prompt_select(attempt: fn(&Receiver<Message>) -> Option<Message>) {
    let (sender, receiver) = rendezvous_of_threads();
    let (_open, silent) = rendezvous::<Message>();
    let other = receiver.clone();
    let trying = spawn(move || attempt(&other).is_some());
    let mut select = IndexSelect::biased();
    let (index, _) = (select.send(&sender), select.recv(&silent));
    let is_sent = select.select_timeout(Duration::ZERO).is_some_and(|chosen| {
        assert_eq!(chosen.index(), index);
        chosen.send(&sender, Track::new(7)).is_ok()
    });
    assert_eq!(join([trying]), [is_sent]);
    assert_eq!((receiver.len(), receiver.try_recv().is_ok()), (0, false));
}

fn a_try_beside_a_prompt_select() {
    an_attempt_beside_a_prompt_select(|receiver| receiver.try_recv().ok());
}

fn a_time_out_beside_a_prompt_select() {
    an_attempt_beside_a_prompt_select(|receiver| receiver.recv_timeout(Duration::ZERO).ok());
}

fn a_select_with_a_time_out_beside_a_prompt_select() {
    an_attempt_beside_a_prompt_select(|receiver| {
        let (_open, silent) = rendezvous::<Message>();
        let mut select = IndexSelect::biased();
        let (_, _) = (select.recv(receiver), select.recv(&silent));
        select.select_timeout(Duration::ZERO).and_then(|chosen| chosen.recv(receiver).ok())
    });
}

/// A select that waits to send makes its receiver ready, which gets the message without a wait.
fn a_prompt_select_is_ready() {
    let (sender, receiver) = rendezvous_of_threads();
    let sending = spawn(move || {
        let mut select = IndexSelect::new();
        select.send(&sender);
        select.select().send(&sender, Track::new(7)).is_ok()
    });
    let mut select = IndexSelect::new();
    select.recv(&receiver);
    assert_eq!(select.ready(), 0);
    assert_eq!(receiver.try_recv().ok().map(Track::into_inner), Some(7));
    assert_eq!(join([sending]), [true]);
}

/// A sender withdraws its promise, while another one waits behind it with a message: the attempt
/// finds that one.
fn an_attempt_goes_on_when_a_promise_is_broken() {
    let (sender, receiver) = rendezvous_of_threads();
    let behind = sender.clone();
    let mut reserving = sender.reserve_async();
    assert!(poll_once(&mut reserving).is_pending());
    let mut sending = behind.send_async(Track::new(1));
    assert!(poll_once(&mut sending).is_pending());
    let trying = spawn(move || receiver.try_recv().ok().map(Track::into_inner));
    // A promise, or a place in the queue.
    drop(reserving);
    assert_eq!(join([trying]), [Some(1)]);
    assert!(poll_once(&mut sending).is_ready());
}

/// Each client, and its number of executions.
pub(crate) const CLIENTS: &[Client] = &[
    ("a_try_passes_a_reservation_by", a_try_passes_a_reservation_by, 121),
    ("a_select_that_tries_passes_a_reservation_by", a_select_that_tries_passes_a_reservation_by, 121),
    ("a_select_by_index_that_tries_passes_a_reservation_by", a_select_by_index_that_tries_passes_a_reservation_by, 121),
    ("a_time_out_beside_a_permit", a_time_out_beside_a_permit, 5),
    ("a_select_with_a_time_out_beside_a_permit", a_select_with_a_time_out_beside_a_permit, 12),
    ("a_select_by_index_with_a_time_out_beside_a_permit", a_select_by_index_with_a_time_out_beside_a_permit, 5),
    ("a_permit_is_used_beside_a_time_out", a_permit_is_used_beside_a_time_out, 56),
    ("a_permit_is_used_after_the_close", a_permit_is_used_after_the_close, 38),
    ("a_select_beside_a_permit_loses_nothing", a_select_beside_a_permit_loses_nothing, 196),
    ("a_forgotten_permit_ends_with_its_sender", a_forgotten_permit_ends_with_its_sender, 20),
    ("a_send_polled_again_promises_nothing", a_send_polled_again_promises_nothing, 58),
    ("a_try_beside_a_prompt_select", a_try_beside_a_prompt_select, 30),
    ("a_time_out_beside_a_prompt_select", a_time_out_beside_a_prompt_select, 101),
    ("a_select_with_a_time_out_beside_a_prompt_select", a_select_with_a_time_out_beside_a_prompt_select, 113),
    ("a_prompt_select_is_ready", a_prompt_select_is_ready, 108),
    ("an_attempt_goes_on_when_a_promise_is_broken", an_attempt_goes_on_when_a_promise_is_broken, 4),
];
