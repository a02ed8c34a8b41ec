//! A queue that can be measured, with its promise.

use std::fmt;
use std::rc::Rc;

use super::logged::{self, Log};
use crate::mpmc::stream::{Opened, stream_numbers_over};
use crate::mpmc::{Kind, Receiver, Sender, Stream, Streamed};
use aqueduct_measure::names::Queue;
use aqueduct_measure::rounds::{Fault, Threads};

/// The order in which a queue returns items.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Promise {
    /// First in, first out.
    Fifo,
    /// One of this number of oldest items.
    Order(usize),
    /// FIFO for the items of one producer that one consumer takes.
    PerProducer,
    /// No guarantee: the queue only tries to keep the order.
    Attempt,
    /// A bound instead of a queue.
    Pairs,
}

impl Promise {
    /// Returns the guarantee as a part of a sentence, without the number.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Fifo => "first in, first out",
            Self::Order(_) => "one of the k oldest",
            Self::PerProducer => "first in, first out for each producer",
            Self::Attempt => "no order is promised",
            Self::Pairs => "no queue, a bound",
        }
    }
}

type Run<T> = Rc<dyn Fn(&Stream<'_>) -> Result<T, Fault>>;

/// A queue or a bound under test.
#[derive(Clone)]
pub struct Contestant {
    /// `CRATE/QUEUE`, with the order that it promises.
    pub queue: Queue,
    /// Whether it is a peer, not one of aqueduct's queues.
    pub peer: bool,
    /// Its guarantee.
    pub promise: Promise,
    /// Whether both sides have an interface that moves several items per synchronisation.
    pub batches: bool,
    /// Whether it serves these numbers of threads.
    pub(super) serves: fn(Promise, Threads) -> bool,
    pub(super) stream: Run<Streamed>,
    pub(super) logged: Run<(Streamed, Log)>,
}

impl fmt::Debug for Contestant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Contestant").field("queue", &self.queue).field("promise", &self.promise).finish_non_exhaustive()
    }
}

/// Returns a queue of kind `K`: a caller's own, for example.
#[must_use]
pub fn contestant<K: Kind>(promise: Promise) -> Contestant {
    let serves = |_, threads: Threads| threads.producers <= K::MOST_PRODUCERS && threads.consumers <= K::MOST_CONSUMERS;
    Contestant { serves, ..opened(K::NAME, K::PEER, promise, K::open).with_batches(K::BATCHES) }
}

/// Returns a queue that `open` makes for a number of items and of threads. The record of a queue
/// with a `k` has it.
pub(super) fn opened<S, R, O>(name: &str, peer: bool, promise: Promise, open: O) -> Contestant
where
    S: Sender,
    R: Receiver,
    O: Fn(usize, Threads) -> Opened<S, R> + Clone + 'static,
{
    let queue = match promise {
        Promise::Order(k) => Queue::with_order(name, k),
        _ => name.into(),
    };
    let again = open.clone();
    Contestant {
        queue,
        peer,
        promise,
        batches: false,
        serves: |_, _| true,
        stream: Rc::new(move |spec| stream_numbers_over(spec, &|| open(spec.capacity, spec.threads))),
        logged: Rc::new(move |spec| {
            if !cfg!(feature = "workloads") {
                return Err(Fault::Refused("this build has not the feature `workloads`".to_owned()));
            }
            logged::stream(spec, &|| again(spec.capacity, spec.threads))
        }),
    }
}

impl Contestant {
    pub(super) fn with_batches(self, batches: bool) -> Self {
        Self { batches, ..self }
    }

    /// Whether it can be measured like that.
    pub(super) fn can(&self, threads: Threads, batch: usize) -> bool {
        (batch == 1 || self.batches) && (self.serves)(self.promise, threads)
    }
}
