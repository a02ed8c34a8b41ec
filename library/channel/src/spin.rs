//! Adaptive spinning: repeated attempts before a thread or a task waits.

use std::time::Instant;

pub(crate) use crate::sync::BRIEF;
use crate::sync::{
    Limit, first_round, has_passed, longest_spin, may_spin_in_task, park, relax, spun, spun_in_task, take_wake_up,
};

/// Rounds of a task's spin: enough for another thread to observe this one's change, and for this
/// one to observe the answer. With more rounds, ready tasks wait behind a task that spins
/// (`results/channel.md`).
pub(crate) const OF_TASKS: usize = 10;

/// Repeats `attempt` for about as long as it takes to wake a thread on an idle core, and at most
/// until the deadline. The spin is shorter if spins have not succeeded recently.
///
/// Take two threads that wait for each other in turn: if one of them spun for less time and parked,
/// the second one would park, too, and so on. As soon as one of the two spins for longer, its spin
/// succeeds, and neither parks any more.
pub(crate) fn spin<R>(deadline: Option<Instant>, mut attempt: impl FnMut() -> Option<R>) -> Option<R> {
    let mut limit = Limit::new(deadline);
    for round in first_round()..longest_spin() {
        relax(round);
        if let Some(result) = attempt() {
            spun(round);
            return Some(result);
        }
        if limit.is_reached(round) {
            break;
        }
    }
    None
}

/// Looks for a wake-up for some tens of microseconds, and then parks the calling thread, at most
/// until the deadline. Returns whether the deadline has passed.
#[track_caller]
pub(crate) fn spin_and_park(deadline: Option<Instant>) -> bool {
    match spin(deadline, || take_wake_up().then_some(())) {
        Some(()) => has_passed(deadline),
        None => park(deadline),
    }
}

/// Repeats `attempt` for about as long as another thread's operation takes.
pub(crate) fn spin_briefly<R>(attempt: impl FnMut() -> Option<R>) -> Option<R> {
    spin_for(BRIEF, attempt)
}

fn spin_for<R>(rounds: usize, mut attempt: impl FnMut() -> Option<R>) -> Option<R> {
    (0..longest_spin().min(rounds)).find_map(|round| {
        relax(round);
        attempt()
    })
}

/// Repeats a task's `attempt` for about as long as another thread's answer takes, if such spins
/// have succeeded recently for tasks of this thread.
///
/// If two workers run the two ends, the attempt succeeds and saves both of them a wake-up. If one
/// worker runs both ends, the attempt never succeeds.
pub(crate) fn spin_in_task<R>(attempt: impl FnMut() -> Option<R>) -> Option<R> {
    if !may_spin_in_task() {
        return None;
    }
    let result = spin_for(OF_TASKS, attempt);
    spun_in_task(result.is_some());
    result
}
