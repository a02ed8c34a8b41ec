//! The result of a run.

use super::Fault;
use crate::names::Queue;
use crate::record::Record;

/// The result of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Findings<F = Fault> {
    /// The figures. A queue that failed in a bench has no figure in it.
    pub records: Vec<Record>,
    /// Queues that failed: the bench with all its parameters, the queue, and the error.
    pub faults: Vec<(String, String, F)>,
    /// Notes for a reader of the figures.
    pub notes: Vec<String>,
    /// Rounds that were completed.
    pub rounds: usize,
}

impl<F> Default for Findings<F> {
    /// Makes findings without a row.
    fn default() -> Self {
        Self { records: Vec::new(), faults: Vec::new(), notes: Vec::new(), rounds: 0 }
    }
}

impl<F> Findings<F> {
    /// Marks the figures of queues that `lack` batches and moved the items of each batch one by
    /// one, and repeats those of `benches` for the other batch sizes that were asked for: such a
    /// queue is measured with the first of `batches`, and its speed does not depend on them.
    pub fn item_by_item(&mut self, batches: &[usize], benches: &[&str], lack: impl Fn(&Queue) -> bool) {
        let Some((&first, others)) = batches.split_first() else {
            return;
        };
        let mut repeated = Vec::new();
        for record in self.records.iter_mut().filter(|record| record.batch == first && lack(&record.queue)) {
            record.item_by_item = first > 1;
            if benches.iter().any(|bench| record.bench == *bench) {
                let with = |&batch: &usize| Record { batch, item_by_item: batch > 1, ..record.clone() };
                repeated.extend(others.iter().map(with));
            }
        }
        self.records.extend(repeated);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Place;
    use crate::record::Role;
    use crate::unit::Unit;

    #[test]
    fn queues_without_batches_have_a_marked_row_for_each_batch_size() {
        let record = |bench: &str, queue: &str, batch| {
            let place = Place { producers: 1, consumers: 1, capacity: 64, batch };
            Record::of(bench, queue, Role::Peer, place, Unit::Mitems, vec![1.0])
        };
        let rows = |batches: &[usize]| {
            let mut findings = Findings::<Fault>::default();
            let measured = ["a/single", "a/batches"].map(|queue| record("tides.flow", queue, batches[0]));
            findings.records.extend(measured);
            findings.records.push(record("tides.ebb", "a/single", batches[0]));
            findings.item_by_item(batches, &["tides.flow"], |queue| *queue == "a/single");
            let of = |record: &Record| format!("{} {} {}", record.bench, record.queue_words(), record.batch);
            findings.records.iter().map(of).collect::<Vec<_>>()
        };
        assert_eq!(
            rows(&[1, 32]),
            [
                "tides.flow a/single 1",
                "tides.flow a/batches 1",
                "tides.ebb a/single 1",
                "tides.flow a/single (item by item) 32"
            ]
        );
        assert_eq!(
            rows(&[16]),
            [
                "tides.flow a/single (item by item) 16",
                "tides.flow a/batches 16",
                "tides.ebb a/single (item by item) 16"
            ]
        );
    }
}
