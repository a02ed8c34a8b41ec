//! Channels on threads of the system.

use std::collections::{HashSet, VecDeque};
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use aqueduct::error::CapacityError;
use aqueduct_channel::error::{RecvError, RecvTimeoutError, SendError, SendTimeoutError, TryRecvError, TrySendError};
use aqueduct_channel::{Receiver, Sender, bounded, mpmc, mpsc, spmc, spsc, unbounded, unbounded_with_block_size};

const ITEMS: usize = if cfg!(miri) { 40 } else { 10_000 };

/// Wakes a thread in [`block_on`].
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

fn block_on<F: Future>(future: F) -> F::Output {
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => return output,
            Poll::Pending => thread::park(),
        }
    }
}

/// Polls a future once.
fn poll_once<F: Future + Unpin>(future: &mut F) -> Poll<F::Output> {
    pin!(future).poll(&mut Context::from_waker(Waker::noop()))
}

#[test]
fn each_message_arrives_once_from_threads_and_tasks() {
    for capacity in [0, 1, 3, 100] {
        let (sender, receiver) = bounded(capacity).unwrap();
        let threads: Vec<_> = (0..4)
            .map(|thread| {
                let sender = sender.clone();
                thread::spawn(move || {
                    for number in 0..ITEMS {
                        let message = thread * ITEMS + number;
                        match thread % 2 {
                            0 => sender.send(message).unwrap(),
                            _ => block_on(sender.send_async(message)).unwrap(),
                        }
                    }
                })
            })
            .collect();
        drop(sender);
        let receivers: Vec<_> = (0..4)
            .map(|thread| {
                let receiver = receiver.clone();
                thread::spawn(move || match thread % 2 {
                    0 => receiver.into_iter().collect::<Vec<_>>(),
                    _ => block_on(async {
                        let mut all = Vec::new();
                        while let Ok(message) = receiver.recv_async().await {
                            all.push(message);
                        }
                        all
                    }),
                })
            })
            .collect();
        drop(receiver);
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        let received: Vec<_> = receivers.into_iter().map(|thread| thread.join().unwrap()).collect();
        for messages in &received {
            for sender in 0..4 {
                let of_one: Vec<_> = messages.iter().filter(|&&message| message / ITEMS == sender).collect();
                assert!(of_one.is_sorted(), "the messages of one sender to one receiver keep their order");
            }
        }
        let all: HashSet<_> = received.iter().flatten().collect();
        assert_eq!((all.len(), received.iter().map(Vec::len).sum()), (4 * ITEMS, 4 * ITEMS));
    }
}

macro_rules! of_each_sidedness {
    ($($name:ident: $module:ident;)*) => {$(
        #[test]
        fn $name() {
            let (mut sender, mut receiver) = $module::bounded(2).unwrap();
            let thread = thread::spawn(move || (0..ITEMS).try_for_each(|number| sender.send(number)));
            assert!(receiver.iter().eq(0..ITEMS));
            assert_eq!(thread.join().unwrap(), Ok(()));
            assert_eq!(receiver.try_recv(), Err(TryRecvError::Disconnected));
            let (mut sender, receiver) = $module::bounded(2).unwrap();
            drop(receiver);
            assert_eq!((sender.send(7), sender.is_closed()), (Err(SendError(7)), true));
        }
    )*};
}

of_each_sidedness! {
    one_to_one: spsc;
    many_to_one: mpsc;
    one_to_many: spmc;
    many_to_many: mpmc;
}

#[test]
fn a_capacity_of_zero_is_a_rendezvous_or_an_error() {
    let (sender, _receiver) = bounded(0).unwrap();
    assert_eq!((sender.capacity(), sender.is_full(), sender.len()), (Some(0), true, 0));
    assert_eq!(sender.try_send(7), Err(TrySendError::Full(7)));
    assert_eq!(spsc::bounded::<u32>(0).err(), Some(CapacityError::Zero));
}

