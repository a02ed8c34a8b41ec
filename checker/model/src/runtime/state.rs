//! The state of a run as plain data: its threads, and the state on which the modules beside this
//! one act.

use std::collections::{BTreeSet, HashSet};

use crate::config::Halt;
use crate::explore::Mark;
use crate::graph::clock::{Clock, MAX_THREADS};
use crate::graph::event::{EventId, LocId, Site};

use super::coroutine::Job;
use super::place::Zero;

/// The outcome of an attempt at an operation.
pub(crate) enum Step<R> {
    /// The operation is done.
    Done(R),
    /// Another thread must run first. The thread tries again when resumed.
    Switch,
}

impl<R> Step<R> {
    pub(super) fn map<S>(self, map: impl FnOnce(R) -> S) -> Step<S> {
        match self {
            Self::Done(result) => Step::Done(map(result)),
            Self::Switch => Step::Switch,
        }
    }
}

/// The reason why a thread cannot run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum State {
    /// The thread has not been created in this run.
    Unborn,
    /// The thread can run.
    Ready,
    /// In a replay, the thread awaits an event that has not been replayed yet.
    Awaits(EventId),
    /// The thread joins one that has not ended.
    Joins(usize),
    /// The thread's wait failed. That ends it in this graph; in a random walk, it lasts until there
    /// is a newer write.
    Blocked,
    /// The thread waited for longer than is explored, and ends there in this graph.
    Cut,
    /// The thread has ended.
    Done,
}

/// Returns a thread's name.
pub(crate) fn thread_name(thread: usize) -> String {
    match thread {
        0 => "main".to_owned(),
        thread => format!("thread {thread}"),
    }
}

/// A thread in the present run.
pub(crate) struct Thread {
    pub(crate) state: State,
    /// The number of the thread's events in this run.
    pub(crate) position: usize,
    /// The thread's body, until it begins.
    pub(crate) job: Option<Job>,
    /// The position at which the present round of a wait loop began.
    pub(crate) round: usize,
    /// The position at which the thread's last round of a wait began.
    pub(crate) last_round: Option<usize>,
    /// True if a failed round of the thread is kept.
    pub(crate) has_kept: bool,
    /// The number of rounds in a row that were equal to the one before.
    pub(crate) idle_rounds: u32,
    /// The number of the thread's hints. Some count twice.
    pub(crate) hints: u32,
    /// The number of hints in a row without any operation in between.
    pub(crate) empty_hints: u32,
    /// The number of the thread's rounds of waiting that changed something and count against the
    /// bound.
    pub(crate) counted_rounds: u32,
    /// The number of the thread's rounds of waiting that changed something and were unlike all
    /// before.
    pub(crate) novel_rounds: u32,
    /// Hashes of the thread's rounds that changed something.
    pub(crate) known_rounds: BTreeSet<u64>,
    /// True if the thread yields: it is about to wait, and others run first.
    pub(crate) yielding: bool,
    /// The progress at which the thread's last round failed and was taken back.
    pub(crate) stalled: Option<u64>,
    /// The position of the thread's last hint that it spins.
    pub(crate) hinted_at: Option<usize>,
    /// Whether the present round begins again, with another source for one of its reads.
    pub(crate) retries: bool,
    /// The number of threads that had ended when this one last began to wait.
    pub(crate) ended_before: usize,
    /// The state in which the present round began, if it can be taken back.
    pub(crate) mark: Option<(Mark, u64)>,
    /// True if the thread has been killed, and unwinds or has unwound.
    pub(crate) killed: bool,
    /// The number of the thread's guards against being killed.
    pub(crate) shields: u32,
    /// The thread's bodies that a handler may interrupt.
    pub(crate) interrupts: Frames,
    /// The thread's state after the run.
    pub(crate) rest: Rest,
}

impl Thread {
    pub(super) const UNBORN: Self = Self {
        state: State::Unborn,
        position: 0,
        job: None,
        round: 0,
        last_round: None,
        has_kept: false,
        idle_rounds: 0,
        hints: 0,
        empty_hints: 0,
        counted_rounds: 0,
        novel_rounds: 0,
        known_rounds: BTreeSet::new(),
        yielding: false,
        stalled: None,
        hinted_at: None,
        retries: false,
        ended_before: 0,
        mark: None,
        killed: false,
        shields: 0,
        interrupts: Frames::NONE,
        rest: Rest::NONE,
    };
}

/// The result of a read, a read-modify-write or a compare-exchange.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    pub(crate) value: u64,
    /// Whether a read-modify-write wrote.
    pub(crate) wrote: bool,
}

