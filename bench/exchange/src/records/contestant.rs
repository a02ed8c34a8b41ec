//! A queue of records under test, and its cell.

use std::time::Duration;

use aqueduct_bench_mpmc::mpmc::{Fault, Kind, Stream, Streamed, Threads, Workload, stream_numbers_over};
use aqueduct_measure::record::Role;
use aqueduct_measure::rounds::{Cell, Figure, Measured, Place};
use aqueduct_measure::unit::Unit;

const BENCH: &str = "records.throughput";
/// The time limit after which a run counts as broken.
const PATIENCE: Duration = Duration::from_secs(20);

/// A queue under test.
#[derive(Clone, Copy, Debug)]
pub struct Contestant {
    /// `CRATE/QUEUE`.
    pub name: &'static str,
    /// Whether it belongs to another crate.
    pub peer: bool,
    most: Threads,
    stream: fn(&Stream<'_>) -> Result<Streamed, Fault>,
}

/// Returns a queue whose handles write and read records, as a kind.
pub(super) fn contestant<K: Kind>() -> Contestant {
    Contestant {
        name: K::NAME,
        peer: K::PEER,
        most: Threads::new(K::MOST_PRODUCERS, K::MOST_CONSUMERS),
        stream: |spec| stream_numbers_over(spec, &|| K::open(spec.capacity, spec.threads)),
    }
}

impl Contestant {
    pub(super) fn can(&self, threads: Threads) -> bool {
        threads.producers <= self.most.producers && threads.consumers <= self.most.consumers
    }

    pub(super) fn cell(self, threads: Threads, capacity: usize, cores: &[usize]) -> Cell<'static> {
        let place = Place { producers: threads.producers, consumers: threads.consumers, capacity, batch: 1 };
        let cores = cores.to_vec();
        let placement = threads.placement(&cores);
        let run = move |records: u64| {
            let streamed = (self.stream)(&Stream {
                workload: Workload::Simple,
                threads,
                batch: 1,
                capacity,
                items_each: records.div_ceil(threads.producers as u64),
                cores: &cores,
                patience: PATIENCE,
                count_misses: false,
            })?;
            let figures = vec![Figure::new(BENCH, Unit::Mrecords, streamed.mitems_per_second())];
            Ok(Measured { figures, done: streamed.items, elapsed: streamed.elapsed })
        };
        Cell {
            first: 500,
            ..Cell::new(place.words(BENCH), self.name, Role::of_queue(self.peer), place, run).on(placement)
        }
    }
}

/// A handle that takes or gives records.
#[derive(Clone)]
pub(crate) struct InPlace<H>(pub(super) H);
