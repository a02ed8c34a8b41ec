//! The native backend: std's threads and locks.

use std::cell::UnsafeCell;
use std::fmt;
use std::hint::spin_loop;
use std::io;
use std::mem::MaybeUninit;
use std::sync::{self, MutexGuard, PoisonError};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use aqueduct::bwos::policy::Topology;

use super::parked::{self, Signal};

pub(crate) use std::sync::Arc;
pub(crate) use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering, fence};
pub(crate) use std::thread_local as per_thread;

/// A lock that a panic does not poison: no user code runs under the lock.
#[derive(Debug, Default)]
pub(crate) struct Mutex<T>(sync::Mutex<T>);

impl<T> Mutex<T> {
    pub(crate) const fn new(value: T) -> Self {
        Self(sync::Mutex::new(value))
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Memory for a value that one thread hands to another. It does not drop the value.
#[derive(Debug)]
pub(crate) struct Slot<T>(UnsafeCell<MaybeUninit<T>>);

impl<T> Slot<T> {
    /// Makes a slot with a value.
    #[inline(always)]
    pub(crate) const fn full(value: T) -> Self {
        Self(UnsafeCell::new(MaybeUninit::new(value)))
    }

    /// Makes a slot without a value.
    #[inline(always)]
    pub(crate) const fn empty() -> Self {
        Self(UnsafeCell::new(MaybeUninit::uninit()))
    }

    /// Moves a value in. The slot forgets an earlier value without dropping it.
    ///
    /// # Safety
    /// No other thread accesses the slot at the same time.
    #[inline(always)]
    pub(crate) unsafe fn put(&self, value: T) {
        // SAFETY: the caller has the slot to itself.
        unsafe { *self.0.get() = MaybeUninit::new(value) };
    }

    /// Moves the value out.
    ///
    /// # Safety
    /// The slot holds a value, and no other thread accesses the slot at the same time.
    #[inline(always)]
    pub(crate) unsafe fn take(&self) -> T {
        // SAFETY: the caller has the slot to itself, and it holds a value.
        unsafe { (*self.0.get()).assume_init_read() }
    }

    /// Calls `body` with the value.
    ///
    /// # Safety
    /// The slot holds a value, and neither another thread nor `body` accesses the slot at the same
    /// time.
    #[inline(always)]
    pub(crate) unsafe fn with<R>(&self, body: impl FnOnce(&mut T) -> R) -> R {
        // SAFETY: the caller has the slot to itself, and it holds a value.
        body(unsafe { (*self.0.get()).assume_init_mut() })
    }
}

/// A thread that other threads wake.
#[derive(Clone)]
pub(crate) enum Sleeper {
    Thread(Thread),
    /// A worker that waits in a user's function.
    Parked(Arc<Signal>),
}

impl Sleeper {
    pub(crate) fn current() -> Self {
        parked::signal().map_or_else(|| Self::Thread(thread::current()), Self::Parked)
    }

    pub(crate) fn wake(&self) {
        match self {
            Self::Thread(thread) => thread.unpark(),
            Self::Parked(signal) => signal.wake(),
        }
    }
}

impl fmt::Debug for Sleeper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sleeper").finish_non_exhaustive()
    }
}

/// Parks the calling thread until it is woken, or returns spuriously.
pub(crate) fn park() {
    if !parked::park() {
        thread::park();
    }
}

/// Parks the calling thread for `duration` at most.
pub(crate) fn park_for(duration: Option<Duration>) {
    match duration {
        Some(duration) => thread::park_timeout(duration),
        None => thread::park(),
    }
}

/// Whether the timers' thread watches tasks for which no worker was woken.
pub(crate) const WATCHES: bool = true;

/// The first rounds of a search, which wait by pause hints alone. The later ones yield the core,
/// which a thread from outside that was just woken may need.
pub(crate) const HINTED: usize = 3;

/// The greatest number of rounds in which a worker looks for work before it sleeps.
pub(crate) const ROUNDS: usize = HINTED + 32;

/// The least number of rounds.
pub(crate) const LEAST_ROUNDS: usize = 4;

/// The longest search. On a busy machine, each of the later rounds may last for a time slice.
const LONGEST: Duration = Duration::from_micros(50);

/// The time of a search.
pub(crate) struct SearchTime(Option<Instant>);

impl SearchTime {
    /// The time begins with the first round that yields the core.
    pub(crate) fn start() -> Self {
        Self(None)
    }

    /// Whether the search is over before its `round`th look, because it has taken too long.
    pub(crate) fn is_over(&mut self, round: usize) -> bool {
        round >= HINTED && self.0.get_or_insert_with(Instant::now).elapsed() > LONGEST
    }
}

/// The time of a sleep.
pub(crate) struct Nap(Instant);

impl Nap {
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }

    /// Whether the sleep took less time than a search and two wake-ups.
    pub(crate) fn is_short(&self) -> bool {
        self.0.elapsed() < Duration::from_micros(50)
    }
}

/// Lets some time pass before the `round`th look in a row.
pub(crate) fn relax(round: usize) {
    if round < HINTED {
        (0..1 << round.min(6)).for_each(|_| spin_loop());
    } else {
        thread::yield_now();
    }
}

/// Lets some time pass before the `round`th look in a row at work that another thread has not
/// granted yet. The looks until the work is seized take some microseconds, and do not yield the
/// core: on a busy machine, a yield takes a time slice.
pub(crate) fn hold_on(round: usize) {
    if round < 32 {
        (0..1 << round.min(5)).for_each(|_| spin_loop());
    } else {
        thread::yield_now();
    }
}

/// Returns the number of threads that can run at once.
pub(crate) fn available_threads() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Starts a thread.
pub(crate) fn spawn(
    name: Option<&str>,
    stack_size: Option<usize>,
    body: impl FnOnce() + Send + 'static,
) -> io::Result<()> {
    let mut builder = thread::Builder::new();
    if let Some(name) = name {
        builder = builder.name(name.to_owned());
    }
    if let Some(size) = stack_size {
        builder = builder.stack_size(size);
    }
    builder.spawn(body).map(drop)
}

/// Binds the calling thread to a core. Where the system has no such call or core, the thread runs
/// anywhere.
pub(crate) fn bind(core: usize) {
    #[cfg(all(target_os = "linux", not(miri)))]
    {
        use std::ffi::c_int;

        unsafe extern "C" {
            /// The C library's function, which std links.
            fn sched_setaffinity(thread: c_int, size: usize, set: *const usize) -> c_int;
        }

        /// The greatest number of cores that Linux can be built for.
        const CORES: usize = 8192;
        const WORD: usize = usize::BITS as usize;

        let mut set = [0_usize; CORES / WORD];
        if let Some(word) = set.get_mut(core / WORD) {
            *word = 1 << (core % WORD);
            // SAFETY: the set is as long as is said, and 0 means the calling thread.
            unsafe { sched_setaffinity(0, size_of_val(&set), set.as_ptr()) };
        }
    }
    #[cfg(not(all(target_os = "linux", not(miri))))]
    let _ = core;
}

/// Groups cores by their distance to a core, the nearest first. A group has the places of its cores
/// in the list.
pub(crate) fn groups(core: usize, cores: &[usize]) -> Box<[Box<[usize]>]> {
    Topology::of_cpus(core, cores).nodes().map(Box::from).collect()
}

/// Starts a thread that other threads wake.
pub(crate) fn start(name: &str, body: impl FnOnce() + Send + 'static) -> io::Result<Sleeper> {
    let thread = thread::Builder::new().name(name.to_owned()).spawn(body)?;
    Ok(Sleeper::Thread(thread.thread().clone()))
}
