//! Probes of the search tree: at each fork one alternative is chosen at random, and the others are
//! forgotten.

use super::walk::Random;
use super::{Choice, Explorer};
use crate::graph::Graph;
use crate::graph::rules::Rules;

impl Explorer {
    /// Goes down one path of the search tree, from one graph to the next by [`Explorer::backtrack`].
    pub(crate) fn prober(rules: Rules, seed: u64) -> Self {
        let mut mixed = Random::new(seed);
        let probe = Some(Random::new(mixed.next()));
        Self { graph: Graph::new(rules), weight: 1.0, probe, ..Self::default() }
    }

    /// Returns the product of the numbers of ways at all forks so far.
    pub(crate) fn ways_so_far(&self) -> f64 {
        self.weight.recip()
    }

    /// Keeps one of the alternatives of the newest choice, if this is a probe.
    pub(super) fn narrow(&mut self) {
        let (Some(random), Some(&Choice { start, .. })) = (&mut self.probe, self.choices.last()) else { return };
        let ways = self.alternatives.len().saturating_sub(start);
        if ways > 1 {
            self.alternatives.swap(start, start + random.below(ways));
            self.alternatives.truncate(start + 1);
        }
    }
}
