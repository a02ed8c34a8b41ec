//! A thread on some cores that makes a pool and uses it. A pool that forgets a job stops only this
//! thread and its own, and the bench goes on.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use aqueduct_measure::machine;
use aqueduct_measure::record::Placement;
use aqueduct_measure::rounds::{Cell, Fault, Measured, Place};
use aqueduct_measure::run::panic_text;

/// The time limit after which a run counts as broken.
const PATIENCE: Duration = Duration::from_secs(30);

/// The threads of a pool, and the cores that they share.
#[derive(Clone, Debug)]
pub(crate) struct Seats {
    pub(crate) threads: usize,
    pub(crate) cores: Vec<usize>,
}

impl Seats {
    pub(crate) fn new(threads: usize, cores: &[usize]) -> Self {
        Self { threads, cores: cores.iter().take(threads).copied().collect() }
    }

    /// Returns the cell of a workload with one pool. Its figures stand at the number of threads.
    pub(crate) fn cell(
        &self,
        bench: &str,
        (pool, role): (&'static str, aqueduct_measure::record::Role),
        first: u64,
        run: impl Fn(u64) -> Result<Measured, Fault> + Clone + Send + 'static,
    ) -> Cell<'static> {
        let place = Place { producers: self.threads, consumers: 0, capacity: 0, batch: 1 };
        let cores = self.cores.clone();
        let in_crew = move |amount| {
            let run = run.clone();
            on(&cores, move || run(amount))
        };
        let placement = Placement { producers: self.cores.clone(), consumers: Vec::new() };
        Cell { first, ..Cell::new(place.words(bench), pool, role, place, in_crew).on(placement) }
    }
}

/// Runs `work` on a thread that keeps to these cores, as do the threads that it makes. Some pools
/// do not let their users pin their threads, so no thread is pinned to one core.
///
/// # Errors
/// The fault of `work`, its panic, or the end of the time limit: then the thread is left behind.
pub(crate) fn on<T: Send + 'static>(
    cores: &[usize],
    work: impl FnOnce() -> Result<T, Fault> + Send + 'static,
) -> Result<T, Fault> {
    let (found, finding) = channel();
    let cores = cores.to_vec();
    thread::spawn(move || {
        machine::keep_to(&cores);
        // The receiver is gone if this thread has taken too long.
        let _ = found.send(catch_unwind(AssertUnwindSafe(work)));
    });
    match finding.recv_timeout(PATIENCE) {
        Ok(Ok(result)) => result,
        Ok(Err(panic)) => Err(Fault::Panicked(panic_text(panic.as_ref()))),
        Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => Err(Fault::Stuck { popped: 0, wanted: 1 }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_run_says_comes_back_and_a_panic_is_a_fault() {
        assert_eq!(on(&[], || Ok(7)), Ok(7));
        assert_eq!(on(&[], || Err::<(), _>(Fault::WrongAnswer("no"))), Err(Fault::WrongAnswer("no")));
        let fault = on::<()>(&[], || panic!("no thread")).unwrap_err();
        assert_eq!(fault, Fault::Panicked("no thread".to_owned()));
    }
}
