//! Waiting for the other side: asleep on a futex, or for an event in a reactor.
//!
//! 1. The waiting side sets its word, to [`ASLEEP`] or [`ARMED`], passes a heavy fence, and looks
//!    at the queue again. It waits if the queue has not changed.
//! 2. The other side changes the queue, passes a light fence, and looks at the word. If the word is
//!    not 0, that side sets it to 0, and then wakes the sleeper or signals the event.
//!
//! One of the two fences comes first. So the waiting side sees the change, or the other side sees
//! that it waits. The word becomes 0 before the wake or the signal: a thread that is about to sleep
//! does not fall asleep, and a side that has cleared the event and armed the word again is not
//! disarmed. So each change of the word to 0 is followed by a wake or a signal. A process that is
//! killed between the two leaves the other side waiting until its timeout.

use core::time::Duration;

use crate::sync::{Ordering, Word, heavy_fence, light_fence, sleep, wake};

/// The word's values while a side waits. It is 0 otherwise.
const ASLEEP: u32 = 1;
const ARMED: u32 = 2;

/// Publishes how this side waits. Returns true if the queue has not changed.
fn announce(word: &Word, how: u32, is_ready: impl FnOnce() -> bool) -> bool {
    word.store(u64::from(how), Ordering::Relaxed);
    // Ordering: pairs with the light fence of `ring`. Without it, this side does not see the
    // change, and the other one does not see that this one waits.
    heavy_fence(Ordering::SeqCst);
    !is_ready()
}

/// Sleeps unless `is_ready`, until the other side rings, and not for longer than `timeout`. It may
/// return earlier.
pub(crate) fn wait(word: &Word, timeout: Duration, is_ready: impl FnOnce() -> bool) {
    if announce(word, ASLEEP, is_ready) {
        sleep(word, ASLEEP, timeout);
    }
    word.store(0, Ordering::Relaxed);
}

/// Arms this side's event, unless `is_ready`: the other side signals it at its next `ring`. Returns
/// whether it is armed.
///
/// If not, the other side may still signal it once.
pub(crate) fn arm(word: &Word, is_ready: impl FnOnce() -> bool) -> bool {
    let is_armed = announce(word, ARMED, is_ready);
    if !is_armed {
        // Ordering: Relaxed. If the other side still reads the old value, it signals once more.
        word.store(0, Ordering::Relaxed);
    }
    is_armed
}

/// Wakes the other side if it sleeps, and calls `signal` if it waits for its event.
#[inline(always)]
pub(crate) fn ring(word: &Word, signal: impl FnOnce()) {
    // Ordering: pairs with the heavy fence of `announce`.
    light_fence(Ordering::SeqCst);
    let how = word.load(Ordering::Relaxed);
    if how != 0 {
        // The order of this store and of the call is the system's: a reader of the event finds all
        // words written before it was signalled.
        word.store(0, Ordering::Relaxed);
        if how == u64::from(ARMED) { signal() } else { wake(word) }
    }
}

/// Bit of a word that many handles sleep on: at least one sleeps. The other bits count the calls
/// that woke them.
const SOME_SLEEP: u64 = 1;

/// Sleeps unless `is_ready`, until [`ring_all`], and not for longer than `timeout`. It may return
/// earlier.
///
/// Many handles sleep on the word, and none of them clears [`SOME_SLEEP`]: another one may rely on
/// it. So the ring after a sleep that timed out may find no sleeper.
pub(crate) fn wait_among_others(word: &Word, timeout: Duration, is_ready: impl FnOnce() -> bool) {
    let seen = word.load(Ordering::Relaxed);
    let asleep = seen | SOME_SLEEP;
    if seen != asleep && word.compare_exchange(seen, asleep, Ordering::Relaxed, Ordering::Relaxed).is_err() {
        return;
    }
    // Ordering: pairs with the light fence of `ring_all`. Without it, this side does not see the
    // change, and the other one does not see that this one waits.
    heavy_fence(Ordering::SeqCst);
    if !is_ready() {
        // The low half: each call that wakes changes its count.
        sleep(word, asleep as u32, timeout);
    }
}

/// Arms the events of a side with many handles, unless `is_ready`: the other side signals them at
/// its next `ring_all`. Returns whether they are armed.
///
/// No handle disarms the word: another one may rely on it. So there may be one signal too many.
pub(crate) fn arm_among_others(armed: &Word, is_ready: impl FnOnce() -> bool) -> bool {
    announce(armed, ARMED, is_ready)
}

/// Wakes all that sleep on the word, and calls `signal` if some wait for events.
#[inline(always)]
pub(crate) fn ring_all(word: &Word, armed: &Word, signal: impl FnOnce()) {
    // Ordering: pairs with the heavy fence of `wait_among_others`.
    light_fence(Ordering::SeqCst);
    let seen = word.load(Ordering::Relaxed);
    // If the word has changed, another call wakes the handles that sleep, or they look at the queue
    // after this call's fence.
    if seen & SOME_SLEEP != 0
        && word.compare_exchange(seen, seen.wrapping_add(1), Ordering::Relaxed, Ordering::Relaxed).is_ok()
    {
        wake(word);
    }
    // One fence precedes both loads. Events are signalled after the word has become 0, so also that
    // of a handle that armed the word just before this store.
    if armed.load(Ordering::Relaxed) != 0 {
        armed.store(0, Ordering::Relaxed);
        signal();
    }
}