/// The fate of a thread in a complete execution.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fate {
    pub(crate) thread: usize,
    /// True if the thread was suspended or killed.
    pub(crate) halted: bool,
    /// True if the thread waits forever.
    pub(crate) waits: bool,
    /// The site of the last step of a halted thread.
    pub(crate) site: Option<Site>,
}

/// The halts of a configuration by thread.
pub(crate) type Halts = [Option<Halt>; MAX_THREADS];

/// Sorts the halts of a configuration by thread; the last one counts.
pub(crate) fn halts_by_thread(all: &[Halt]) -> Halts {
    let mut halts = [None; MAX_THREADS];
    for halt in all {
        if let Some(place) = halts.get_mut(halt.thread) {
            *place = Some(*halt);
        }
    }
    halts
}

/// A handler, valid as long as the body that it may interrupt.
pub(crate) type Handler = *const dyn Fn();

/// The coin that decides whether a handler runs: a weak exchange of its zero that may fail
/// spuriously. Each body has one for all its places, so that the rounds of a loop that waits in it
/// are alike.
pub(crate) type Coin = *const Zero;

/// A body that may be interrupted, or a stretch that may not.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    /// The handler, until it has run, and the coin.
    pub(crate) handler: Option<(Handler, Coin)>,
    /// Whether the handler may itself be interrupted once.
    pub(crate) nests: bool,
}

/// The bodies of a thread. The innermost one, the last, has the handler that may run.
#[derive(Debug)]
pub(crate) struct Frames {
    pub(super) frames: Vec<Frame>,
    /// Whether a decision about a handler is in progress, which is not interrupted.
    pub(super) deciding: bool,
}

impl Frames {
    pub(crate) const NONE: Self = Self { frames: Vec::new(), deciding: false };
}

/// A loop on trial.
#[derive(Debug, Default)]
pub(crate) struct Trial {
    pub(super) thread: usize,
    /// The position of the loop's thread when the trial began.
    pub(super) start: usize,
    /// The number of events of a round.
    pub(super) length: usize,
    /// The operand and the expected value of each operation of the thread since `start`.
    pub(super) operands: Vec<(u64, u64)>,
    /// The length of `operands` when the present round began, if hints end rounds.
    pub(super) round: usize,
    /// The number of hints in a row.
    pub(super) hints: u32,
    /// The number of rounds left.
    pub(super) rounds: u32,
    /// A hash of the past on which the loop depends.
    pub(super) past: u64,
    /// Whether the last operation of each round is a compare-exchange that fails spuriously.
    pub(super) is_of_failures: bool,
    /// The events that the thread has seen before each further round.
    pub(super) known: Clock,
}

impl Trial {
    /// Returns the event that the operation after `done` ones must repeat.
    pub(super) fn model(&self, done: usize) -> EventId {
        EventId::new(self.thread, self.start - self.length + done % self.length)
    }
}

/// The number of rounds that a loop may make, by the result of earlier trials at its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Patience {
    /// A loop at this place did not end.
    Little,
    /// A loop at this place ended late.
    Much,
}

/// Loops that did not end on trial, by a hash of the past on which they depend.
pub(crate) type Endless = HashSet<u64>;

/// The state of the threads after a run.
#[derive(Debug, Default)]
pub(crate) struct Aftermath {
    pub(super) begun: bool,
    /// The values of atomics by location, if they have been used since the run.
    pub(super) values: Vec<Option<u64>>,
    /// The next location for an object that the run did not use.
    pub(super) next: LocId,
    /// The number of changes to atomics and ends of threads.
    pub(super) changes: u64,
    /// The number of operations done, and the number permitted.
    pub(super) operations: u32,
    pub(super) budget: u32,
    /// The number of operations that the current thread may still make before others run.
    pub(super) quantum: u32,
    /// The number of turns.
    pub(super) turns: u64,
}

/// A thread's state after a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rest {
    /// The turn in which the thread last ran. The thread that has rested longest runs next.
    pub(super) turn: u64,
    /// The number of changes that the thread had seen when it last yielded.
    pub(super) seen: u64,
    /// The number of the thread's hints without any change.
    pub(super) hints: u32,
    /// True if the thread is to be killed at its present operation.
    pub(super) doomed: bool,
    /// True if the thread was killed before. It is killed only once.
    pub(super) tried: bool,
}

impl Rest {
    pub(crate) const NONE: Self = Self { turn: 0, seen: 0, hints: 0, doomed: false, tried: false };
}

impl Aftermath {
    /// Whether the run is over.
    #[inline]
    pub(crate) fn has_begun(&self) -> bool {
        self.begun
    }

    /// Resets the state for a new run.
    pub(crate) fn begin_run(&mut self) {
        self.begun = false;
    }
}