#[test]
fn a_channel_has_room_for_exactly_so_many() {
    for capacity in [1, 2, 3, 5, 8, 100] {
        let (sender, receiver) = bounded(capacity).unwrap();
        assert_eq!((sender.capacity(), receiver.capacity()), (Some(capacity), Some(capacity)));
        for lap in 0..3 {
            let sent = (0..1000).take_while(|&number| sender.try_send(number).is_ok()).count();
            assert_eq!((sent, sender.len(), sender.is_full()), (capacity, capacity, true));
            assert_eq!(receiver.try_iter().take(lap + 1).collect::<Vec<_>>().len(), capacity.min(lap + 1));
            assert!(!receiver.is_full());
            receiver.try_iter().for_each(drop);
            assert_eq!((receiver.is_empty(), sender.len()), (true, 0));
        }
    }
    assert!(matches!(bounded::<u8>(usize::MAX).err(), Some(CapacityError::TooLarge { .. })));
}

/// A channel for one message works as a lock: the sender that has sent holds it.
#[test]
fn never_more_than_the_capacity() {
    let (sender, receiver) = bounded(1).unwrap();
    let inside = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..ITEMS / 4 {
                    sender.send(()).unwrap();
                    assert_eq!(inside.fetch_add(1, SeqCst), 0);
                    assert_eq!(inside.fetch_sub(1, SeqCst), 1);
                    receiver.recv().unwrap();
                }
            });
        }
    });
}

#[test]
fn a_permit_is_room() {
    let (sender, receiver) = bounded(2).unwrap();
    let (first, second) = (sender.try_reserve().unwrap(), sender.reserve().unwrap());
    assert_eq!(sender.try_reserve().err(), Some(TrySendError::Full(())));
    assert_eq!(sender.try_send(7), Err(TrySendError::Full(7)));
    assert_eq!(sender.reserve_deadline(Instant::now()).err(), Some(SendTimeoutError::Timeout(())));
    assert_eq!((receiver.len(), receiver.is_full()), (0, true));
    drop(first);
    // A message passes the permit.
    assert_eq!((sender.send(1), sender.is_full()), (Ok(()), true));
    assert_eq!(second.send(2), Ok(()));
    assert_eq!(receiver.try_iter().collect::<Vec<_>>(), [1, 2]);
    let permit = block_on(sender.reserve_async()).unwrap();
    receiver.close();
    assert_eq!(permit.send(3), Err(SendError(3)));
    assert_eq!(sender.try_reserve().err(), Some(TrySendError::Disconnected(())));
    assert_eq!(block_on(sender.reserve_async()).err(), Some(SendError(())));
}

/// Threads that send by permits, threads that drop their permits, and threads that only send.
#[test]
fn permits_and_sends_mix() {
    let (sender, receiver) = bounded(3).unwrap();
    let received = thread::scope(|scope| {
        for thread in 0..3 {
            let sender = sender.clone();
            scope.spawn(move || {
                for number in 0..ITEMS {
                    match (thread + number) % 3 {
                        0 => sender.send(number).unwrap(),
                        1 => sender.reserve().unwrap().send(number).unwrap(),
                        _ => {
                            drop(sender.reserve());
                            block_on(sender.reserve_async()).unwrap().send(number).unwrap();
                        }
                    }
                }
            });
        }
        drop(sender);
        let also = receiver.clone();
        let other = scope.spawn(move || also.iter().count());
        receiver.iter().count() + other.join().unwrap()
    });
    assert_eq!(received, 3 * ITEMS);
}

