//! Linearizability of channels whose handles belong to one thread each, of rendezvous, of those
//! whose order is relaxed, and of those whose messages every receiver gets.

use std::collections::VecDeque;
use std::mem;
use std::sync::Arc;

use super::common::{Capsules, Client};
use super::library::broadcast;
use super::library::error::{TryRecvError, TrySendError};
use super::library::handles::{self, RecvEnd, SendEnd};
use super::library::{Receiver, Sender, mpmc, mpsc, relaxed, rendezvous, spmc, spsc};
use super::linear::{Answer, Call};
use aqueduct_model::linearizability::{History, KFifo, QueueOp, QueueResult, Spec};
use aqueduct_model::thread::{JoinHandle, spawn};

/// A queue with room for this number of messages at least.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct AtLeast {
    messages: VecDeque<u32>,
    room: usize,
    is_closed: bool,
}

impl Spec for AtLeast {
    type Input = Call;
    type Output = Answer;

    fn apply(&mut self, call: &Call, answer: &Answer) -> bool {
        match (call, answer) {
            (Call::Send(_), Answer::Ended) => self.is_closed,
            (Call::Send(_), Answer::Full) => !self.is_closed && self.messages.len() >= self.room,
            (Call::Send(message), Answer::Sent) => {
                self.messages.push_back(*message);
                !self.is_closed
            }
            (Call::Recv, Answer::Received(message)) => self.messages.pop_front() == Some(*message),
            (Call::Recv, Answer::Empty) => self.messages.is_empty() && !self.is_closed,
            (Call::Recv, Answer::Ended) => self.messages.is_empty() && self.is_closed,
            (Call::Close, Answer::Closed(was_open)) => *was_open != mem::replace(&mut self.is_closed, true),
            _ => false,
        }
    }
}

/// A queue in which a message overtakes fewer than `k` others, with room for a message in each
/// capsule at least.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Relaxed {
    queue: KFifo<u32>,
    len: usize,
    room: usize,
    is_closed: bool,
}

impl Spec for Relaxed {
    type Input = Call;
    type Output = Answer;

    fn apply(&mut self, call: &Call, answer: &Answer) -> bool {
        match (call, answer) {
            (Call::Send(_), Answer::Ended) => self.is_closed,
            (Call::Send(_), Answer::Full) => !self.is_closed && self.len >= self.room,
            (Call::Send(message), Answer::Sent) => {
                self.len += 1;
                !self.is_closed && self.queue.apply(&QueueOp::Push(*message), &QueueResult::Pushed)
            }
            (Call::Recv, Answer::Received(message)) => {
                self.len = self.len.saturating_sub(1);
                self.queue.apply(&QueueOp::Pop, &QueueResult::Popped(*message))
            }
            (Call::Recv, Answer::Empty) => self.len == 0 && !self.is_closed,
            (Call::Recv, Answer::Ended) => self.len == 0 && self.is_closed,
            (Call::Close, Answer::Closed(was_open)) => *was_open != mem::replace(&mut self.is_closed, true),
            _ => false,
        }
    }
}

/// A send and the receive that it meets come one directly after the other.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
struct Meeting {
    handed: Option<u32>,
    is_closed: bool,
}

impl Spec for Meeting {
    type Input = Call;
    type Output = Answer;

    fn apply(&mut self, call: &Call, answer: &Answer) -> bool {
        match (call, answer, self.handed.take()) {
            (Call::Recv, Answer::Received(message), handed) => handed == Some(*message),
            (_, _, Some(_)) => false,
            (Call::Send(message), Answer::Sent, None) => {
                self.handed = Some(*message);
                !self.is_closed
            }
            (Call::Send(_), Answer::Full, None) | (Call::Recv, Answer::Empty, None) => !self.is_closed,
            (_, Answer::Ended, None) => self.is_closed,
            (Call::Close, Answer::Closed(was_open), None) => *was_open != mem::replace(&mut self.is_closed, true),
            _ => false,
        }
    }
}

/// A sender of any kind.
trait Sends: Send + 'static {
    fn send(&mut self, message: u32) -> Answer;
    fn try_send(&mut self, message: u32) -> Answer;
}

/// A receiver of any kind.
trait Receives: Send + 'static {
    fn recv(&mut self) -> Answer;
    fn try_recv(&mut self) -> Answer;
    fn close(&mut self) -> Answer;
}

