//! Handles of one thread: they close their channel, reserve room, are sinks, and are cases of a
//! select by index.

#![allow(dead_code, reason = "not all tests use all of it")]

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

use super::common::{Capsules, Client, Geometry, Walk};
use super::library::error::{RecvError, SendError};
use super::library::{IndexSelect, bounded, broadcast, latest, mpmc, mpsc, relaxed, spmc, spsc};
use aqueduct_model::alloc::Track;
use aqueduct_model::future::block_on;
use aqueduct_model::thread::{scope, spawn};
use futures_sink::Sink;

/// A message that is dropped once.
type Message = Track<u32>;

/// The result of a send.
fn back(result: Result<(), SendError<Message>>) -> Option<u32> {
    result.err().map(|SendError(message)| message.into_inner())
}

fn is_pending<F: Future + Unpin>(future: &mut F) -> bool {
    pin!(future).poll(&mut Context::from_waker(Waker::noop())).is_pending()
}

macro_rules! of_each {
    ($($module:ident: $ends:expr;)*) => {$(
        mod $module {
            use super::*;

            /// A send beside `close` is received, or its own message comes back.
            pub(super) fn close_beside_a_send() {
                let (mut sender, mut receiver) = $ends;
                let thread = spawn(move || back(sender.send(Track::new(7))));
                // The sender may be gone already, with its message sent.
                receiver.close();
                let received: Vec<u32> = receiver.iter().map(Track::into_inner).collect();
                assert!(receiver.recv().is_err() && receiver.is_empty() && !receiver.close());
                let back = thread.join().unwrap();
                assert_eq!((received, back), if back.is_some() { (vec![], Some(7)) } else { (vec![7], None) });
            }

            /// A sender that waits for room gets its message back.
            pub(super) fn close_wakes_a_sender() {
                let (mut sender, receiver) = $ends;
                while sender.try_send(Track::new(0)).is_ok() {}
                let thread = spawn(move || assert_eq!(back(sender.send(Track::new(7))), Some(7)));
                receiver.close();
                thread.join().unwrap();
            }

            /// The sender closes: the receiver gets the end.
            pub(super) fn the_sender_closes() {
                let (mut sender, mut receiver) = $ends;
                let thread = spawn(move || {
                    assert!(sender.send(Track::new(7)).is_ok() && sender.close());
                    assert_eq!(back(sender.send(Track::new(8))), Some(8));
                    sender
                });
                assert_eq!(receiver.iter().map(Track::into_inner).collect::<Vec<_>>(), [7]);
                drop(thread.join().unwrap());
            }
        }
    )*};
}

of_each! {
    one_to_one: spsc::bounded::<Message>(1).unwrap();
    many_to_one: mpsc::bounded::<Message>(1).unwrap();
    one_to_many: spmc::bounded::<Message>(1).unwrap();
    many_to_many: mpmc::bounded::<Message>(1).unwrap();
    in_capsules: relaxed::bounded::<Message>(Capsules::new(2, 2, 1, 1).unwrap()).unwrap();
}

/// Two sends that come late: each message is received or comes back, once. It may come back to the
/// other send.
fn close_beside_two_sends() {
    let (sender, mut receiver) = mpsc::bounded::<u32>(2).unwrap();
    let other = sender.clone();
    let threads = [(sender, 1), (other, 2)]
        .map(|(mut sender, number)| spawn(move || sender.send(number).err().map(SendError::into_inner)));
    receiver.close();
    let received: Vec<_> = receiver.iter().collect();
    let back = threads.map(|thread| thread.join().unwrap());
    let mut all: Vec<u32> = received.into_iter().chain(back.into_iter().flatten()).collect();
    all.sort_unstable();
    assert_eq!(all, [1, 2]);
}

/// Of two receivers, one finds the end, and the other one can go first or last.
fn close_beside_two_receivers() {
    let (mut sender, mut receiver) = spmc::bounded::<Message>(1).unwrap();
    let mut other = receiver.clone();
    let threads = (
        spawn(move || back(sender.send(Track::new(7)))),
        spawn(move || other.iter().map(Track::into_inner).collect::<Vec<_>>()),
    );
    receiver.close();
    let received: Vec<u32> = receiver.iter().map(Track::into_inner).collect();
    drop(receiver);
    let all = [received, threads.1.join().unwrap(), threads.0.join().unwrap().into_iter().collect()].concat();
    assert_eq!(all, [7]);
}

