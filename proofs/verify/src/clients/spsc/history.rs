//! Clients whose recorded calls a sequential queue must explain in each execution.

use std::sync::Arc;

use aqueduct_model::linearizability::{Fifo, History, QueueOp, QueueResult, Spurious};
use aqueduct_model::thread;

use crate::clients::item::Item;
use crate::clients::spsc::queue::{Consumer, Producer, Queue};

type Spec = Spurious<Fifo<u64>>;

/// Returns the specification: first in, first out; `Full` from the capacity on, or later if the
/// capacity is a minimum.
///
/// Overlapping calls excuse `Full` and `Empty`. Each end may read an old index of the other, as in
/// store buffering: one end may return `Full` and the other `Empty`, although no order of the calls
/// has both.
fn specification<Q: Queue>(queue: Q) -> Spec {
    let most = if Q::EXACT { queue.capacity() } else { usize::MAX };
    let fifo = Fifo::new().bounded_between(queue.capacity(), most);
    Spurious::new(fifo, |_, result| matches!(result, QueueResult::Full | QueueResult::Empty))
}

fn push<Q: Queue>(history: &History<Spec>, producer: &mut Q::Producer, number: u64) {
    history.call(QueueOp::Push(number), || match producer.push(Q::Item::new(number)) {
        Ok(()) => QueueResult::Pushed,
        Err(_refused) => QueueResult::Full,
    });
}

fn pop<Q: Queue>(history: &History<Spec>, consumer: &mut Q::Consumer) {
    history.call(QueueOp::Pop, || consumer.pop().map(|item| item.number()).into());
}

/// Runs `filled` pushes before the threads part, then `calls` on each side, then pops until the
/// queue is empty.
pub(crate) fn program<Q: Queue>(queue: Q, filled: usize, calls: usize) {
    let (mut producer, mut consumer) = queue.ends();
    let history = Arc::new(History::new(specification(queue)));
    let first = 1 + filled as u64;
    for number in 1..first {
        push::<Q>(&history, &mut producer, number);
    }
    let recorded = Arc::clone(&history);
    let thread = thread::spawn(move || {
        for number in first..first + calls as u64 {
            push::<Q>(&recorded, &mut producer, number);
        }
        producer
    });
    for _ in 0..calls {
        pop::<Q>(&history, &mut consumer);
    }
    let producer = thread.join().expect("a model thread that fails ends the execution");
    for _ in 0..=filled + calls {
        pop::<Q>(&history, &mut consumer);
    }
    drop(producer);
    history.check();
}
