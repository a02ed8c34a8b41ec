//! Probes: explorations of a part of the search tree, chosen at random.
//!
//! At each fork a probe keeps some alternatives, each with a known probability, and forgets the
//! others. An execution that it reaches stands for as many as the reciprocal of the product of
//! these probabilities, so that the sum over a probe is, on average, the number of executions. If
//! it keeps one alternative at each fork, that is Knuth's estimator.

use super::walk::Random;
use super::{Choice, Explorer};
use crate::graph::Graph;
use crate::graph::rules::Rules;

/// The way in which a probe chooses.
#[derive(Debug)]
pub(super) struct Thinning {
    random: Random,
    /// The probability with which an alternative is kept, where that leaves one at least.
    keep: f64,
    /// Whether the next choice keeps all.
    is_off: bool,
}

impl Explorer {
    /// Makes the explorer of a part of the search tree. It keeps alternatives with probability
    /// `keep`, and one at each fork at least.
    pub(crate) fn prober(rules: Rules, keep: f64, seed: u64) -> Self {
        let mut mixed = Random::new(seed);
        let probe = Some(Thinning { random: Random::new(mixed.next()), keep, is_off: false });
        Self { graph: Graph::new(rules), weight: 1.0, probe, ..Self::default() }
    }

    /// Returns the number of executions for which the present one stands.
    pub(crate) fn ways_so_far(&self) -> f64 {
        self.weight.recip()
    }

    /// Sets whether choices keep all their alternatives. Those of a loop on trial do: the trial
    /// continues with one of them, and takes all others back if the loop does not end.
    pub(super) fn keep_all(&mut self, yes: bool) {
        if let Some(probe) = &mut self.probe {
            probe.is_off = yes;
        }
    }

    /// Keeps some of the alternatives of the newest choice, if this is a probe.
    pub(super) fn narrow(&mut self) {
        let (Some(probe), Some(choice)) = (&mut self.probe, self.choices.last_mut()) else { return };
        let &mut Choice { start, .. } = choice;
        let ways = self.alternatives.len().saturating_sub(start);
        if ways < 2 || probe.is_off {
            return;
        }
        let share = probe.keep.max(1.0 / ways as f64);
        let kept = ((share * ways as f64 + probe.random.fraction()) as usize).clamp(1, ways);
        for at in 0..kept {
            self.alternatives.swap(start + at, start + at + probe.random.below(ways - at));
        }
        self.alternatives.truncate(start + kept);
        choice.each = self.weight * share;
    }
}
