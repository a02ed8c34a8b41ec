//! How threads repeat their attempts before they wait.

use std::time::Instant;

pub(crate) use crate::sync::BRIEF;
use crate::sync::{
    Limit, first_round, has_passed, longest_spin, may_spin_in_task, park, relax, spun, spun_in_task, take_wake_up,
};

/// Rounds of a task's spin: the other thread sees what this one has done, and this one sees its answer. With more,
/// tasks that are ready wait behind one that spins (`results/channel.md`).
pub(crate) const OF_TASKS: usize = 10;

/// Repeats `attempt` for about as long as it takes to wake a thread on a core that sleeps, and not after the deadline;
/// for less if that has brought nothing lately.
///
/// Of two threads that wait for each other in turn, the second one would park, too, if it waited for less, and so on.
/// As soon as one of the two waits for longer again, its spin succeeds, and both are out of that.
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

/// Parks the calling thread, at most until the deadline, and looks for a wake-up for some tens of microseconds before.
/// Returns whether the deadline has passed.
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

/// Repeats `attempt` of a task for about as long as another thread's answer takes, if that has helped tasks of this
/// thread lately.
///
/// Where two workers have the two ends, the attempt succeeds, and both are spared a wake-up. Where one has both, it
/// never does.
pub(crate) fn spin_in_task<R>(attempt: impl FnMut() -> Option<R>) -> Option<R> {
    if !may_spin_in_task() {
        return None;
    }
    let result = spin_for(OF_TASKS, attempt);
    spun_in_task(result.is_some());
    result
}
