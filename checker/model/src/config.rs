//! The options of a check.

mod reductions;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::graph::clock::MAX_THREADS;
use crate::graph::equal::Orbits;
use crate::graph::rules::{Fault, MemoryModel, ReleaseSequences, Rules};

/// The choice of the thread whose next event is added to a graph. Every choice explores the same
/// executions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Scheduler {
    /// The thread with the lowest number. This is the fastest choice, because it switches threads
    /// least.
    #[default]
    LowestFirst,
    /// The thread with the highest number.
    HighestFirst,
    /// The thread with the fewest events so far.
    RoundRobin,
    /// A thread picked by a hash of the `seed` and the threads' lengths.
    Seeded(u64),
}

/// Another ordering for one call site, in place of the program's.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Override {
    /// The source file, as [`SiteReport::file`](crate::SiteReport::file) gives it, or the end of
    /// its path: `spsc/lamport.rs`.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
    /// The ordering; `Relaxed` removes a fence.
    pub ordering: Option<Ordering>,
    /// The ordering of a compare-exchange's failure. If the call is also a plain load, as
    /// `fetch_update` is before its first attempt, that load has it, too.
    pub failure: Option<Ordering>,
}

impl Override {
    /// Whether the ordering is for this call site.
    #[must_use]
    pub fn is_for(&self, file: &str, line: u32, column: u32) -> bool {
        let before = file.strip_suffix(self.file.as_str());
        self.line == line && self.column == column && before.is_some_and(|b| b.is_empty() || b.ends_with(['/', '\\']))
    }
}

/// The way in which a thread stops.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Manner {
    /// The thread never continues.
    Suspended,
    /// The thread panics and unwinds.
    Killed,
}

/// The point at which a thread stops.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Halt {
    pub(crate) thread: usize,
    /// The number of steps before the stop.
    pub(crate) after: usize,
    pub(crate) manner: Manner,
}

/// The options of a check.
///
/// [`Config::new`] gives the defaults, each method changes one option, and [`Config::check`] runs the check.
#[derive(Clone, Debug)]
pub struct Config {
    pub(crate) model: MemoryModel,
    pub(crate) release_sequences: ReleaseSequences,
    pub(crate) jobs: usize,
    pub(crate) time_limit: Option<Duration>,
    pub(crate) stop: Option<Arc<AtomicBool>>,
    pub(crate) max_executions: Option<u64>,
    pub(crate) max_events: u32,
    pub(crate) max_preemptions: Option<u32>,
    pub(crate) scheduler: Scheduler,
    pub(crate) stack_size: usize,
    pub(crate) spin_bound: u32,
    pub(crate) yield_bound: u32,
    pub(crate) novel_rounds: u32,
    pub(crate) all_spurious_failures: bool,
    pub(crate) all_failed_rounds: bool,
    pub(crate) all_drop_orders: bool,
    pub(crate) all_thread_orders: bool,
    pub(crate) finds_leaks: bool,
    pub(crate) progress: bool,
    pub(crate) replay: Option<String>,
    /// The number of random executions, and their `seed`.
    pub(crate) random: Option<(u64, u64)>,
    pub(crate) overrides: Vec<Override>,
    pub(crate) halts: Vec<Halt>,
    pub(crate) waits_fail: bool,
    pub(crate) nondeterminism_fails: bool,
    pub(crate) reuses_addresses: bool,
    pub(crate) looks_for_load_buffering: bool,
    pub(crate) fault: Fault,
    pub(crate) orbits: Option<Orbits>,
}

impl Default for Config {
    fn default() -> Self {
        Self::new()
    }
}

impl Config {
    /// Makes the default options: RC11 with C++20 release sequences, one job, and no limit but
    /// 10,000 events an execution.
    #[must_use]
    pub fn new() -> Self {
        Self {
            model: MemoryModel::default(),
            release_sequences: ReleaseSequences::default(),
            jobs: 1,
            time_limit: None,
            stop: None,
            max_executions: None,
            max_events: 10_000,
            max_preemptions: None,
            scheduler: Scheduler::default(),
            stack_size: 2 << 20,
            spin_bound: 1,
            yield_bound: u32::MAX,
            novel_rounds: 0,
            all_spurious_failures: false,
            all_failed_rounds: false,
            all_drop_orders: false,
            all_thread_orders: false,
            finds_leaks: true,
            progress: false,
            replay: None,
            random: None,
            overrides: Vec::new(),
            halts: Vec::new(),
            waits_fail: true,
            nondeterminism_fails: true,
            reuses_addresses: false,
            looks_for_load_buffering: false,
            fault: Fault::default(),
            orbits: None,
        }
    }

