//! Fairness: the distribution of operations over the threads of one side.

/// Returns each thread's share of all operations; they add up to 1. Empty without operations.
#[must_use]
pub fn shares(operations: &[u64]) -> Vec<f64> {
    let all: u64 = operations.iter().sum();
    if all == 0 {
        return Vec::new();
    }
    operations.iter().map(|&of_thread| of_thread as f64 / all as f64).collect()
}

/// Returns Jain's index of fairness: the share of the threads over which the operations are spread.
/// 1 if all have the same, 1/n if one of n has them all; 0 for none.
#[must_use]
pub fn jain(shares: &[f64]) -> f64 {
    let squares: f64 = shares.iter().map(|share| share * share).sum();
    let sum: f64 = shares.iter().sum();
    if squares == 0.0 { 0.0 } else { sum * sum / (shares.len() as f64 * squares) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jains_index_is_the_part_of_the_threads_that_work() {
        assert_eq!(shares(&[10, 30]), [0.25, 0.75]);
        assert_eq!(jain(&shares(&[5, 5, 5, 5])), 1.0);
        assert_eq!(jain(&shares(&[5, 5, 0, 0])), 0.5);
        assert_eq!(jain(&shares(&[0, 0, 7, 0])), 0.25);
        assert_eq!((shares(&[0, 0]), jain(&[])), (vec![], 0.0));
    }
}
