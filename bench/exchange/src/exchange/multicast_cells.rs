//! The cells of `exchange.multicast`.

use super::multicast::{Asked, blocking, cell, many_to_one, one_to_each};
use super::plan::Plan;
use aqueduct_measure::rounds::{Cell, Threads};

/// Returns a cell for each number of threads, batch and queue.
pub(super) fn cells(plan: &Plan, cores: &[usize]) -> Vec<Cell<'static>> {
    let mut cells = Vec::new();
    let mut all: Vec<Threads> =
        plan.sides.iter().flat_map(|&side| [Threads::new(side, 1), Threads::new(1, side)]).collect();
    all.dedup();
    for threads in all {
        for batch in [1, 32] {
            let asked = Asked { threads, batch, capacity: plan.events };
            cells.push(if threads.producers > 1 {
                cell("aqueduct/bbq_mpsc", false, asked, cores, many_to_one)
            } else {
                cell("aqueduct/bbq_spsc", false, asked, cores, one_to_each)
            });
            if plan.peers {
                cells.push(cell("published/blocking_queue", true, asked, cores, blocking));
            }
            #[cfg(feature = "rivals")]
            if plan.peers {
                cells.push(super::disruptor::cell(asked, cores));
            }
        }
    }
    cells
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use aqueduct_measure::rounds::Pace;

    #[test]
    fn every_consumer_sees_every_event() {
        let pace = Pace::new(1, Duration::from_millis(1));
        let plan = Plan {
            experiments: Vec::new(),
            peers: true,
            submissions: Vec::new(),
            sides: vec![1, 3],
            events: 64,
            cores: Vec::new(),
            pace,
        };
        let cells = cells(&plan, &[]);
        assert_eq!(cells.len(), 3 * 2 * if cfg!(feature = "rivals") { 3 } else { 2 });
        for cell in cells {
            let measured = (cell.run)(3_000).unwrap_or_else(|fault| panic!("{cell:?}: {fault}"));
            assert!((3_000..3_004).contains(&measured.done));
        }
    }
}
