//! Table 1 of the SPSC paper: the cache misses per item that its analysis expects of each of the
//! six queues.

use super::plan::Plan;
use aqueduct_measure::record::{Place, Record, Role};
use aqueduct_measure::unit::Unit;

/// The variables of the formulas, under the paper's names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// N: slots of the queue.
    pub capacity: u32,
    /// K: slots in a cache line.
    pub slots_per_line: u32,
    /// H: slots in a partition of the improved FastForward queues.
    pub partition: u32,
    /// B: items per batch of the queues that batch.
    pub batch: u32,
}

impl Parameters {
    /// Makes the paper's parameters, K = 8 words in a line and H = 4 K, for this capacity and
    /// batch.
    #[must_use]
    pub fn of(capacity: usize, batch: usize) -> Self {
        let number = |value: usize| u32::try_from(value).unwrap_or(u32::MAX).max(1);
        Self { capacity: number(capacity), slots_per_line: 8, partition: 32, batch: number(batch) }
    }
}

/// The side whose misses a row counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Both sides miss equally often.
    Both,
    /// The producer.
    Producer,
    /// The consumer.
    Consumer,
}

/// A row of the table, in misses per item.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// The queue's name in the records.
    pub queue: &'static str,
    /// The side that misses.
    pub side: Side,
    /// The worst case.
    pub worst: f64,
    /// The worst case of a fast consumer: the queue is nearly empty.
    ///
    /// For the batched improved FastForward queue this is the expectation of section 4.3 for
    /// batches: very likely, not certain. Its certain worst case is in [`worst`](Self::worst).
    pub fast_consumer: f64,
    /// The worst case of a fast producer: the queue is nearly full.
    pub fast_producer: f64,
    /// The best case: the two sides take turns, or stay far apart.
    pub best: f64,
    /// The formulas of the four values above, in their order.
    pub formulas: [&'static str; 4],
}

