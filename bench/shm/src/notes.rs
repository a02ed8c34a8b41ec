//! The ratios that the bench is made for, in words.

use aqueduct_measure::names::{Bench, Facet};
use aqueduct_measure::record::Record;

use crate::c_call;
use crate::kinds::ours::{ITEMS, ITEMS_ASLEEP};
use crate::threads;

/// Each ratio: its figure, the figure that it is relative to, and its meaning.
const RATIOS: [(&str, &str, &str); 9] = [
    (ITEMS, threads::ITEMS, "between processes, to between threads"),
    (threads::ITEMS, threads::RING, "offsets, to pointers"),
    (ITEMS, "bound/two_words", "to two words without a queue"),
    (ITEMS, "iceoryx2/publish_subscribe", "to iceoryx2"),
    (c_call::RUST, c_call::RING, "offsets on one thread, to pointers"),
    (c_call::C, c_call::RUST, "in C, to Rust"),
    (c_call::C, c_call::MOODYCAMEL, "in C, to moodycamel's C interface"),
    (c_call::C_OF_MANY, c_call::MOODYCAMEL, "of many in C, to moodycamel's C interface"),
    (ITEMS_ASLEEP, "iceoryx2/publish_subscribe", "asleep at once, to iceoryx2"),
];

/// Returns a sentence for each ratio, with the benches in which both were measured.
pub(crate) fn of(records: &[Record]) -> Vec<String> {
    RATIOS.iter().filter_map(|(ours, other, what)| sentence(records, ours, other, what)).collect()
}

fn sentence(records: &[Record], ours: &str, other: &str, what: &str) -> Option<String> {
    let of = |bench: &Bench, queue: &str| records.iter().find(|one| one.bench == *bench && one.queue.name == queue);
    // The tails of a busy machine say little.
    let is_shown = |record: &&Record| matches!(record.bench.facet, None | Some(Facet::P50));
    let ratio = |record: &Record| {
        let ratio = record.unit.better().ratio(record.median, of(&record.bench, other)?.median)?;
        let name = record.bench.to_string();
        let short = name.trim_start_matches("shm.").trim_end_matches(".p50").to_owned();
        Some(format!("{short} {ratio:.2}"))
    };
    let ours = records.iter().filter(|record| record.queue.name == ours).filter(is_shown);
    let ratios: Vec<String> = ours.filter_map(ratio).collect();
    (!ratios.is_empty()).then(|| format!("Speed {what}: {}.", ratios.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use aqueduct_measure::record::Role;
    use aqueduct_measure::rounds::Place;
    use aqueduct_measure::unit::Unit;

    #[test]
    fn a_ratio_above_one_speaks_for_the_first() {
        let place = Place { producers: 1, consumers: 1, capacity: 8, batch: 1 };
        let record =
            |bench: Bench, queue: &str, unit, value| Record::of(bench, queue, Role::Ours, place, unit, vec![value]);
        let trip = || Bench::side("shm.round_trip.spin.8", Facet::P50);
        let flow = || Bench::new("shm.throughput.spin.8");
        let records = [
            record(trip(), ITEMS, Unit::Ns, 100.0),
            record(trip(), threads::ITEMS, Unit::Ns, 90.0),
            record(flow(), ITEMS, Unit::Mitems, 50.0),
            record(flow(), threads::ITEMS, Unit::Mitems, 100.0),
        ];
        let expected = "Speed between processes, to between threads: round_trip.spin.8 0.90, throughput.spin.8 0.50.";
        assert_eq!(of(&records), [expected]);
    }
}