#[test]
fn messages_go_in_batches() {
    let (sender, receiver) = bounded(3).unwrap();
    let sum = thread::scope(|scope| {
        scope.spawn(|| sender.send_all(&mut (0..ITEMS).collect()).unwrap());
        scope.spawn(|| block_on(sender.send_all_async(&mut (0..ITEMS).collect())).unwrap());
        let mut all = Vec::new();
        while all.len() < 2 * ITEMS {
            let (before, left) = (all.len(), 2 * ITEMS - all.len());
            let count = match before % 2 {
                0 => receiver.recv_many(&mut all, left.min(7)).unwrap(),
                _ => block_on(receiver.recv_many_async(&mut all, left.min(7))).unwrap(),
            };
            assert!((1..=7).contains(&count) && all.len() == before + count);
        }
        all.into_iter().sum::<usize>()
    });
    assert_eq!(sum, ITEMS * (ITEMS - 1));
    let (mut left, mut none) = (VecDeque::from([1, 2]), Vec::new());
    assert_eq!((receiver.recv_many(&mut none, 0), none.len()), (Ok(0), 0));
    receiver.close();
    assert_eq!((sender.send_all(&mut left), left.len()), (Err(SendError(())), 2));
    assert_eq!((block_on(sender.send_all_async(&mut left)), left.len()), (Err(SendError(())), 2));
    assert_eq!(receiver.recv_many(&mut none, 3), Err(RecvError));
}

#[test]
fn a_channel_without_a_limit_takes_all() {
    let (sender, receiver) = unbounded();
    assert_eq!((sender.capacity(), sender.is_full()), (None, false));
    (0..ITEMS).for_each(|number| sender.try_send(number).unwrap());
    sender.try_reserve().unwrap().send(ITEMS).unwrap();
    assert_eq!(receiver.len(), ITEMS + 1);
    let other = sender.clone();
    let thread = thread::spawn(move || (0..ITEMS).for_each(|number| block_on(other.send_async(number)).unwrap()));
    drop(sender);
    assert_eq!(receiver.iter().sum::<usize>(), ITEMS * ITEMS);
    thread.join().unwrap();
    let (sender, receiver) = unbounded_with_block_size(4).unwrap();
    sender.send(1).unwrap();
    drop(receiver);
    assert_eq!(sender.send(2), Err(SendError(2)));
    assert_eq!(unbounded_with_block_size::<u8>(0).err(), Some(CapacityError::Zero));
}

#[test]
fn a_full_channel_says_so() {
    let (sender, receiver) = bounded(2).unwrap();
    let sent = (0..100).take_while(|&number| sender.try_send(number).is_ok()).count();
    assert!(sent == 2 && sender.is_full());
    assert_eq!(sender.try_send(7), Err(TrySendError::Full(7)));
    assert_eq!(sender.send_timeout(7, Duration::from_millis(1)), Err(SendTimeoutError::Timeout(7)));
    assert_eq!(sender.send_deadline(7, Instant::now()), Err(SendTimeoutError::Timeout(7)));
    assert_eq!(receiver.try_iter().count(), sent);
    assert_eq!(sender.send_deadline(7, Instant::now()), Ok(()));
    assert_eq!(receiver.recv_deadline(Instant::now()), Ok(7));
    assert_eq!(receiver.recv_deadline(Instant::now()), Err(RecvTimeoutError::Timeout));
    assert_eq!(receiver.recv_timeout(Duration::from_millis(1)), Err(RecvTimeoutError::Timeout));
}

/// A spinning sender looks for more room than one place, and sends if there is only one.
#[test]
fn a_send_that_waits_needs_room_for_one_message() {
    const ROUNDS: usize = if cfg!(miri) { 2 } else { 20 };
    for (capacity, reserved) in [(1, 0), (2, 1), (3, 0), (4, 0), (8, 7), (100, 0), (100, 99)] {
        let (sender, receiver) = bounded(capacity).unwrap();
        let permits: Vec<_> = (0..reserved).map(|_| sender.reserve().unwrap()).collect();
        (reserved..capacity).for_each(|number| sender.try_send(number).unwrap());
        for number in capacity..capacity + ROUNDS {
            thread::scope(|scope| {
                let sent = scope.spawn(|| sender.send_timeout(number, Duration::from_secs(60)));
                if number % 2 == 0 {
                    thread::sleep(Duration::from_micros(50));
                }
                // One at a time: the next one is received when this message has been sent.
                assert!(receiver.recv().is_ok());
                assert_eq!(sent.join().unwrap(), Ok(()));
            });
            assert!(sender.is_full());
        }
        drop(permits);
        assert_eq!(receiver.len(), capacity - reserved);
    }
}