/// Returns the table for these parameters, in the paper's order.
#[must_use]
pub fn table(parameters: Parameters) -> Vec<Row> {
    let Parameters { capacity, slots_per_line, partition, batch } = parameters;
    let per = |slots: u32| 1.0 / f64::from(slots);
    let (n, k, h, b) = (per(capacity), per(slots_per_line), per(partition), per(batch));
    // Misses on the slots of one batch and on the index, or on the first slot, that announces it.
    let burst = f64::from(2 + (batch - 1).div_ceil(slots_per_line)) * b;
    let row = |queue, side, cases: [(f64, &'static str); 4]| {
        let [worst, fast_consumer, fast_producer, best] = cases.map(|(value, _)| value);
        Row { queue, side, worst, fast_consumer, fast_producer, best, formulas: cases.map(|(_, formula)| formula) }
    };
    let improved = "aqueduct/improved_fast_forward";
    let batched_improved = "aqueduct/batched_improved_fast_forward";
    let lamport_best = (k + 2.0 * n, "1/K + 2/N");
    let lazy_worst = (2.0 + n, "2 + 1/N");
    let (lone_item, lone_item_consumer) = ((1.0 + h, "1 + 1/H"), (1.0 + k, "1 + 1/K"));
    let (steady, steady_consumer) = ((k + h, "1/K + 1/H"), (2.0 * k + h, "2/K + 1/H"));
    let at_best = (2.0 * k, "2/K");
    let batch_producer = ((burst + h).min(lone_item.0), "min((2 + ⌈(B-1)/K⌉)/B + 1/H, 1 + 1/H)");
    let batch_consumer = ((burst + k).min(lone_item_consumer.0), "min((2 + ⌈(B-1)/K⌉)/B + 1/K, 1 + 1/K)");
    vec![
        row("aqueduct/lamport", Side::Both, [(3.0, "3"), (3.0, "3"), (3.0, "3"), lamport_best]),
        row(
            "aqueduct/lazy_lamport",
            Side::Both,
            [lazy_worst, lazy_worst, (1.0 + k + n, "1 + 1/K + 1/N"), lamport_best],
        ),
        row(
            "aqueduct/batched_lamport",
            Side::Both,
            [lazy_worst, (burst + n, "(2 + ⌈(B-1)/K⌉)/B + 1/N"), (k + b + n, "1/K + 1/B + 1/N"), lamport_best],
        ),
        row("aqueduct/fast_forward", Side::Both, [(2.0, "2"), (2.0, "2"), (2.0, "2"), at_best]),
        row(improved, Side::Producer, [lone_item, lone_item, steady, steady]),
        row(improved, Side::Consumer, [lone_item_consumer, lone_item_consumer, steady_consumer, at_best]),
        row(batched_improved, Side::Producer, [lone_item, batch_producer, steady, steady]),
        row(batched_improved, Side::Consumer, [lone_item_consumer, batch_consumer, steady_consumer, at_best]),
    ]
}

/// Returns the table as records, for every batch size of the plan:
/// `spsc.l1_misses_predicted.CASE.SIDE` with the cases `worst`, `fast_consumer`, `fast_producer`,
/// `best`.
pub(super) fn records(plan: &Plan) -> Vec<Record> {
    let mut records = Vec::new();
    for &batch in &plan.batches {
        let place = Place { producers: 1, consumers: 1, capacity: plan.capacity, batch };
        for row in table(Parameters::of(plan.capacity, batch)) {
            let sides: &[&str] = match row.side {
                Side::Both => &["producer", "consumer"],
                Side::Producer => &["producer"],
                Side::Consumer => &["consumer"],
            };
            let cases = [
                ("worst", row.worst),
                ("fast_consumer", row.fast_consumer),
                ("fast_producer", row.fast_producer),
                ("best", row.best),
            ];
            for (case, value) in cases {
                records.extend(sides.iter().map(|side| {
                    let bench = format!("spsc.l1_misses_predicted.{case}.{side}");
                    Record::of(bench, row.queue.to_string(), Role::Ours, place, Unit::Misses, vec![value])
                }));
            }
        }
    }
    records
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(queue: &str, side: Side) -> Row {
        let parameters = Parameters { capacity: 256, slots_per_line: 8, partition: 32, batch: 32 };
        let mut rows = table(parameters).into_iter();
        rows.find(|row| row.queue.ends_with(queue) && row.side == side).expect("the table has that row")
    }

    /// Prints two digits after the point, as the paper does.
    fn printed(value: f64) -> String {
        format!("{value:.2}")
    }

    #[test]
    fn the_values_are_those_that_the_seed_prints_for_its_experiments() {
        let batched_lamport = row("/batched_lamport", Side::Both);
        assert_eq!(printed(batched_lamport.best), "0.13");
        assert_eq!(printed(batched_lamport.fast_consumer), "0.19");
        let producer = row("/improved_fast_forward", Side::Producer);
        let consumer = row("/improved_fast_forward", Side::Consumer);
        assert_eq!(printed(producer.fast_producer), "0.16");
        assert_eq!(printed(consumer.fast_producer), "0.28");
        assert_eq!(consumer.worst, 1.125, "the paper rounds it to 1.13");
        let batched = row("/batched_improved_fast_forward", Side::Consumer);
        assert_eq!(batched.fast_consumer, 0.3125, "the paper prints 0.31");
        assert_eq!(row("/lamport", Side::Both).worst, 3.0);
        assert_eq!(row("/fast_forward", Side::Both).best, 0.25);
        assert_eq!(row("/lazy_lamport", Side::Both).fast_producer, 1.0 + 1.0 / 8.0 + 1.0 / 256.0);
    }

    #[test]
    fn without_batches_the_batched_queues_are_no_better_than_the_others() {
        let rows = table(Parameters::of(256, 1));
        let find = |queue: &str, side| {
            *rows.iter().find(|row| row.queue == queue && row.side == side).expect("the table has that row")
        };
        for side in [Side::Producer, Side::Consumer] {
            let one = find("aqueduct/improved_fast_forward", side);
            let batched = find("aqueduct/batched_improved_fast_forward", side);
            assert_eq!(Row { queue: one.queue, formulas: one.formulas, ..batched }, one);
        }
        let lazy = find("aqueduct/lazy_lamport", Side::Both);
        assert_eq!(find("aqueduct/batched_lamport", Side::Both).fast_consumer, lazy.fast_consumer);
    }
}
