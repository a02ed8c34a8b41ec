//! The engine: the state of one run of the program against the graph.
//!
//! A run first replays the graph: each operation gets its recorded result as soon as the write that
//! it reads from has been replayed, too. Then it adds events, one thread at a time, until no thread
//! can continue. Nothing is added before the replay is complete.

use std::collections::HashMap;

use crate::config::{Config, Scheduler};
use crate::explore::Explorer;
use crate::graph::Graph;
use crate::graph::clock::MAX_THREADS;
use crate::graph::event::{EventId, Pause};

use super::coroutine::Job;
use super::facts::{Cause, Ending, Facts, ThreadFacts};
use super::heap::Heap;
use super::locals;
use super::overrides::Overrides;
use super::place::Bindings;
use super::state::{Aftermath, Endless, Fate, Halts, Patience, State, Step, Thread, Trial, halts_by_thread};
use super::traces::Traces;
use super::watch::{Keeps, Kept, Watch};

/// The engine, which runs the program and grows graphs.
pub(crate) struct Engine {
    pub(crate) explorer: Explorer,
    pub(crate) bindings: Bindings,
    pub(crate) heap: Heap,
    pub(crate) threads: [Thread; MAX_THREADS],
    /// The threads of this run in the order of creation.
    pub(crate) born: Vec<usize>,
    /// One more than the highest number of a thread of this run.
    limit: usize,
    pub(crate) current: usize,
    /// The number of events of the graph that remain to be replayed.
    pub(crate) remaining: usize,
    /// The number of events from which on the graph is not that of the run before.
    pub(super) shared: usize,
    /// A thread whose read-modify-write has read and must write next.
    pub(crate) owing: Option<usize>,
    /// A loop on trial, whose thread runs alone.
    pub(crate) trial: Option<Trial>,
    /// Loops that did not end on trial.
    pub(crate) endless: Endless,
    /// Loops around a weak compare-exchange that did not end on trial.
    pub(crate) hopeless: Endless,
    /// Facts about loops, by a hash of their places in the program.
    pub(crate) patience: HashMap<u64, Patience>,
    /// Writes through `get_mut` whose value is still in the object's memory, with their locations.
    pub(crate) unread: Vec<(u32, EventId)>,
    pub(crate) ending: Option<Ending>,
    /// Failed rounds seen so far that write to their thread's own memory.
    pub(crate) traces: Traces,
    /// The threads and positions of this run's rounds that began while their thread may have had
    /// memory of its own.
    pub(super) begun_rounds: Vec<(usize, usize)>,
    /// Whether failed rounds that write to their thread's own memory are dropped.
    pub(crate) drops_own_writes: bool,
    /// Accesses seen in dropped rounds, if they are noted.
    pub(crate) watch: Option<Watch>,
    /// Whether accesses in dropped rounds have to be noted.
    pub(crate) needs_watch: bool,
    /// Waits with one failed round that is kept.
    pub(crate) kept_rounds: Vec<Kept>,
    /// The policy for other rounds that fail.
    pub(crate) keeps: Keeps,
    /// Whether the owners of an `Arc` are counted.
    pub(crate) counts_owners: bool,
    /// Whether the program needs the count of owners.
    pub(crate) needs_counts: bool,
    /// Whether the execution, which is complete, counts.
    pub(crate) is_counted: bool,
    /// Whether a thread has waited in this run.
    pub(super) has_waited: bool,
    /// Whether the run has strayed.
    pub(crate) has_strayed: bool,
    /// The facts of the first run that has strayed, in that run.
    pub(crate) first_stray: Option<Box<Facts>>,
    /// A wait that no event of the execution ends, and that is tried once more.
    pub(crate) doubted: Option<Box<Facts>>,
    /// True if a run has strayed, and the report has its facts.
    pub(crate) is_stray_told: bool,
    /// True if an execution has been complete, or the report has the facts of one that was cut.
    pub(crate) is_told: bool,
    /// The number of events added in this run, without those of failed rounds and trials.
    pub(crate) progress: u64,
    pub(crate) scheduler: Scheduler,
    pub(crate) sequential: bool,
    pub(crate) max_events: usize,
    pub(crate) spin_bound: u32,
    pub(crate) yield_bound: u32,
    pub(crate) novel_rounds: u32,
    pub(crate) keeps_rounds: bool,
    pub(crate) finds_leaks: bool,
    pub(crate) overrides: Overrides,
    pub(crate) halts: Halts,
    pub(crate) has_halts: bool,
    pub(crate) waits_fail: bool,
    pub(crate) nondeterminism_fails: bool,
    /// Whether operations need a step before them: threads are to be halted, or handlers may run.
    pub(crate) intervenes: bool,
    /// The function that is called before operations in which handlers may run.
    pub(crate) moment: Option<fn()>,
    pub(crate) reuses_addresses: bool,
    /// The threads' fates, if the report has them.
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
            limit: 0,
            current: 0,
            remaining: 0,
            shared: 0,
            owing: None,
            trial: None,
            endless: Endless::default(),
            hopeless: Endless::default(),
            patience: HashMap::new(),
            unread: Vec::new(),
            ending: None,
            traces: Traces::default(),
            begun_rounds: Vec::new(),
            drops_own_writes: false,
            watch: None,
            needs_watch: false,
            kept_rounds: Vec::new(),
            keeps: Keeps::None,
            counts_owners: config.all_drop_orders,
            needs_counts: false,
            is_counted: true,
            has_waited: false,
            has_strayed: false,
            first_stray: None,
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
            keeps_rounds: config.all_failed_rounds,
            finds_leaks: config.finds_leaks,
            overrides: Overrides::new(&config.overrides),
            halts: halts_by_thread(&config.halts),
            has_halts: !config.halts.is_empty(),
            waits_fail: config.waits_fail,
            nondeterminism_fails: config.nondeterminism_fails,
            intervenes: false,
            moment: None,
            reuses_addresses: config.reuses_addresses,
            fates: Vec::new(),
            aftermath: Aftermath::default(),
        }
    }

    /// Begins a run whose main thread runs `main`.
    pub(crate) fn begin_run(&mut self, main: Job) {
        self.bindings.begin_run();
        self.heap.begin_run();
        self.aftermath.begin_run();
        for &thread in &self.born {
            self.threads[thread] = Thread::UNBORN;
        }
        self.born.clear();
        self.limit = 0;
        self.unread.clear();
        self.begun_rounds.clear();
        self.has_waited = false;
        self.remaining = self.explorer.graph.order.len();
        // Its last event may have another source or place.
        self.shared = if self.explorer.schedule().is_some() { self.remaining.saturating_sub(1) } else { 0 };
        (self.owing, self.trial) = (None, None);
        (self.ending, self.doubted) = (None, None);
        (self.has_strayed, self.first_stray, self.moment) = (false, None, None);
        self.progress = 0;
        self.intervenes = self.has_halts;
        self.fates.clear();
        self.give_birth(0, main);
    }

    pub(crate) fn give_birth(&mut self, thread: usize, job: Job) {
        self.threads[thread] = Thread { state: State::Ready, job: Some(job), ..Thread::UNBORN };
        self.born.push(thread);
        self.limit = self.limit.max(thread + 1);
    }

    /// Whether the program's present operations belong to no execution that counts.
    pub(crate) fn is_off_record(&self) -> bool {
        self.aftermath.has_begun() || !self.kept_rounds.is_empty() || self.has_kept()
    }

    /// Whether the run has a failed round that leaves nothing behind and is kept: such a run does
    /// not count as an execution.
    pub(crate) fn has_kept(&self) -> bool {
        self.born.iter().any(|&thread| self.threads[thread].has_kept)
    }

    /// Ends the run, because it needs a count of owners that is not kept.
    pub(crate) fn ask_for_counts(&mut self) -> Step<()> {
        if self.aftermath.has_begun() || self.counts_owners {
            return Step::Done(());
        }
        self.needs_counts = true;
        self.ending = Some(Ending::Discarded);
        Step::Switch
    }

    /// Ends the run with an error.
    pub(crate) fn fail(&mut self, cause: Cause) {
        if self.ending.is_none() && self.end_trial() {
            let mut facts = self.facts(cause);
            facts.is_astray = self.is_astray(&facts.cause);
            self.ending = Some(Ending::Failed(facts));
        }
    }

    /// Returns a copy of the facts of the run, which may continue.
    pub(super) fn facts(&self, cause: Cause) -> Box<Facts> {
        let mut graph = Graph::default();
        graph.copy_from(&self.explorer.graph);
        let threads = self.born.iter().map(|&number| {
            let thread = &self.threads[number];
            ThreadFacts { number, state: thread.state, round: thread.round }
        });
        Box::new(Facts {
            cause,
            graph,
            allocations: self.heap.allocations.clone(),
            current: self.current,
            threads: threads.collect(),
            is_astray: false,
            counts_owners: self.counts_owners,
            max_events: self.max_events,
            yield_bound: self.yield_bound,
        })
    }

    /// Ends the run because no event could be added: the memory model forbids it, or it is a race.
    pub(crate) fn give_up(&mut self) {
        match self.explorer.conflict.take() {
            Some(conflict) => self.fail(Cause::Conflict(conflict)),
            None => self.ending = Some(Ending::Discarded),
        }
    }

    /// Returns the thread to resume, or `None` if the run has ended.
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
            } else if self.is_at_dead_end() {
                self.ending = Some(Ending::Discarded);
            } else {
                self.conclude();
            }
            if self.ending.is_some() {
                return None;
            }
        }
    }

    /// Returns a thread with events to replay that does not wait for another thread's event.
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

    #[inline]
    fn can_run(&self, thread: usize) -> bool {
        match self.threads[thread].state {
            State::Ready => !self.is_suspended(thread),
            State::Joins(other) => self.explorer.graph.ended(other),
            State::Blocked => self.may_be_woken(thread),
            _ => false,
        }
    }

    /// Returns the thread whose event is to be added next, a function of the graph alone.
    pub(crate) fn scheduled(&self) -> Option<usize> {
        if self.owing.is_some() {
            return self.owing;
        }
        if let Some(trial) = &self.trial {
            return Some(trial.thread);
        }
        if let Some(walk) = &self.explorer.walk {
            return walk.pick((0..self.limit).filter(|&t| self.can_run(t)));
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
        let can_run_first = |t: usize| self.can_run(t) && !self.threads[t].yielding;
        if let Some(schedule) = self.explorer.schedule() {
            if let Some((thread, done)) = schedule.turn(self.explorer.graph.order.len()) {
                let enabled = |t: usize| self.can_go_on(t) && done & 1 << t == 0;
                return Some(thread).filter(|&t| enabled(t)).or_else(|| self.choose(enabled));
            }
            if let Some(last) = self.explorer.graph.newest().map(EventId::thread).filter(|&last| can_run_first(last)) {
                return Some(last);
            }
        }
        self.choose(can_run_first)
            .or_else(|| self.choose_fairly(|t| self.can_run(t) && !self.has_stalled(t)))
            .or_else(|| self.choose_fairly(|t| self.can_run(t)))
    }

    /// Returns, of threads that all yield, the one that has waited for the fewest rounds.
    /// So a thread that polls does not block the thread for which it polls.
    fn choose_fairly(&self, enabled: impl Fn(usize) -> bool) -> Option<usize> {
        let rounds = |t: usize| u64::from(self.threads[t].counted_rounds) + u64::from(self.threads[t].novel_rounds);
        let fewest = (0..self.limit).filter(|&t| enabled(t)).map(rounds).min()?;
        self.choose(|t| rounds(t) == fewest && enabled(t))
    }

    /// Whether a thread can run, and its wait need not fail again.
    fn can_go_on(&self, thread: usize) -> bool {
        self.can_run(thread) && !self.has_stalled(thread)
    }

    /// Whether all threads that are enabled here have been tried.
    fn is_at_dead_end(&self) -> bool {
        self.explorer.schedule().is_some_and(|schedule| schedule.turn(self.explorer.graph.order.len()).is_some())
    }

    /// Whether a thread's wait would fail again, because nothing has happened since it did.
    pub(crate) fn has_stalled(&self, thread: usize) -> bool {
        self.threads[thread].stalled == Some(self.progress)
    }

    fn choose(&self, enabled: impl Fn(usize) -> bool) -> Option<usize> {
        let enabled = (0..self.limit).filter(|&t| enabled(t));
        match self.scheduler {
            Scheduler::LowestFirst => { enabled }.next(),
            Scheduler::HighestFirst => enabled.last(),
            Scheduler::RoundRobin => enabled.min_by_key(|&t| self.explorer.graph.len(t)),
            Scheduler::Seeded(seed) => enabled.min_by_key(|&t| self.hash(seed, t)),
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

    /// Whether the current thread must wait before it may add an event. Notices runaway loops.
    pub(crate) fn must_wait(&mut self) -> bool {
        if self.remaining > 0 || self.scheduled() != Some(self.current) {
            return true;
        }
        self.prepare_event();
        self.is_too_long()
    }

    /// Passes the facts about the current thread's next event to the explorer.
    pub(super) fn prepare_event(&mut self) {
        let Thread { position, hinted_at, last_round, .. } = self.threads[self.current];
        self.explorer.graph.pause = match Some(position) {
            now if now == hinted_at => Pause::Hint,
            now if now == last_round => Pause::Round,
            _ => Pause::None,
        };
        if self.explorer.schedule().is_some() {
            let enabled = (0..self.limit).filter(|&t| self.can_go_on(t));
            self.explorer.enabled = enabled.fold(1 << self.current, |enabled, t| enabled | 1 << t);
        }
    }

    /// Whether the current thread must wait before it may access memory that is not atomic, or
    /// allocate.
    ///
    /// In a random walk it need not: nothing depends on the time of the access, and a program may
    /// meanwhile hold a borrow or lock of `std` that other threads would find taken, such as a
    /// `RefCell` in a thread local.
    pub(super) fn must_wait_for_memory(&mut self) -> bool {
        let is_free = self.remaining == 0 && self.owing.is_none();
        if self.explorer.walk.is_some() && is_free { self.is_too_long() } else { self.must_wait() }
    }

    fn is_too_long(&mut self) -> bool {
        if self.explorer.graph.order.len() >= self.max_events {
            self.fail(Cause::TooManyEvents);
            return true;
        }
        false
    }

    /// Concludes the run when no thread is enabled.
    fn conclude(&mut self) {
        self.note_seen();
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
            self.is_counted = self.born.iter().all(|&thread| self.stands_for_itself(thread));
            if self.tells_fates() {
                self.note_fates();
            }
        }
    }
}
