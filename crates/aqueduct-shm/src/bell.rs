//! Sleeping until the other side has done something.
//!
//! 1. The sleeper sets its word to 1, passes a heavy fence, and looks at the queue again. It sleeps if nothing is new,
//!    while the word is 1.
//! 2. The other side does something, passes a light fence, and looks at the word. If it is not 0, it sets it to 0 and
//!    wakes the sleeper.
//!
//! One of the two fences comes first, so that the sleeper sees what was done, or the other side sees that it sleeps.
//! The word becomes 0 before the wake: a sleeper that has not come to its sleep yet does not begin it. A process that
//! is killed between the two leaves a sleeper asleep until its time is up.

use core::time::Duration;

use crate::sync::{Ordering, Word, heavy_fence, light_fence, sleep, wake};

/// Sleeps unless `is_ready`, until the other side rings, and not for longer than `timeout`. It may return earlier.
pub(crate) fn wait(word: &Word, timeout: Duration, is_ready: impl FnOnce() -> bool) {
    word.store(1, Ordering::Relaxed);
    // Ordering: pairs with the light fence of `ring`. Without it, this side does not see what is new, and the other
    // one does not see that this one sleeps.
    heavy_fence(Ordering::SeqCst);
    if !is_ready() {
        sleep(word, 1, timeout);
    }
    word.store(0, Ordering::Relaxed);
}

/// Wakes the other side if it sleeps.
#[inline(always)]
pub(crate) fn ring(word: &Word) {
    // Ordering: pairs with the heavy fence of `wait`.
    light_fence(Ordering::SeqCst);
    if word.load(Ordering::Relaxed) != 0 {
        word.store(0, Ordering::Relaxed);
        wake(word);
    }
}
