//! Threads, as in `std::thread`.

mod equal;
mod handle;
mod local;

use std::any::Any;
use std::fmt;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, Location, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use crate::graph::equal::FIRST_EQUAL;
use crate::graph::event::{Kind, Label, Mode};
use crate::runtime::coroutine::Body;
use crate::runtime::engine::Engine;
use crate::runtime::state::Step;
use crate::runtime::{coroutine, driver, inside, visible};
use crate::sync::atomic::{AtomicBool, Ordering};

pub use std::thread::available_parallelism;

#[doc(hidden)]
pub use equal::comes_first;
pub use equal::{EqualThreads, spawn_equal};
pub use handle::{Builder, Thread, ThreadId, current, park, park_timeout};
pub use local::{AccessError, LocalKey};

/// The state that a thread shares with its handle.
struct Packet<T> {
    result: Mutex<Option<T>>,
    /// Whether the thread's body has ended, if ends are counted.
    finished: AtomicBool,
}

impl<T> Packet<T> {
    fn new() -> Arc<Self> {
        Arc::new(Self { result: Mutex::new(None), finished: AtomicBool::new(false) })
    }

    /// Runs the body of the thread, and keeps its result.
    #[track_caller]
    fn fill(&self, body: impl FnOnce() -> T) {
        let _end = EndOfBody(&self.finished);
        *lock(&self.result) = Some(body());
    }

    fn take(&self) -> Result<T> {
        lock(&self.result).take().ok_or_else(|| Box::new("the thread was killed") as Box<dyn Any + Send>)
    }

    #[track_caller]
    fn is_finished(&self) -> bool {
        driver::ask_for_counts();
        // Ordering: Relaxed, because std promises nothing before the join.
        self.finished.load(Ordering::Relaxed)
    }
}

/// Marks the end of a body, even if it is killed.
struct EndOfBody<'a>(&'a AtomicBool);

impl Drop for EndOfBody<'_> {
    #[track_caller]
    fn drop(&mut self) {
        if driver::counts_owners() {
            let _shield = driver::shield();
            self.0.store(true, Ordering::Relaxed);
        }
    }
}

/// The result of a join: an error if the thread was killed ([`Config::kill`](crate::Config::kill)).
///
/// Any other panic in a model thread fails the execution.
pub type Result<T> = std::result::Result<T, Box<dyn Any + Send + 'static>>;

/// A handle that waits for a thread and returns its result.
pub struct JoinHandle<T> {
    number: usize,
    /// The thread's handle, made at its first use, because most programs have none.
    thread: OnceLock<Thread>,
    packet: Arc<Packet<T>>,
}

impl<T> fmt::Debug for JoinHandle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JoinHandle").finish_non_exhaustive()
    }
}

impl<T> JoinHandle<T> {
    /// Waits for the thread to end.
    ///
    /// # Errors
    ///
    /// If the thread was killed ([`Config::kill`](crate::Config::kill)). Any other panic fails the
    /// execution.
    #[track_caller]
    pub fn join(self) -> Result<T> {
        join(self.number);
        self.packet.take()
    }

    /// Whether the thread's body has ended. It may run for a moment, to drop thread locals.
    ///
    /// Only [`Self::join`] synchronizes with the thread. A program that calls this has all orders
    /// of drops ([`Config::all_drop_orders`](crate::Config::all_drop_orders)).
    #[track_caller]
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.packet.is_finished()
    }

    /// Returns the thread.
    #[must_use]
    pub fn thread(&self) -> &Thread {
        self.thread.get_or_init(|| Thread::of(self.number, None))
    }
}

#[track_caller]
fn join(thread: usize) {
    visible(join_of(thread));
}

#[track_caller]
fn join_of(thread: usize) -> impl FnMut(&mut Engine) -> Step<()> {
    let mut label = Label::new(Kind::Join, Mode::NonAtomic, Location::caller());
    label.operand = thread as u64;
    move |engine| engine.join(label)
}

/// Whether the calling thread unwinds.
#[must_use]
pub fn panicking() -> bool {
    if inside() { driver::is_panicking() } else { std::thread::panicking() }
}

/// Starts a thread.
///
/// There may be [`MAX_THREADS`](crate::MAX_THREADS) threads in an execution; more are a failure.
/// Every thread must end, joined or not. As in loom, the body need not be `Send`: all threads of an
/// execution run on one thread of the system.
///
/// # Panics
///
/// Outside of a model.
#[track_caller]
pub fn spawn<F, T>(body: F) -> JoinHandle<T>
where
    F: FnOnce() -> T + 'static,
    T: 'static,
{
    spawn_named(None, body)
}

#[track_caller]
fn spawn_named<F, T>(name: Option<String>, body: F) -> JoinHandle<T>
where
    F: FnOnce() -> T + 'static,
    T: 'static,
{
    let packet = Packet::new();
    let theirs = Arc::clone(&packet);
    let number = create_named(name, Box::new(move || theirs.fill(body)));
    JoinHandle { number, thread: OnceLock::new(), packet }
}

#[track_caller]
fn create_named(name: Option<String>, body: Body) -> usize {
    let number = create(body, None);
    if name.is_some() {
        // The thread itself may read its name.
        Thread::of(number, name);
    }
    number
}

