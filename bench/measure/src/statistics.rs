//! Statistics of a series of runs: median, spread, ratios, and a test for two humps (a bimodal
//! distribution).

/// Returns the median. For an even number of values, it is the mean of the middle two; for none, 0.
#[must_use]
pub fn median(values: &[f64]) -> f64 {
    let sorted = sorted(values);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => 0.0,
        count if count % 2 == 1 => sorted[middle],
        _ => f64::midpoint(sorted[middle - 1], sorted[middle]),
    }
}

/// Returns the value below which the share `fraction` (0 to 1) of the values lies, interpolated. 0
/// for none.
#[must_use]
pub fn quantile(values: &[f64], fraction: f64) -> f64 {
    let sorted = sorted(values);
    let Some(last) = sorted.len().checked_sub(1) else {
        return 0.0;
    };
    let place = fraction.clamp(0.0, 1.0) * last as f64;
    let below = place.floor() as usize;
    let above = place.ceil() as usize;
    sorted[below] + (sorted[above] - sorted[below]) * (place - below as f64)
}

/// Returns the least and the greatest value; zeroes for none.
#[must_use]
pub fn extremes(values: &[f64]) -> (f64, f64) {
    let sorted = sorted(values);
    match (sorted.first(), sorted.last()) {
        (Some(&least), Some(&greatest)) => (least, greatest),
        _ => (0.0, 0.0),
    }
}

/// Returns the bounds of the median of the runs' distribution, at a confidence of 95 %: two of the
/// sorted runs, chosen by the binomial distribution, or between the extremes if the runs are fewer
/// than six. Zeroes for none.
#[must_use]
pub fn median_interval(values: &[f64]) -> (f64, f64) {
    /// The probability that the median is below the interval, or above it.
    const TAIL: f64 = 0.025;
    let sorted = sorted(values);
    if sorted.is_empty() {
        return (0.0, 0.0);
    }
    let count = sorted.len();
    // The probability that `below` of the runs, or fewer, are less than the median.
    let (mut below, mut term) = (0, 0.5_f64.powi(count as i32));
    let mut tail = term;
    while 2 * (below + 1) < count {
        term *= (count - below) as f64 / (below + 1) as f64;
        if tail + term > TAIL {
            break;
        }
        tail += term;
        below += 1;
    }
    (sorted[below], sorted[count - 1 - below])
}

/// Returns the interquartile range of the runs as a share of the median.
#[must_use]
pub fn spread(values: &[f64]) -> f64 {
    let middle = median(values);
    if middle == 0.0 {
        return 0.0;
    }
    (quantile(values, 0.75) - quantile(values, 0.25)) / middle
}

/// The ratio of `ours` to `theirs`, in two ways that disagree when the machine's speed drifts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratio {
    /// Median of `ours` divided by the median of `theirs`.
    pub of_medians: f64,
    /// Median of the quotients of runs of the same round; drift cancels out.
    pub paired: f64,
}

/// Compares two rows of interleaved runs. `None` if either is empty or the divisor's median is 0.
#[must_use]
pub fn ratio(ours: &[f64], theirs: &[f64]) -> Option<Ratio> {
    if ours.is_empty() || theirs.is_empty() || median(theirs) == 0.0 {
        return None;
    }
    let pairs: Vec<f64> =
        ours.iter().zip(theirs).filter(|(_, theirs)| **theirs != 0.0).map(|(ours, theirs)| ours / theirs).collect();
    Some(Ratio { of_medians: median(ours) / median(theirs), paired: median(&pairs) })
}

/// Two humps in a series of runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Humps {
    /// Median of the runs below the gap.
    pub low: f64,
    /// Median of the runs above the gap.
    pub high: f64,
    /// Share of the runs below the gap.
    pub low_share: f64,
}

/// The least number of runs for the test of two humps.
const FEWEST_FOR_HUMPS: usize = 6;
/// The gap must be this share of the median, else it is noise.
const LEAST_GAP: f64 = 0.10;
/// The gap must be this many times as wide as the wider hump is, from its first to its third
/// quarter.
const GAP_TO_HUMP: f64 = 2.0;

