//! Wakers, each with its time.

use std::collections::BTreeMap;
use std::task::Waker;

use crate::sync::Mutex;
use crate::unwind;

/// A number that distinguishes timers of equal time.
pub(crate) type Number = u64;

/// Timers, and a thread that [expires](Self::expire) them and sleeps between.
#[derive(Debug)]
pub struct Timers<At>(Mutex<State<At>>);

#[derive(Debug)]
struct State<At> {
    timers: BTreeMap<(At, Number), Waker>,
    last: Number,
}

impl<At: Ord + Copy> Timers<At> {
    /// Makes a list without timers.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "an internal type")]
    pub const fn new() -> Self {
        Self(Mutex::new(State { timers: BTreeMap::new(), last: 0 }))
    }

    /// Sets a timer. Returns its number, and whether to wake the timers' thread, which may sleep
    /// for longer.
    pub fn set(&self, at: At, waker: &Waker) -> (Number, bool) {
        // Outside of the lock: a waker may do anything when it is cloned, woken or dropped, also
        // set timers.
        let waker = waker.clone();
        let mut state = self.0.lock();
        state.last += 1;
        let number = state.last;
        let is_first = state.timers.first_key_value().is_none_or(|(&(first, _), _)| at < first);
        state.timers.insert((at, number), waker);
        (number, is_first)
    }

    /// Replaces a timer's waker. Returns whether the timer still exists.
    pub fn replace(&self, at: At, number: Number, waker: &Waker) -> bool {
        match self.0.lock().timers.get(&(at, number)) {
            None => return false,
            Some(before) if before.will_wake(waker) => return true,
            Some(_) => {}
        }
        // Outside of the lock, as in `set`.
        let waker = waker.clone();
        let before = {
            let mut state = self.0.lock();
            let Some(place) = state.timers.get_mut(&(at, number)) else { return false };
            std::mem::replace(place, waker)
        };
        drop(before);
        true
    }

    /// Removes a timer.
    pub fn cancel(&self, at: At, number: Number) {
        let waker = self.0.lock().timers.remove(&(at, number));
        drop(waker);
    }

    /// Wakes all timers that are due. A waker that panics does not stop the others. Returns the
    /// time of the next timer.
    pub fn expire(&self, now: At) -> Option<At> {
        let due = {
            let mut state = self.0.lock();
            let later = state.timers.split_off(&(now, Number::MAX));
            std::mem::replace(&mut state.timers, later)
        };
        due.into_values().for_each(|waker| unwind::contain(|| waker.wake()));
        // A waker may have set further timers.
        self.0.lock().timers.first_key_value().map(|(&(at, _), _)| at)
    }
}
