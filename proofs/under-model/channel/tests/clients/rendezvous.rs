//! Rendezvous: each send meets a receive, also when both are cases of selects.

use std::future::Future;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use super::common::{Client, Walk};
use super::library::error::{RecvError, SendError};
use super::library::{IndexSelect, Receiver, RecvFuture, Select, Sender, bounded, rendezvous, unbounded};
use aqueduct_model::alloc::Track;
use aqueduct_model::future::block_on;
use aqueduct_model::thread::{JoinHandle, spawn};

/// A message that is dropped once.
pub(super) type Message = Track<u32>;

pub(super) fn join<R, const N: usize>(threads: [JoinHandle<R>; N]) -> [R; N] {
    threads.map(|thread| thread.join().unwrap())
}

/// The numbers of all messages until the channel ends.
fn rest(receiver: &Receiver<Message>) -> Vec<u32> {
    receiver.iter().map(Track::into_inner).collect()
}

/// Sends the number, and returns what came back.
pub(super) fn send(sender: &Sender<Message>, number: u32) -> Option<u32> {
    sender.send(Track::new(number)).err().map(|SendError(message)| message.into_inner())
}

pub(super) fn number(message: Result<Message, RecvError>) -> Option<u32> {
    message.ok().map(Track::into_inner)
}

pub(super) fn poll_once<F: Future + Unpin>(future: &mut F) -> Poll<F::Output> {
    pin!(future).poll(&mut Context::from_waker(Waker::noop()))
}

/// Either side may come first; the channel ends with the sender.
fn two_messages() {
    let (sender, receiver) = rendezvous();
    let thread = spawn(move || assert_eq!([send(&sender, 1), send(&sender, 2)], [None; 2]));
    assert_eq!(rest(&receiver), [1, 2]);
    join([thread]);
}

/// A send that has returned was received: the receiver has begun.
fn two_senders() {
    let (sender, receiver) = rendezvous();
    let threads = [(sender.clone(), 1), (sender, 2)].map(|(sender, number)| spawn(move || send(&sender, number)));
    let mut received = rest(&receiver);
    received.sort_unstable();
    assert_eq!((received, join(threads)), (vec![1, 2], [None; 2]));
}

/// A `try_send` that meets a receiver which waits, or not.
fn tries() {
    let (sender, receiver) = rendezvous();
    let thread = spawn(move || rest(&receiver));
    let is_sent = sender.try_send(Track::new(7)).is_ok();
    drop(sender);
    assert_eq!(join([thread])[0], if is_sent { vec![7] } else { vec![] });
}

/// The receiver goes: the message comes back.
fn the_receiver_goes() {
    let (sender, receiver) = rendezvous();
    let thread = spawn(move || assert_eq!(send(&sender, 7), Some(7)));
    drop(receiver);
    join([thread]);
}

/// The channel is closed beside a send and a receive: they meet, or both get the end.
fn close_beside_both() {
    let (sender, receiver) = rendezvous();
    let other = sender.clone();
    let thread = spawn(move || send(&sender, 7));
    let receiving = spawn(move || number(receiver.recv()));
    other.close();
    let (back, received) = (join([thread])[0], join([receiving])[0]);
    assert!([(None, Some(7)), (Some(7), None)].contains(&(back, received)));
}

/// A wait ends because its time is over or a partner has come.
fn neither_has_patience() {
    let (sender, receiver) = rendezvous();
    let thread = spawn(move || sender.send_timeout(Track::new(7), Duration::ZERO).is_ok());
    let received = receiver.recv_timeout(Duration::ZERO).is_ok();
    assert_eq!(join([thread]), [received]);
}

fn tasks() {
    let (sender, receiver) = rendezvous();
    let thread = spawn(move || assert!(block_on(sender.send_async(Track::new(7))).is_ok()));
    assert_eq!(number(block_on(receiver.recv_async())), Some(7));
    join([thread]);
}

/// A future that waits is dropped: the message that it may have got goes to the other receiver.
fn a_dropped_receiver_hands_on() {
    let (sender, receiver) = rendezvous();
    let (other, open) = (receiver.clone(), sender.clone());
    let mut future = other.recv_async();
    assert!(poll_once(&mut future).is_pending());
    let thread = spawn(move || assert_eq!(send(&sender, 7), None));
    let also = spawn(move || assert_eq!(number(receiver.recv()), Some(7)));
    drop(future);
    join([thread, also]);
    drop(open);
}

