//! A watch over tasks for which no worker was woken.
//!
//! A worker that makes one task ready wakes no other worker, because it comes to the task when its
//! poll ends ([rule 5](super::queue)). While such pushes happen, the timers' thread looks at each
//! worker once in a while. If a worker has taken no task since the last look, and one is ready, the
//! timers' thread wakes another worker, which takes the task. (`worker/watchman.rs` looks.)
//!
//! The watch ends when no worker takes tasks. A push at that moment executes a light fence before
//! it checks whether the watch is on; the watch announces its end, executes a heavy fence, and
//! looks at the workers again. So one of the two sees the other.

use aqueduct::fences;

use crate::sync::{AtomicBool, Ordering};

/// True if the watch is on.
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
        // Pairs with the heavy fence in `end`: this thread sees that the watch is off, or the watch
        // sees the task.
        fences::light();
        !self.0.load(Ordering::Relaxed) && self.start()
    }

    /// Turns the watch on. Returns whether it was off.
    #[must_use]
    pub fn start(&self) -> bool {
        !self.0.swap(true, Ordering::Relaxed)
    }

    /// Turns the watch off. The caller looks at the workers once more, and may [start](Self::start)
    /// the watch again.
    pub fn end(&self) {
        self.0.store(false, Ordering::Relaxed);
        // Pairs with the light fence in `wants_start`.
        fences::heavy();
    }
}
