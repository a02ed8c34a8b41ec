//! Z17: event-listener #138. The list of listeners is made by the first of them.
//!
//! `notify` returns at once if there is no list yet, and nothing orders that check with the
//! listener's: the notifier sees no list, the listener sees no change, and sleeps forever. A full
//! fence on both sides would repair it. An atomic operation on an unrelated location, which on x86
//! has that effect and was used for it, does not. The repaired form always reads the list under its
//! lock.

use std::sync::Arc;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, SeqCst};

use super::super::{AtomicBool, Mutex, spawn};
use super::signal::Signal;

struct Event {
    /// Whether there is a list.
    list: AtomicBool,
    listening: Mutex<bool>,
    listener: Signal,
}

/// Executes a full fence on x86.
fn full_fence() {
    AtomicBool::new(false).swap(true, SeqCst);
}

impl Event {
    fn listen(&self) {
        self.list.swap(true, AcqRel);
        *self.listening.lock().unwrap() = true;
        full_fence();
    }

    fn notify<const ALWAYS_LOCK: bool>(&self) {
        full_fence();
        if !ALWAYS_LOCK && !self.list.load(Acquire) {
            return;
        }
        let woken = std::mem::take(&mut *self.listening.lock().unwrap());
        if woken {
            self.listener.wake();
        }
    }
}

/// One thread makes a change and notifies. The other listens, checks, and sleeps if nothing has
/// changed.
fn client<const ALWAYS_LOCK: bool>() {
    let shared = Arc::new((
        AtomicBool::new(false),
        Event { list: AtomicBool::new(false), listening: Mutex::new(false), listener: Signal::new() },
    ));
    let notifier = {
        let shared = Arc::clone(&shared);
        spawn(move || {
            shared.0.store(true, Relaxed);
            shared.1.notify::<ALWAYS_LOCK>();
        })
    };
    let (changed, event) = &*shared;
    event.listen();
    if !changed.load(Relaxed) {
        event.listener.wait();
    }
    notifier.join().unwrap();
}

pub(crate) fn broken() {
    client::<false>();
}

pub(crate) fn repaired() {
    client::<true>();
}