/// The channel ends behind a message for a task that waits. What the task receives, if anything,
/// and what another receiver does before it finds the end, is that message.
fn the_end_beside_a_task(take: impl FnOnce(RecvFuture<'_, Message>) -> Option<u32>) {
    let (sender, receiver) = rendezvous();
    let other = receiver.clone();
    let mut future = other.recv_async();
    assert!(poll_once(&mut future).is_pending());
    let thread = spawn(move || assert_eq!(send(&sender, 7), None));
    let also = spawn(move || rest(&receiver));
    let own = take(future);
    join([thread]);
    assert_eq!(own.into_iter().chain(join([also]).concat()).collect::<Vec<_>>(), [7]);
}

fn a_tasks_message_outlives_the_end() {
    the_end_beside_a_task(|future| {
        drop(future);
        None
    });
}

fn a_tasks_message_is_received_once() {
    the_end_beside_a_task(|future| number(block_on(future)));
}

/// Two messages come beside a task that waits, and the end behind them: another receiver gets its
/// own in their order.
fn messages_for_a_task_stay_in_order() {
    let (sender, receiver) = rendezvous();
    let other = receiver.clone();
    let mut future = other.recv_async();
    assert!(poll_once(&mut future).is_pending());
    let thread = spawn(move || assert_eq!([send(&sender, 7), send(&sender, 8)], [None; 2]));
    let rest = rest(&receiver);
    drop(future);
    join([thread]);
    assert_eq!(rest, [7, 8]);
}

/// A task polls beside a thread that tries, and waits again if that one has been the first.
fn a_task_is_called_in_vain() {
    let (sender, receiver) = rendezvous();
    let other = receiver.clone();
    let mut future = other.recv_async();
    assert!(poll_once(&mut future).is_pending());
    let thread = spawn(move || assert_eq!([send(&sender, 7), send(&sender, 8)], [None; 2]));
    let trying = spawn(move || receiver.try_recv().ok().map(|message| number(Ok(message))));
    let own: Vec<u32> = number(block_on(future)).into_iter().chain(rest(&other)).collect();
    join([thread]);
    let tried = join([trying])[0].flatten();
    assert!(own.is_sorted());
    assert_eq!(own.len() + tried.iter().count(), 2);
}

/// A permit is used beside a close: the message is received, or comes back.
fn a_permit_beside_a_close() {
    let (sender, receiver) = rendezvous();
    let (other, also) = (sender.clone(), receiver.clone());
    let mut future = receiver.recv_async();
    assert!(poll_once(&mut future).is_pending());
    let permit = sender.reserve().unwrap();
    let closing = spawn(move || assert!(other.close()));
    let receiving = spawn(move || rest(&also));
    let sent: Vec<u32> = permit.send(Track::new(7)).ok().map(|()| 7).into_iter().collect();
    drop(future);
    join([closing]);
    assert_eq!(join([receiving])[0], sent);
}

/// A future that waits is dropped: its message is received or dropped, once, and the next sender is
/// served.
fn a_dropped_sender_goes() {
    let (sender, receiver) = rendezvous();
    let other = sender.clone();
    let mut future = other.send_async(Track::new(1));
    assert!(poll_once(&mut future).is_pending());
    let thread = spawn(move || number(receiver.recv()));
    drop(future);
    let is_sent = sender.send(Track::new(2)).is_ok();
    assert_eq!(join([thread])[0], Some(if is_sent { 2 } else { 1 }));
}

/// A permit is a receiver that waits for its message, or for another one if the permit is dropped.
fn a_permit_is_a_promise() {
    let (sender, receiver) = rendezvous();
    let thread = spawn(move || rest(&receiver));
    drop(sender.reserve().unwrap());
    assert!(sender.reserve().unwrap().send(Track::new(7)).is_ok());
    drop(sender);
    assert_eq!(join([thread])[0], [7]);
}

/// A receiver whose time is over, or whose future is dropped, while a message is promised to it.
fn a_promise_is_kept_though_the_receiver_goes() {
    let (sender, receiver) = rendezvous();
    let other = receiver.clone();
    let mut future = other.recv_async();
    assert!(poll_once(&mut future).is_pending());
    let permit = sender.reserve().unwrap();
    let thread = spawn(move || number(receiver.recv()));
    drop(future);
    assert!(permit.send(Track::new(7)).is_ok());
    assert_eq!(join([thread]), [Some(7)]);
}

/// Sends by a select with one case more, which is never completed.
fn send_or_stop(sender: &Sender<u32>, silent: &Receiver<u32>) {
    let sent = Select::new().on(silent.recv_async(), |_| None).on(sender.send_async(7), Some).wait();
    assert_eq!(sent, Some(Ok(())));
}

/// Both sides wait by selects, and meet.
fn two_selects_meet() {
    let (sender, receiver) = rendezvous();
    let ((_open, silent), (_also, quiet)) = (rendezvous(), rendezvous::<u32>());
    let thread = spawn(move || send_or_stop(&sender, &silent));
    let received =
        Select::new().on(quiet.recv_async(), |_| None).on(receiver.recv_async(), |number| number.ok()).wait();
    assert_eq!(received, Some(7));
    join([thread]);
}

/// Both sides send to each other, and receive from each other: one message goes, either way.
fn two_selects_with_two_channels() {
    let ((one, first), (other, second)) = (rendezvous(), rendezvous());
    let both = |sender: Sender<u32>, receiver: Receiver<u32>| {
        Select::new()
            .on(sender.send_async(1), |sent| if sent.is_ok() { "sent" } else { "refused" })
            .on(receiver.recv_async(), |received| if received.is_ok() { "received" } else { "ended" })
            .wait()
    };
    let open = [(one.clone(), first.clone()), (other.clone(), second.clone())];
    let thread = spawn(move || both(one, second));
    let mine = both(other, first);
    let [theirs] = join([thread]);
    assert!([("sent", "received"), ("received", "sent")].contains(&(mine, theirs)), "{mine} {theirs}");
    drop(open);
}

/// A select does not meet itself.
fn a_select_does_not_meet_itself() {
    let (sender, receiver) = rendezvous::<u32>();
    let chosen = Select::new()
        .on(sender.send_async(1), |_| "sent")
        .on(receiver.recv_async(), |_| "received")
        .wait_timeout(Duration::ZERO);
    assert_eq!(chosen, None);
}

/// A select waits for a rendezvous and for a channel with a queue, and both senders come: one is
/// chosen, and the other one's message stays.
fn a_channel_with_room_beside_one_without() {
    let ((one, first), (other, second)) = (rendezvous::<u32>(), bounded::<u32>(1).unwrap());
    let open = (one.clone(), other.clone());
    let threads = [spawn(move || one.try_send(1).is_ok()), spawn(move || other.try_send(2).is_ok())];
    let chosen = Select::new().on(first.recv_async(), |number| number).on(second.recv_async(), |number| number).wait();
    let [is_met, is_sent] = join(threads);
    let rest = second.try_recv().ok();
    assert!(is_sent);
    assert_eq!((is_met, rest), if chosen == Ok(1) { (true, Some(2)) } else { (false, None) });
    drop(open);
}

/// A select that waits makes attempts again, and a sender that finds it busy is not forgotten.
fn a_busy_select_is_not_passed_by() {
    let ((one, first), (open, second)) = (rendezvous::<u32>(), bounded::<u32>(1).unwrap());
    let mut select = Select::new().on(first.recv_async(), |number| number).on(second.recv_async(), |number| number);
    assert!(Pin::new(&mut select).poll(&mut Context::from_waker(Waker::noop())).is_pending());
    let thread = spawn(move || assert_eq!(one.send(1), Ok(())));
    assert_eq!(block_on(select), Ok(1));
    join([thread]);
    drop(open);
}

/// A select that waits makes attempts again, and a receiver that finds it busy is not forgotten.
fn a_busy_select_is_not_passed_by_receivers() {
    let ((one, first), (open, second)) = (rendezvous::<u32>(), bounded::<u32>(1).unwrap());
    let mut select = Select::new().on(one.send_async(1), |sent| sent.is_ok()).on(second.recv_async(), |_| false);
    assert!(Pin::new(&mut select).poll(&mut Context::from_waker(Waker::noop())).is_pending());
    let thread = spawn(move || assert_eq!(first.recv(), Ok(1)));
    assert!(block_on(select));
    join([thread]);
    drop(open);
}

/// A select with two sends has two receivers, one of them a select, too: one message is sent.
fn one_of_two_sends() {
    let ((one, first), (other, second), (open, silent)) =
        (rendezvous::<u32>(), rendezvous::<u32>(), rendezvous::<u32>());
    let threads = [
        spawn(move || first.recv().is_ok()),
        spawn(move || {
            let received = |message: Result<u32, RecvError>| message.is_ok();
            Select::new().on(second.recv_async(), received).on(silent.recv_async(), received).wait()
        }),
    ];
    let sent = Select::new().on(one.send_async(1), |sent| sent.is_ok()).on(other.send_async(2), |sent| sent.is_ok());
    assert!(sent.wait());
    drop((one, other));
    let received = join(threads);
    assert!(received[0] != received[1], "{received:?}");
    drop(open);
}

/// The message for which a task's select was chosen is taken by another thread, also while the
/// select is polled: it waits for all of its cases.
fn a_select_is_called_in_vain() {
    let ((one, first), (other, second)) = (rendezvous::<u32>(), rendezvous::<u32>());
    let (open, also) = (one.clone(), first.clone());
    let mut select = Select::new().on(first.recv_async(), |number| number).on(second.recv_async(), |number| number);
    assert!(poll_once(&mut select).is_pending());
    let trying = spawn(move || one.try_send(1).is_ok() && also.try_recv().is_err());
    let early = match poll_once(&mut select) {
        Poll::Ready(number) => Some(number),
        Poll::Pending => None,
    };
    let is_left = join([trying])[0];
    let sending = spawn(move || assert_eq!(other.send(2), Ok(())));
    let number = match early {
        Some(number) => number,
        None => block_on(select),
    };
    assert_eq!(number, Ok(if is_left { 1 } else { 2 }));
    if is_left {
        assert_eq!(second.recv(), Ok(2));
    }
    join([sending]);
    drop(open);
}

/// A select waits for a message that another thread takes, and a sender finds the select busy in
/// the meantime.
fn a_message_comes_and_goes() {
    let ((one, first), (open, second)) = (rendezvous::<u32>(), bounded::<u32>(1).unwrap());
    let (other, again) = (second.clone(), open.clone());
    let threads = [
        spawn(move || assert_eq!(one.send(1), Ok(()))),
        // A message that comes and goes makes the select busy.
        spawn(move || {
            again.send(2).unwrap();
            let _ = other.try_recv();
        }),
    ];
    let mut chosen =
        Select::new().on(first.recv_async(), |number| number).on(second.recv_async(), |number| number).wait();
    if chosen == Ok(2) {
        chosen = first.recv();
    }
    assert_eq!(chosen, Ok(1));
    join(threads);
    drop(open);
}

/// A select waits for two channels: in one a sender comes, and the other one ends. One of the two
/// is chosen.
fn an_end_beside_a_sender() {
    let ((one, first), (other, second)) = (rendezvous::<u32>(), rendezvous::<u32>());
    let open = one.clone();
    let threads = [
        spawn(move || one.try_send(1).is_ok()),
        spawn(move || {
            drop(other);
            true
        }),
    ];
    let chosen = Select::new().on(first.recv_async(), |number| number).on(second.recv_async(), |number| number).wait();
    let [is_met, _] = join(threads);
    assert_eq!(chosen, if is_met { Ok(1) } else { Err(RecvError) });
    drop(open);
}

/// A task waits by a select, and is dropped after it has been chosen: the message goes to the next
/// receiver.
fn a_dropped_select_hands_on() {
    let ((one, first), (_open, second)) = (rendezvous::<u32>(), rendezvous::<u32>());
    let (other, open) = (first.clone(), one.clone());
    let mut select = Select::new().on(first.recv_async(), |number| number).on(second.recv_async(), |number| number);
    assert!(Pin::new(&mut select).poll(&mut Context::from_waker(Waker::noop())).is_pending());
    let thread = spawn(move || assert_eq!(one.send(7), Ok(())));
    let also = spawn(move || other.recv());
    drop(select);
    join([thread]);
    assert_eq!(join([also]), [Ok(7)]);
    drop(open);
}

/// Selects by index on both sides; the sender makes its message when it has been chosen.
fn two_selects_by_index() {
    let (sender, receiver) = rendezvous();
    let ((_open, silent), (_also, quiet)) = (unbounded::<Message>(), rendezvous::<Message>());
    let thread = spawn(move || {
        let mut select = IndexSelect::new();
        let (_, index) = (select.recv(&silent), select.send(&sender));
        let chosen = select.select();
        assert_eq!(chosen.index(), index);
        assert!(chosen.send(&sender, Track::new(7)).is_ok());
    });
    let mut select = IndexSelect::new();
    let (index, _) = (select.recv(&receiver), select.recv(&quiet));
    let chosen = select.select();
    assert_eq!(chosen.index(), index);
    assert_eq!(number(chosen.recv(&receiver)), Some(7));
    join([thread]);
}

/// A select by index reserves room, and another sender gets its own.
fn a_select_by_index_sends() {
    let (sender, receiver) = bounded(1).unwrap();
    let (_open, silent) = rendezvous::<u32>();
    let other = sender.clone();
    let thread = spawn(move || assert_eq!(send(&other, 1), None));
    let receiving = spawn(move || rest(&receiver));
    let mut select = IndexSelect::new();
    select.recv(&silent);
    select.send(&sender);
    assert!(select.select().send(&sender, Track::new(2)).is_ok());
    drop(sender);
    join([thread]);
    let mut received = join([receiving])[0].clone();
    received.sort_unstable();
    assert_eq!(received, [1, 2]);
}

/// A thread waits until a channel is ready, and leaves its message to another one.
fn ready_takes_nothing() {
    let (sender, receiver) = unbounded::<u32>();
    let other = receiver.clone();
    let threads = [spawn(move || assert_eq!(sender.send(7), Ok(()))), spawn(move || assert_eq!(other.recv(), Ok(7)))];
    let mut select = IndexSelect::new();
    select.recv(&receiver);
    assert_eq!(select.ready(), 0);
    join(threads);
}

/// A thread waits until a partner waits.
fn ready_to_meet() {
    let (sender, receiver) = rendezvous();
    let thread = spawn(move || assert_eq!(send(&sender, 7), None));
    let mut select = IndexSelect::new();
    select.recv(&receiver);
    assert_eq!(select.ready(), 0);
    assert_eq!(number(receiver.recv()), Some(7));
    join([thread]);
}

/// Each client, and its number of executions.
pub(crate) const CLIENTS: &[Client] = &[
    ("rendezvous::two_messages", two_messages, 600),
    ("rendezvous::tries", tries, 38),
    ("rendezvous::the_receiver_goes", the_receiver_goes, 12),
    ("close_beside_both", close_beside_both, 260),
    ("neither_has_patience", neither_has_patience, 56),
    ("rendezvous::tasks", tasks, 4),
    ("rendezvous::a_dropped_receiver_hands_on", a_dropped_receiver_hands_on, 58),
    ("a_tasks_message_outlives_the_end", a_tasks_message_outlives_the_end, 260),
    ("a_tasks_message_is_received_once", a_tasks_message_is_received_once, 2_856),
    ("messages_for_a_task_stay_in_order", messages_for_a_task_stay_in_order, 215),
    ("a_task_is_called_in_vain", a_task_is_called_in_vain, 24_447),
    ("a_permit_beside_a_close", a_permit_beside_a_close, 297),
    ("a_dropped_sender_goes", a_dropped_sender_goes, 22),
    ("a_permit_is_a_promise", a_permit_is_a_promise, 720),
    ("a_promise_is_kept_though_the_receiver_goes", a_promise_is_kept_though_the_receiver_goes, 6),
    ("two_selects_meet", two_selects_meet, 48),
    ("two_selects_with_two_channels", two_selects_with_two_channels, 646),
    ("a_select_does_not_meet_itself", a_select_does_not_meet_itself, 2),
    ("a_channel_with_room_beside_one_without", a_channel_with_room_beside_one_without, 372),
    ("a_busy_select_is_not_passed_by", a_busy_select_is_not_passed_by, 44),
    ("a_busy_select_is_not_passed_by_receivers", a_busy_select_is_not_passed_by_receivers, 44),
    ("one_of_two_sends", one_of_two_sends, 36000),
    ("a_select_is_called_in_vain", a_select_is_called_in_vain, 744),
    ("a_message_comes_and_goes", a_message_comes_and_goes, 18_612),
    ("an_end_beside_a_sender", an_end_beside_a_sender, 197),
    ("a_dropped_select_hands_on", a_dropped_select_hands_on, 116),
    ("two_selects_by_index", two_selects_by_index, 72),
    ("ready_to_meet", ready_to_meet, 6),
];

/// Programs with executions picked at random.
pub(crate) const WALKS: &[Walk] = &[
    ("rendezvous::two_senders", two_senders),
    ("a_select_by_index_sends", a_select_by_index_sends),
    ("ready_takes_nothing", ready_takes_nothing),
];
