//! The sum of a tree's numbers.

use std::hint::black_box;
use std::num::NonZeroU32;

use aqueduct_measure::unit::Unit;

use super::Program;
use crate::fork::Pool;

/// Trees below this number of nodes are summed several times in a run, whose time would be too
/// short for the clock.
const FEW: u64 = 10_000;
const TIMES: u64 = 16;

/// Nodes in the order of their numbers, layer by layer. For the caches, the order left before right
/// (most pools) is as good as right before left (chili).
pub(super) struct Tree {
    nodes: Vec<Node>,
}

struct Node {
    number: u32,
    /// The indices of its children; none for a leaf.
    children: Option<(NonZeroU32, NonZeroU32)>,
}

impl Program for Tree {
    /// The sum of all sums.
    type Scratch = u64;

    /// Makes a full tree of `size` layers, its nodes numbered from 1 on.
    fn new(size: usize) -> Self {
        let nodes: u32 = (1 << size) - 1;
        let child = |number: u32| NonZeroU32::new(number - 1).filter(|_| number <= nodes);
        let node = |number: u32| Node { number, children: child(2 * number).zip(child(2 * number + 1)) };
        Self { nodes: (1..=nodes).map(node).collect() }
    }

    fn scratch(&self) -> u64 {
        0
    }

    fn parts(&self) -> (f64, Unit) {
        ((self.times() * self.count()) as f64, Unit::Ns)
    }

    fn run<P: Pool>(&self, sum: &mut u64, context: &mut P::Context<'_>) {
        *sum = (0..self.times()).map(|_| sum_below::<P>(context, black_box(&self.nodes), 0)).sum();
    }

    fn is_right(&self, sum: &u64) -> bool {
        *sum == self.times() * (self.count() * (self.count() + 1) / 2)
    }
}

impl Tree {
    fn count(&self) -> u64 {
        self.nodes.len() as u64
    }

    fn times(&self) -> u64 {
        if self.count() < FEW { TIMES } else { 1 }
    }
}

fn sum_below<P: Pool>(context: &mut P::Context<'_>, nodes: &[Node], at: usize) -> u64 {
    let node = &nodes[at];
    let Some((left, right)) = node.children else { return node.number.into() };
    let (a, b) = P::join(
        context,
        |context| sum_below::<P>(context, nodes, left.get() as usize),
        |context| sum_below::<P>(context, nodes, right.get() as usize),
    );
    u64::from(node.number) + a + b
}
