//! A watch over tasks for which no worker was woken.
//!
//! A worker that makes one task ready wakes no other worker, as it comes to the task when its poll ends
//! ([rule 5](super::queue)). While such pushes happen, the thread of the timers looks at each worker once in a
//! while. If a worker has taken no task since the last look, and one is ready, it wakes another worker, which takes it.
//!
//! The watch ends when no worker takes tasks. A push that comes at that moment passes a light fence before it looks
//! whether the watch is on; the watch says that it is off, passes a heavy fence, and looks at the workers again. So one
//! of the two sees the other.

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
    /// Says that nobody watches.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "an internal type")]
    pub fn new() -> Self {
        Self(AtomicBool::new(false))
    }

    /// Says that a task is ready. Returns whether the caller has to begin a watch.
    #[inline]
    pub fn wants_start(&self) -> bool {
        // Pairs with the heavy fence in `end`: this thread sees that the watch is off, or the watch sees the task.
        fences::light();
        !self.0.load(Ordering::Relaxed) && self.start()
    }

    /// Says that the caller watches. Returns whether nobody did.
    #[must_use]
    pub fn start(&self) -> bool {
        !self.0.swap(true, Ordering::Relaxed)
    }

    /// Says that nobody watches. Comes before another look at the workers, after which the caller may
    /// [start](Self::start) again.
    pub fn end(&self) {
        self.0.store(false, Ordering::Relaxed);
        // Pairs with the light fence in `wants_start`.
        fences::heavy();
    }
}

/// Looks at the workers of a pool.
struct Watchman {
    registry: Arc<Registry>,
    /// How many tasks each worker had taken at the last look.
    taken: Mutex<Vec<usize>>,
}

/// Has tasks looked after for which nobody is woken. Call it after one was made ready.
#[inline]
pub(crate) fn watch_over(registry: &Arc<Registry>) {
    if WATCHES && registry.watch().wants_start() {
        begin(registry);
    }
}

/// Begins to watch over the pool.
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
