//! Table 1 of the SPSC paper beside the measurement.

use aqueduct_measure::record::{Payload, Record};
use aqueduct_measure::report::analysis::{Analysis, Cell, Line, Measured};

use super::table1::{self, Parameters, Row, Side};

/// The batch of the formulas if no batches were measured.
const BATCH: usize = 32;

/// Returns the table for the six queues, with their figures in `records`. `None` if the records
/// hold no measurement in a named regime, so that the table would hold the analysis alone.
pub(super) fn beside_figures(records: &[Record]) -> Option<Analysis> {
    let in_regime = |r: &&Record| r.bench == "spsc.regime" || r.bench.name.starts_with("spsc.l1_misses.");
    let first = records.iter().find(in_regime)?;
    let batch = records.iter().filter(in_regime).map(|r| r.batch).max().unwrap_or(1);
    let parameters = Parameters::of(first.capacity, if batch > 1 { batch } else { BATCH });
    let Parameters { capacity, slots_per_line, partition, batch } = parameters;
    let words = format!(
        "K = {slots_per_line} slots in a line, H = {partition} slots looked ahead, N = {capacity} slots, batches of B = \
         {batch}; measured with loads of 20 and 10 ns (fast consumer) and 0 and 10 ns (fast producer)"
    );
    let lines = table1::table(parameters).into_iter().map(|row| line(&row, records)).collect();
    Some(Analysis { parameters: words, lines })
}

fn line(row: &Row, records: &[Record]) -> Line {
    let values = [row.worst, row.fast_consumer, row.fast_producer, row.best];
    let cell = |at: usize| Cell { formula: row.formulas[at], value: values[at] };
    Line {
        queue: row.queue,
        side: match row.side {
            Side::Both => "P, C",
            Side::Producer => "P",
            Side::Consumer => "C",
        },
        analysis: [0, 1, 2, 3].map(cell),
        fast_consumer: measured(records, row, (20, 10)),
        fast_producer: measured(records, row, (0, 10)),
    }
}

fn measured(records: &[Record], row: &Row, loads: (u32, u32)) -> Measured {
    let greatest_batch = |bench: &str| {
        let fits = |r: &&Record| {
            r.bench == bench
                && r.queue == row.queue
                && r.payload == Payload::Embedded
                && (r.producer_load_ns, r.consumer_load_ns) == loads
        };
        records.iter().filter(fits).max_by_key(|r| r.batch).map(|r| r.median)
    };
    let side = if row.side == Side::Consumer { "consumer" } else { "producer" };
    Measured { misses: greatest_batch(&format!("spsc.l1_misses.{side}")), rate: greatest_batch("spsc.regime") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aqueduct_measure::record::{Place, Role};
    use aqueduct_measure::report::analysis::render;
    use aqueduct_measure::unit::Unit;

    fn in_regime(bench: &str, queue: &str, batch: usize, loads: (u32, u32), figure: f64) -> Record {
        let place = Place { producers: 1, consumers: 1, capacity: 4096, batch };
        Record {
            producer_load_ns: loads.0,
            consumer_load_ns: loads.1,
            ..Record::of(bench, queue, Role::Ours, place, Unit::Mitems, vec![figure])
        }
    }

    #[test]
    fn what_was_measured_stands_beside_its_queue_and_side() {
        let queue = "aqueduct/improved_fast_forward";
        let records = [
            in_regime("spsc.regime", queue, 1, (0, 10), 50.0),
            in_regime("spsc.l1_misses.consumer", queue, 1, (20, 10), 1.1),
        ];
        let analysis = beside_figures(&records).expect("a table");
        assert_eq!(analysis.lines[4].fast_producer, Measured { misses: None, rate: Some(50.0) });
        assert_eq!(analysis.lines[4].fast_consumer.misses, None);
        assert_eq!(analysis.lines[5].fast_consumer, Measured { misses: Some(1.1), rate: None });
        assert!(!render(&analysis).contains("not available"));
    }

    #[test]
    fn batched_queues_are_quoted_at_their_batch_and_absent_counters_are_named() {
        let queue = "aqueduct/batched_lamport";
        let records =
            [in_regime("spsc.regime", queue, 16, (0, 10), 70.0), in_regime("spsc.regime", queue, 1, (0, 10), 20.0)];
        let analysis = beside_figures(&records).expect("a table");
        assert!(analysis.parameters.contains("N = 4096 slots, batches of B = 16;"), "{}", analysis.parameters);
        assert_eq!(analysis.lines[2].fast_producer.rate, Some(70.0));
        assert!(render(&analysis).contains("not available here"));
        let elsewhere = [in_regime("spsc.throughput", queue, 1, (0, 0), 70.0)];
        assert_eq!(beside_figures(&elsewhere), None);
    }

    #[test]
    fn the_first_formulas_are_those_of_lamports_queue() {
        let records = [in_regime("spsc.regime", "aqueduct/lamport", 1, (0, 10), 50.0)];
        let lamport = &beside_figures(&records).expect("a table").lines[0];
        assert_eq!((lamport.queue, lamport.analysis[3].formula), ("aqueduct/lamport", "1/K + 2/N"));
        assert_eq!(lamport.analysis[3].value, 1.0 / 8.0 + 2.0 / 4096.0);
    }
}
