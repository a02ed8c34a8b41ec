//! Threads that begin together, and their time.

use std::sync::Barrier;
use std::time::{Duration, Instant};

use aqueduct_measure::machine;
use aqueduct_measure::rounds::{Place, Threads};

/// Runs `work` on `threads` threads, each on a core, with the thread's number. Returns the results,
/// and the time from the first thread's start to the last thread's end.
pub(crate) fn all<R: Send>(threads: usize, cores: &[usize], work: impl Fn(usize) -> R + Sync) -> (Vec<R>, Duration) {
    let start = Barrier::new(threads);
    let found: Vec<(R, Instant, Instant)> = std::thread::scope(|scope| {
        let one = |at: usize| {
            let (start, work) = (&start, &work);
            scope.spawn(move || {
                machine::pin(cores.get(at % cores.len().max(1)).copied());
                start.wait();
                let began = Instant::now();
                (work(at), began, Instant::now())
            })
        };
        let running: Vec<_> = (0..threads).map(one).collect();
        running.into_iter().map(|thread| thread.join().expect("a thread of the measurement")).collect()
    });
    let first = found.iter().map(|(_, began, _)| *began).min();
    let last = found.iter().map(|(.., ended)| *ended).max();
    let elapsed = first.zip(last).map_or(Duration::ZERO, |(first, last)| last - first);
    (found.into_iter().map(|(found, ..)| found).collect(), elapsed)
}

/// Returns the place of figures of `threads` recording threads.
pub(crate) fn place(threads: usize, batch: usize) -> Place {
    Place { producers: threads, consumers: 0, capacity: 0, batch }
}

/// Returns the cores of the recording threads.
pub(crate) fn placement(threads: usize, cores: &[usize]) -> aqueduct_measure::record::Placement {
    Threads::new(threads, 0).placement(cores)
}
