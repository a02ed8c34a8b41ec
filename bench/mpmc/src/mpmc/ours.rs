//! The queues of `aqueduct::bbq`, `aqueduct::faaq` and `aqueduct::exact` as kinds under test.

use std::sync::Arc;

use aqueduct::bbq::{self, Adding, ConsumerSide, Multi, ProducerSide, Single, records};
use aqueduct::{exact, faaq};

use super::kind::{Item, Receiver, Sender, kind, receiver, sender};
use super::subject::{Subject, subject_of};

/// Returns all our queues, the most general first.
pub(super) fn all() -> Vec<Box<dyn Subject>> {
    vec![
        subject_of::<Mpmc>(),
        subject_of::<Shared>(),
        subject_of::<Mpsc>(),
        subject_of::<Spmc>(),
        subject_of::<Spsc>(),
        subject_of::<Faaq>(),
        subject_of::<FaaqShared>(),
        subject_of::<Exact>(),
        subject_of::<Records>(),
    ]
}

/// Handles for one or many on either side.
macro_rules! form {
    ($kind:ident = $name:literal, $producers:ident to $consumers:ident, $p:ident, $c:ident, $open:path) => {
        kind! {
            $kind = $name, $producers to $consumers, PEER: false, BATCHES: true;
            bbq::Producer<Item, $p, $c>, bbq::Consumer<Item, $p, $c>;
            |capacity| $open(capacity).map_err(|error| error.to_string())?
        }
    };
}

form!(Spsc = "aqueduct/bbq_spsc", one to one, Single, Single, bbq::spsc::new);
form!(Mpsc = "aqueduct/bbq_mpsc", many to one, Multi, Single, bbq::mpsc::new);
form!(Spmc = "aqueduct/bbq_spmc", one to many, Single, Multi, bbq::spmc::new);
form!(Mpmc = "aqueduct/bbq_mpmc", many to many, Multi, Multi, bbq::mpmc::new);
form!(Faaq = "aqueduct/faaq", many to many, Multi, Adding, faaq::new);

impl<P: ProducerSide, C: ConsumerSide> Sender for bbq::Producer<Item, P, C> {
    #[inline(always)]
    fn push(&mut self, item: Item) -> bool {
        bbq::Producer::push(self, item).is_ok()
    }

    #[inline(always)]
    fn push_slice(&mut self, items: &[Item]) -> usize {
        bbq::Producer::push_slice(self, items)
    }
}

impl<P: ProducerSide, C: ConsumerSide> Receiver for bbq::Consumer<Item, P, C> {
    #[inline(always)]
    fn pop(&mut self) -> Option<Item> {
        bbq::Consumer::pop(self).ok()
    }

    #[inline(always)]
    fn pop_slice(&mut self, items: &mut [Item]) -> usize {
        bbq::Consumer::pop_slice(self, items)
    }
}

/// A queue without handles: each call finds its place anew.
macro_rules! whole {
    ($kind:ident = $name:literal, $queue:ty) => {
        kind! {
            $kind = $name, many to many, PEER: false, BATCHES: true;
            Arc<$queue>, Arc<$queue>;
            |capacity| {
                let queue = Arc::new(<$queue>::new(capacity).map_err(|error| error.to_string())?);
                (Arc::clone(&queue), queue)
            }
        }
        sender!(Arc<$queue>, |queue, item| <$queue>::push(queue, item).is_ok(), |queue, items| <$queue>::push_slice(
            queue, items
        ));
        receiver!(Arc<$queue>, |queue| <$queue>::pop(queue).ok(), |queue, items| <$queue>::pop_slice(queue, items));
    };
}

whole!(Shared = "aqueduct/bbq_queue", bbq::Queue<Item>);
whole!(FaaqShared = "aqueduct/faaq_queue", faaq::Queue<Item>);

kind! {
    /// The queue of an exact capacity.
    Exact = "aqueduct/exact", many to many, PEER: false;
    Arc<exact::Queue<Item>>, Arc<exact::Queue<Item>>;
    |capacity| {
        let queue = Arc::new(exact::Queue::new(capacity).map_err(|error| error.to_string())?);
        (Arc::clone(&queue), queue)
    }
}
sender!(Arc<exact::Queue<Item>>, |queue, item| exact::Queue::push(queue, item).is_ok());
receiver!(Arc<exact::Queue<Item>>, |queue| exact::Queue::pop(queue).ok());

kind! {
    /// Items as records of their length: what it costs that records may have any.
    Records = "aqueduct/bbq_records", many to many, PEER: false;
    records::Producer<Multi, Multi>, records::Consumer<Multi, Multi>;
    |capacity| {
        // A record's length takes a word, too.
        let bytes = capacity.checked_next_power_of_two().and_then(|items| items.checked_mul(2 * size_of::<Item>()));
        let space = records::Space::for_bytes(bytes.unwrap_or(usize::MAX)).map_err(|error| error.to_string())?;
        records::mpmc::new(space).map_err(|error| error.to_string())?
    }
}
sender!(records::Producer<Multi, Multi>, |producer, item| <records::Producer<Multi, Multi>>::push(producer, &item.get().to_ne_bytes())
    .is_ok());
receiver!(records::Consumer<Multi, Multi>, |consumer| {
    let record = consumer.read().ok()?;
    Item::new(u64::from_ne_bytes(record[..].try_into().ok()?))
});
