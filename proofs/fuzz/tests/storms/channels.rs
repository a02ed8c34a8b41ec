//! Two channels of one kind, used by threads and by tasks that give up, with selects, permits and a
//! close now and then.
//!
//! Each message is received once, or comes back once, or goes with a dropped future. A send to a
//! rendezvous that is dropped may have met its receiver; no other future that is dropped has sent.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use aqueduct_channel::error::{RecvTimeoutError, TryRecvError};
use aqueduct_channel::{IndexSelect, Receiver, Sender, bounded, rendezvous, unbounded, unbounded_with_block_size};
use aqueduct_fuzz::Random;

use crate::weather::{Ledger, Message, storm, threads};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Rendezvous,
    Bounded(usize),
    Unbounded,
    /// Unbounded, of blocks of two messages.
    Blocks,
}

impl Kind {
    fn channel(self) -> (Sender<Message>, Receiver<Message>) {
        match self {
            Self::Rendezvous => rendezvous(),
            Self::Bounded(capacity) => bounded(capacity).expect("a small channel"),
            Self::Unbounded => unbounded(),
            Self::Blocks => unbounded_with_block_size(2).expect("small blocks"),
        }
    }
}

/// Wakes a thread.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

fn micros(random: &mut Random, end: usize) -> Duration {
    Duration::from_micros(random.below(end) as u64)
}

/// Polls a future up to four times, with waits between, and then drops it.
fn poll_for_a_while<F: Future>(future: F, random: &mut Random) -> Option<F::Output> {
    let mut future = pin!(future);
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let polls = 1 + random.below(4);
    for poll in 1..=polls {
        if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
            return Some(output);
        }
        if poll < polls {
            thread::park_timeout(micros(random, 200));
        }
    }
    None
}

/// The results of sends.
#[derive(Default, Debug)]
struct Sent {
    sent: AtomicUsize,
    back: AtomicUsize,
    dropped: AtomicUsize,
}

impl Sent {
    fn note<E>(&self, result: Result<(), E>) {
        let count = if result.is_ok() { &self.sent } else { &self.back };
        count.fetch_add(1, SeqCst);
    }

    fn note_future<E>(&self, output: Option<Result<(), E>>) {
        match output {
            Some(result) => self.note(result),
            None => _ = self.dropped.fetch_add(1, SeqCst),
        }
    }
}

/// Sends a message in one of the ways that a sender has. With `other`, a select may choose the
/// other channel.
fn send(sender: &Sender<Message>, other: &Sender<Message>, message: Message, random: &mut Random, sent: &Sent) {
    match random.below(8) {
        0 => sent.note(sender.send(message)),
        1 => sent.note(sender.try_send(message)),
        2 => sent.note(sender.send_timeout(message, micros(random, 300))),
        3 => sent.note_future(poll_for_a_while(sender.send_async(message), random)),
        4 => match poll_for_a_while(sender.reserve_async(), random) {
            Some(Ok(permit)) if !random.one_in(4) => sent.note(permit.send(message)),
            permit => {
                drop(permit);
                sent.note(Err(message));
            }
        },
        5 => match sender.reserve_deadline(Instant::now() + micros(random, 300)) {
            Ok(permit) => sent.note(permit.send(message)),
            Err(_) => sent.note(Err(message)),
        },
        both => {
            let mut select = IndexSelect::new();
            let first = select.send(sender);
            if both == 7 {
                select.send(other);
            }
            match select.select_timeout(micros(random, 300)) {
                Some(case) if case.index() == first => sent.note(case.send(sender, message)),
                Some(case) => sent.note(case.send(other, message)),
                None => sent.note(Err(message)),
            }
        }
    }
}

