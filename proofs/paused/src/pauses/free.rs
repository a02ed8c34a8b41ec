//! Threads of the operating system, which stop themselves.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use super::{Body, CALLS, Dice, End, LEFT, Plan, Ran, message};

/// The shared state of the threads of a round.
struct Shared {
    plan: Plan,
    /// The number of points that the threads have reached.
    points: AtomicU64,
    /// The number of decisions and refusals after a call that succeeded.
    successes: AtomicU64,
    /// The number of threads that have not ended.
    at_work: AtomicUsize,
    /// The number of threads at work that have stopped.
    stopped: AtomicUsize,
    is_over: AtomicBool,
    panic: Mutex<Option<String>>,
}

/// A thread of the round.
struct Thread {
    number: usize,
    dice: Dice,
    gap: u32,
    shared: Arc<Shared>,
}

/// The panic that ends a thread of a stopped round.
struct Over;

std::thread_local! {
    static THREAD: RefCell<Option<Thread>> = const { RefCell::new(None) };
}

/// The longest stop, for the case that no other thread can go on.
const LONGEST: Duration = Duration::from_millis(3);

/// A thread waits for a stop of up to this number of points by yielding, and for a longer one by
/// sleeping.
const SHORT: u32 = 256;

/// The time for which a round without a successful call goes on.
const PATIENCE: Duration = Duration::from_secs(3);

// Ordering: Relaxed throughout this module. These are numbers, and they should order nothing
// between the threads.
const RELAXED: Ordering = Ordering::Relaxed;

impl Thread {
    /// Counts the points that this thread has passed since its last decision.
    fn count(&self, left: u32) {
        self.shared.points.fetch_add(u64::from(self.gap.saturating_sub(left)), RELAXED);
        if CALLS.take().succeeded {
            self.shared.successes.fetch_add(1, RELAXED);
        }
    }

    fn go_on(&mut self) {
        self.gap = self.shared.plan.gap(&mut self.dice);
        LEFT.set(self.gap);
    }

    fn stop(&self, length: u32) {
        let shared = &*self.shared;
        let (until, begin) = (shared.points.load(RELAXED) + u64::from(length), Instant::now());
        shared.stopped.fetch_add(1, RELAXED);
        while shared.points.load(RELAXED) < until && begin.elapsed() < LONGEST && !shared.is_over.load(RELAXED) {
            if shared.stopped.load(RELAXED) == shared.at_work.load(RELAXED) {
                break;
            }
            match length {
                ..SHORT => thread::yield_now(),
                _ => thread::sleep(Duration::from_micros(50)),
            }
        }
        shared.stopped.fetch_sub(1, RELAXED);
    }

    fn is_over(&self) -> bool {
        self.shared.is_over.load(RELAXED) && !thread::panicking()
    }
}

/// Applies `act` to this thread, if it is one of a round, and goes on with the round or leaves it.
fn with_thread(act: impl FnOnce(&mut Thread)) {
    let is_over = THREAD.with_borrow_mut(|thread| {
        thread.as_mut().is_some_and(|thread| {
            act(thread);
            thread.go_on();
            thread.is_over()
        })
    });
    if is_over {
        resume_unwind(Box::new(Over));
    }
}

pub(super) fn decide() {
    with_thread(|thread| {
        thread.count(0);
        if let Some(length) = thread.shared.plan.stop(&mut thread.dice, thread.number) {
            thread.stop(length);
        }
    });
}

pub(super) fn relax() {
    let left = LEFT.get();
    with_thread(|thread| thread.count(left));
    thread::yield_now();
}

/// Runs one thread to its end.
fn work(thread: Thread, body: Body) {
    let shared = Arc::clone(&thread.shared);
    THREAD.set(Some(thread));
    with_thread(|_| ());
    let result = catch_unwind(AssertUnwindSafe(body));
    // The values of the body are dropped without stops.
    LEFT.set(u32::MAX);
    THREAD.set(None);
    if let Err(panic) = result
        && !panic.is::<Over>()
    {
        shared.is_over.store(true, RELAXED);
        let mut first = shared.panic.lock().expect("nobody panics with it");
        first.get_or_insert_with(|| message(&*panic));
    }
    shared.at_work.fetch_sub(1, RELAXED);
}

pub(super) fn run(bodies: Vec<Body>, plan: &Plan, dice: &mut Dice) -> Ran {
    let shared = Arc::new(Shared {
        plan: plan.clone(),
        points: AtomicU64::new(0),
        successes: AtomicU64::new(0),
        at_work: AtomicUsize::new(bodies.len()),
        stopped: AtomicUsize::new(0),
        is_over: AtomicBool::new(false),
        panic: Mutex::new(None),
    });
    let fault = crate::present();
    let threads: Vec<_> = bodies
        .into_iter()
        .enumerate()
        .map(|(number, body)| {
            let thread = Thread { number, dice: Dice::new(dice.any()), gap: 0, shared: Arc::clone(&shared) };
            thread::spawn(move || crate::with(fault, || work(thread, body)))
        })
        .collect();
    let is_stuck = watch(&shared);
    // A thread that stays in the library forever could not be joined; but it passes points, at
    // which it is made to end.
    threads.into_iter().for_each(|thread| thread.join().expect("panics are caught"));
    let panic = shared.panic.lock().expect("nobody panics with it").take();
    let end = match (panic, is_stuck) {
        (Some(panic), _) => End::Panicked(panic),
        (None, true) => End::Stuck,
        (None, false) => End::Done,
    };
    Ran { end, points: shared.points.load(RELAXED) }
}

/// Waits until all threads have ended, or no call has succeeded for long. Returns whether all
/// threads have ended.
fn watch(shared: &Shared) -> bool {
    let mut wait = Duration::from_micros(50);
    let (mut last, mut since) = (0, Instant::now());
    while shared.at_work.load(RELAXED) > 0 {
        thread::sleep(wait);
        wait = (2 * wait).min(Duration::from_millis(2));
        let successes = shared.successes.load(RELAXED);
        if successes != last {
            (last, since) = (successes, Instant::now());
        } else if since.elapsed() > PATIENCE {
            shared.is_over.store(true, RELAXED);
            return true;
        }
    }
    false
}
