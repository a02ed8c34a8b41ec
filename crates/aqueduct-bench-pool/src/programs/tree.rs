//! The sum of a tree's numbers.

use aqueduct_measure::unit::Unit;

use super::Program;
use crate::fork::Pool;

/// Trees below this number of nodes are summed several times in a run, whose time is else too short for the clock.
const FEW: u64 = 10_000;
const TIMES: u64 = 16;

pub(super) struct Tree {
    root: Node,
    nodes: u64,
}

struct Node {
    number: u64,
    children: Option<Box<(Node, Node)>>,
}

impl Program for Tree {
    /// The sum of all sums.
    type Scratch = u64;

    /// A full tree of so many layers, its nodes numbered from 1 on.
    fn new(size: usize) -> Self {
        Self { root: Node::new(1, size), nodes: (1 << size) - 1 }
    }

    fn scratch(&self) -> u64 {
        0
    }

    fn parts(&self) -> (f64, Unit) {
        ((self.times() * self.nodes) as f64, Unit::Ns)
    }

    fn run<P: Pool>(&self, sum: &mut u64, context: &mut P::Context<'_>) {
        *sum = (0..self.times()).map(|_| self.root.sum::<P>(context)).sum();
    }

    fn is_right(&self, sum: &u64) -> bool {
        *sum == self.times() * (self.nodes * (self.nodes + 1) / 2)
    }
}

impl Tree {
    fn times(&self) -> u64 {
        if self.nodes < FEW { TIMES } else { 1 }
    }
}

impl Node {
    fn new(number: u64, layers: usize) -> Self {
        let child = |number| Self::new(number, layers - 1);
        let children = (layers > 1).then(|| Box::new((child(2 * number), child(2 * number + 1))));
        Self { number, children }
    }

    fn sum<P: Pool>(&self, context: &mut P::Context<'_>) -> u64 {
        let Some(children) = &self.children else { return self.number };
        let (left, right) = &**children;
        let (a, b) = P::join(context, |context| left.sum::<P>(context), |context| right.sum::<P>(context));
        self.number + a + b
    }
}