    /// Sets the memory model.
    #[must_use]
    pub fn model(mut self, model: MemoryModel) -> Self {
        self.model = model;
        self
    }

    /// Sets which events a release sequence has.
    #[must_use]
    pub fn release_sequences(mut self, release_sequences: ReleaseSequences) -> Self {
        self.release_sequences = release_sequences;
        self
    }

    /// Sets the number of operating system threads that explore. 0 means one for each of the
    /// machine's cores.
    #[must_use]
    pub fn jobs(mut self, jobs: usize) -> Self {
        self.jobs = jobs;
        self
    }

    /// Stops after this time; the report is then not `exhaustive`.
    #[must_use]
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.time_limit = Some(limit);
        self
    }

    /// Stops as soon as this becomes true; the report is then not `exhaustive`.
    #[must_use]
    pub fn stop_when(mut self, stop: Arc<AtomicBool>) -> Self {
        self.stop = Some(stop);
        self
    }

    /// Stops after this many complete executions; the report is then not
    /// `exhaustive`.
    #[must_use]
    pub fn max_executions(mut self, limit: u64) -> Self {
        self.max_executions = Some(limit);
        self
    }

    /// Sets the number of events after which an execution counts as running away, at most 60,000.
    /// That is a failure.
    #[must_use]
    pub fn max_events(mut self, limit: u32) -> Self {
        self.max_events = limit.min(60_000);
        self
    }

    /// Leaves out executions that need more preemptions than this.
    ///
    /// This is for programs that have too many executions. Most bugs need few preemptions. It is
    /// **not a proof**: the report has the number of branches [left out](crate::Report::left_out),
    /// and that the check was not exhaustive, unless nothing was.
    ///
    /// An execution needs as many preemptions as the best of its schedules. A schedule does the
    /// operations of an execution in an order in which each read comes after the write that it
    /// reads from. A thread is preempted if another one continues although it could, except at a
    /// join, at a spin hint, at the start of a round of a wait, and where it waits for a lock that
    /// is taken, or for a notification. A spurious failure of a weak compare-exchange counts as a
    /// preemption, because a preemption causes it in most processors. So each interleaving with at
    /// most that number of preemptions is explored, and executions with old values, too: a
    /// read of an old value needs no preemption.
    ///
    /// The search goes through schedules, one after another, on one core, and counts each execution
    /// once. Without a bound it comes to an execution once, so a bound that leaves little out costs
    /// time. A branch may be left out although it leads to no other execution: then the report says
    /// that the check was not exhaustive, although it was.
    ///
    /// # Examples
    ///
    /// ```
    /// use aqueduct_model::sync::atomic::{AtomicUsize, Ordering::Relaxed};
    /// use aqueduct_model::{Config, thread};
    /// use std::sync::Arc;
    ///
    /// let program = || {
    ///     let x = Arc::new(AtomicUsize::new(0));
    ///     for _ in 0..2 {
    ///         let x = Arc::clone(&x);
    ///         thread::spawn(move || (0..3).for_each(|_| _ = x.fetch_add(1, Relaxed)));
    ///     }
    /// };
    /// let report = Config::new().max_preemptions(1).check(program);
    /// // One thread adds after the other, or one between the other's additions.
    /// assert_eq!((report.executions, report.exhaustive), (6, false));
    /// let report = Config::new().max_preemptions(5).check(program);
    /// assert_eq!((report.executions, report.exhaustive), (20, true));
    /// ```
    #[must_use]
    pub fn max_preemptions(mut self, limit: u32) -> Self {
        self.max_preemptions = Some(limit);
        self
    }

    /// Sets the order in which graphs grow.
    #[must_use]
    pub fn scheduler(mut self, scheduler: Scheduler) -> Self {
        self.scheduler = scheduler;
        self
    }

    /// Sets the size in bytes of each model thread's stack, that of the main one, too. By default
    /// it is 2 MiB, as that of `std`'s threads. A thread that needs more ends the process, as
    /// natively.
    #[must_use]
    pub fn stack_size(mut self, bytes: usize) -> Self {
        self.stack_size = bytes.max(16 * 1024);
        self
    }

    /// Sets after how many equal rounds of a spin loop the check tries whether the loop ends by
    /// itself.
    ///
    /// Rounds are equal if they read the same writes. If 20,000 more such rounds do not end the
    /// loop, the thread counts as waiting, and its behaviour after more than `rounds` such rounds
    /// is not explored. If they do, the loop is not a wait, and each value that a round may read is
    /// explored. From then on, 1,000 rounds are enough for loops at the same place in the program,
    /// unless one of them has ended after more.
    #[must_use]
    pub fn spin_bound(mut self, rounds: u32) -> Self {
        self.spin_bound = rounds.max(1);
        self
    }

    /// Sets how many rounds of waiting that change something a thread may do in an execution.
    ///
    /// Such a round is a [`spin_loop`](crate::hint::spin_loop) or a failed
    /// [`await_until`](crate::await_until) after a store. A thread with more rounds is cut: it ends
    /// there, the others do not, and the report says that the check was not exhaustive. Without a
    /// bound, a loop that tries something and yields until another thread has done its part runs
    /// away, because the executions in which the other thread never does it have no end.
    #[must_use]
    pub fn yield_bound(mut self, rounds: u32) -> Self {
        self.yield_bound = rounds;
        self
    }

    /// Sets how many more rounds than [`Self::yield_bound`] a thread may do, if each is unlike all
    /// before. The default is 0.
    ///
    /// Rounds are unlike if they read or write something else. A thread that pops items one by one
    /// from a queue, and yields after each, waits in no such round.
    #[must_use]
    pub fn novel_rounds(mut self, rounds: u32) -> Self {
        self.novel_rounds = rounds;
        self
    }

    /// Sets whether a leak is a failure: an allocation of [`alloc`](crate::alloc) that a complete
    /// execution does not free.
    ///
    /// By default it is.
    #[must_use]
    pub fn finds_leaks(mut self, yes: bool) -> Self {
        self.finds_leaks = yes;
        self
    }

    /// Sets whether the standard error stream shows how many executions the check has explored.
    ///
    /// It also shows an [estimate](Self::estimate) of how many there are.
    #[must_use]
    pub fn progress(mut self, yes: bool) -> Self {
        self.progress = yes;
        self
    }

    /// Runs only the execution that a failure's replay string describes.
    #[must_use]
    pub fn replay(mut self, replay: impl Into<String>) -> Self {
        self.replay = Some(replay.into());
        self
    }

    /// Runs this number of random executions, at least one, instead of all of them.
    ///
    /// This is for programs that have too many executions. It is **not a proof**: the report is not
    /// `exhaustive`. The choice is biased to rare executions: old values, overtaken writes, threads
    /// that stand still while others go far. An execution may come more than once.
    ///
    /// One `seed` always gives one set of executions. With several [`jobs`](Self::jobs) their order
    /// differs, and so does, if some fail, which of them is reported. A failure's replay string
    /// works as always.
    #[must_use]
    pub fn random(mut self, executions: u64, seed: u64) -> Self {
        self.random = Some((executions, seed));
        self
    }

    /// Gives call sites other orderings than the program's. If several are for one site, the last
    /// one counts.
    #[must_use]
    pub fn overrides(mut self, overrides: impl IntoIterator<Item = Override>) -> Self {
        self.overrides.extend(overrides);
        self
    }

    /// Suspends a thread forever after its first `after_steps` operations, in every execution in
    /// which it makes them.
    ///
    /// With 0 it stops before its first operation. Threads count in the order in which they are
    /// started; main is 0. Each load, store, read-modify-write, fence, access to a cell,
    /// allocation, free, spawn and join is a step; a failed round of a wait is not. Other threads
    /// that wait for the suspended one are not a failure: the report's
    /// [`threads`](crate::Report::threads) show which complete their programs nevertheless. In
    /// executions in which a thread is suspended or killed, nothing counts as a leak.
    ///
    /// # Examples
    ///
    /// ```
    /// use aqueduct_model::sync::atomic::{AtomicUsize, Ordering};
    /// use aqueduct_model::{Config, await_until, thread};
    /// use std::sync::Arc;
    ///
    /// let program = || {
    ///     let x = Arc::new(AtomicUsize::new(0));
    ///     let y = Arc::clone(&x);
    ///     thread::spawn(move || y.store(1, Ordering::Release));
    ///     await_until(|| x.load(Ordering::Acquire) == 1);
    /// };
    /// assert!(!Config::new().suspend(1, 0).check(program).threads[0].always_ends());
    /// assert!(Config::new().suspend(1, 1).check(program).threads[0].always_ends());
    /// ```
    #[must_use]
    pub fn suspend(self, thread: usize, after_steps: usize) -> Self {
        self.halt(thread, after_steps, Manner::Suspended)
    }

    /// Kills a thread at the point where [`Self::suspend`] would suspend it.
    ///
    /// Its next operation panics, and it unwinds. The operations of its destructors are steps of
    /// the execution as all others. The panic is not a failure; a join of the thread returns an
    /// error. A thread is not killed while it drops the guard of a lock: it releases the lock
    /// first.
    #[must_use]
    pub fn kill(self, thread: usize, after_steps: usize) -> Self {
        self.halt(thread, after_steps, Manner::Killed)
    }

    fn halt(mut self, thread: usize, after: usize, manner: Manner) -> Self {
        assert!(thread < MAX_THREADS, "there are threads 0 to {}, and no thread {thread}", MAX_THREADS - 1);
        self.halts.push(Halt { thread, after, manner });
        self
    }

    /// Sets whether deadlocks are failures: waits that nothing ends, and threads that join each
    /// other.
    ///
    /// By default they are. Otherwise, the report's [`threads`](crate::Report::threads) show which
    /// threads wait forever, as they do after a suspension.
    #[must_use]
    pub fn waits_fail(mut self, yes: bool) -> Self {
        self.waits_fail = yes;
        self
    }

    /// Sets whether it is a failure that the program behaves differently after the same results.
    ///
    /// By default it is, because such a program cannot be explored as a whole: its threads
    /// communicate through something that the model does not see, such as the count of a
    /// `std::sync::Arc`, or it keeps something from one execution to the next.
    ///
    /// Otherwise, a run that strays continues after its operations so far, on one random path, and
    /// fails if it finds an error there. The report has the number of runs that
    /// [`strayed`](crate::Report::strayed), and is not `exhaustive`. Such a check
    /// cannot be [saved](Self::check_saving).
    #[must_use]
    pub fn nondeterminism_fails(mut self, yes: bool) -> Self {
        self.nondeterminism_fails = yes;
        self
    }

    /// Sets whether memory that was freed through [`alloc`](crate::alloc) may be allocated again.
    ///
    /// If so, an allocation takes either fresh memory or any block of its layout that was freed
    /// before it (in happens-before); each is explored. By default it does not, which costs less,
    /// and finds all errors but those of programs that compare addresses (ABA).
    #[must_use]
    pub fn reuse_addresses(mut self, yes: bool) -> Self {
        self.reuses_addresses = yes;
        self
    }

    /// Sets whether the report names the relaxed reads that could read from a consequence of later
    /// writes of their threads.
    ///
    /// RC11 forbids that (*load buffering*), and compilers for Arm do not: see
    /// [`Report::load_buffering`](crate::Report::load_buffering). It costs about as much time
    /// again, and memory for each different past of a thread.
    ///
    /// # Examples
    ///
    /// ```
    /// use aqueduct_model::sync::atomic::{AtomicUsize, Ordering::Relaxed};
    /// use aqueduct_model::{Config, thread};
    /// use std::sync::Arc;
    ///
    /// let report = Config::new().load_buffering(true).check(|| {
    ///     let x = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
    ///     let y = Arc::clone(&x);
    ///     thread::spawn(move || {
    ///         y[0].load(Relaxed);
    ///         y[1].store(1, Relaxed);
    ///     });
    ///     x[1].load(Relaxed);
    ///     x[0].store(1, Relaxed);
    /// });
    /// assert_eq!(report.load_buffering.unwrap().len(), 2);
    /// ```
    #[must_use]
    pub fn load_buffering(mut self, yes: bool) -> Self {
        self.looks_for_load_buffering = yes;
        self
    }

    pub(crate) fn rules(&self) -> Rules {
        Rules {
            sequential: self.model == MemoryModel::Sc,
            c11_release_sequences: self.release_sequences == ReleaseSequences::C11,
            all_spurious_failures: self.all_spurious_failures,
            preemptions: self.max_preemptions,
            fault: self.fault,
        }
    }

    #[doc(hidden)]
    #[must_use]
    pub fn fault(mut self, fault: Fault) -> Self {
        self.fault = fault;
        self
    }
}