/// The messages that two late sends get back: not promised to be their own.
fn each_send_gets_its_own_message_back() {
    let (sender, receiver) = bounded::<u32>(2).unwrap();
    let threads = [(sender.clone(), 1), (sender, 2)].map(|(sender, number)| {
        spawn(move || assert!(sender.send(number).err().is_none_or(|SendError(back)| back == number)))
    });
    receiver.close();
    assert!(receiver.iter().count() < 3);
    for thread in threads {
        thread.join().unwrap();
    }
}

/// A permit waits for room, and is room.
fn a_permit_waits() {
    let (mut sender, mut receiver) = spsc::bounded(1).unwrap();
    let mut room = 0;
    while sender.try_send(Track::new(0)).is_ok() {
        room += 1;
    }
    assert!(sender.try_reserve().is_err());
    let thread = spawn(move || {
        let permit = sender.reserve().unwrap();
        assert!(permit.send(Track::new(7)).is_ok());
    });
    assert!((0..room).all(|_| receiver.recv().is_ok()));
    thread.join().unwrap();
    assert_eq!(receiver.iter().map(Track::into_inner).collect::<Vec<_>>(), [7]);
}

/// A permit beside `close`: the message is received, or it comes back.
fn close_beside_a_permit() {
    let (mut sender, mut receiver) = spmc::bounded(1).unwrap();
    let thread = spawn(move || match sender.reserve() {
        Ok(permit) => back(permit.send(Track::new(7))),
        Err(_) => Some(7),
    });
    receiver.close();
    let received: Vec<u32> = receiver.iter().map(Track::into_inner).collect();
    let back = thread.join().unwrap();
    assert_eq!((received, back), if back.is_some() { (vec![], Some(7)) } else { (vec![7], None) });
}

/// A reservation waits and is dropped: the sender can wait again.
fn a_dropped_reservation_is_forgotten() {
    let (mut sender, mut receiver) = spsc::bounded(1).unwrap();
    let mut room = 0;
    while sender.try_send(0).is_ok() {
        room += 1;
    }
    assert!(is_pending(&mut sender.reserve_async()));
    let thread = spawn(move || assert_eq!(block_on(sender.reserve_async()).map(|permit| permit.send(7)), Ok(Ok(()))));
    assert!((0..room).all(|_| receiver.recv().is_ok()));
    thread.join().unwrap();
    assert_eq!(receiver.iter().collect::<Vec<_>>(), [7]);
}

/// A batch of a task is dropped while it waits: the messages are left.
fn a_dropped_batch_takes_nothing() {
    let (mut sender, mut receiver) = mpsc::bounded(2).unwrap();
    let thread = spawn(move || assert!([1, 2].map(Track::new).into_iter().all(|message| sender.send(message).is_ok())));
    let mut received = Vec::new();
    {
        let mut receiving = pin!(receiver.recv_many_async(&mut received, 2));
        let _ = receiving.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    }
    thread.join().unwrap();
    received.extend(receiver.try_iter());
    assert_eq!(received.into_iter().map(Track::into_inner).collect::<Vec<_>>(), [1, 2]);
}

/// A message waits in a sink, which is flushed.
fn a_sink_waits() {
    let (mut sender, mut receiver) = mpsc::bounded(1).unwrap();
    let mut room = 0;
    while sender.try_send(0).is_ok() {
        room += 1;
    }
    let thread = spawn(move || {
        let mut sink = sender.sink();
        assert!(Pin::new(&mut sink).poll_ready(&mut Context::from_waker(Waker::noop())).is_ready());
        assert_eq!(Pin::new(&mut sink).start_send(7), Ok(()));
        assert_eq!(block_on(poll_fn(|context| Pin::new(&mut sink).poll_close(context))), Ok(()));
    });
    assert!((0..room).all(|_| receiver.recv().is_ok()));
    thread.join().unwrap();
    assert_eq!(receiver.iter().collect::<Vec<_>>(), [7]);
}

/// A sink waits and is dropped with its message: the room, one block, is left to the other sender.
fn a_dropped_sink_hands_on() {
    let (mut sender, mut receiver) = mpsc::with_geometry(Geometry::new(2, 2).unwrap()).unwrap();
    while sender.try_send(Track::new(0)).is_ok() {}
    let mut other = sender.clone();
    let mut sink = sender.sink();
    assert!(Pin::new(&mut sink).start_send(Track::new(1)).is_ok());
    assert!(Pin::new(&mut sink).poll_flush(&mut Context::from_waker(Waker::noop())).is_pending());
    let threads = (
        spawn(move || assert!(other.send(Track::new(7)).is_ok())),
        spawn(move || {
            assert!((0..2).all(|_| receiver.recv().is_ok()));
            receiver
        }),
    );
    drop(sink);
    threads.0.join().unwrap();
    drop(threads.1.join().unwrap());
}

