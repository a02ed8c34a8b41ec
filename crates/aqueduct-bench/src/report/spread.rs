//! What the runs of one record say about each other: their spread, and whether they fall into two modes.

use crate::record::Record;

/// Two separate speeds among the runs of one record.
///
/// A ring whose consumer settles either close behind its producer or far from it has two speeds, and
/// the median of its runs then says little.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Modes {
    /// Mean of the lower group of runs.
    pub low: f64,
    /// Mean of the upper group of runs.
    pub high: f64,
    /// Number of runs in the lower group.
    pub low_runs: usize,
    /// Number of runs in the upper group.
    pub high_runs: usize,
}

/// Fewest runs from which two modes can be told from one outlier.
const FEWEST_RUNS: usize = 5;
/// The modes' means must differ by this factor.
const APART: f64 = 1.2;
/// The gap between the modes must be this many times the spread inside the wider one.
const GAP_TO_SPREAD: f64 = 2.0;

/// The two modes of `runs`, or `None` where they look like one.
///
/// The runs are cut at their widest gap. Both sides must hold two runs or more, so that one disturbed
/// run is a spread and not a mode.
pub fn modes(runs: &[f64]) -> Option<Modes> {
    if runs.len() < FEWEST_RUNS || runs.iter().any(|run| !run.is_finite()) {
        return None;
    }
    let mut sorted = runs.to_vec();
    sorted.sort_by(f64::total_cmp);
    let cut = (1..sorted.len()).max_by(|&a, &b| {
        let gap = |at: usize| sorted[at] - sorted[at - 1];
        gap(a).total_cmp(&gap(b))
    })?;
    let (low, high) = sorted.split_at(cut);
    let gap = high[0] - low[low.len() - 1];
    let within = |side: &[f64]| side[side.len() - 1] - side[0];
    let modes = Modes {
        low: mean(low),
        high: mean(high),
        low_runs: low.len(),
        high_runs: high.len(),
    };
    let clear = low.len() >= 2
        && high.len() >= 2
        && modes.low > 0.0
        && modes.high / modes.low >= APART
        && gap >= GAP_TO_SPREAD * within(low).max(within(high));
    clear.then_some(modes)
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Whether the runs of `a` and `b` cannot tell the two apart: their medians are within 3 % of each
/// other, or each median lies inside the other's spread.
pub fn indistinct(a: &Record, b: &Record) -> bool {
    let inside = |value: f64, of: &Record| of.min <= value && value <= of.max;
    (a.median - b.median).abs() <= 0.03 * a.median.abs().max(b.median.abs())
        || (inside(a.median, b) && inside(b.median, a))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_groups_of_runs_are_two_modes() {
        let found = modes(&[100.0, 210.0, 102.0, 205.0, 101.0]).expect("two modes");
        assert_eq!((found.low_runs, found.high_runs), (3, 2));
        assert!((found.low - 101.0).abs() < 1e-9 && (found.high - 207.5).abs() < 1e-9);
    }

    #[test]
    fn one_slow_run_is_not_a_mode() {
        assert_eq!(modes(&[200.0, 203.0, 90.0, 201.0, 199.0]), None);
    }

    #[test]
    fn an_even_spread_is_not_two_modes() {
        assert_eq!(modes(&[100.0, 120.0, 140.0, 160.0, 180.0, 200.0]), None);
        assert_eq!(modes(&[100.0, 101.0, 110.0, 111.0, 110.5]), None);
    }

    #[test]
    fn few_runs_say_nothing_about_modes() {
        assert_eq!(modes(&[1.0, 1.0, 9.0, 9.0]), None);
    }
}
