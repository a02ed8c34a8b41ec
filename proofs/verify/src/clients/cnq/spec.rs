//! The specification of CNQ: a k-relaxed FIFO queue.

use aqueduct_model::linearizability::{KFifo, QueueOp, QueueResult, Spec};

/// The division of a queue, and its numbers of handles.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// The number of capsules.
    pub capsules: usize,
    /// The number of items of a capsule.
    pub size: usize,
    /// The number of producers.
    pub producers: usize,
    /// The number of consumers.
    pub consumers: usize,
}

impl Shape {
    /// Returns the exact k of a queue on a tube that checks a position before it takes it.
    ///
    /// Let capsules have `s` items, two at least. An item x can be popped with
    /// `(producers - 1) * s` older ones in the queue that are in capsules after its own, which
    /// others have filled while x's was open; and with `(consumers - 1) * (s - 1)` in capsules
    /// before, of which others have taken one each. An oldest item x can be overtaken by
    /// `(consumers - 1) * s` from the capsules after its own, which others take while x's consumer
    /// has stopped; and by `s - 1` from each capsule before that is still open, and has a consumer
    /// besides. The greater of the two is this. With one item, a capsule is full when it comes into
    /// the tube: the tube's order.
    ///
    /// The library promises a bit more than this: with other tubes, a consumer can have a capsule
    /// of which it has taken nothing.
    pub fn exact_k(self) -> usize {
        let Self { size, producers, consumers, .. } = self;
        match size {
            1 => 1,
            _ => (producers.max(consumers) - 1) * size + (producers.min(consumers) - 1) * (size - 1) + 1,
        }
    }
}

/// Both bounds with the exact k of a shape: an item that is popped is one of the k oldest, and one
/// that has become the oldest is one of the next k. Besides:
///
/// - `Empty` with as many items at most as fit the other consumers' capsules;
/// - `Full` with as many items at least as there are capsules that no consumer can have;
/// - `Busy` if there are other consumers, and an item.
///
/// All are excused by overlap: a thread may read an old state if nothing orders the calls, as in
/// store buffering.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Relaxed {
    queue: KFifo<u64>,
    len: usize,
    most_when_empty: usize,
    least_when_full: usize,
    waits: bool,
}

impl Relaxed {
    /// Makes the specification with this k.
    pub fn new(shape: Shape, k: usize) -> Self {
        Self {
            queue: KFifo::new(k),
            len: 0,
            most_when_empty: (shape.consumers - 1) * shape.size,
            least_when_full: shape.capsules.saturating_sub(shape.consumers),
            waits: shape.consumers > 1,
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
            QueueResult::Busy => return matches!(input, QueueOp::Pop) && self.len > 0 && self.waits,
            QueueResult::Pushed => self.len += 1,
            QueueResult::Popped(_) => self.len = self.len.saturating_sub(1),
        }
        self.queue.apply(input, output)
    }

    fn excused_by_overlap(&self, _input: &QueueOp<u64>, output: &QueueResult<u64>) -> bool {
        matches!(output, QueueResult::Full | QueueResult::Empty | QueueResult::Busy)
    }
}