/// A case waits; the channel that is not chosen keeps its message.
fn a_case_is_chosen() {
    let ((mut sender, mut first), (other, second)) = (spsc::bounded(1).unwrap(), bounded(1).unwrap());
    let thread = spawn(move || {
        assert_eq!(sender.send(1), Ok(()));
        assert_eq!(other.send(2), Ok(()));
        (sender, other)
    });
    let case = first.recv_case();
    let mut select = IndexSelect::new();
    let (index, _) = (select.case(&case), select.recv(&second));
    let chosen = select.select();
    if chosen.index() == index {
        assert_eq!(chosen.complete(&case), Ok(1));
        assert_eq!(second.recv(), Ok(2));
    } else {
        assert_eq!(chosen.recv(&second), Ok(2));
        drop(case);
        assert_eq!(first.recv(), Ok(1));
    }
    thread.join().unwrap();
}

/// A case waits until it is ready, and takes nothing.
fn a_case_is_ready() {
    let (mut sender, mut receiver) = spsc::bounded(1).unwrap();
    let thread = spawn(move || assert_eq!(sender.send(7), Ok(())));
    let case = receiver.recv_case();
    let mut select = IndexSelect::new();
    select.case(&case);
    assert_eq!(select.ready(), 0);
    drop(case);
    assert_eq!(receiver.recv(), Ok(7));
    thread.join().unwrap();
}

/// Cases of news and of the newest value: one is chosen, and the other one comes afterwards.
fn news_and_a_value() {
    let ((sender, mut news), (setter, mut value)) = (broadcast::channel(1).unwrap(), latest::channel(0));
    let threads =
        (spawn(move || assert_eq!(sender.send(1), Ok(()))), spawn(move || assert_eq!(setter.send(2), Ok(()))));
    let (first, second) = (news.recv_case(), value.recv_case());
    let mut select = IndexSelect::new();
    let cases = [select.case(&first), select.case(&second)];
    let chosen = select.select();
    let rest = if chosen.index() == cases[0] {
        assert_eq!(chosen.complete(&first), Ok(1));
        2
    } else {
        assert_eq!(chosen.complete(&second), Ok(2));
        1
    };
    drop((first, second));
    assert_eq!(if rest == 1 { news.recv() } else { value.recv() }, Ok(rest));
    threads.0.join().unwrap();
    threads.1.join().unwrap();
}

/// A reservation is a case: room comes.
fn room_is_chosen() {
    let (mut sender, mut receiver) = spsc::bounded(1).unwrap();
    let mut room = 0;
    while sender.try_send(0).is_ok() {
        room += 1;
    }
    let thread = spawn(move || {
        let case = sender.reserve_case();
        let mut select = IndexSelect::new();
        select.case(&case);
        let chosen = select.select();
        assert_eq!(chosen.complete(&case).map(|permit| permit.send(7)), Ok(Ok(())));
    });
    assert!((0..room).all(|_| receiver.recv().is_ok()));
    thread.join().unwrap();
    assert_eq!(receiver.iter().collect::<Vec<_>>(), [7]);
}

/// Copies of a select, in two threads, have one case: each gets a message.
fn a_case_of_two_threads() {
    let (mut sender, mut receiver) = spsc::bounded(2).unwrap();
    assert_eq!((sender.send(7), sender.send(7)), (Ok(()), Ok(())));
    let case = receiver.recv_case();
    let mut select = IndexSelect::new();
    select.case(&case);
    let mut other = select.clone();
    scope(|scope| {
        scope.spawn(|| assert_eq!(other.select().complete(&case), Ok(7)));
        assert_eq!(select.select().complete(&case), Ok(7));
    });
}

/// The end of a channel concerns a case.
fn the_end_is_chosen() {
    let (sender, mut receiver) = mpsc::bounded::<u32>(1).unwrap();
    let thread = spawn(move || drop(sender));
    let case = receiver.recv_case();
    let mut select = IndexSelect::new();
    select.case(&case);
    assert_eq!(select.select().complete(&case), Err(RecvError));
    thread.join().unwrap();
}

/// Polls a future once or twice, and drops it.
fn polled<F: Future>(future: F, times: usize) -> Option<F::Output> {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    (0..times).find_map(|_| match future.as_mut().poll(&mut context) {
        Poll::Ready(output) => Some(output),
        Poll::Pending => None,
    })
}

