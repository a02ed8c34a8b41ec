//! Two pinned threads that start together, and their patience with a stuck queue.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::plan::Wait;
use aqueduct_measure::crew::{self, step, task};
use aqueduct_measure::machine::{self, Cores};

/// Why a measurement is invalid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The queue could not be made as asked.
    Refused(String),
    /// No item moved for as long as the plan's patience lasts.
    Stuck {
        /// Items that the side had moved.
        moved: u64,
        /// Items that it was to move.
        wanted: u64,
        /// Whether the items until then were the right ones.
        in_order: bool,
    },
    /// An item was lost, repeated, changed or overtaken.
    WrongItems {
        /// Sum of the popped numbers.
        sum: u64,
        /// Sum of the pushed numbers.
        expected: u64,
    },
    /// The machine cannot measure this; the text is its error.
    NotAvailable(String),
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(why) => write!(formatter, "refused: {why}"),
            Self::Stuck { moved, wanted, in_order } => {
                let until = if *in_order { "in order" } else { "not all in order" };
                write!(formatter, "stuck after {moved} of {wanted} items, {until}")
            }
            Self::WrongItems { sum, expected } if sum == expected => {
                write!(formatter, "items came out of order")
            }
            Self::WrongItems { sum, expected } => {
                write!(formatter, "items were lost, repeated or changed: their sum is {sum}, not {expected}")
            }
            Self::NotAvailable(why) => write!(formatter, "not available here: {why}"),
        }
    }
}

impl std::error::Error for Fault {}

/// The shared state of the two threads of a measurement.
#[derive(Debug)]
pub(super) struct Shared {
    arrived: AtomicUsize,
    given_up: AtomicBool,
    wait: Wait,
    patience: Duration,
}

impl Shared {
    pub(super) fn new(wait: Wait, patience: Duration) -> Self {
        Self { arrived: AtomicUsize::new(0), given_up: AtomicBool::new(false), wait, patience }
    }

    /// Waits until both threads are here, so that neither measures the other's start.
    pub(super) fn meet(&self) {
        // Ordering: SeqCst; off the measured path, a weaker one gains nothing.
        self.arrived.fetch_add(1, Ordering::SeqCst);
        while self.arrived.load(Ordering::SeqCst) < 2 {
            std::thread::yield_now();
        }
    }
}

/// One thread's waiting for room or for items: counts, pauses, gives up.
#[derive(Debug)]
pub(super) struct Waiting<'a> {
    shared: &'a Shared,
    tries: u64,
    /// Pauses after the next failure, if waiting backs off.
    pauses: u32,
    since: Option<Instant>,
    /// The number of times that the thread had to wait; repeated failures count once (the SPSC
    /// paper, section 5.1).
    pub(super) stalls: u64,
}

/// Pauses in a row when waiting backs off.
const MOST_PAUSES: u32 = 64;

/// The other side, or this one, has given up.
#[derive(Debug)]
pub(super) struct GivenUp;

impl<'a> Waiting<'a> {
    pub(super) fn new(shared: &'a Shared) -> Self {
        Self { shared, tries: 0, pauses: 1, since: None, stalls: 0 }
    }

    /// Notes a failed attempt, the first of a row or not.
    ///
    /// Never inlined: the loops around the queues under test keep their registers for the queues.
    #[cold]
    #[inline(never)]
    pub(super) fn failed(&mut self, first: bool) -> Result<(), GivenUp> {
        /// Failures between two looks at the clock.
        const LOOK: u64 = 1 << 14;
        if first {
            self.stalls += 1;
            self.since = None;
            self.pauses = 1;
        }
        self.tries = self.tries.wrapping_add(1);
        if self.tries.is_multiple_of(LOOK) {
            return self.look();
        }
        match self.shared.wait {
            Wait::Retry => {}
            Wait::Pause => std::hint::spin_loop(),
            Wait::Backoff => self.back_off(),
            Wait::Yield => std::thread::yield_now(),
        }
        Ok(())
    }

    fn back_off(&mut self) {
        for _ in 0..self.pauses {
            std::hint::spin_loop();
        }
        self.pauses = (2 * self.pauses).min(MOST_PAUSES);
    }

    #[cold]
    fn look(&mut self) -> Result<(), GivenUp> {
        // On a single core the other side can only move when this one yields.
        std::thread::yield_now();
        let since = *self.since.get_or_insert_with(Instant::now);
        if since.elapsed() > self.shared.patience {
            // Ordering: SeqCst; off the measured path.
            self.shared.given_up.store(true, Ordering::SeqCst);
        }
        if self.shared.given_up.load(Ordering::SeqCst) { Err(GivenUp) } else { Ok(()) }
    }
}

/// The machine's behaviour during a measurement. It decides whether a measurement was spoiled and
/// is repeated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Conditions {
    /// A cache line's round trip between the two threads right before the measurement, in
    /// nanoseconds.
    ///
    /// On a virtual machine it shows whether the host has put both threads on one core (far too
    /// short) or runs another thread there (far too long).
    pub line_ns: f64,
    /// The share of the time for which both threads had a core.
    pub on_core: f64,
}

/// Runs `producer` and `consumer` on their cores and waits for both.
///
/// # Panics
/// With the panic of a side that panics.
pub(super) fn run_pair<P: Send, C: Send>(
    cores: Cores,
    producer: impl FnOnce() -> P + Send,
    consumer: impl FnOnce() -> C + Send,
) -> (P, C, Conditions) {
    let line = AtomicU64::new(0);
    let answering = task(|| {
        machine::pin(cores.consumer);
        respond_to_probe(&line);
        machine::share_on_core(step(consumer))
    });
    let asking = task(|| {
        machine::pin(cores.producer);
        let line_ns = request_probe(&line);
        (line_ns, machine::share_on_core(step(producer)))
    });
    let ((consumed, consumer_share), (line_ns, (produced, producer_share))) = crew::pair(answering, asking);
    (produced, consumed, Conditions { line_ns, on_core: producer_share.min(consumer_share) })
}

/// Round trips of the probe; the first ones are not timed.
const PROBE_TRIPS: u64 = 96;
const UNTIMED_PROBE_TRIPS: u64 = 32;

fn request_probe(line: &AtomicU64) -> f64 {
    let mut begin = Instant::now();
    for trip in 0..PROBE_TRIPS {
        if trip == UNTIMED_PROBE_TRIPS {
            begin = Instant::now();
        }
        line.store(2 * trip + 1, Ordering::Release);
        await_value(line, 2 * trip + 2);
    }
    begin.elapsed().as_nanos() as f64 / (PROBE_TRIPS - UNTIMED_PROBE_TRIPS) as f64
}

fn respond_to_probe(line: &AtomicU64) {
    for trip in 0..PROBE_TRIPS {
        await_value(line, 2 * trip + 1);
        line.store(2 * trip + 2, Ordering::Release);
    }
}

fn await_value(line: &AtomicU64, value: u64) {
    let mut tries = 0_u32;
    while line.load(Ordering::Acquire) != value {
        tries += 1;
        if tries.is_multiple_of(1 << 14) {
            std::thread::yield_now();
        }
    }
}