macro_rules! sends {
    ($([$($of:tt)*] $sender:ty;)*) => {$(
        impl<$($of)*> Sends for $sender
        where
            Self: Send + 'static,
        {
            fn send(&mut self, message: u32) -> Answer {
                <$sender>::send(self, message).map_or(Answer::Ended, |()| Answer::Sent)
            }

            fn try_send(&mut self, message: u32) -> Answer {
                match <$sender>::try_send(self, message) {
                    Ok(()) => Answer::Sent,
                    Err(TrySendError::Full(_)) => Answer::Full,
                    Err(TrySendError::Disconnected(_)) => Answer::Ended,
                }
            }
        }
    )*};
}

macro_rules! receives {
    ($([$($of:tt)*] $receiver:ty;)*) => {$(
        impl<$($of)*> Receives for $receiver
        where
            Self: Send + 'static,
        {
            fn recv(&mut self) -> Answer {
                <$receiver>::recv(self).map_or(Answer::Ended, Answer::Received)
            }

            fn try_recv(&mut self) -> Answer {
                match <$receiver>::try_recv(self) {
                    Ok(message) => Answer::Received(message),
                    Err(TryRecvError::Empty) => Answer::Empty,
                    Err(TryRecvError::Disconnected) => Answer::Ended,
                }
            }

            fn close(&mut self) -> Answer {
                Answer::Closed(<$receiver>::close(self))
            }
        }
    )*};
}

sends! {
    [] Sender<u32>;
    [P: SendEnd<Message = u32>] handles::Sender<P>;
}
receives! {
    [] Receiver<u32>;
    [C: RecvEnd<Message = u32>] handles::Receiver<C>;
}

/// The specification of a channel.
trait Channel: Spec<Input = Call, Output = Answer> + Send + Sync + 'static {}

impl<H: Spec<Input = Call, Output = Answer> + Send + Sync + 'static> Channel for H {}

/// Calls that are recorded.
type Calls<S> = Arc<History<S>>;

/// Runs `body` in a thread, with a handle that stays: its end would be the channel's.
fn thread<H, E>(calls: &Calls<H>, mut end: E, body: impl FnOnce(&History<H>, &mut E) + Send + 'static) -> JoinHandle<E>
where
    H: Spec + Send + Sync + 'static,
    H::Input: Send,
    H::Output: Send,
    E: Send + 'static,
{
    let calls = Arc::clone(calls);
    spawn(move || {
        body(&calls, &mut end);
        end
    })
}

/// A thread sends what it can, twice, beside two receives that do not wait.
fn tries<H: Channel>(spec: H, (sender, mut receiver): (impl Sends, impl Receives)) {
    let calls = Arc::new(History::new(spec));
    let thread = thread(&calls, sender, |calls, sender| {
        for message in [1, 2] {
            calls.call(Call::Send(message), || sender.try_send(message));
        }
    });
    for _ in 0..2 {
        calls.call(Call::Recv, || receiver.try_recv());
    }
    drop(thread.join().unwrap());
    calls.check();
}

/// Each side waits for the other one, twice. Nothing is left.
fn waits<H: Channel>(spec: H, (sender, mut receiver): (impl Sends, impl Receives)) {
    let calls = Arc::new(History::new(spec));
    let thread = thread(&calls, sender, |calls, sender| {
        for message in [1, 2] {
            calls.call(Call::Send(message), || sender.send(message));
        }
    });
    for _ in 0..2 {
        calls.call(Call::Recv, || receiver.recv());
    }
    let _open = thread.join().unwrap();
    calls.call(Call::Close, || receiver.close());
    calls.call(Call::Recv, || receiver.recv());
    calls.check();
}

/// A close beside a send: the send succeeds and is received, or it does not succeed.
fn a_close<H: Channel>(spec: H, (sender, mut receiver): (impl Sends, impl Receives)) {
    let calls = Arc::new(History::new(spec));
    let thread = thread(&calls, sender, |calls, sender| {
        calls.call(Call::Send(1), || sender.try_send(1));
    });
    calls.call(Call::Close, || receiver.close());
    for _ in 0..2 {
        calls.call(Call::Recv, || receiver.recv());
    }
    drop(thread.join().unwrap());
    calls.check();
}

/// Two senders beside a receiver.
fn two_senders<H: Channel, S: Sends>(spec: H, senders: [S; 2], mut receiver: impl Receives) {
    let calls = Arc::new(History::new(spec));
    let mut message = 0;
    let threads = senders.map(|sender| {
        message += 1;
        thread(&calls, sender, move |calls, sender| {
            calls.call(Call::Send(message), || sender.try_send(message));
        })
    });
    for _ in 0..2 {
        calls.call(Call::Recv, || receiver.try_recv());
    }
    let _open = threads.map(|thread| thread.join().unwrap());
    calls.check();
}

/// A sender beside two receivers.
fn two_receivers<H: Channel, R: Receives>(spec: H, mut sender: impl Sends, receivers: [R; 2]) {
    let calls = Arc::new(History::new(spec));
    calls.call(Call::Send(1), || sender.try_send(1));
    let threads = receivers.map(|receiver| {
        thread(&calls, receiver, |calls, receiver| {
            calls.call(Call::Recv, || receiver.try_recv());
        })
    });
    calls.call(Call::Send(2), || sender.try_send(2));
    let _open = threads.map(|thread| thread.join().unwrap());
    calls.check();
}

fn at_least(room: usize) -> AtLeast {
    AtLeast { messages: VecDeque::new(), room, is_closed: false }
}

/// Two capsules of two messages for each of the senders.
fn capsules(senders: usize) -> (Relaxed, relaxed::Sender<u32>, relaxed::Receiver<u32>) {
    let geometry = Capsules::new(2 * senders, 2, senders, 1).unwrap();
    let (sender, receiver) = relaxed::bounded(geometry).unwrap();
    let (queue, room) = (KFifo::new(geometry.k()), geometry.capsules() - 1);
    (Relaxed { queue, len: 0, room, is_closed: false }, sender, receiver)
}

fn relaxed_tries() {
    let (spec, sender, receiver) = capsules(1);
    tries(spec, (sender, receiver));
}

fn relaxed_waits() {
    let (spec, sender, receiver) = capsules(1);
    waits(spec, (sender, receiver));
}

fn relaxed_a_close() {
    let (spec, sender, receiver) = capsules(1);
    a_close(spec, (sender, receiver));
}

fn relaxed_two_senders() {
    let (spec, sender, receiver) = capsules(2);
    let other = sender.try_clone().unwrap();
    two_senders(spec, [sender, other], receiver);
}

fn meeting_two_senders() {
    let (sender, receiver) = rendezvous();
    two_senders(Meeting::default(), [sender.clone(), sender], receiver);
}

fn many_to_one_two_senders() {
    let (sender, receiver) = mpsc::bounded(1).unwrap();
    two_senders(at_least(1), [sender.clone(), sender], receiver);
}

fn one_to_many_two_receivers() {
    let (sender, receiver) = spmc::bounded(1).unwrap();
    two_receivers(at_least(1), sender, [receiver.clone(), receiver]);
}

/// A channel whose messages every receiver gets, unless it is slow.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct News {
    sent: Vec<u32>,
    kept: usize,
    /// The position of each receiver.
    positions: [usize; 2],
}

