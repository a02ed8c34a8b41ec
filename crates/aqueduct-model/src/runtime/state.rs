//! The state of a run as plain data: its threads, and what the modules beside this one keep of it. They act on it.

use std::collections::{BTreeSet, HashSet};

use crate::config::Halt;
use crate::explore::Mark;
use crate::graph::clock::MAX_THREADS;
use crate::graph::event::{EventId, LocId, Site};

use super::coroutine::Job;
use super::place::Zero;

/// The outcome of an attempt at an operation.
pub(crate) enum Step<R> {
    /// It is done.
    Done(R),
    /// Another thread has to run first; try again when resumed.
    Switch,
}

/// What keeps a thread from running.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum State {
    /// Nobody has created it in this run.
    Unborn,
    /// Nothing.
    Ready,
    /// In a replay: an event that has not been replayed yet.
    Awaits(EventId),
    /// A thread that has not ended.
    Joins(usize),
    /// A wait that failed. It ends the thread for good in this graph; but in a random walk, until there is a newer
    /// write.
    Blocked,
    /// It went on waiting for longer than is explored: it ends there in this graph.
    Cut,
    /// It has ended.
    Done,
}

/// Returns what a thread is called.
pub(crate) fn thread_name(thread: usize) -> String {
    match thread {
        0 => "main".to_owned(),
        thread => format!("thread {thread}"),
    }
}

/// A thread in the present run.
pub(crate) struct Thread {
    pub(crate) state: State,
    /// How many of its events have been done.
    pub(crate) position: usize,
    /// What it runs, until it begins.
    pub(crate) job: Option<Job>,
    /// Where the present round of a wait loop began.
    pub(crate) round: usize,
    /// How many rounds in a row were like the one before.
    pub(crate) idle_rounds: u32,
    /// How many hints in a row came without any operation in between.
    pub(crate) empty_hints: u32,
    /// How many rounds of waiting it has done that changed something and count against the bound.
    pub(crate) vain_rounds: u32,
    /// How many it has done that changed something and were like none before.
    pub(crate) novel_rounds: u32,
    /// Hashes of its rounds that changed something.
    pub(crate) known_rounds: BTreeSet<u64>,
    /// It is about to wait for others, which go first.
    pub(crate) yielding: bool,
    /// The progress at which its last round was taken back, having failed.
    pub(crate) stalled: Option<u64>,
    /// The present round is begun again, with another source for one of its reads.
    pub(crate) retries: bool,
    /// How many threads had ended when it last began to wait.
    pub(crate) ended_before: usize,
    /// Where the present round began, if it can be taken back.
    pub(crate) mark: Option<(Mark, u64)>,
    /// It has been killed, and unwinds or has unwound.
    pub(crate) killed: bool,
    /// How much it does that it does not die in.
    pub(crate) shields: u32,
    /// The bodies it is in that a handler may interrupt.
    pub(crate) interrupts: Frames,
    /// What it is about after the run.
    pub(crate) rest: Rest,
}

impl Thread {
    pub(super) const UNBORN: Self = Self {
        state: State::Unborn,
        position: 0,
        job: None,
        round: 0,
        idle_rounds: 0,
        empty_hints: 0,
        vain_rounds: 0,
        novel_rounds: 0,
        known_rounds: BTreeSet::new(),
        yielding: false,
        stalled: None,
        retries: false,
        ended_before: 0,
        mark: None,
        killed: false,
        shields: 0,
        interrupts: Frames::NONE,
        rest: Rest::NONE,
    };
}

/// What a read, a read-modify-write or a compare-exchange found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    pub(crate) value: u64,
    /// Whether a read-modify-write wrote.
    pub(crate) wrote: bool,
}

/// What becomes of a thread in a complete execution.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fate {
    pub(crate) thread: usize,
    /// It was suspended or killed.
    pub(crate) halted: bool,
    /// It waits forever.
    pub(crate) waits: bool,
    /// Where the last step of a halted thread stands in the program.
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

/// A handler, for as long as the body lasts that it may interrupt.
pub(crate) type Handler = *const dyn Fn();

/// What decides whether a handler runs: a weak exchange of its zero that may fail for nothing. Each body has one for
/// all its places, so that the rounds of a loop that waits in it are alike.
pub(crate) type Coin = *const Zero;

/// A body that may be interrupted, or a stretch that may not.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    /// The handler, until it has run, and the coin.
    pub(crate) handler: Option<(Handler, Coin)>,
    /// Whether the handler may be interrupted once in its turn.
    pub(crate) nests: bool,
}

/// The bodies that a thread is in: the innermost one, the last, says what may come.
#[derive(Debug)]
pub(crate) struct Frames {
    pub(super) frames: Vec<Frame>,
    /// It is being decided whether the handler runs; that decision is not interrupted.
    pub(super) deciding: bool,
}

impl Frames {
    pub(crate) const NONE: Self = Self { frames: Vec::new(), deciding: false };
}

/// A loop on trial.
#[derive(Debug)]
pub(crate) struct Trial {
    pub(super) thread: usize,
    /// Where the exploration stood when it began.
    pub(super) mark: Mark,
    pub(super) progress: u64,
    pub(super) start: usize,
    /// The number of events of a round.
    pub(super) length: usize,
    /// Where the present round began.
    pub(super) round: usize,
    /// Hints in it so far.
    pub(super) hints: u32,
    /// Rounds left.
    pub(super) rounds: u32,
    /// What the loop depends on.
    pub(super) past: u64,
}

/// Loops that did not end on trial, by a hash of all that they depend on.
pub(crate) type Endless = HashSet<u64>;

/// The state of all that goes on after a run.
#[derive(Debug, Default)]
pub(crate) struct Aftermath {
    pub(super) begun: bool,
    /// The values of atomics by location, if they have been used since the run.
    pub(super) values: Vec<Option<u64>>,
    /// The next location of an object that the run did not know.
    pub(super) next: LocId,
    /// Counts changes to atomics and ends of threads.
    pub(super) changes: u64,
    /// Operations done, and how many are to be done.
    pub(super) operations: u32,
    pub(super) budget: u32,
    /// How many operations the current thread may still do before others have their turn.
    pub(super) quantum: u32,
    /// Counts turns.
    pub(super) turns: u64,
}

/// What a thread is about after a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rest {
    /// The turn at which it last ran: the longest rested thread goes on.
    pub(super) turn: u64,
    /// The changes that it had seen when it last gave way.
    pub(super) seen: u64,
    /// How many hints it gave without any change.
    pub(super) hints: u32,
    /// It is to die where it is.
    pub(super) doomed: bool,
    /// It was to die before: it does not again.
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

    /// A new run begins.
    pub(crate) fn begin_run(&mut self) {
        self.begun = false;
    }
}
