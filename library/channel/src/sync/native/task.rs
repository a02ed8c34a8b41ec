//! Adaptive spinning of tasks.

use std::cell::Cell;

use super::longest_spin;

/// Largest number of waits before the next task spins again, if spins of the thread's tasks are
/// unsuccessful.
const LONGEST_PAUSE: u32 = 256;

/// Recent success of the spins of a thread's tasks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct History {
    /// Number of waits before the next spin.
    left: u32,
    /// Number of waits between the last spin and the next one.
    pause: u32,
}

impl History {
    const NEW: Self = Self { left: 0, pause: 0 };
}

thread_local! {
    static HISTORY: Cell<History> = const { Cell::new(History::NEW) };
}

/// Whether a task that is about to wait spins first.
pub(crate) fn may_spin_in_task() -> bool {
    let History { left, pause } = HISTORY.get();
    if left > 0 {
        HISTORY.set(History { left: left - 1, pause });
        return false;
    }
    longest_spin() > 0
}

/// Records the success of a task's spin on this thread.
pub(crate) fn spun_in_task(is_success: bool) {
    let pause = if is_success { 0 } else { (2 * HISTORY.get().pause).clamp(1, LONGEST_PAUSE) };
    HISTORY.set(History { left: pause, pause });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_spin_seldom_if_that_brings_nothing_and_at_once_if_it_does() {
        if longest_spin() == 0 {
            return;
        }
        let spins = |waits| (0..waits).filter(|_| may_spin_in_task()).map(|_| spun_in_task(false)).count();
        std::thread::spawn(move || {
            // After pauses of 1, 2, 4 ... waits.
            assert_eq!((spins(2), spins(2), spins(3), spins(5)), (1, 1, 1, 1));
            spins(5_000);
            assert_eq!(spins(10 * (LONGEST_PAUSE as usize + 1)), 10);
            while !may_spin_in_task() {}
            spun_in_task(true);
            assert!(may_spin_in_task());
        })
        .join()
        .expect("the spins are as seldom as said");
    }
}
