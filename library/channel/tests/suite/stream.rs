//! Streams and sinks, with the futures crates' own combinators.

use std::sync::Arc;
use std::thread;

use aqueduct_channel::error::SendError;
use aqueduct_channel::{bounded, broadcast, latest, mpsc, rendezvous, spsc, unbounded};
use futures_util::stream::{self, FusedStream};
use futures_util::{FutureExt, SinkExt, StreamExt};

/// Runs a future in this thread, which parks meanwhile.
fn block_on<F: Future>(future: F) -> F::Output {
    struct Unpark(thread::Thread);
    impl std::task::Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Arc::new(Unpark(thread::current())).into();
    let mut future = std::pin::pin!(future);
    loop {
        if let std::task::Poll::Ready(output) = future.as_mut().poll(&mut std::task::Context::from_waker(&waker)) {
            return output;
        }
        thread::park();
    }
}

const MESSAGES: u32 = if cfg!(miri) { 30 } else { 20_000 };

#[test]
fn a_sink_forwards_to_a_stream() {
    for (sender, receiver) in [bounded(1).unwrap(), bounded(100).unwrap(), unbounded(), rendezvous()] {
        let thread = thread::spawn(move || {
            let numbers = stream::iter((0..MESSAGES).map(Ok));
            block_on(numbers.forward(sender.into_sink())).unwrap();
        });
        let came: Vec<_> = block_on(receiver.into_stream().collect());
        assert!(came.into_iter().eq(0..MESSAGES));
        thread.join().unwrap();
    }
}

#[test]
fn handles_are_streams() {
    let (mut sender, mut receiver) = spsc::bounded(4).unwrap();
    sender.send(1).unwrap();
    assert_eq!(receiver.stream().next().now_or_never(), Some(Some(1)));
    assert_eq!(receiver.stream().next().now_or_never(), None);
    let (mut sender, receiver) = mpsc::bounded(4).unwrap();
    let thread = thread::spawn(move || (0..MESSAGES).for_each(|number| sender.send(number).unwrap()));
    assert_eq!(block_on(receiver.into_stream().count()), MESSAGES as usize);
    thread.join().unwrap();
}

#[test]
fn news_are_streams() {
    let (sender, receiver) = broadcast::channel(4).unwrap();
    (0..6).for_each(|number| sender.send(number).unwrap());
    drop(sender);
    assert_eq!(block_on(receiver.into_stream().collect::<Vec<_>>()), [2, 3, 4, 5]);
    let (sender, mut receiver) = latest::channel(0);
    sender.send(1).unwrap();
    sender.send(2).unwrap();
    drop(sender);
    assert_eq!(block_on(receiver.stream().collect::<Vec<_>>()), [2]);
}

#[test]
fn a_stream_is_over_at_the_end_and_stays_over() {
    let (sender, receiver) = bounded::<u32>(1).unwrap();
    let mut stream = receiver.into_stream();
    assert_eq!(stream.next().now_or_never(), None);
    drop(sender);
    assert_eq!([block_on(stream.next()), block_on(stream.next())], [None, None]);
    let (sender, receiver) = bounded::<u32>(1).unwrap();
    let mut stream = receiver.stream();
    assert!(!stream.is_terminated());
    drop(sender);
    assert_eq!(block_on(stream.next()), None);
    assert!(stream.is_terminated());
}

#[test]
fn streams_and_sinks_that_are_dropped_at_each_await_lose_nothing() {
    let (sender, receiver) = bounded(2).unwrap();
    let thread = thread::spawn(move || {
        let mut next = 0;
        while next < MESSAGES {
            // Each second sink goes when it has room or waits for it.
            let mut sink = sender.sink();
            let is_ready = std::future::poll_fn(|context| sink.poll_ready_unpin(context)).now_or_never();
            if next % 2 == 0 || is_ready.is_none() {
                drop(sink);
                sender.send(next).unwrap();
            } else {
                sink.start_send_unpin(next).unwrap();
            }
            next += 1;
        }
    });
    let mut came = Vec::new();
    while came.len() < MESSAGES as usize {
        match receiver.stream().next().now_or_never() {
            Some(message) => came.extend(message),
            None => came.push(receiver.recv().unwrap()),
        }
    }
    assert!(came.into_iter().eq(0..MESSAGES));
    thread.join().unwrap();
}

#[test]
fn a_message_of_a_closed_channel_comes_back() {
    let (sender, receiver) = bounded(1).unwrap();
    let mut sink = sender.sink();
    std::future::poll_fn(|context| sink.poll_ready_unpin(context)).now_or_never().unwrap().unwrap();
    receiver.close();
    assert_eq!(sink.start_send_unpin(7), Err(SendError(Some(7))));
    assert_eq!(block_on(sink.send(8)), Err(SendError(None)));
}

#[test]
#[should_panic(expected = "ready")]
fn a_sink_that_was_not_asked_panics() {
    let (sender, _receiver) = bounded(1).unwrap();
    let _ = sender.sink().start_send_unpin(7);
}

#[test]
fn streams_and_sinks_go_to_other_threads() {
    fn goes<T: Send>(thing: T) -> T {
        thing
    }
    let (sender, receiver) = bounded::<u32>(1).unwrap();
    let (sink, stream) = (goes(sender.into_sink()), goes(receiver.into_stream()));
    drop(sink);
    assert_eq!(thread::spawn(move || block_on(stream.count())).join().unwrap(), 0);
}
