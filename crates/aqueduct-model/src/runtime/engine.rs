//! The engine: the state of one run of the program against the graph.
//!
//! A run first replays the graph: each operation gets its recorded result as soon as the write that
//! it reads from has been replayed, too. Then it adds events, one thread at a time, until no thread
//! can go on. Nothing is added before the replay is complete.

use std::collections::BTreeSet;

use crate::config::{Config, Scheduler};
use crate::explore::{Explorer, Mark};
use crate::graph::clock::MAX_THREADS;
use crate::graph::event::EventId;
use crate::report::failure::{Cause, Failure, STRAYED};
use crate::report::sites::Overrides;

use super::aftermath::{Aftermath, Rest};
use super::coroutine::Job;
use super::halting::{self, Fate, Halts};
use super::heap::Heap;
use super::interrupts::Frames;
use super::locals;
use super::place::Bindings;
use super::trial::{Endless, Trial};

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
    const UNBORN: Self = Self {
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

/// How a run ended.
#[derive(Debug)]
pub(crate) enum Ending {
    /// Every thread came to its end, was halted, or waits forever where that is no failure.
    Complete,
    /// Some threads wait for what may still come in other executions.
    Blocked,
    /// The run led nowhere.
    Discarded,
    /// Threads waited for longer than is explored; the others went as far as they could. Described the first time,
    /// unless an execution was complete before.
    Cut(Option<Box<Failure>>),
    /// An error was found.
    Failed(Box<Failure>),
}

/// Runs the program and grows graphs.
pub(crate) struct Engine {
    pub(crate) explorer: Explorer,
    pub(crate) bindings: Bindings,
    pub(crate) heap: Heap,
    pub(crate) threads: [Thread; MAX_THREADS],
    /// The threads of this run in the order of creation.
    pub(crate) born: Vec<usize>,
    pub(crate) current: usize,
    /// How many events of the graph are still to be replayed.
    pub(crate) remaining: usize,
    /// A thread whose read-modify-write has read and must write next.
    pub(crate) owing: Option<usize>,
    /// A loop of which it is to be seen whether it ends by itself: its thread goes on alone.
    pub(crate) trial: Option<Trial>,
    /// Loops that did not.
    pub(crate) endless: Endless,
    /// Writes through `get_mut` whose value is still in the object's memory, with their locations.
    pub(crate) unread: Vec<(u32, EventId)>,
    pub(crate) ending: Option<Ending>,
    /// The run has strayed. Describes how, the first time.
    pub(crate) strayed: Option<String>,
    /// A wait that nothing in the execution ends, and that is tried once more.
    pub(crate) doubted: Option<Box<Failure>>,
    /// It has been described how a run strayed.
    pub(crate) is_stray_told: bool,
    /// An execution has been complete, or it has been described why none is.
    pub(crate) is_told: bool,
    /// Counts the events added in this run, but for those of failed rounds and trials.
    pub(crate) progress: u64,
    pub(crate) scheduler: Scheduler,
    pub(crate) sequential: bool,
    pub(crate) max_events: usize,
    pub(crate) spin_bound: u32,
    pub(crate) yield_bound: u32,
    pub(crate) novel_rounds: u32,
    pub(crate) finds_leaks: bool,
    pub(crate) overrides: Overrides,
    pub(crate) halts: Halts,
    pub(crate) has_halts: bool,
    pub(crate) waits_fail: bool,
    pub(crate) nondeterminism_fails: bool,
    /// Operations have to be preceded by more: threads are to be halted, or handlers may run.
    pub(crate) intervenes: bool,
    pub(crate) reuses_addresses: bool,
    /// What became of the threads, where that matters.
    pub(crate) fates: Vec<Fate>,
    pub(crate) aftermath: Aftermath,
}

impl Engine {
    pub(crate) fn new(config: &Config) -> Self {
        let rules = config.rules();
        Self {
            explorer: Explorer::new(rules),
            bindings: Bindings::default(),
            heap: Heap::default(),
            threads: [Thread::UNBORN; MAX_THREADS],
            born: Vec::new(),
            current: 0,
            remaining: 0,
            owing: None,
            trial: None,
            endless: Endless::default(),
            unread: Vec::new(),
            ending: None,
            strayed: None,
            doubted: None,
            is_stray_told: false,
            is_told: false,
            progress: 0,
            scheduler: config.scheduler,
            sequential: rules.sequential,
            max_events: config.max_events as usize,
            spin_bound: config.spin_bound,
            yield_bound: config.yield_bound,
            novel_rounds: config.novel_rounds,
            finds_leaks: config.finds_leaks,
            overrides: Overrides::new(&config.overrides),
            halts: halting::by_thread(config),
            has_halts: !config.halts.is_empty(),
            waits_fail: config.waits_fail,
            nondeterminism_fails: config.nondeterminism_fails,
            intervenes: false,
            reuses_addresses: config.reuses_addresses,
            fates: Vec::new(),
            aftermath: Aftermath::default(),
        }
    }

    /// Begins a run whose main thread does `main`.
    pub(crate) fn begin_run(&mut self, main: Job) {
        self.bindings.begin_run();
        self.heap.begin_run();
        self.aftermath.begin_run();
        for &thread in &self.born {
            self.threads[thread] = Thread::UNBORN;
        }
        self.born.clear();
        self.unread.clear();
        self.remaining = self.explorer.graph.order.len();
        (self.owing, self.trial) = (None, None);
        (self.ending, self.strayed, self.doubted) = (None, None, None);
        self.progress = 0;
        self.intervenes = self.has_halts;
        self.fates.clear();
        self.give_birth(0, main);
    }

    pub(crate) fn give_birth(&mut self, thread: usize, job: Job) {
        self.threads[thread] = Thread { state: State::Ready, job: Some(job), ..Thread::UNBORN };
        self.born.push(thread);
    }

    /// How many events the current thread has done.
    #[inline]
    pub(crate) fn position(&self) -> usize {
        self.threads[self.current].position
    }

    /// Ends the run with an error.
    pub(crate) fn fail(&mut self, cause: Cause) {
        if self.ending.is_none() {
            let mut failure = Failure::new(&cause, self);
            if self.is_astray(&cause) {
                failure.message.push_str(STRAYED);
            }
            self.ending = Some(Ending::Failed(Box::new(failure)));
        }
    }

    /// Ends the run because no event could be added: the memory model forbids it, or it is a race.
    pub(crate) fn give_up(&mut self) {
        match self.explorer.conflict.take() {
            Some(conflict) => self.fail(Cause::Conflict(conflict)),
            None => self.ending = Some(Ending::Discarded),
        }
    }

    /// The thread to resume, or how the run ended.
    pub(crate) fn next_thread(&mut self) -> Option<usize> {
        if self.ending.is_some() {
            return None;
        }
        loop {
            let next = if self.remaining > 0 { self.next_replayed() } else { self.scheduled() };
            if let Some(thread) = next {
                self.current = thread;
                if self.threads[thread].state != State::Ready {
                    self.threads[thread].state = State::Ready;
                }
                return next;
            }
            if self.remaining > 0 {
                self.stray(&Cause::ReplayStuck);
            } else {
                self.conclude();
            }
            if self.ending.is_some() {
                return None;
            }
        }
    }

    /// A thread with events to replay that is not waiting for another's.
    fn next_replayed(&self) -> Option<usize> {
        self.born.iter().copied().find(|&t| {
            let thread = &self.threads[t];
            thread.position < self.explorer.graph.len(t)
                && match thread.state {
                    State::Ready => true,
                    State::Awaits(event) => self.is_replayed(event),
                    _ => false,
                }
        })
    }

    /// Whether an event of the graph has happened in this run.
    #[inline]
    pub(crate) fn is_replayed(&self, id: EventId) -> bool {
        id.is_init() || id.index() < self.threads[id.thread()].position
    }

    fn can_run(&self, thread: usize) -> bool {
        match self.threads[thread].state {
            State::Ready => !self.is_suspended(thread),
            State::Joins(other) => self.explorer.graph.ended(other),
            State::Blocked => self.may_be_woken(thread),
            _ => false,
        }
    }

    /// The thread whose event is to be added next: a function of the graph alone.
    pub(crate) fn scheduled(&self) -> Option<usize> {
        if self.owing.is_some() {
            return self.owing;
        }
        if let Some(trial) = &self.trial {
            return Some(trial.thread);
        }
        if let Some(walk) = &self.explorer.walk {
            return walk.pick((0..MAX_THREADS).filter(|&t| self.can_run(t)));
        }
        if let Some(script) = &self.explorer.script {
            let turns = &script.turns;
            let turn = turns.get(self.explorer.graph.order.len()).or(turns.last());
            if let Some(&(thread, _)) = turn
                && self.can_run(thread)
            {
                return Some(thread);
            }
        }
        self.choose(|t| self.can_run(t) && !self.threads[t].yielding)
            .or_else(|| self.choose_fairly(|t| self.can_run(t) && !self.has_stalled(t)))
            .or_else(|| self.choose_fairly(|t| self.can_run(t)))
    }

    /// Of threads that all give way, one that has waited for the fewest rounds in vain: a thread that polls does not
    /// keep others from what it polls for.
    fn choose_fairly(&self, able: impl Fn(usize) -> bool) -> Option<usize> {
        let rounds = |t: usize| u64::from(self.threads[t].vain_rounds) + u64::from(self.threads[t].novel_rounds);
        let fewest = (0..MAX_THREADS).filter(|&t| able(t)).map(rounds).min()?;
        self.choose(|t| rounds(t) == fewest && able(t))
    }

    /// Whether a thread's wait would fail again, since nothing has happened since it did.
    pub(crate) fn has_stalled(&self, thread: usize) -> bool {
        self.threads[thread].stalled == Some(self.progress)
    }

    fn choose(&self, able: impl Fn(usize) -> bool) -> Option<usize> {
        let able = (0..MAX_THREADS).filter(|&t| able(t));
        match self.scheduler {
            Scheduler::LowestFirst => { able }.next(),
            Scheduler::HighestFirst => able.last(),
            Scheduler::RoundRobin => able.min_by_key(|&t| self.explorer.graph.len(t)),
            Scheduler::Seeded(seed) => able.min_by_key(|&t| self.hash(seed, t)),
        }
    }

    fn hash(&self, seed: u64, thread: usize) -> u64 {
        let mut hash = seed ^ thread as u64;
        for t in 0..MAX_THREADS {
            hash = (hash ^ self.explorer.graph.len(t) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            hash ^= hash >> 29;
        }
        hash
    }

    /// Whether the current thread has to wait before it may add an event. Notices runaway loops.
    pub(crate) fn must_wait(&mut self) -> bool {
        if self.remaining > 0 || self.scheduled() != Some(self.current) {
            return true;
        }
        self.is_too_long()
    }

    /// Whether the current thread has to wait before it may access memory that is not atomic, or allocate. A random
    /// walk has it do that at once: nothing depends on when it does, and a program may hold something of `std`
    /// meanwhile that other threads would find held, such as a `RefCell` in a thread local.
    pub(super) fn must_wait_for_memory(&mut self) -> bool {
        let is_free = self.remaining == 0 && self.owing.is_none() && self.trial.is_none();
        if self.explorer.walk.is_some() && is_free { self.is_too_long() } else { self.must_wait() }
    }

    fn is_too_long(&mut self) -> bool {
        if self.explorer.graph.order.len() >= self.max_events && self.trial.is_none() {
            self.fail(Cause::TooManyEvents);
            return true;
        }
        false
    }

    /// No thread can go on: works out what that means.
    fn conclude(&mut self) {
        if self.born.iter().all(|&t| self.threads[t].state == State::Done || self.is_suspended(t)) {
            match self.leak() {
                Some(allocation) if self.finds_leaks && !self.has_halted() && !locals::may_own() => {
                    self.fail(Cause::Leak(allocation));
                }
                _ => self.ending = Some(Ending::Complete),
            }
        } else {
            self.conclude_blocked();
        }
        if matches!(self.ending, Some(Ending::Complete)) {
            self.is_told = true;
            if self.tells_fates() {
                self.note_fates();
            }
        }
    }
}
