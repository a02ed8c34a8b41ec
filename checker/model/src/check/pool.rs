//! Work for several operating system threads: independent explorations, handed to an idle worker.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::buffering::{BufferedLoad, Buffering};
use crate::config::Config;
use crate::explore::Explorer;
use crate::report::{Failure, Report};
use crate::runtime::traces::Traces;
use crate::runtime::watch::{Keeps, Kept, Watch};

/// An exploration that waits for a worker.
pub(super) struct Task {
    pub(super) explorer: Explorer,
    /// True if a run of the task's graph comes first, and not a step to the next graph.
    pub(super) fresh: bool,
}

/// The workers' shared state.
pub(super) struct Pool {
    tasks: Mutex<Tasks>,
    arrival: Condvar,
    /// The number of workers beyond the tasks that wait.
    hungry: AtomicUsize,
    stopped: AtomicBool,
    pub(super) began: Instant,
    /// The time at which to stop.
    deadline: Option<Instant>,
    pub(super) executions: AtomicU64,
    /// The explored share of the whole exploration, in parts of [`SHARE`].
    explored: AtomicU64,
    failure: Mutex<Option<Failure>>,
    /// An execution that was cut.
    cut: Mutex<Option<Failure>>,
    /// Load buffering that the workers have found.
    buffering: Mutex<Buffering>,
    /// The workers' policy for failed rounds.
    rounds: Rounds,
    /// Failed rounds seen by the workers that write to memory of their own.
    traces: Mutex<Traces>,
    /// Accesses in dropped rounds seen by the workers.
    watch: Mutex<Watch>,
    /// True if a worker has seen an access in a dropped round that may be part of a race, and was
    /// not noted.
    needs_watch: AtomicBool,
    /// Whether the program needs a count of owners, and the check keeps none.
    needs_counts: AtomicBool,
}

/// The policy for accesses of dropped rounds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Watching {
    /// The accesses are ignored.
    #[default]
    Never,
    /// The check stops if one may be part of a race.
    IfNeeded,
    /// The accesses are noted.
    Always,
}

/// The policy for failed rounds that leave nothing behind, and for the owners of an `Arc`.
#[derive(Clone, Debug, Default)]
pub(super) struct Rounds {
    /// True if rounds that write to their thread's own memory are dropped.
    pub(super) drops_own_writes: bool,
    /// The policy for the accesses of dropped rounds.
    pub(super) watch: Watching,
    /// The waits whose rounds are kept.
    pub(super) kept: Vec<Kept>,
    /// The other rounds that are kept.
    pub(super) keeps: Keeps,
    /// Whether the owners of an `Arc` are counted.
    pub(super) counts_owners: bool,
}

/// Facts that executions of a program have shown, and that a check depends on from its first
/// execution on.
///
/// A check whose work is saved begins anew when such a fact appears, and writes it into its files.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(super) struct Lessons {
    /// Memory may be freed, or an atomic be accessed without atomicity, while a failed round uses
    /// it.
    pub(super) keeps_all_rounds: bool,
    /// The program reads the number of an `Arc`'s owners, or makes raw pointers.
    pub(super) counts_owners: bool,
}

impl Rounds {
    /// Whether equal threads may stand for each other: no kept fact names one of them.
    pub(super) fn equates_threads(&self) -> bool {
        !self.counts_owners && self.watch != Watching::Always && self.kept.is_empty()
    }
}

impl Lessons {
    /// Returns the policy for failed rounds and owners.
    pub(super) fn rounds(self) -> Rounds {
        let keeps = if self.keeps_all_rounds { Keeps::All } else { Keeps::CellReads };
        Rounds { keeps, counts_owners: self.counts_owners, ..Rounds::default() }
    }
}

/// The whole exploration, in the units in which workers report.
const SHARE: f64 = (1_u64 << 60) as f64;