/// A receiver pushes the messages of senders that wait: each is received once, or comes back when
/// the time is over.
#[test]
fn messages_of_senders_that_wait_are_sent_or_come_back() {
    const MESSAGES: u64 = if cfg!(miri) { 20 } else { 2_000 };
    let (sender, receiver) = bounded(1).unwrap();
    let (received, sent) = thread::scope(|scope| {
        let senders: Vec<_> = (0..4)
            .map(|number| {
                let sender = sender.clone();
                scope.spawn(move || {
                    let numbers = (0..MESSAGES).map(|message| Box::new(4 * message + number));
                    let send = |message: Box<u64>| match message.is_multiple_of(3) {
                        true => sender.send_timeout(message, Duration::from_micros(20)).is_ok(),
                        false => sender.send(message).is_ok(),
                    };
                    numbers
                        .map(|message| (*message, message))
                        .filter_map(|(copy, message)| send(message).then_some(copy))
                        .sum::<u64>()
                })
            })
            .collect();
        drop(sender);
        let received: u64 = receiver.iter().map(|message| *message).sum();
        (received, senders.into_iter().map(|sender| sender.join().unwrap()).sum::<u64>())
    });
    assert_eq!(received, sent);
}

/// A sender pops messages for receivers that wait: each is received once.
#[test]
fn messages_for_receivers_that_wait_are_received_once() {
    const MESSAGES: u64 = if cfg!(miri) { 20 } else { 8_000 };
    let (sender, receiver) = bounded::<Box<u64>>(1).unwrap();
    let received = thread::scope(|scope| {
        let receivers: Vec<_> = (0..4)
            .map(|number| {
                let receiver = receiver.clone();
                scope.spawn(move || {
                    let recv = || match number % 2 {
                        0 => receiver.recv().map_err(RecvTimeoutError::from),
                        _ => receiver.recv_timeout(Duration::from_micros(20)),
                    };
                    let mut sum = 0;
                    loop {
                        match recv() {
                            Ok(message) => sum += *message,
                            Err(RecvTimeoutError::Timeout) => {}
                            Err(RecvTimeoutError::Disconnected) => break sum,
                        }
                    }
                })
            })
            .collect();
        drop(receiver);
        (0..MESSAGES).for_each(|message| sender.send(Box::new(message)).unwrap());
        drop(sender);
        receivers.into_iter().map(|receiver| receiver.join().unwrap()).sum::<u64>()
    });
    assert_eq!(received, (0..MESSAGES).sum());
}

#[test]
fn after_the_close_what_was_sent_is_received() {
    let (sender, receiver) = bounded(10).unwrap();
    assert_eq!((sender.send(1), sender.send(2)), (Ok(()), Ok(())));
    assert!(receiver.close() && !sender.close() && sender.is_closed());
    assert_eq!(sender.try_send(3), Err(TrySendError::Disconnected(3)));
    assert_eq!(block_on(sender.send_async(3)), Err(SendError(3)));
    assert_eq!(receiver.iter().collect::<Vec<_>>(), [1, 2]);
    assert_eq!(block_on(receiver.recv_async()), Err(RecvError));
}

/// The answer to a request that no receiver will see ends with the request.
#[test]
fn messages_are_dropped_with_the_last_receiver() {
    let (requests, requested) = bounded::<Sender<u32>>(10).unwrap();
    let (answers, answered) = bounded(1).unwrap();
    requests.send(answers).unwrap();
    drop(requested);
    assert_eq!(answered.recv(), Err(RecvError));
}

