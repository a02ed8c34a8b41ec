//! Failing calls of several threads at once: pushes to a full queue, and pops from an empty one.

use std::time::Duration;

use super::alone::{Act, Alone, AloneTime, check_filling, fill, time_empty_pop, time_refused_push};
use super::kind::{Ends, Kind};
use aqueduct_measure::crew::{self, step, task};
use aqueduct_measure::machine;
use aqueduct_measure::rounds::{Fault, Threads};
use aqueduct_measure::run::{Part, Run};

/// One measurement of failing calls.
#[derive(Clone, Copy, Debug)]
pub struct Crowd<'a> {
    /// Each thread's operation, and the number of times. Its core is ignored.
    pub each: Alone,
    /// The number of threads.
    pub threads: usize,
    /// The cores that they are placed on; none leaves them to the system.
    pub cores: &'a [usize],
}

/// Runs the measurement on a fresh queue of that kind. A thread's time is that for which it had a
/// core.
pub(crate) fn crowd<K: Kind>(spec: &Crowd<'_>) -> Result<AloneTime, Fault> {
    /// No thread waits for another one.
    const PATIENCE: Duration = Duration::from_secs(60);
    let Crowd { each, threads, cores } = *spec;
    let run = &Run::new(threads, 0, PATIENCE);
    let core = |at: usize| Threads::new(threads, 0).core_of_producer(at, cores);
    let times = match each.act {
        Act::PushAndPop => return Err(Fault::Refused("several threads only push or pop in vain".to_owned())),
        Act::PushToFull => {
            let (mut senders, receivers) = open::<K>(each.capacity, Threads::new(threads, 1))?;
            let filled = senders.first_mut().map_or(0, |sender| fill(&each, sender));
            let tasks = senders.into_iter().enumerate().map(|(at, sender)| {
                task(move || run.take_part(core(at), step(|| on_core(|| time_refused_push(&each, sender)))))
            });
            let (times, _senders) = outcomes(crew::all(tasks.collect()))?;
            receivers.into_iter().try_for_each(|receiver| check_filling(receiver, filled))?;
            times
        }
        Act::PopFromEmpty => {
            let (_senders, receivers) = open::<K>(each.capacity, Threads::new(1, threads))?;
            let tasks = receivers.into_iter().enumerate().map(|(at, receiver)| {
                task(move || run.take_part(core(at), step(|| on_core(|| time_empty_pop(&each, receiver)))))
            });
            outcomes(crew::all(tasks.collect()))?.0
        }
    };
    let sum: Duration = times.iter().map(|time| time.elapsed).sum();
    Ok(AloneTime { times: each.times, elapsed: sum / threads as u32 })
}

fn open<K: Kind>(capacity: usize, threads: Threads) -> Result<Ends<K>, Fault> {
    K::open(capacity, threads).map_err(Fault::Refused)
}

/// Scales the time by the share of it for which the thread had a core.
fn on_core<H>(work: impl FnOnce() -> Result<(AloneTime, H), Fault>) -> Result<(AloneTime, H), Fault> {
    let (outcome, share) = machine::share_on_core(step(work));
    outcome.map(|(time, handle)| (AloneTime { elapsed: time.elapsed.mul_f64(share), ..time }, handle))
}

/// Returns the times of all threads, and their handles, which keep a queue from being closed.
fn outcomes<H>(parts: Vec<Part<Result<(AloneTime, H), Fault>>>) -> Result<(Vec<AloneTime>, Vec<H>), Fault> {
    let all: Result<Vec<_>, Fault> = parts.into_iter().map(|part| part.outcome?).collect();
    Ok(all?.into_iter().unzip())
}
