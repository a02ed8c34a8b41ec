//! Of two channels, one has a message (or room) at each moment: an attempt in both finds one, in
//! whichever order.

#![allow(dead_code, reason = "not all tests use all of it")]

use super::common::Client;
use super::library::error::{SendError, TryRecvError};
use super::library::{IndexSelect, Receiver, Select, Sender, bounded, mpmc, mpsc, spmc, unbounded_with_block_size};
use aqueduct_model::thread::spawn;

/// The first channel has a message. A thread sends to the second one, and takes the message of the
/// first one.
fn a_message_is_found((one, first): (Sender<u32>, Receiver<u32>), (other, second): (Sender<u32>, Receiver<u32>)) {
    one.send(1).unwrap();
    let taker = first.clone();
    let thread = spawn(move || {
        other.send(2).unwrap();
        (other, taker.try_recv())
    });
    let mut select = IndexSelect::new();
    let index = select.recv(&first);
    select.recv(&second);
    let chosen = select.try_select().expect("there is a message at each moment");
    let is_first = chosen.index() == index;
    assert_eq!(chosen.recv(if is_first { &first } else { &second }), Ok(if is_first { 1 } else { 2 }));
    let (_open, taken) = thread.join().unwrap();
    assert_eq!(taken, if is_first { Err(TryRecvError::Empty) } else { Ok(1) });
}

/// The first channel has room. A thread receives from the second one, which is full, and fills the
/// first one.
fn room_is_found() {
    let ((one, first), (other, second)) = (bounded(1).unwrap(), bounded(1).unwrap());
    other.send(0).unwrap();
    let filler = one.clone();
    let thread = spawn(move || {
        assert_eq!(second.try_recv(), Ok(0));
        (filler.try_send(1).is_ok(), first, second)
    });
    let mut select = IndexSelect::new();
    let index = select.send(&one);
    select.send(&other);
    let chosen = select.try_select().expect("there is room at each moment");
    let is_first = chosen.index() == index;
    assert!(chosen.send(if is_first { &one } else { &other }, 2).is_ok());
    let (is_sent, first, second) = thread.join().unwrap();
    assert_eq!(is_sent, !is_first);
    let left = [first.try_recv().ok(), second.try_recv().ok()];
    assert_eq!(left, if is_first { [Some(2), None] } else { [Some(1), Some(2)] });
}

fn a_message_of_a_few_is_found() {
    a_message_is_found(bounded(1).unwrap(), bounded(1).unwrap());
}

fn a_message_of_any_number_is_found() {
    a_message_is_found(unbounded_with_block_size(1).unwrap(), unbounded_with_block_size(1).unwrap());
}

fn a_message_within_a_block_is_found() {
    a_message_is_found(unbounded_with_block_size(2).unwrap(), unbounded_with_block_size(2).unwrap());
}

/// A select over futures makes two attempts in each case, too.
fn a_typed_select_finds_a_message() {
    let ((one, first), (other, second)) = (bounded(1).unwrap(), bounded(1).unwrap());
    one.send(1).unwrap();
    let taker = first.clone();
    let thread = spawn(move || {
        other.send(2).unwrap();
        (other, taker.try_recv().ok())
    });
    let select = Select::new().on(first.recv_async(), |message| message).on(second.recv_async(), |message| message);
    let found = select.try_now();
    let (_open, taken) = thread.join().unwrap();
    assert_eq!(found, Some(Ok(if taken.is_some() { 2 } else { 1 })));
}

/// Handles that threads do not share.
macro_rules! of_each_sidedness {
    ($($name:ident: $(receives by $receives:ident)? $(sends by $sends:ident)?;)*) => {$(
        fn $name() {
            $(
                let ((mut one, mut first), (mut other, mut second)) =
                    ($receives::bounded(1).unwrap(), $receives::bounded(1).unwrap());
                one.send(1).unwrap();
                let mut taker = first.clone();
                let thread = spawn(move || {
                    other.send(2).unwrap();
                    (other, taker.try_recv().ok())
                });
                let found = Select::new()
                    .on(first.recv_async(), |message| message)
                    .on(second.recv_async(), |message| message)
                    .try_now();
                assert!(found.is_some(), "there is a message at each moment");
                let (_open, taken) = thread.join().unwrap();
                assert_eq!(taken.is_some(), found == Some(Ok(2)));
            )?
            $(
                let ((mut one, first), (mut other, mut second)) =
                    ($sends::bounded(1).unwrap(), $sends::bounded(1).unwrap());
                let places = (0..).take_while(|_| other.try_send(0).is_ok()).count();
                (1..places).for_each(|_| one.try_send(0).unwrap());
                let mut filler = one.clone();
                let thread = spawn(move || {
                    while second.try_recv().is_ok() {}
                    (filler.try_send(1).is_ok(), first, second)
                });
                let found = Select::new()
                    .on(one.send_async(3), |sent| sent.map_err(|SendError(_)| ()))
                    .on(other.send_async(3), |sent| sent.map_err(|SendError(_)| ()))
                    .try_now();
                assert_eq!(found, Some(Ok(())), "there is room at each moment");
                thread.join().unwrap();
            )?
        }
    )*};
}

of_each_sidedness! {
    a_message_of_one_sender_is_found: receives by spmc;
    a_message_of_many_senders_is_found: receives by mpmc;
    room_for_one_receiver_is_found: sends by mpsc;
    room_for_many_receivers_is_found: sends by mpmc;
}

/// Each client, and its number of executions.
pub(crate) const CLIENTS: &[Client] = &[
    ("a_message_of_a_few_is_found", a_message_of_a_few_is_found, 22),
    ("a_message_of_any_number_is_found", a_message_of_any_number_is_found, 86),
    ("a_message_within_a_block_is_found", a_message_within_a_block_is_found, 86),
    ("room_is_found", room_is_found, 38),
    ("a_typed_select_finds_a_message", a_typed_select_finds_a_message, 22),
];

/// Clients that fail: the orderings of these queues do not promise it, and the documentation says
/// so.
pub(crate) const NOT_PROMISED: &[Client] = &[
    ("a_message_of_one_sender_is_found", a_message_of_one_sender_is_found, 0),
    ("a_message_of_many_senders_is_found", a_message_of_many_senders_is_found, 0),
    ("room_for_one_receiver_is_found", room_for_one_receiver_is_found, 0),
    ("room_for_many_receivers_is_found", room_for_many_receivers_is_found, 0),
];