#[track_caller]
fn create(body: Body, equal: Option<u64>) -> usize {
    let site = Location::caller();
    let mut label = Label::new(Kind::Create, Mode::NonAtomic, site);
    if let Some(before) = equal {
        label.expected = FIRST_EQUAL + before;
    }
    let mut job = Some(driver::job(body, site));
    visible(|engine| engine.create(&mut job, label))
}

/// Starts threads that may borrow from the caller: all have ended when this function returns.
#[track_caller]
pub fn scope<'env, F, T>(body: F) -> T
where
    F: for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> T,
{
    assert!(inside(), "aqueduct_model::thread::scope works only inside a model");
    let scope = Scope { threads: Mutex::new(Vec::new()), scope: PhantomData, env: PhantomData };
    // A panic must not unwind past the borrowed values while threads can still run.
    let result = match catch_unwind(AssertUnwindSafe(|| body(&scope))) {
        Err(payload) if !coroutine::is_death(&*payload) => driver::fail_with(payload),
        result => result,
    };
    let mut killed = false;
    // Threads of the scope may start others in it while they are being joined.
    while let Some(thread) = scope.next_left() {
        // A thread that is killed here must not unwind either.
        driver::aside(join_of(thread));
        killed |= driver::with_engine(|engine| engine.was_killed(thread));
    }
    match result {
        Ok(_) if killed => panic!("a scoped thread panicked"),
        Ok(result) => result,
        Err(payload) => resume_unwind(payload),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The scope in which threads start.
#[derive(Debug)]
pub struct Scope<'scope, 'env: 'scope> {
    /// The threads that have not been joined.
    threads: Mutex<Vec<usize>>,
    scope: PhantomData<&'scope mut &'scope ()>,
    env: PhantomData<&'env mut &'env ()>,
}

impl<'scope> Scope<'scope, '_> {
    /// Takes the thread that was started first, of those that have not been joined.
    fn next_left(&self) -> Option<usize> {
        let mut threads = lock(&self.threads);
        (!threads.is_empty()).then(|| threads.remove(0))
    }

    /// Starts a thread that ends before the scope does.
    #[track_caller]
    pub fn spawn<F, T>(&'scope self, body: F) -> ScopedJoinHandle<'scope, T>
    where
        F: FnOnce() -> T + 'scope,
        T: 'scope,
    {
        self.spawn_named(None, body)
    }

    #[track_caller]
    fn spawn_named<F, T>(&'scope self, name: Option<String>, body: F) -> ScopedJoinHandle<'scope, T>
    where
        F: FnOnce() -> T + 'scope,
        T: 'scope,
    {
        let packet = Packet::new();
        let theirs = Arc::clone(&packet);
        let job: Box<dyn FnOnce() + 'scope> = Box::new(move || theirs.fill(body));
        // SAFETY: The scope joins all its threads, and this one is in its list before its creator
        // ends. A panic in the body fails the execution, whose frames stay. After an execution, a
        // thread that is left behind never runs again.
        let job: Box<dyn FnOnce() + 'static> = unsafe { std::mem::transmute(job) };
        let number = create_named(name, job);
        lock(&self.threads).push(number);
        ScopedJoinHandle { number, thread: OnceLock::new(), packet, threads: &self.threads }
    }
}

/// A handle that waits for a thread of a scope and returns its result.
pub struct ScopedJoinHandle<'scope, T> {
    number: usize,
    /// The thread's handle, made at its first use.
    thread: OnceLock<Thread>,
    packet: Arc<Packet<T>>,
    threads: &'scope Mutex<Vec<usize>>,
}

impl<T> fmt::Debug for ScopedJoinHandle<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScopedJoinHandle").finish_non_exhaustive()
    }
}

impl<T> ScopedJoinHandle<'_, T> {
    /// Waits for the thread to end.
    ///
    /// # Errors
    ///
    /// If the thread was killed ([`Config::kill`](crate::Config::kill)). Any other panic fails the
    /// execution.
    #[track_caller]
    pub fn join(self) -> Result<T> {
        join(self.number);
        lock(self.threads).retain(|&number| number != self.number);
        self.packet.take()
    }

    /// Whether the thread's body has ended. It may run for a moment, to drop thread locals.
    ///
    /// Only [`Self::join`] synchronizes with the thread. A program that calls this has all orders
    /// of drops ([`Config::all_drop_orders`](crate::Config::all_drop_orders)).
    #[track_caller]
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.packet.is_finished()
    }

    /// Returns the thread.
    #[must_use]
    pub fn thread(&self) -> &Thread {
        self.thread.get_or_init(|| Thread::of(self.number, None))
    }
}

/// Lets other threads run, as [`yield_now`] does: real time has no meaning in a model.
pub fn sleep(duration: Duration) {
    if inside() {
        crate::hint::spin_loop();
    } else {
        std::thread::sleep(duration);
    }
}

/// Lets other threads run, as [`crate::hint::spin_loop`] does.
pub fn yield_now() {
    if inside() {
        crate::hint::spin_loop();
    } else {
        std::thread::yield_now();
    }
}