/// Receives in one of the ways that a receiver has. Returns whether the channel has ended.
fn receive(receiver: &Receiver<Message>, random: &mut Random, received: &AtomicUsize) -> bool {
    let take = |message: Message| {
        message.receive();
        received.fetch_add(1, SeqCst);
    };
    match random.below(5) {
        0 => match receiver.try_recv() {
            Ok(message) => take(message),
            Err(TryRecvError::Disconnected) => return true,
            Err(_) => thread::yield_now(),
        },
        1 | 2 => match receiver.recv_timeout(micros(random, 400)) {
            Ok(message) => take(message),
            Err(RecvTimeoutError::Disconnected) => return true,
            Err(_) => {}
        },
        3 => match poll_for_a_while(receiver.recv_async(), random) {
            Some(Ok(message)) => take(message),
            Some(Err(_)) => return true,
            None => {}
        },
        _ => {
            let mut many = Vec::new();
            let output = poll_for_a_while(receiver.recv_many_async(&mut many, 5), random);
            many.into_iter().for_each(take);
            return matches!(output, Some(Err(_)));
        }
    }
    false
}

/// Receives from both channels until both have ended.
fn receive_all(receivers: [Receiver<Message>; 2], mut random: Random, received: &AtomicUsize) {
    let mut ended = [false; 2];
    while ended != [true; 2] {
        let at = if ended[0] {
            1
        } else if ended[1] {
            0
        } else {
            random.below(2)
        };
        if !random.one_in(5) {
            ended[at] |= receive(&receivers[at], &mut random, received);
            continue;
        }
        let mut select = IndexSelect::new();
        let first = select.recv(&receivers[0]);
        select.recv(&receivers[1]);
        if let Some(case) = select.select_timeout(micros(&mut random, 400)) {
            let at = usize::from(case.index() != first);
            match case.recv(&receivers[at]) {
                Ok(message) => {
                    message.receive();
                    received.fetch_add(1, SeqCst);
                }
                Err(_) => ended[at] = true,
            }
        }
    }
}

fn round(random: &mut Random) -> usize {
    let kinds = [Kind::Rendezvous, Kind::Bounded(1), Kind::Bounded(2 + random.below(3)), Kind::Bounded(8)];
    let kind = match random.below(6) {
        4 => Kind::Unbounded,
        5 => Kind::Blocks,
        bounded => kinds[bounded],
    };
    let senders = 1 + random.below(threads() - 1);
    let (each, closes) = (40 + random.below(200), random.one_in(3));
    let ledger = Ledger::new(senders * each);
    let (channels, sent, received) = ([kind.channel(), kind.channel()], Sent::default(), AtomicUsize::new(0));
    thread::scope(|scope| {
        for thread in 0..senders {
            let both = channels.each_ref().map(|(sender, _)| sender.clone());
            let (mut random, ledger, sent) = (random.fork(), &ledger, &sent);
            scope.spawn(move || {
                for at in 0..each {
                    let one = usize::from(random.one_in(4));
                    let message = Message::new(ledger, thread * each + at);
                    send(&both[one], &both[1 - one], message, &mut random, sent);
                    if closes && thread == 0 && at == each / 2 {
                        for sender in &both {
                            sender.close();
                        }
                    }
                }
            });
        }
        for _ in senders..threads() {
            let both = channels.each_ref().map(|(_, receiver)| receiver.clone());
            let (random, received) = (random.fork(), &received);
            scope.spawn(move || receive_all(both, random, received));
        }
        drop(channels);
    });
    let about = format!("{kind:?}, {senders} senders, closes: {closes}");
    assert_eq!(ledger.close(&about), received.load(SeqCst), "{about}");
    let (sent, back, dropped) = (sent.sent.into_inner(), sent.back.into_inner(), sent.dropped.into_inner());
    assert_eq!(sent + back + dropped, senders * each, "{about}");
    let received = received.into_inner();
    let without_room = if kind == Kind::Rendezvous { dropped } else { 0 };
    assert!(
        (sent..=sent + without_room).contains(&received),
        "{about}: {sent} sent, {received} received, {back} came back, {dropped} dropped"
    );
    senders * each
}

#[test]
fn each_message_is_received_or_comes_back() {
    storm("channels", "messages", round);
}