/// Returns the two humps of the runs, if they have two with a gap between.
///
/// The widest gap between neighbours of the sorted runs divides them; both sides must hold at least
/// a fifth of the runs (a single outlier is not a hump), the gap must be at least a tenth of the
/// median, and at least twice as wide as either side is within itself.
#[must_use]
pub fn humps(values: &[f64]) -> Option<Humps> {
    if values.len() < FEWEST_FOR_HUMPS {
        return None;
    }
    let sorted = sorted(values);
    let fewest = sorted.len().div_ceil(5).max(2);
    let (cut, gap) = (fewest..=sorted.len() - fewest)
        .map(|cut| (cut, sorted[cut] - sorted[cut - 1]))
        .max_by(|one, other| one.1.total_cmp(&other.1))?;
    let (low, high) = sorted.split_at(cut);
    let width = |hump: &[f64]| quantile(hump, 0.75) - quantile(hump, 0.25);
    let apart = gap >= LEAST_GAP * median(&sorted) && gap >= GAP_TO_HUMP * width(low).max(width(high));
    apart.then(|| Humps { low: median(low), high: median(high), low_share: low.len() as f64 / sorted.len() as f64 })
}

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle_or_the_mean_of_the_middle_two() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[4.0, 1.0, 3.0, 2.0]), 2.5);
        assert_eq!(median(&[]), 0.0);
    }

    #[test]
    fn quantiles_are_interpolated_between_neighbours() {
        let values = [10.0, 20.0, 30.0, 40.0, 50.0];
        assert_eq!(quantile(&values, 0.0), 10.0);
        assert_eq!(quantile(&values, 0.25), 20.0);
        assert_eq!(quantile(&values, 0.9), 46.0);
        assert_eq!(quantile(&values, 1.0), 50.0);
        assert_eq!(extremes(&values), (10.0, 50.0));
        assert_eq!(spread(&values), 20.0 / 30.0);
    }

    #[test]
    fn the_interval_of_a_median_leaves_out_as_many_runs_as_its_confidence_allows() {
        let interval = |count: u32| median_interval(&(1..=count).map(f64::from).collect::<Vec<_>>());
        assert_eq!(median_interval(&[]), (0.0, 0.0));
        assert_eq!(interval(1), (1.0, 1.0));
        assert_eq!(interval(3), (1.0, 3.0));
        assert_eq!(interval(6), (1.0, 6.0));
        // From tables of the sign test.
        assert_eq!(interval(9), (2.0, 8.0));
        assert_eq!(interval(15), (4.0, 12.0));
        assert_eq!(interval(20), (6.0, 15.0));
    }

    #[test]
    fn a_drifting_machine_moves_the_ratio_of_medians_but_not_the_paired_one() {
        let ours = [2.0, 4.0, 8.0];
        let theirs = [1.0, 2.0, 4.0];
        assert_eq!(ratio(&ours, &theirs), Some(Ratio { of_medians: 2.0, paired: 2.0 }));
        let cut_short = ratio(&ours[..2], &theirs).expect("both have runs");
        assert_eq!((cut_short.of_medians, cut_short.paired), (1.5, 2.0));
        assert_eq!(ratio(&ours, &[]), None);
        assert_eq!(ratio(&ours, &[0.0]), None);
    }

    #[test]
    fn two_humps_are_told_from_one_hump_with_an_outlier() {
        let two = humps(&[100.0, 101.0, 99.0, 200.0, 201.0, 202.0, 100.0, 199.0]).expect("two humps");
        assert_eq!((two.low, two.high, two.low_share), (100.0, 200.5, 0.5));
        assert_eq!(humps(&[100.0, 101.0, 99.0, 100.0, 102.0, 98.0, 100.0, 300.0]), None);
        assert_eq!(humps(&[100.0, 110.0, 120.0, 130.0, 140.0, 150.0, 160.0, 170.0]), None);
        assert_eq!(humps(&[1.0, 2.0]), None);
    }
}