/// A message that carries the last sender of its own channel is dropped, and no lock with it.
#[test]
fn a_message_may_carry_its_own_channel() {
    struct Knot(#[allow(dead_code, reason = "held")] Sender<Self>, #[allow(dead_code, reason = "held")] Receiver<Self>);
    let (sender, receiver) = bounded::<Knot>(2).unwrap();
    let other = bounded::<Knot>(2).unwrap();
    sender.send(Knot(sender.clone(), other.1)).unwrap();
    drop(receiver);
    assert!(sender.is_closed());
}

#[test]
fn a_future_that_is_dropped_takes_nothing() {
    let (sender, receiver) = bounded(1).unwrap();
    let mut first = receiver.recv_async();
    assert!(poll_once(&mut first).is_pending());
    let mut second = receiver.recv_async();
    assert!(poll_once(&mut second).is_pending());
    sender.send(7).unwrap();
    drop(first);
    assert_eq!(poll_once(&mut second), Poll::Ready(Ok(7)));

    while sender.try_send(0).is_ok() {}
    let (mut first, mut second) = (sender.send_async(1), sender.send_async(2));
    assert!(poll_once(&mut first).is_pending() && poll_once(&mut second).is_pending());
    assert_eq!(receiver.recv(), Ok(0));
    drop(first);
    assert_eq!(poll_once(&mut second), Poll::Ready(Ok(())));
    drop(second);
    drop(sender);
    assert_eq!(receiver.iter().last(), Some(2));
}

/// Futures are dropped at random moments: what is not sent comes back or is dropped with its
/// future, once.
#[test]
fn nothing_is_lost_with_futures_that_are_dropped() {
    let (sent, received) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let (sender, receiver) = bounded::<usize>(2).unwrap();
    thread::scope(|scope| {
        for thread in 0..2 {
            let (sender, receiver) = (sender.clone(), receiver.clone());
            let (sent, received) = (&sent, &received);
            scope.spawn(move || {
                for number in 0..ITEMS {
                    let mut future = sender.send_async(1);
                    let is_sent =
                        poll_once(&mut future).is_ready() || number % 3 == thread && poll_once(&mut future).is_ready();
                    drop(future);
                    if !is_sent {
                        block_on(sender.send_async(1)).unwrap();
                    }
                    sent.fetch_add(1, SeqCst);
                }
            });
            scope.spawn(move || {
                loop {
                    let mut future = receiver.recv_async();
                    let first = poll_once(&mut future);
                    drop(future);
                    match first {
                        Poll::Ready(Ok(message)) => received.fetch_add(message, SeqCst),
                        Poll::Ready(Err(RecvError)) => break,
                        Poll::Pending => match block_on(receiver.recv_async()) {
                            Ok(message) => received.fetch_add(message, SeqCst),
                            Err(RecvError) => break,
                        },
                    };
                }
            });
        }
        drop((sender, receiver));
    });
    assert_eq!((sent.into_inner(), received.into_inner()), (2 * ITEMS, 2 * ITEMS));
}

#[test]
fn handles_go_to_other_threads() {
    fn is_send<T: Send>(_: &T) {}
    fn is_sync<T: Sync>(_: &T) {}
    let (sender, receiver) = bounded::<Box<u32>>(1).unwrap();
    is_send(&sender);
    is_sync(&sender);
    is_send(&receiver);
    is_sync(&receiver);
    is_send(&sender.send_async(Box::new(1)));
    is_send(&receiver.recv_async());
    let (sender, receiver) = spsc::bounded::<Box<u32>>(1).unwrap();
    is_send(&sender);
    is_send(&receiver);
}

#[test]
fn errors_say_what_happened() {
    assert_eq!(SendError(7).to_string(), "the channel is closed");
    assert_eq!(format!("{:?}", TrySendError::Full(7)), "Full(..)");
    assert_eq!(TryRecvError::Empty.to_string(), "the channel is empty");
    assert!(SendTimeoutError::Timeout(7).is_timeout() && RecvTimeoutError::Disconnected.is_disconnected());
}
