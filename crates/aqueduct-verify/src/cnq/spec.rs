//! What CNQ has to be: a queue whose order is wrong by less than k.

use aqueduct_model::linearizability::{KFifo, QueueOp, QueueResult, Spec};
use aqueduct_under_model::cnq::Geometry;

/// Both bounds with the exact k of the geometry: an item that is popped is one of the k oldest, and one that has become the oldest is one
/// of the next k. Besides:
///
/// - `Empty` with as many items at most as fit the other consumers' capsules;
/// - `Full` with as many items at least as there are capsules that no consumer can have.
///
/// Both are excused by overlap: a thread looks at an old state if nothing tells it better, as in store buffering.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Relaxed {
    queue: KFifo<u64>,
    len: usize,
    most_when_empty: usize,
    least_when_full: usize,
}

impl Relaxed {
    pub(super) fn new(geometry: Geometry) -> Self {
        Self {
            queue: KFifo::new(geometry.k()),
            len: 0,
            most_when_empty: (geometry.consumers() - 1) * geometry.capsule_size(),
            least_when_full: geometry.capsules().saturating_sub(geometry.consumers()),
        }
    }
}

impl Spec for Relaxed {
    type Input = QueueOp<u64>;
    type Output = QueueResult<u64>;

    fn apply(&mut self, input: &QueueOp<u64>, output: &QueueResult<u64>) -> bool {
        match output {
            QueueResult::Full => return matches!(input, QueueOp::Push(_)) && self.len >= self.least_when_full,
            QueueResult::Empty => return matches!(input, QueueOp::Pop) && self.len <= self.most_when_empty,
            QueueResult::Pushed => self.len += 1,
            QueueResult::Popped(_) => self.len = self.len.saturating_sub(1),
            _ => {}
        }
        self.queue.apply(input, output)
    }

    fn excused_by_overlap(&self, _input: &QueueOp<u64>, output: &QueueResult<u64>) -> bool {
        matches!(output, QueueResult::Full | QueueResult::Empty | QueueResult::Busy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aqueduct_model::linearizability::QueueOp::{Pop, Push};
    use aqueduct_model::linearizability::QueueResult::{Busy, Empty, Full, Popped, Pushed};
    use aqueduct_model::linearizability::Record;

    /// Whether one thread may see this after it has pushed 1 to 6.
    fn allows(calls: &[(QueueOp<u64>, QueueResult<u64>)]) -> bool {
        let geometry = Geometry::new(5, 1, 2, 2).expect("a small queue");
        assert_eq!(geometry.k(), 3);
        let mut record = Record::new(Relaxed::new(geometry));
        (1..=6).for_each(|number| _ = record.add(0, Push(number), Pushed, &[]));
        calls.iter().for_each(|(input, output)| _ = record.add(0, *input, *output, &[]));
        record.linearization().is_ok()
    }

    #[test]
    fn the_order_may_be_wrong_by_less_than_k() {
        assert!(allows(&[(Pop, Popped(3)), (Pop, Popped(4)), (Pop, Popped(1)), (Pop, Popped(2))]));
        assert!(!allows(&[(Pop, Popped(4))]), "not among the three oldest");
        assert!(
            !allows(&[(Pop, Popped(2)), (Pop, Popped(3)), (Pop, Popped(4))]),
            "the oldest is overtaken a third time"
        );
    }

    #[test]
    fn empty_and_full_have_bounds() {
        let pops = |count: u64| (1..=count).map(|number| (Pop, Popped(number))).collect::<Vec<_>>();
        assert!(allows(&[pops(5), vec![(Pop, Empty)]].concat()));
        assert!(!allows(&[pops(4), vec![(Pop, Empty)]].concat()));
        assert!(allows(&[pops(3), vec![(Push(7), Full)]].concat()));
        assert!(!allows(&[pops(4), vec![(Push(7), Full)]].concat()));
        assert!(!allows(&[(Pop, Busy)]), "nobody else is there");
    }
}
