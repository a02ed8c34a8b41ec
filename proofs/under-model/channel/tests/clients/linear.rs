//! Linearizability: the calls on a channel have an order that a sequential channel explains.

use std::collections::VecDeque;
use std::sync::Arc;

use super::common::{Client, Walk};
use super::library::error::{TryRecvError, TrySendError};
use super::library::{Receiver, Sender, bounded, unbounded};
use aqueduct_model::linearizability::{History, Spec};
use aqueduct_model::thread::{JoinHandle, spawn};

/// A channel of a sequential program.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Sequential {
    messages: VecDeque<u32>,
    capacity: usize,
    is_closed: bool,
}

#[derive(Clone, Debug)]
pub(crate) enum Call {
    Send(u32),
    Recv,
    Close,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Answer {
    Sent,
    Full,
    Received(u32),
    Empty,
    /// No send succeeds, or no message comes.
    Ended,
    Closed(bool),
}

impl Spec for Sequential {
    type Input = Call;
    type Output = Answer;

    fn apply(&mut self, call: &Call, answer: &Answer) -> bool {
        let is_full = self.messages.len() >= self.capacity;
        let expected = match call {
            Call::Send(_) if self.is_closed => Answer::Ended,
            Call::Send(_) if is_full => Answer::Full,
            Call::Send(message) => {
                self.messages.push_back(*message);
                Answer::Sent
            }
            Call::Recv => match self.messages.pop_front() {
                Some(message) => Answer::Received(message),
                None if self.is_closed => Answer::Ended,
                None => Answer::Empty,
            },
            Call::Close => Answer::Closed(!std::mem::replace(&mut self.is_closed, true)),
        };
        *answer == expected
    }
}

/// A channel whose calls are recorded.
struct Recorded {
    sender: Sender<u32>,
    receiver: Receiver<u32>,
    history: History<Sequential>,
}

impl Recorded {
    fn bounded(capacity: usize) -> Arc<Self> {
        Self::new(bounded(capacity).unwrap(), capacity)
    }

    fn unbounded() -> Arc<Self> {
        Self::new(unbounded(), usize::MAX)
    }

    fn new((sender, receiver): (Sender<u32>, Receiver<u32>), capacity: usize) -> Arc<Self> {
        let history = History::new(Sequential { messages: VecDeque::new(), capacity, is_closed: false });
        Arc::new(Self { sender, receiver, history })
    }

    fn try_send(&self, message: u32) {
        self.history.call(Call::Send(message), || match self.sender.try_send(message) {
            Ok(()) => Answer::Sent,
            Err(TrySendError::Full(_)) => Answer::Full,
            Err(TrySendError::Disconnected(_)) => Answer::Ended,
        });
    }

    fn send(&self, message: u32) {
        self.history.call(Call::Send(message), || self.sender.send(message).map_or(Answer::Ended, |()| Answer::Sent));
    }

    fn try_recv(&self) {
        self.history.call(Call::Recv, || match self.receiver.try_recv() {
            Ok(message) => Answer::Received(message),
            Err(TryRecvError::Empty) => Answer::Empty,
            Err(TryRecvError::Disconnected) => Answer::Ended,
        });
    }

    fn recv(&self) {
        self.history.call(Call::Recv, || self.receiver.recv().map_or(Answer::Ended, Answer::Received));
    }

    fn close(&self) {
        self.history.call(Call::Close, || Answer::Closed(self.receiver.close()));
    }
}

/// A thread that makes these calls.
fn thread(channel: &Arc<Recorded>, calls: impl FnOnce(&Recorded) + Send + 'static) -> JoinHandle<()> {
    let channel = Arc::clone(channel);
    spawn(move || calls(&channel))
}

/// The threads' calls and the main thread's are explained.
fn explained(channel: &Recorded, threads: impl IntoIterator<Item = JoinHandle<()>>) {
    for thread in threads {
        thread.join().unwrap();
    }
    channel.history.check();
}

/// Two sends beside two receives.
fn tries(channel: &Arc<Recorded>) {
    let threads = [thread(channel, |channel| {
        channel.try_send(1);
        channel.try_send(2);
    })];
    channel.try_recv();
    channel.try_recv();
    explained(channel, threads);
}

/// Two senders and a receiver.
fn two_senders(channel: &Arc<Recorded>) {
    let threads = [thread(channel, |channel| channel.try_send(1)), thread(channel, |channel| channel.try_send(2))];
    channel.try_recv();
    channel.try_recv();
    explained(channel, threads);
}

/// A sender and two receivers.
fn two_receivers(channel: &Arc<Recorded>) {
    channel.try_send(1);
    let threads = [thread(channel, Recorded::try_recv), thread(channel, Recorded::try_recv)];
    channel.try_send(2);
    explained(channel, threads);
}

/// Each thread sends, and then receives.
fn both_do_both(channel: &Arc<Recorded>) {
    let threads = [thread(channel, |channel| {
        channel.try_send(1);
        channel.try_recv();
    })];
    channel.try_send(2);
    channel.try_recv();
    explained(channel, threads);
}

/// A sender and a receiver wait for each other.
fn waits(channel: &Arc<Recorded>) {
    let threads = [thread(channel, |channel| {
        channel.send(1);
        channel.send(2);
    })];
    channel.recv();
    channel.recv();
    explained(channel, threads);
}

/// A close beside a send and a receive.
fn a_close(channel: &Arc<Recorded>) {
    let threads = [thread(channel, |channel| channel.try_send(1))];
    channel.close();
    channel.try_recv();
    channel.try_recv();
    explained(channel, threads);
}

/// A close beside a sender that waits.
fn a_close_beside_a_wait(channel: &Arc<Recorded>) {
    channel.try_send(1);
    let threads = [thread(channel, |channel| channel.send(2))];
    channel.try_recv();
    channel.close();
    channel.try_recv();
    explained(channel, threads);
}

/// Each client, and its number of executions.
pub(crate) const CLIENTS: &[Client] = &[
    ("linear::tries", || tries(&Recorded::bounded(1)), 21),
    ("linear::two_places::tries", || tries(&Recorded::bounded(2)), 15),
    ("linear::unbounded::tries", || tries(&Recorded::unbounded()), 2038),
    ("linear::two_senders", || two_senders(&Recorded::bounded(1)), 290),
    ("linear::two_receivers", || two_receivers(&Recorded::bounded(1)), 90),
    ("linear::both_do_both", || both_do_both(&Recorded::bounded(1)), 194),
    ("linear::waits", || waits(&Recorded::bounded(1)), 10_569),
    ("linear::a_close", || a_close(&Recorded::bounded(1)), 14),
    ("linear::unbounded::a_close", || a_close(&Recorded::unbounded()), 36),
    ("linear::a_close_beside_a_wait", || a_close_beside_a_wait(&Recorded::bounded(1)), 254),
];

/// Too large to be explored as a whole.
pub(crate) const WALKS: &[Walk] = &[
    ("linear::unbounded::two_senders", || two_senders(&Recorded::unbounded())),
    ("linear::unbounded::two_receivers", || two_receivers(&Recorded::unbounded())),
];