#[derive(Clone, Debug)]
enum NewsCall {
    Send(u32),
    /// By this receiver.
    Recv(usize),
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum NewsAnswer {
    Sent,
    /// A message, and how many were lost before it since the last one.
    Received(u32, u64),
    Empty,
}

impl Spec for News {
    type Input = NewsCall;
    type Output = NewsAnswer;

    fn apply(&mut self, call: &NewsCall, answer: &NewsAnswer) -> bool {
        match (call, answer) {
            (NewsCall::Send(message), NewsAnswer::Sent) => {
                self.sent.push(*message);
                true
            }
            (NewsCall::Recv(receiver), NewsAnswer::Received(message, lost)) => {
                let position = &mut self.positions[*receiver];
                let oldest = self.sent.len().saturating_sub(self.kept).max(*position);
                let is_right = *lost == (oldest - *position) as u64 && self.sent.get(oldest) == Some(message);
                *position = oldest + 1;
                is_right
            }
            (NewsCall::Recv(receiver), NewsAnswer::Empty) => self.positions[*receiver] == self.sent.len(),
            _ => false,
        }
    }

    /// A message holds up those that are sent after it until its own send is over.
    fn excused_by_overlap(&self, _call: &NewsCall, answer: &NewsAnswer) -> bool {
        *answer == NewsAnswer::Empty
    }
}

/// A receiver of news whose calls are recorded.
struct Reader {
    number: usize,
    receiver: broadcast::Receiver<u32>,
    lost: u64,
    calls: Calls<News>,
}

impl Reader {
    fn try_recv(&mut self) {
        self.calls.call(NewsCall::Recv(self.number), || match self.receiver.try_recv() {
            Ok(message) => {
                let before = mem::replace(&mut self.lost, self.receiver.lost());
                NewsAnswer::Received(message, self.lost - before)
            }
            Err(_) => NewsAnswer::Empty,
        });
    }
}

fn news(kept: usize) -> (broadcast::Sender<u32>, Reader, Calls<News>) {
    let calls = Arc::new(History::new(News { sent: Vec::new(), kept, positions: [0; 2] }));
    let (sender, receiver) = broadcast::channel(kept).unwrap();
    (sender, Reader { number: 0, receiver, lost: 0, calls: Arc::clone(&calls) }, calls)
}

fn send_news(sender: &broadcast::Sender<u32>, calls: &Calls<News>, message: u32) {
    calls.call(NewsCall::Send(message), || {
        sender.send(message).unwrap();
        NewsAnswer::Sent
    });
}

/// Two messages, beside a receiver, in a channel that keeps `kept` of them.
fn news_of_one_sender(kept: usize) {
    let (sender, mut reader, calls) = news(kept);
    let thread = spawn({
        let (sender, calls) = (sender.clone(), Arc::clone(&calls));
        move || [1, 2].map(|message| send_news(&sender, &calls, message))
    });
    reader.try_recv();
    reader.try_recv();
    thread.join().unwrap();
    reader.try_recv();
    calls.check();
}

/// Two senders, beside a receiver.
fn news_of_two_senders() {
    let (sender, mut reader, calls) = news(2);
    let thread = spawn({
        let (sender, calls) = (sender.clone(), Arc::clone(&calls));
        move || send_news(&sender, &calls, 1)
    });
    send_news(&sender, &calls, 2);
    reader.try_recv();
    thread.join().unwrap();
    reader.try_recv();
    calls.check();
}

/// Two receivers get the message, beside its sender.
fn news_for_two() {
    let (sender, mut reader, calls) = news(1);
    let receiver = reader.receiver.clone();
    let mut other = Reader { number: 1, receiver, lost: 0, calls: Arc::clone(&calls) };
    let thread = spawn(move || {
        other.try_recv();
        other
    });
    send_news(&sender, &calls, 1);
    reader.try_recv();
    let mut other = thread.join().unwrap();
    other.try_recv();
    calls.check();
}

/// Each client, and its number of executions.
pub(crate) const CLIENTS: &[Client] = &[
    ("linear::one_to_one::tries", || tries(at_least(1), spsc::bounded(1).unwrap()), 5),
    ("linear::many_to_one::tries", || tries(at_least(1), mpsc::bounded(1).unwrap()), 19),
    ("linear::one_to_many::tries", || tries(at_least(1), spmc::bounded(1).unwrap()), 5),
    ("linear::many_to_many::tries", || tries(at_least(1), mpmc::bounded(1).unwrap()), 19),
    ("linear::one_to_one::waits", || waits(at_least(1), spsc::bounded(1).unwrap()), 170),
    ("linear::many_to_one::waits", || waits(at_least(1), mpsc::bounded(1).unwrap()), 917),
    ("linear::one_to_many::waits", || waits(at_least(1), spmc::bounded(1).unwrap()), 170),
    ("linear::many_to_many::waits", || waits(at_least(1), mpmc::bounded(1).unwrap()), 917),
    ("linear::one_to_one::a_close", || a_close(at_least(1), spsc::bounded(1).unwrap()), 8),
    ("linear::many_to_one::a_close", || a_close(at_least(1), mpsc::bounded(1).unwrap()), 40),
    ("linear::one_to_many::a_close", || a_close(at_least(1), spmc::bounded(1).unwrap()), 8),
    ("linear::many_to_many::a_close", || a_close(at_least(1), mpmc::bounded(1).unwrap()), 40),
    ("linear::many_to_one::two_senders", many_to_one_two_senders, 38),
    ("linear::one_to_many::two_receivers", one_to_many_two_receivers, 6),
    ("linear::relaxed::tries", relaxed_tries, 11),
    ("linear::relaxed::waits", relaxed_waits, 172),
    ("linear::relaxed::two_senders", relaxed_two_senders, 478),
    ("linear::relaxed::a_close", relaxed_a_close, 40),
    ("linear::rendezvous::tries", || tries(Meeting::default(), rendezvous()), 6),
    ("linear::rendezvous::waits", || waits(Meeting::default(), rendezvous()), 60),
    ("linear::rendezvous::a_close", || a_close(Meeting::default(), rendezvous()), 4),
    ("linear::rendezvous::two_senders", meeting_two_senders, 12),
    ("linear::news::one_slot", || news_of_one_sender(1), 18),
    ("linear::news::two_slots", || news_of_one_sender(2), 12),
    ("linear::news::two_senders", news_of_two_senders, 4),
    ("linear::news::two_receivers", news_for_two, 4),
];
