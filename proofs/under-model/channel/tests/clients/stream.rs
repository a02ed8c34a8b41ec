//! Streams and sinks of tasks.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

use super::common::Client;
use super::library::error::SendError;
use super::library::stream::{IntoSink, SendSink};
use super::library::{Receiver, Sender, bounded, broadcast, mpsc, rendezvous};
use aqueduct_model::future::block_on;
use aqueduct_model::thread::spawn;
use futures_core::Stream;
use futures_sink::Sink;

type Ends = (Sender<u32>, Receiver<u32>);

/// The messages of a stream until its end.
async fn all<S: Stream<Item = u32> + Unpin>(mut stream: S) -> Vec<u32> {
    let mut messages = Vec::new();
    while let Some(message) = poll_fn(|context| Pin::new(&mut stream).poll_next(context)).await {
        messages.push(message);
    }
    assert_eq!(poll_fn(|context| Pin::new(&mut stream).poll_next(context)).await, None, "the end is the end");
    messages
}

/// Sends all numbers through a sink, and closes the sink.
async fn feed<S: Sink<u32, Error = SendError<Option<u32>>> + Unpin>(mut sink: S, numbers: &[u32]) {
    for &number in numbers {
        poll_fn(|context| Pin::new(&mut sink).poll_ready(context)).await.unwrap();
        Pin::new(&mut sink).start_send(number).unwrap();
    }
    poll_fn(|context| Pin::new(&mut sink).poll_flush(context)).await.unwrap();
    poll_fn(|context| Pin::new(&mut sink).poll_close(context)).await.unwrap();
}

/// Whether a sink that is polled once has room.
fn is_ready(sink: &mut SendSink<'_, u32>) -> bool {
    pin!(sink).poll_ready(&mut Context::from_waker(Waker::noop())).is_ready()
}

/// A stream waits for messages and for the end, one wait after the other.
fn a_stream_ends((sender, receiver): Ends) {
    let thread = spawn(move || assert_eq!(sender.send(7), Ok(())));
    assert_eq!(block_on(all(receiver.into_stream())), [7]);
    thread.join().unwrap();
}

fn a_stream_of_a_handle_ends() {
    let (mut sender, mut receiver) = mpsc::bounded(1).unwrap();
    let thread = spawn(move || assert_eq!(sender.send(7), Ok(())));
    assert_eq!(block_on(all(receiver.stream())), [7]);
    thread.join().unwrap();
}

fn a_stream_of_news_ends() {
    let (sender, receiver) = broadcast::channel(2).unwrap();
    let thread = spawn(move || assert_eq!((sender.send(7), sender.send(8)), (Ok(()), Ok(()))));
    assert_eq!(block_on(all(receiver.into_stream())), [7, 8]);
    thread.join().unwrap();
}

/// A sink waits for room, and its end is the end of the channel.
fn a_sink_ends((sender, receiver): Ends) {
    let thread = spawn(move || block_on(feed(sender.into_sink(), &[7])));
    assert_eq!(receiver.iter().collect::<Vec<_>>(), [7]);
    thread.join().unwrap();
}

/// A sink that is closed has no sender, though it is not dropped.
fn a_closed_sink_is_no_sender() {
    let (sender, receiver) = bounded(1).unwrap();
    let mut sink: IntoSink<Sender<u32>> = sender.into_sink();
    let thread = spawn(move || receiver.iter().count());
    block_on(poll_fn(|context| Pin::new(&mut sink).poll_close(context))).unwrap();
    assert_eq!(thread.join().unwrap(), 0);
    assert_eq!(block_on(poll_fn(|context| Pin::new(&mut sink).poll_ready(context))), Err(SendError(None)));
}

/// A stream has taken a message, waits for the next one, and is dropped: the next one is left to
/// another receiver.
fn a_dropped_stream_hands_on() {
    let (sender, receiver) = bounded(1).unwrap();
    sender.send(6).unwrap();
    let (other, _open) = (receiver.clone(), sender.clone());
    let mut stream = other.stream();
    let mut poll = || Pin::new(&mut stream).poll_next(&mut Context::from_waker(Waker::noop()));
    assert_eq!((poll(), poll()), (Poll::Ready(Some(6)), Poll::Pending));
    let threads =
        (spawn(move || assert_eq!(sender.send(7), Ok(()))), spawn(move || assert_eq!(receiver.recv(), Ok(7))));
    drop(stream);
    threads.0.join().unwrap();
    threads.1.join().unwrap();
}

