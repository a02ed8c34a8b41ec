//! Threads with a time limit: a channel that loses a wake-up blocks its own threads, and the bench
//! goes on.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Barrier};
use std::time::{Duration, Instant};

use aqueduct_measure::machine;
use aqueduct_measure::rounds::Fault;
use aqueduct_measure::run::panic_text;

/// The time limit after which a run counts as broken.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// A thread's work, and its core.
pub(crate) struct Part<T> {
    pub(crate) core: Option<usize>,
    pub(crate) work: Box<dyn FnOnce() -> T + Send>,
}

impl<T> Part<T> {
    pub(crate) fn new(core: Option<usize>, work: impl FnOnce() -> T + Send + 'static) -> Self {
        Self { core, work: Box::new(work) }
    }
}

/// Runs the parts, each on a thread of its own. Returns their results in their order, and the time
/// since all were ready.
///
/// # Errors
/// If a part panics, or has not ended in time: then its thread is left behind.
pub(crate) fn all<T: Send + 'static>(parts: Vec<Part<T>>) -> Result<(Vec<T>, Duration), Fault> {
    let count = parts.len();
    let start = Arc::new(Barrier::new(count));
    let (outcomes, outcome) = channel();
    for (at, part) in parts.into_iter().enumerate() {
        let (start, outcomes) = (Arc::clone(&start), outcomes.clone());
        std::thread::spawn(move || {
            machine::pin(part.core);
            start.wait();
            let began = Instant::now();
            let found = catch_unwind(AssertUnwindSafe(part.work));
            // The receiver is gone if this thread has taken too long.
            let _ = outcomes.send((at, found, began, Instant::now()));
        });
    }
    drop(outcomes);
    let until = Instant::now() + PATIENCE;
    let mut found: Vec<Option<T>> = (0..count).map(|_| None).collect();
    let mut times: Option<(Instant, Instant)> = None;
    for ended in 0..count {
        match outcome.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok((at, result, began, over)) => {
                found[at] = Some(result.map_err(|panic| panicked(panic.as_ref()))?);
                times = Some(times.map_or((began, over), |(first, last)| (first.min(began), last.max(over))));
            }
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                return Err(Fault::Stuck { popped: ended as u64, wanted: count as u64 });
            }
        }
    }
    let elapsed = times.map_or(Duration::ZERO, |(first, last)| last - first);
    Ok((found.into_iter().flatten().collect(), elapsed))
}

fn panicked(panic: &(dyn Any + Send)) -> Fault {
    Fault::Panicked(panic_text(panic))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_are_waited_for_and_stay_in_their_order() {
        let slow = Part::new(None, || {
            std::thread::sleep(Duration::from_millis(5));
            1
        });
        let (found, _) = all(vec![slow, Part::new(None, || 2)]).expect("none fails");
        assert_eq!(found, [1, 2]);
    }

    #[test]
    fn a_panic_is_a_fault() {
        let fault = all(vec![Part::new(None, || panic!("no room"))]).map(|(found, _): (Vec<()>, _)| found).unwrap_err();
        assert_eq!(fault, Fault::Panicked("no room".to_owned()));
    }
}
