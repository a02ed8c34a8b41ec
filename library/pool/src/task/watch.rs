//! A watch over tasks for which no worker was woken.
//!
//! A worker that makes one task ready wakes no other worker, because it comes to the task when its poll ends
//! ([rule 5](super::queue)). While such pushes happen, the timers' thread looks at each worker once in a while.
//! If a worker has taken no task since the last look, and one is ready, the timers' thread wakes another
//! worker, which takes the task.
//!
//! The watch ends when no worker takes tasks. A push at that moment executes a light fence before it checks
//! whether the watch is on; the watch announces its end, executes a heavy fence, and looks at the workers
//! again. So one of the two sees the other.

use std::sync::Arc as Shared;
use std::task::{Wake, Waker};
use std::time::{Duration, Instant};

use aqueduct::fences;

use crate::registry::Registry;
use crate::sync::{Arc, AtomicBool, Mutex, Ordering, WATCHES};
use crate::time::clock;

/// The time between two looks.
const PERIOD: Duration = Duration::from_millis(1);

/// Whether the watch is on.
#[derive(Debug)]
pub struct Watch(AtomicBool);

impl Watch {
    /// Makes a watch that is off.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "an internal type")]
    pub fn new() -> Self {
        Self(AtomicBool::new(false))
    }

    /// Announces a ready task. Returns whether the caller has to begin a watch.
    #[inline]
    pub fn wants_start(&self) -> bool {
        // Pairs with the heavy fence in `end`: this thread sees that the watch is off, or the watch sees the
        // task.
        fences::light();
        !self.0.load(Ordering::Relaxed) && self.start()
    }

    /// Turns the watch on. Returns whether it was off.
    #[must_use]
    pub fn start(&self) -> bool {
        !self.0.swap(true, Ordering::Relaxed)
    }

    /// Turns the watch off. The caller looks at the workers once more, and may [start](Self::start) the watch
    /// again.
    pub fn end(&self) {
        self.0.store(false, Ordering::Relaxed);
        // Pairs with the light fence in `wants_start`.
        fences::heavy();
    }
}

/// The watch over the workers of a pool.
struct Watchman {
    registry: Arc<Registry>,
    /// The number of tasks that each worker had taken at the last look.
    taken: Mutex<Vec<usize>>,
}

/// Has the watch look after a ready task for which no worker was woken.
#[inline]
pub(crate) fn watch_over(registry: &Arc<Registry>) {
    if WATCHES && registry.watch().wants_start() {
        begin(registry);
    }
}

/// Begins a watch over the pool.
#[cold]
fn begin(registry: &Arc<Registry>) {
    let taken = registry.seats().iter().map(|seat| seat.tasks.taken()).collect();
    Shared::new(Watchman { registry: Arc::clone(registry), taken: Mutex::new(taken) }).wait();
}

impl Watchman {
    fn wait(self: Shared<Self>) {
        clock::set(Instant::now() + PERIOD, &Waker::from(self));
    }

    /// Looks at each worker. Returns whether to look again later.
    fn look(&self) -> bool {
        let (mut is_busy, mut is_stuck) = (false, false);
        for (seat, before) in self.registry.seats().iter().zip(self.taken.lock().iter_mut()) {
            let taken = seat.tasks.taken();
            is_busy |= taken != *before;
            is_stuck |= taken == *before && !seat.tasks.is_empty();
            *before = taken;
        }
        if is_stuck {
            self.registry.sleep().notify();
        }
        if is_busy || is_stuck {
            return true;
        }
        let watch = self.registry.watch();
        watch.end();
        self.registry.seats().iter().any(|seat| !seat.tasks.is_empty()) && watch.start()
    }
}

impl Wake for Watchman {
    fn wake(self: Shared<Self>) {
        if self.look() {
            self.wait();
        }
    }
}