struct Tasks {
    waiting: Vec<Task>,
    workers: usize,
    idle: usize,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Pool {
    /// Makes a pool of these tasks. The last one is done first.
    pub(super) fn new(waiting: Vec<Task>, workers: usize) -> Self {
        Self {
            tasks: Mutex::new(Tasks { waiting, workers, idle: 0 }),
            arrival: Condvar::new(),
            hungry: AtomicUsize::new(0),
            stopped: AtomicBool::new(false),
            began: Instant::now(),
            deadline: None,
            executions: AtomicU64::new(0),
            explored: AtomicU64::new(0),
            failure: Mutex::new(None),
            cut: Mutex::new(None),
            buffering: Mutex::default(),
            rounds: Rounds::default(),
            traces: Mutex::default(),
            watch: Mutex::default(),
            needs_watch: AtomicBool::new(false),
            needs_counts: AtomicBool::new(false),
        }
    }

    /// Returns this pool with the counts of earlier stretches.
    pub(super) fn with(self, executions: u64, explored: f64) -> Self {
        let explored = AtomicU64::new((explored * SHARE) as u64);
        Self { executions: AtomicU64::new(executions), explored, ..self }
    }

    /// Returns this pool with a policy for failed rounds.
    pub(super) fn treating(self, rounds: &Rounds) -> Self {
        Self { rounds: rounds.clone(), ..self }
    }

    /// Returns this pool with a deadline.
    pub(super) fn until(self, deadline: Option<Instant>) -> Self {
        Self { deadline, ..self }
    }

    /// Returns the next task, or `None` when all is done or the check has been stopped.
    pub(super) fn take(&self) -> Option<Task> {
        let mut tasks = lock(&self.tasks);
        tasks.idle += 1;
        loop {
            if self.has_stopped() {
                return None;
            }
            if let Some(task) = tasks.waiting.pop() {
                tasks.idle -= 1;
                self.count_hungry(&tasks);
                return Some(task);
            }
            if tasks.idle == tasks.workers {
                self.arrival.notify_all();
                self.stopped.store(true, Ordering::Relaxed);
                return None;
            }
            self.count_hungry(&tasks);
            tasks = self.arrival.wait(tasks).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn count_hungry(&self, tasks: &Tasks) {
        let hungry = tasks.idle.saturating_sub(tasks.waiting.len());
        self.hungry.store(hungry, Ordering::Relaxed);
    }

    /// Whether a worker is idle.
    #[inline]
    pub(super) fn is_hungry(&self) -> bool {
        self.hungry.load(Ordering::Relaxed) > 0
    }

    /// Hands a task to an idle worker.
    pub(super) fn give(&self, task: Task) {
        let mut tasks = lock(&self.tasks);
        tasks.waiting.push(task);
        self.count_hungry(&tasks);
        drop(tasks);
        self.arrival.notify_one();
    }

    /// Whether tasks wait for a worker.
    pub(super) fn has_tasks(&self) -> bool {
        !lock(&self.tasks).waiting.is_empty()
    }

    /// Returns the remaining tasks, when all workers have ended.
    pub(super) fn into_tasks(self) -> Vec<Task> {
        self.tasks.into_inner().unwrap_or_else(PoisonError::into_inner).waiting
    }

    /// Adds to the explored counts.
    pub(super) fn count(&self, executions: u64, explored: f64) {
        self.executions.fetch_add(executions, Ordering::Relaxed);
        self.explored.fetch_add((explored * SHARE) as u64, Ordering::Relaxed);
    }

    /// Returns the explored share of the whole exploration, as reported so far.
    pub(super) fn explored(&self) -> f64 {
        self.explored.load(Ordering::Relaxed) as f64 / SHARE
    }

    /// Makes all workers stop as soon as they can.
    pub(super) fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
        drop(lock(&self.tasks));
        self.arrival.notify_all();
    }

    #[inline]
    pub(super) fn has_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Stops the check with a failure. The first failure counts.
    pub(super) fn fail(&self, failure: Failure) {
        lock(&self.failure).get_or_insert(failure);
        self.stop();
    }

    /// Keeps an execution that was cut, in case that no execution is complete.
    pub(super) fn note_cut(&self, cut: Failure) {
        lock(&self.cut).get_or_insert(cut);
    }

    /// Adds a worker's findings on load buffering.
    pub(super) fn note_buffering(&self, buffering: Buffering) {
        lock(&self.buffering).merge(buffering);
    }

    /// Returns the pairs that load buffering could exchange.
    pub(super) fn load_buffering(&self) -> Vec<BufferedLoad> {
        lock(&self.buffering).pairs()
    }

    /// Returns the workers' policy for failed rounds.
    pub(super) fn rounds(&self) -> &Rounds {
        &self.rounds
    }

    /// Adds the failed rounds that a worker has seen. Stops the check if it needs dropped ones.
    pub(super) fn note_traces(&self, traces: &Traces) {
        let mut all = lock(&self.traces);
        all.merge(traces);
        if all.are_missed() {
            drop(all);
            self.stop();
        }
    }

    /// Whether dropped rounds have left out executions that no explored one stands for.
    pub(super) fn misses_rounds(&self) -> bool {
        lock(&self.traces).are_missed()
    }

    /// Whether the check has to stop at accesses in dropped rounds that are not noted.
    pub(super) fn is_to_watch(&self) -> bool {
        self.rounds.watch == Watching::IfNeeded || self.rounds.keeps == Keeps::CellReads
    }

    /// Stops the check because accesses in dropped rounds may be part of a race, and are not noted.
    pub(super) fn ask_for_watch(&self) {
        self.needs_watch.store(true, Ordering::Relaxed);
        self.stop();
    }

    /// Whether accesses in dropped rounds may be part of a race, and are not noted.
    pub(super) fn needs_watch(&self) -> bool {
        self.needs_watch.load(Ordering::Relaxed)
    }

    /// Stops the check because the program needs a count of owners.
    pub(super) fn ask_for_counts(&self) {
        self.needs_counts.store(true, Ordering::Relaxed);
        self.stop();
    }

    /// Whether the program needs a count of owners, and the check keeps none.
    pub(super) fn needs_counts(&self) -> bool {
        self.needs_counts.load(Ordering::Relaxed)
    }

    /// Returns all lessons, if the executions have shown more than `known`.
    pub(super) fn lessons(&self, known: Lessons) -> Option<Lessons> {
        let lessons = Lessons {
            keeps_all_rounds: known.keeps_all_rounds || self.needs_watch(),
            counts_owners: known.counts_owners || self.needs_counts(),
        };
        (lessons != known).then_some(lessons)
    }

    /// Adds the accesses in dropped rounds that a worker has seen.
    pub(super) fn note_watch(&self, watch: Watch) {
        lock(&self.watch).merge(watch);
    }

    /// Returns the waits whose dropped rounds may have a race.
    pub(super) fn suspects(&self) -> Vec<Kept> {
        lock(&self.watch).suspects()
    }

    /// Returns the failure of a check that is over and has explored nothing.
    pub(super) fn unexplored(&self, report: &Report) -> Failure {
        report.unexplored(lock(&self.cut).take())
    }

    pub(super) fn failure(&self) -> Option<Failure> {
        lock(&self.failure).take()
    }

    /// Whether a limit of the configuration has been reached.
    #[inline]
    pub(super) fn is_over(&self, config: &Config) -> bool {
        config.max_executions.is_some_and(|limit| self.executions.load(Ordering::Relaxed) >= limit)
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
            || config.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
    }
}
