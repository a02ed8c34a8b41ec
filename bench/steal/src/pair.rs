//! An owner's thread and a thief's, which begin together.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use aqueduct_measure::crew::{self, Step, step, task};
use aqueduct_measure::machine;
use aqueduct_measure::rounds::Fault;
use aqueduct_measure::run::panic_text;

/// A word alone in its pair of cache lines.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(super) struct Line(AtomicU64);

impl Line {
    pub(super) fn get(&self) -> u64 {
        // Ordering: relaxed; numbers only. What the threads found reaches the caller when they are
        // joined.
        self.0.load(Ordering::Relaxed)
    }

    pub(super) fn set(&self, value: u64) {
        // Ordering: relaxed; numbers only, as in `get`.
        self.0.store(value, Ordering::Relaxed);
    }
}

/// A number that several threads add to.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(super) struct Tally(AtomicU64);

impl Tally {
    pub(super) fn get(&self) -> u64 {
        // Ordering: relaxed; numbers only, as in `Line`.
        self.0.load(Ordering::Relaxed)
    }

    pub(super) fn add(&self, more: u64) {
        // Ordering: relaxed; numbers only, as in `Line`.
        self.0.fetch_add(more, Ordering::Relaxed);
    }
}

/// Whether a run is over, and how long it may take.
#[derive(Debug)]
pub(super) struct End {
    over: AtomicBool,
    patience: Duration,
}

impl End {
    pub(super) fn new(patience: Duration) -> Self {
        Self { over: AtomicBool::new(false), patience }
    }

    pub(super) fn is_over(&self) -> bool {
        // Ordering: relaxed; a flag that carries no data.
        self.over.load(Ordering::Relaxed)
    }

    pub(super) fn finish(&self) {
        // Ordering: relaxed; a flag that carries no data.
        self.over.store(true, Ordering::Relaxed);
    }

    /// Waits for `ready`. Returns whether it came before the end of the run and of the thread's
    /// patience. Calls `meanwhile` after every 64 failures in succession.
    pub(super) fn wait_until(&self, mut ready: impl FnMut() -> bool, mut meanwhile: impl FnMut()) -> bool {
        let mut failures = 0;
        let mut until = None;
        while !ready() {
            idle(&mut failures);
            if failures.is_multiple_of(64) {
                meanwhile();
            }
            // The clock is read only after other threads have had the core and nothing has changed.
            if failures.is_multiple_of(1024) {
                let until = *until.get_or_insert_with(|| Instant::now() + self.patience);
                if self.is_over() || Instant::now() > until {
                    return false;
                }
            }
        }
        true
    }
}

/// The behaviour of a thread after its `failures`th failed attempt in succession: a pause hint, and
/// after every 64 of them it yields its core.
#[inline]
pub(super) fn idle(failures: &mut u32) {
    *failures = failures.wrapping_add(1);
    if failures.is_multiple_of(64) { std::thread::yield_now() } else { std::hint::spin_loop() }
}

/// Runs both, each on its core. The first to end, even by a panic, ends the run.
pub(super) fn pair<A: Send, B: Send>(
    cores: [Option<usize>; 2],
    end: &End,
    owner: impl FnOnce() -> A + Send,
    thief: impl FnOnce() -> B + Send,
) -> Result<(A, B), Fault> {
    let start = Barrier::new(2);
    let owner = task(|| ends(end, part(cores[0], &start, step(owner))));
    let thief = task(|| ends(end, part(cores[1], &start, step(thief))));
    let (owned, robbed) = crew::pair(owner, thief);
    Ok((owned?, robbed?))
}

/// The run ends with that outcome.
fn ends<T>(end: &End, outcome: T) -> T {
    end.finish();
    outcome
}

/// Does one thread's work on its core, as soon as all others are there.
pub(super) fn part<T>(core: Option<usize>, start: &Barrier, work: Step<'_, T>) -> Result<T, Fault> {
    machine::pin(core);
    start.wait();
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| Fault::Panicked(panic_text(panic.as_ref())))
}