/// A future that sends is dropped: its message has been sent if it was ready, and not otherwise.
macro_rules! a_dropped_send_sends_nothing {
    ($ends:expr, $times:literal) => {{
        #[allow(unused_mut, reason = "handles that threads share need no exclusive reference")]
        let (mut sender, mut receiver) = $ends;
        let mut room = 0;
        while sender.try_send(Track::new(0)).is_ok() {
            room += 1;
        }
        let thread =
            spawn(move || polled(sender.send_async(Track::new(7)), $times).is_some_and(|result| result.is_ok()));
        assert!((0..room).all(|_| receiver.recv().is_ok()));
        let is_sent = thread.join().unwrap();
        let received = receiver.iter().map(Track::into_inner).collect::<Vec<_>>();
        assert_eq!(received, if is_sent { vec![7] } else { vec![] });
    }};
}

fn alone(capsules: usize) -> (relaxed::Sender<Message>, relaxed::Receiver<Message>) {
    relaxed::bounded(Capsules::new(capsules, 1, 1, 1).unwrap()).unwrap()
}

/// Each client, and its number of executions.
pub(crate) const CLIENTS: &[Client] = &[
    ("handles::one_to_one::close_beside_a_send", one_to_one::close_beside_a_send, 95),
    ("handles::many_to_one::close_beside_a_send", many_to_one::close_beside_a_send, 482),
    ("handles::one_to_many::close_beside_a_send", one_to_many::close_beside_a_send, 95),
    ("handles::many_to_many::close_beside_a_send", many_to_many::close_beside_a_send, 482),
    ("handles::in_capsules::close_beside_a_send", in_capsules::close_beside_a_send, 621),
    ("handles::one_to_one::close_wakes_a_sender", one_to_one::close_wakes_a_sender, 8),
    ("handles::many_to_one::close_wakes_a_sender", many_to_one::close_wakes_a_sender, 8),
    ("handles::one_to_many::close_wakes_a_sender", one_to_many::close_wakes_a_sender, 8),
    ("handles::many_to_many::close_wakes_a_sender", many_to_many::close_wakes_a_sender, 8),
    ("handles::in_capsules::close_wakes_a_sender", in_capsules::close_wakes_a_sender, 8),
    ("handles::one_to_one::the_sender_closes", one_to_one::the_sender_closes, 260),
    ("handles::many_to_one::the_sender_closes", many_to_one::the_sender_closes, 526),
    ("handles::one_to_many::the_sender_closes", one_to_many::the_sender_closes, 260),
    ("handles::many_to_many::the_sender_closes", many_to_many::the_sender_closes, 526),
    ("handles::in_capsules::the_sender_closes", in_capsules::the_sender_closes, 526),
    ("handles::a_permit_waits", a_permit_waits, 17),
    ("handles::close_beside_a_permit", close_beside_a_permit, 80),
    ("handles::a_dropped_reservation_is_forgotten", a_dropped_reservation_is_forgotten, 17),
    ("handles::a_dropped_batch_takes_nothing", a_dropped_batch_takes_nothing, 272),
    ("handles::a_sink_waits", a_sink_waits, 19),
    ("handles::a_dropped_sink_hands_on", a_dropped_sink_hands_on, 78),
    ("handles::a_case_is_chosen", a_case_is_chosen, 556),
    ("handles::a_case_is_ready", a_case_is_ready, 27),
    ("handles::room_is_chosen", room_is_chosen, 19),
    ("handles::a_case_of_two_threads", a_case_of_two_threads, 14),
    ("handles::the_end_is_chosen", the_end_is_chosen, 16),
    ("handles::a_dropped_send_sends_nothing", || a_dropped_send_sends_nothing!(spsc::bounded(1).unwrap(), 1), 31),
    ("handles::a_polled_send_sends_nothing", || a_dropped_send_sends_nothing!(spsc::bounded(1).unwrap(), 2), 45),
    ("handles::many::a_polled_send_sends_nothing", || a_dropped_send_sends_nothing!(mpmc::bounded(1).unwrap(), 2), 43),
    ("handles::shared::a_polled_send_sends_nothing", || a_dropped_send_sends_nothing!(bounded(1).unwrap(), 2), 47),
    ("handles::relaxed::a_polled_send_sends_nothing", || a_dropped_send_sends_nothing!(alone(2), 2), 138),
];

/// Programs with executions picked at random.
pub(crate) const WALKS: &[Walk] = &[
    ("handles::close_beside_two_sends", close_beside_two_sends),
    ("handles::close_beside_two_receivers", close_beside_two_receivers),
    ("handles::news_and_a_value", news_and_a_value),
];

/// Clients that fail in some execution.
pub(crate) const NOT_PROMISED: &[Client] =
    &[("each_send_gets_its_own_message_back", each_send_gets_its_own_message_back, 0)];
