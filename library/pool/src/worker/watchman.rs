//! Checks of the [watch](crate::task::watch), on the timers' thread.

use std::sync::Arc as Shared;
use std::task::{Wake, Waker};
use std::time::{Duration, Instant};

use crate::registry::Registry;
use crate::sync::{Arc, Mutex, WATCHES};
use crate::time::clock;

/// The time between two checks.
const PERIOD: Duration = Duration::from_millis(1);

/// The watch over the workers of a pool.
struct Watchman {
    registry: Arc<Registry>,
    /// Number of tasks that each worker had taken at the last check.
    taken: Mutex<Vec<usize>>,
}

/// Makes the watch look after a ready task for which no worker was woken.
#[inline]
pub(super) fn watch_over(registry: &Arc<Registry>) {
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
