//! Queues that are in no registry, written after their authors' descriptions: further queues of comparison.

mod bbq;
mod circular;
mod cr_turn;
pub(crate) mod ends;
mod hazards;
mod loo;
mod scqd;
pub(crate) mod sync;
#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
mod wcq;
#[cfg(target_arch = "x86_64")]
mod ymc;

use std::sync::Arc;

use super::kind::{Item, kind, receiver, sender};
use super::subject::{Subject, subject_of};
use bbq::{BY_ADDITION, BY_EXCHANGE, PublishedBbq, SINGLE};
use circular::CircularBuffer;
use scqd::Scqd;

/// Returns all baselines that have a bound. (Some workloads here fill a queue.)
pub(super) fn all() -> Vec<Box<dyn Subject>> {
    vec![
        subject_of::<BbqByFetchAndAdd>(),
        subject_of::<BbqByCompareExchange>(),
        subject_of::<BbqSingle>(),
        subject_of::<ScqWithData>(),
        #[cfg(target_arch = "x86_64")]
        subject_of::<ends::Wcq>(),
        subject_of::<LockedCircularBuffer>(),
    ]
}

/// Most items of a baseline: the block of the published BBQ whose offsets use all of their bits.
const MOST_ITEMS: usize = 1 << 29;

/// Returns the capacity, if a baseline can have it.
fn possible(capacity: usize) -> Result<usize, String> {
    if capacity > MOST_ITEMS {
        return Err(format!("{capacity} items: up to {MOST_ITEMS} are possible in the published queues"));
    }
    Ok(capacity)
}

/// Returns a queue that threads share by reference.
fn shared<Q>(queue: Q) -> (Arc<Q>, Arc<Q>) {
    let queue = Arc::new(queue);
    (Arc::clone(&queue), queue)
}

/// One of the published BBQ's forms.
macro_rules! published {
    ($(#[$note:meta])* $kind:ident = $name:literal, $producers:ident to $consumers:ident, $form:ident) => {
        kind! {
            $(#[$note])*
            $kind = $name, $producers to $consumers;
            Arc<PublishedBbq<Item, $form>>, Arc<PublishedBbq<Item, $form>>;
            |capacity| shared(PublishedBbq::new(possible(capacity)?))
        }
        sender!(Arc<PublishedBbq<Item, $form>>, |queue, item| PublishedBbq::push(queue, item).is_ok());
        receiver!(Arc<PublishedBbq<Item, $form>>, |queue| PublishedBbq::pop(queue).ok());
    };
}

published! {
    /// BBQ as published; producers allocate by fetch-and-add.
    BbqByFetchAndAdd = "published/bbq_faa", many to many, BY_ADDITION
}
published! {
    /// BBQ as published; producers allocate by compare-exchange.
    BbqByCompareExchange = "published/bbq_cas", many to many, BY_EXCHANGE
}
published! {
    /// BBQ as published for one producer and one consumer.
    BbqSingle = "published/bbq_single", one to one, SINGLE
}

kind! {
    /// SCQ with its data array.
    ScqWithData = "published/scqd", many to many;
    Arc<Scqd<Item>>, Arc<Scqd<Item>>;
    |capacity| shared(Scqd::new(possible(capacity)?))
}
sender!(Arc<Scqd<Item>>, |queue, item| Scqd::push(queue, item));
receiver!(Arc<Scqd<Item>>, |queue| Scqd::pop(queue));

kind! {
    /// The kernel's kind of circular buffer, a lock on either side.
    LockedCircularBuffer = "published/circular_buffer", many to many, BATCHES: true;
    Arc<CircularBuffer<Item>>, Arc<CircularBuffer<Item>>;
    |capacity| shared(CircularBuffer::new(possible(capacity)?))
}
sender!(Arc<CircularBuffer<Item>>, |buffer, item| CircularBuffer::push_slice(buffer, &[item]) == 1, |buffer, items| {
    CircularBuffer::push_slice(buffer, items)
});
receiver!(
    Arc<CircularBuffer<Item>>,
    |buffer| {
        let mut item = [Item::MIN];
        (CircularBuffer::pop_slice(buffer, &mut item) == 1).then_some(item[0])
    },
    |buffer, items| CircularBuffer::pop_slice(buffer, items)
);
