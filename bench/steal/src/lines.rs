//! A thread writes cache lines, and another one writes or reads some of them (J. Wang's thesis,
//! figures 4.1e and 4.1f).
//!
//! In each turn a thread draws a line of a set of 1 or of 64. The first thread writes it in every
//! turn, the second one takes it in a share of its turns only. The figure is the number of the
//! first thread's turns.

use std::hint::black_box;
use std::time::{Duration, Instant};

use super::pair::{End, Line, pair};
use super::plan::Plan;
use super::task::owner_and_thief;
use aqueduct_measure::chance::Draw;
use aqueduct_measure::record::{Placement, Role};
use aqueduct_measure::rounds::{Cell, Fault, Figure, Measured, Place};
use aqueduct_measure::unit::Unit;

/// Sizes of the sets.
const SIZES: [u32; 2] = [1, 64];

/// The second thread's access to a line.
#[derive(Clone, Copy)]
enum Act {
    Write,
    Read,
}

/// Returns the measurements of a plan: for each share, each size, and writing and reading.
pub(super) fn cells<'a>(plan: &'a Plan, usable: &'a [usize]) -> Vec<Cell<'a>> {
    let mut cells = Vec::new();
    for &percent in &plan.percents {
        for (act, what) in [(Act::Write, "written"), (Act::Read, "read")] {
            for size in SIZES {
                let bench = format!("steal.lines_{what}_{percent}");
                let place = Place { producers: 1, consumers: 1, capacity: size as usize, batch: 1 };
                let cores = owner_and_thief(usable);
                let [first, second] = cores.map(|core| core.into_iter().collect());
                let name = format!("bound/set_of_{size}");
                let cell = Cell::new(bench.clone(), name, Role::Bound, place, move |turns| {
                    let elapsed = write(size, act, percent, turns, cores)?;
                    let rate = turns as f64 / elapsed.as_secs_f64().max(1e-9) / 1e6;
                    Ok(Measured { figures: vec![Figure::new(bench.clone(), Unit::Mops, rate)], done: turns, elapsed })
                });
                cells.push(cell.on(Placement { producers: first, consumers: second }));
            }
        }
    }
    cells
}

/// Returns how long the first thread takes for `turns` turns.
fn write(size: u32, act: Act, percent: u32, turns: u64, cores: [Option<usize>; 2]) -> Result<Duration, Fault> {
    let lines: Vec<Line> = (0..size).map(|_| Line::default()).collect();
    let end = End::new(Duration::ZERO);
    let writes = || {
        let mut draw = Draw::of_thread(0);
        let begin = Instant::now();
        for turn in 0..turns {
            lines[draw.below(size) as usize].set(turn);
        }
        begin.elapsed()
    };
    let disturbs = || {
        let mut draw = Draw::of_thread(1);
        while !end.is_over() {
            let line = &lines[draw.below(size) as usize];
            if draw.below(100) < percent {
                match act {
                    Act::Write => line.set(1),
                    Act::Read => {
                        black_box(line.get());
                    }
                }
            }
        }
    };
    let (elapsed, ()) = pair(cores, &end, writes, disturbs)?;
    Ok(elapsed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_share_has_both_acts_and_both_sizes() {
        let plan = Plan { percents: vec![0, 50], ..Plan::full() };
        let cells = cells(&plan, &[]);
        assert_eq!(cells.len(), 2 * 2 * SIZES.len());
        for (size, act) in [(1, Act::Write), (64, Act::Read)] {
            write(size, act, 50, 1_000, [None; 2]).expect("no thread panics");
        }
    }
}
