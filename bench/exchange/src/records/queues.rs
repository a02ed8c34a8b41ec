//! The queues of records: ours, BBQ as published (with the feature `published`), `bbqueue`'s, and
//! channels of boxes, which programs without such a queue use.

use aqueduct::bbq::records::{self, Space};
use aqueduct::bbq::{Multi, Single};

use super::content::{read, shape, write};
use super::contestant::{Contestant, InPlace, contestant};
use aqueduct_bench_mpmc::mpmc::{kind, receiver, sender};

/// Returns all of this build.
pub(super) fn all() -> Vec<Contestant> {
    #[cfg_attr(
        not(any(feature = "peers", feature = "published")),
        expect(unused_mut, reason = "others come after them")
    )]
    let mut all = vec![contestant::<Spsc>(), contestant::<Mpmc>()];
    #[cfg(feature = "published")]
    all.push(contestant::<super::published::Published>());
    #[cfg(feature = "peers")]
    all.extend([contestant::<peers::Framed>(), contestant::<peers::ArrayQueue>(), contestant::<peers::Channel>()]);
    all
}

/// One of our forms.
macro_rules! form {
    ($kind:ident = $name:literal, $producers:ident to $consumers:ident, $p:ident, $c:ident, $open:path) => {
        kind! {
            $kind = $name, $producers to $consumers, PEER: false;
            InPlace<records::Producer<$p, $c>>, InPlace<records::Consumer<$p, $c>>;
            |capacity| {
                let space = Space::for_bytes(capacity).map_err(|error| error.to_string())?;
                let (producer, consumer) = $open(space).map_err(|error| error.to_string())?;
                (InPlace(producer), InPlace(consumer))
            }
        }
        sender!(InPlace<records::Producer<$p, $c>>, |producer, number| {
            let (length, _) = shape(number);
            let Ok(mut grant) = producer.0.reserve(length) else {
                return false;
            };
            write(number, &mut grant);
            grant.commit(length);
            true
        });
        receiver!(InPlace<records::Consumer<$p, $c>>, |consumer| consumer.0.read().ok().map(|record| read(&record)));
    };
}

form!(Spsc = "aqueduct/records_spsc", one to one, Single, Single, records::spsc::new);
form!(Mpmc = "aqueduct/records_mpmc", many to many, Multi, Multi, records::mpmc::new);

#[cfg(feature = "peers")]
mod peers {
    //! Other crates' queues.

    use std::sync::Arc;

    use bbqueue::BBQueue;
    use bbqueue::nicknames::GogiGui;
    use bbqueue::prod_cons::framed::{FramedConsumer, FramedProducer};
    use bbqueue::traits::coordination::cas::AtomicCoord;
    use bbqueue::traits::notifier::polling::Polling;
    use bbqueue::traits::storage::BoxedSlice;

    use super::super::content::{LONGEST, SHORTEST, read, shape, write};
    use super::super::contestant::InPlace;
    use aqueduct_bench_mpmc::mpmc::{Item, kind, receiver, sender};

    type Bip = Arc<BBQueue<BoxedSlice, AtomicCoord, Polling>>;

    kind! {
        /// `bbqueue`'s frames on the heap, without waiting.
        Framed = "bbqueue/framed", one to one;
        InPlace<FramedProducer<Bip>>, InPlace<FramedConsumer<Bip>>;
        |capacity| {
            let queue = GogiGui::new_with_storage(BoxedSlice::new(capacity));
            (InPlace(queue.framed_producer()), InPlace(queue.framed_consumer()))
        }
    }
    sender!(InPlace<FramedProducer<Bip>>, |producer, number| {
        let (length, _) = shape(number);
        let Ok(mut grant) = producer.0.grant(length as u16) else {
            return false;
        };
        write(number, &mut grant);
        grant.commit(length as u16);
        true
    });
    receiver!(InPlace<FramedConsumer<Bip>>, |consumer| {
        let frame = consumer.0.read().ok()?;
        let number = read(&frame);
        frame.release();
        Some(number)
    });

    /// Returns an allocation with the record.
    fn boxed(number: Item) -> Box<[u8]> {
        let mut bytes = vec![0; shape(number).0].into_boxed_slice();
        write(number, &mut bytes);
        bytes
    }

    /// Returns the number of records of mean length that fit into `bytes` bytes.
    fn places(bytes: usize) -> usize {
        2 * bytes / (SHORTEST + LONGEST)
    }

    /// A handle that allocates a record, which the other side frees. It keeps a refused record for
    /// the next attempt.
    #[derive(Clone)]
    pub(crate) struct Boxing<H> {
        handle: H,
        refused: Option<(Item, Box<[u8]>)>,
    }

    impl<H> Boxing<H> {
        fn new(handle: H) -> Self {
            Self { handle, refused: None }
        }

        /// Pushes the record, or keeps it if it is refused.
        fn push(&mut self, number: Item, push: impl FnOnce(&H, Box<[u8]>) -> Result<(), Box<[u8]>>) -> bool {
            let record = match self.refused.take() {
                Some((known, record)) if known == number => record,
                _ => boxed(number),
            };
            self.refused = push(&self.handle, record).err().map(|record| (number, record));
            self.refused.is_none()
        }
    }

    type Boxes = Arc<crossbeam_queue::ArrayQueue<Box<[u8]>>>;

    kind! {
        /// `crossbeam-queue`'s bounded queue of boxes.
        ArrayQueue = "crossbeam-queue/array_queue of boxes", many to many;
        Boxing<Boxes>, InPlace<Boxes>;
        |capacity| {
            let queue = Arc::new(crossbeam_queue::ArrayQueue::new(places(capacity)));
            (Boxing::new(Arc::clone(&queue)), InPlace(queue))
        }
    }
    sender!(Boxing<Boxes>, |queue, number| Boxing::push(queue, number, |queue, record| queue.push(record)));
    receiver!(InPlace<Boxes>, |queue| queue.0.pop().map(|record| read(&record)));

    type BoxSender = crossbeam_channel::Sender<Box<[u8]>>;

    kind! {
        /// `crossbeam-channel`'s bounded channel of boxes.
        Channel = "crossbeam-channel/bounded of boxes", many to many;
        Boxing<BoxSender>, InPlace<crossbeam_channel::Receiver<Box<[u8]>>>;
        |capacity| {
            let (sender, receiver) = crossbeam_channel::bounded(places(capacity));
            (Boxing::new(sender), InPlace(receiver))
        }
    }
    sender!(Boxing<BoxSender>, |channel, number| {
        Boxing::push(channel, number, |channel, record| channel.try_send(record).map_err(|error| error.into_inner()))
    });
    receiver!(InPlace<crossbeam_channel::Receiver<Box<[u8]>>>, |channel| {
        channel.0.try_recv().ok().map(|record| read(&record))
    });
}
