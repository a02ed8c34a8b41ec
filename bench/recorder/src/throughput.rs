//! Events at the greatest rate of the threads.

use aqueduct_measure::rounds::{Cell, Fault, Figure, Measured};
use aqueduct_measure::unit::Unit;

use crate::kinds::Kind;
use crate::latency::What;
use crate::plan::Plan;
use crate::threads::{all, place, placement};

pub(crate) fn add<K: Kind>(cells: &mut Vec<Cell<'static>>, plan: &Plan, cores: &[usize]) {
    for threads in plan.threads.iter().copied().filter(|&threads| threads <= K::MOST_THREADS) {
        for &fields in &plan.fields {
            let what = What::of_fields(fields);
            let bench = format!("recorder.throughput.{}", what.name());
            let (at, placed) = (place(threads, 1), cores.to_vec());
            let cell = Cell::new(at.words(&bench), K::NAME, K::ROLE, at, move |events| {
                run::<K>(&bench, what, threads, &placed, events)
            });
            cells.push(cell.on(placement(threads, cores)));
        }
    }
}

fn run<K: Kind>(bench: &str, what: What, threads: usize, cores: &[usize], events: u64) -> Result<Measured, Fault> {
    let each = events.div_ceil(threads as u64);
    let shared = K::open()?;
    let (_, elapsed) = all(threads, cores, |_| {
        let mut handle = K::enter(&shared);
        what.record(&mut handle, 0, each);
    });
    let done = each * threads as u64;
    let bytes = K::close(shared, done)?;
    let rate = done as f64 / elapsed.as_secs_f64().max(1e-9) / 1e6;
    let mut figures = vec![Figure::new(bench.to_owned(), Unit::Mrecords, rate)];
    figures.extend(bytes.map(|bytes| Figure::new(format!("{bench}.bytes"), Unit::Bytes, bytes)));
    Ok(Measured { figures, done, elapsed })
}

#[cfg(test)]
mod tests {
    use super::run;
    use crate::kinds::{self, Kind, Visit};
    use crate::latency::What;

    struct Checking;

    impl Visit for Checking {
        fn visit<K: Kind>(&mut self) {
            for what in [What::None, What::One, What::Four] {
                let measured = run::<K>("recorder.test", what, K::MOST_THREADS.min(2), &[], 3_000);
                let measured = measured.unwrap_or_else(|fault| panic!("{}: {fault}", K::NAME));
                assert_eq!(measured.done, 3_000, "{}", K::NAME);
            }
        }
    }

    #[test]
    fn every_recorder_takes_all_events() {
        kinds::visit(&mut Checking);
    }
}