/// A sink waits for room and is dropped: the room is left to another sender.
fn a_dropped_sink_hands_on() {
    let (sender, receiver) = bounded(1).unwrap();
    sender.send(0).unwrap();
    let (other, also) = (sender.clone(), receiver.clone());
    let mut sink = other.sink();
    assert!(!is_ready(&mut sink));
    let threads =
        (spawn(move || assert_eq!(receiver.recv(), Ok(0))), spawn(move || assert_eq!(sender.send(7), Ok(()))));
    drop(sink);
    threads.0.join().unwrap();
    threads.1.join().unwrap();
    drop(also);
}

/// A sink that has room goes, or is closed: another sender has the room.
fn a_sink_gives_its_room_back(closes: bool) {
    let (sender, receiver) = bounded(1).unwrap();
    let other = sender.clone();
    let mut sink = other.sink();
    assert!(is_ready(&mut sink) && is_ready(&mut sink));
    let thread = spawn(move || assert_eq!(sender.send(7), Ok(())));
    if closes {
        block_on(poll_fn(|context| Pin::new(&mut sink).poll_close(context))).unwrap();
        thread.join().unwrap();
    } else {
        drop(sink);
        thread.join().unwrap();
    }
    drop(receiver);
}

/// A sink that waits is closed: the receiver waits for another sender.
fn a_closed_sink_leaves_the_line() {
    let (sender, receiver) = rendezvous();
    let other = sender.clone();
    let mut sink = other.sink();
    assert!(!is_ready(&mut sink));
    block_on(poll_fn(|context| Pin::new(&mut sink).poll_close(context))).unwrap();
    let thread = spawn(move || assert_eq!(sender.send(7), Ok(())));
    assert_eq!(receiver.recv(), Ok(7));
    thread.join().unwrap();
}

/// A message of a sink whose receiver goes comes back, or is sent.
fn a_receiver_goes_from_a_sink((sender, receiver): Ends) {
    let thread = spawn(move || drop(receiver));
    let mut sink = sender.sink();
    let result = block_on(poll_fn(|context| Pin::new(&mut sink).poll_ready(context)));
    if result.is_ok() {
        let sent = Pin::new(&mut sink).start_send(7);
        assert!([Ok(()), Err(SendError(Some(7)))].contains(&sent));
    }
    thread.join().unwrap();
    assert_eq!(block_on(poll_fn(|context| Pin::new(&mut sink).poll_ready(context))), Err(SendError(None)));
}

/// Each client, and its number of executions.
pub(crate) const CLIENTS: &[Client] = &[
    ("a_stream_ends", || a_stream_ends(bounded(1).unwrap()), 1_240),
    ("rendezvous::a_stream_ends", || a_stream_ends(rendezvous()), 32),
    ("a_stream_of_a_handle_ends", a_stream_of_a_handle_ends, 524),
    ("a_stream_of_news_ends", a_stream_of_news_ends, 12_084),
    ("a_sink_ends", || a_sink_ends(bounded(1).unwrap()), 951),
    ("rendezvous::a_sink_ends", || a_sink_ends(rendezvous()), 30),
    ("a_closed_sink_is_no_sender", a_closed_sink_is_no_sender, 30),
    ("a_dropped_stream_hands_on", a_dropped_stream_hands_on, 157),
    ("a_dropped_sink_hands_on", a_dropped_sink_hands_on, 151),
    ("a_dropped_sink_gives_its_room_back", || a_sink_gives_its_room_back(false), 12),
    ("a_closed_sink_gives_its_room_back", || a_sink_gives_its_room_back(true), 12),
    ("rendezvous::a_closed_sink_leaves_the_line", a_closed_sink_leaves_the_line, 9),
    ("a_receiver_goes_from_a_sink", || a_receiver_goes_from_a_sink(bounded(1).unwrap()), 16),
    ("rendezvous::a_receiver_goes_from_a_sink", || a_receiver_goes_from_a_sink(rendezvous()), 3),
];
