//! Channels of capacity 0, beside threads that wait in a select to send, and make their messages
//! when they are chosen.

use std::thread;
use std::time::Duration;

use crossbeam_channel::{Receiver, Select, bounded, never, select, unbounded};

const SHORT: Duration = Duration::from_millis(5);
/// With `SHORT` after each one, longer than a thread needs to begin.
const ATTEMPTS: usize = 10_000;

/// Repeats an attempt until it meets a select with a send. An attempt that has met it does not end
/// before the message.
fn meets(receive: impl Fn(&Receiver<u32>) -> Option<u32>) {
    for has_other_case in [false, true] {
        let ((sender, receiver), (tell, told)) = (bounded(0), unbounded());
        let make = move || {
            tell.send(()).unwrap();
            thread::sleep(2 * SHORT);
            7
        };
        let thread = thread::spawn(move || match has_other_case {
            false => select! { send(sender, make()) -> sent => sent.is_ok() },
            true => select! {
                send(sender, make()) -> sent => sent.is_ok(),
                recv(never::<u32>()) -> _ => unreachable!(),
            },
        });
        let received = (0..ATTEMPTS).find_map(|_| {
            let received = receive(&receiver);
            assert!(received.is_some() || told.recv_timeout(SHORT).is_err(), "it has met a sender, and left it");
            received
        });
        drop(receiver);
        assert_eq!((received, thread.join().unwrap()), (Some(7), true));
    }
}

#[test]
fn try_recv_meets_a_select_that_sends() {
    meets(|receiver| receiver.try_recv().ok());
}

#[test]
fn a_time_out_does_not_end_a_meeting() {
    for timeout in [Duration::ZERO, SHORT] {
        meets(|receiver| receiver.recv_timeout(timeout).ok());
    }
}

#[test]
fn a_select_that_ends_at_once_meets_a_select_that_sends() {
    meets(|receiver| {
        select! {
            recv(receiver) -> number => number.ok(),
            default => None,
        }
    });
    for timeout in [Duration::ZERO, SHORT] {
        meets(|receiver| {
            select! {
                recv(receiver) -> number => number.ok(),
                recv(never::<u32>()) -> _ => unreachable!(),
                default(timeout) => None,
            }
        });
    }
}

#[test]
fn a_select_that_sends_makes_its_receiver_ready() {
    for timeout in [Duration::ZERO, SHORT] {
        meets(|receiver| {
            let mut select = Select::new();
            select.recv(receiver);
            select.ready_timeout(timeout).ok().and_then(|_| receiver.try_recv().ok())
        });
    }
}
