//! Queues of items of more than a word, in `mpmc.throughput`: the ones that people use, of ours and
//! of others.

use std::marker::PhantomData;
use std::sync::Arc;

use aqueduct::bbq::{self, Multi, Single, slots};
use aqueduct::queue::{PopSlice, PushSlice};

use super::alone::{Alone, AloneTime};
use super::crowd::Crowd;
use super::kind::{Item, Kind, Receiver, Sender, kind, receiver, sender};
use super::stream::{Stream, Streamed, stream_numbers_over};
use super::subject::Subject;
use super::workload::Workload;
use aqueduct_measure::items::{Wide, Widened};
use aqueduct_measure::rounds::{Fault, Threads};

/// Queues of items of `item_bytes` bytes; none if that size is not built in: a build without the
/// feature `workloads` has none of them.
pub(super) fn all(item_bytes: usize) -> Vec<Box<dyn Subject>> {
    if !Workload::ALL_ARE_BUILT {
        return Vec::new();
    }
    match item_bytes {
        16 => of::<2>(),
        64 => of::<8>(),
        256 => of::<32>(),
        4096 => of::<512>(),
        _ => Vec::new(),
    }
}

fn of<const W: usize>() -> Vec<Box<dyn Subject>> {
    #[cfg_attr(not(feature = "peers"), expect(unused_mut, reason = "peers come after them"))]
    let mut all = vec![
        numbers::<Mpmc<W>>(),
        numbers::<Shared<W>>(),
        numbers::<Mpsc<W>>(),
        numbers::<Spmc<W>>(),
        numbers::<SlotsSpsc<W>>(),
        numbers::<SlotsMpmc<W>>(),
    ];
    #[cfg(feature = "peers")]
    all.extend([
        numbers::<peers::ArrayQueue<W>>(),
        numbers::<peers::ConcurrentQueue<W>>(),
        numbers::<peers::Channel<W>>(),
        numbers::<peers::StdSyncChannel<W>>(),
    ]);
    #[cfg(feature = "rivals")]
    all.push(numbers::<peers::ThingBuf<W>>());
    all
}

/// A kind that is measured with numbers only: other workloads would double the code.
struct Numbers<K>(PhantomData<K>);

fn numbers<K: Kind>() -> Box<dyn Subject> {
    Box::new(Numbers::<K>(PhantomData))
}

impl<K: Kind> Subject for Numbers<K> {
    fn name(&self) -> &'static str {
        K::NAME
    }

    fn is_peer(&self) -> bool {
        K::PEER
    }

    fn can(&self, threads: Threads, batch: usize) -> bool {
        threads.producers <= K::MOST_PRODUCERS && threads.consumers <= K::MOST_CONSUMERS && (batch == 1 || K::BATCHES)
    }

    fn stream(&self, spec: &Stream<'_>) -> Result<Streamed, Fault> {
        if spec.workload != Workload::Simple {
            return Err(unable());
        }
        stream_numbers_over(spec, &|| K::open(spec.capacity, spec.threads))
    }

    fn alone(&self, _spec: &Alone) -> Result<AloneTime, Fault> {
        Err(unable())
    }

    fn crowd(&self, _spec: &Crowd<'_>) -> Result<AloneTime, Fault> {
        Err(unable())
    }
}

fn unable() -> Fault {
    Fault::Refused("items of more than a word are measured in mpmc.throughput only".to_owned())
}

/// A handle that moves slices, and the items of a slice.
#[derive(Clone)]
pub(crate) struct Slices<H, const W: usize> {
    handle: H,
    items: Vec<Wide<W>>,
}

impl<H, const W: usize> Slices<H, W> {
    fn new(handle: H) -> Self {
        Self { handle, items: Vec::new() }
    }

    /// Returns the handle, and the items with these numbers.
    #[inline(always)]
    fn with(&mut self, numbers: impl Iterator<Item = Item>) -> (&mut H, &mut [Wide<W>]) {
        self.items.clear();
        self.items.extend(numbers.map(Wide::of));
        (&mut self.handle, &mut self.items)
    }

    /// Returns the handle, and places for `count` items.
    #[inline(always)]
    fn places(&mut self, count: usize) -> (&mut H, &mut [Wide<W>]) {
        if self.items.len() < count {
            self.items.resize(count, Wide::of(Item::MIN));
        }
        (&mut self.handle, &mut self.items[..count])
    }
}

/// Handles for one or many on either side.
macro_rules! form {
    ($kind:ident = $name:literal, $producers:ident to $consumers:ident, $p:ident, $c:ident, $open:path) => {
        kind! {
            $kind<W> = $name, $producers to $consumers, PEER: false, BATCHES: true;
            Slices<bbq::Producer<Wide<W>, $p, $c>, W>, Slices<bbq::Consumer<Wide<W>, $p, $c>, W>;
            |capacity| {
                let (producer, consumer) = $open(capacity).map_err(|error| error.to_string())?;
                (Slices::new(producer), Slices::new(consumer))
            }
        }
    };
}

form!(Mpsc = "aqueduct/bbq_mpsc", many to one, Multi, Single, bbq::mpsc::new);
form!(Spmc = "aqueduct/bbq_spmc", one to many, Single, Multi, bbq::spmc::new);
form!(Mpmc = "aqueduct/bbq_mpmc", many to many, Multi, Multi, bbq::mpmc::new);

impl<const W: usize, H: PushSlice<Item = Wide<W>> + Send> Sender for Slices<H, W> {
    #[inline(always)]
    fn push(&mut self, number: Item) -> bool {
        self.handle.push(Wide::of(number)).is_ok()
    }

    #[inline(always)]
    fn push_slice(&mut self, numbers: &[Item]) -> usize {
        let (handle, items) = self.with(numbers.iter().copied());
        handle.push_slice(items)
    }
}

impl<const W: usize, H: PopSlice<Item = Wide<W>> + Send> Receiver for Slices<H, W> {
    #[inline(always)]
    fn pop(&mut self) -> Option<Item> {
        self.handle.pop().ok().map(|item| item.number())
    }

    #[inline(always)]
    fn pop_slice(&mut self, numbers: &mut [Item]) -> usize {
        let (handle, items) = self.places(numbers.len());
        let count = handle.pop_slice(items);
        numbers.iter_mut().zip(&items[..count]).for_each(|(number, item)| *number = item.number());
        count
    }
}

/// A handle of a queue whose items are written and read in place.
#[derive(Clone)]
pub(crate) struct InPlace<H>(H);

/// Slots, for one or many on either side.
macro_rules! slots {
    ($kind:ident = $name:literal, $producers:ident to $consumers:ident, $p:ident, $c:ident, $open:path) => {
        kind! {
            $kind<W> = $name, $producers to $consumers, PEER: false;
            InPlace<slots::Producer<Wide<W>, $p, $c>>, InPlace<slots::Consumer<Wide<W>, $p, $c>>;
            |capacity| {
                let (producer, consumer) = $open(capacity).map_err(|error| error.to_string())?;
                (InPlace(producer), InPlace(consumer))
            }
        }
        sender!(const W, InPlace<slots::Producer<Wide<W>, $p, $c>>, |producer, number| {
            let Ok(mut slot) = producer.0.reserve() else {
                return false;
            };
            Wide::write(number, slot.uninit());
            // SAFETY: all of it is written.
            unsafe { slot.commit() };
            true
        });
        receiver!(const W, InPlace<slots::Consumer<Wide<W>, $p, $c>>, |consumer| {
            consumer.0.read().ok().map(|item| item.number())
        });
    };
}

slots!(SlotsSpsc = "aqueduct/slots_spsc", one to one, Single, Single, slots::spsc::new);
slots!(SlotsMpmc = "aqueduct/slots_mpmc", many to many, Multi, Multi, slots::mpmc::new);

/// A queue that threads share by reference.
macro_rules! shared {
    ($kind:ident = $name:literal $(, $constant:ident: $value:literal)*; $queue:ty, |$capacity:ident| $open:expr; $pop:expr) => {
        kind! {
            $kind<W> = $name, many to many $(, $constant: $value)*;
            Widened<Arc<$queue>>, Widened<Arc<$queue>>;
            |$capacity| {
                let queue = Arc::new($open);
                (Widened(Arc::clone(&queue)), Widened(queue))
            }
        }
        sender!(const W, Widened<Arc<$queue>>, |queue, number| queue.0.push(Wide::of(number)).is_ok());
        receiver!(const W, Widened<Arc<$queue>>, |queue| $pop(&*queue.0).map(|item| item.number()));
    };
}

shared!(
    Shared = "aqueduct/bbq_queue", PEER: false;
    bbq::Queue<Wide<W>>, |capacity| bbq::Queue::new(capacity).map_err(|error| error.to_string())?;
    |queue: &bbq::Queue<Wide<W>>| queue.pop().ok()
);

#[cfg(feature = "peers")]
mod peers {
    //! Other crates'.

    use std::sync::{Arc, mpsc};

    use super::super::kind::{kind, receiver, sender};
    use aqueduct_measure::items::{Wide, Widened};

    shared!(
        ArrayQueue = "crossbeam-queue/array_queue";
        crossbeam_queue::ArrayQueue<Wide<W>>, |capacity| crossbeam_queue::ArrayQueue::new(capacity);
        |queue: &crossbeam_queue::ArrayQueue<Wide<W>>| queue.pop()
    );
    shared!(
        ConcurrentQueue = "concurrent-queue/bounded";
        concurrent_queue::ConcurrentQueue<Wide<W>>, |capacity| concurrent_queue::ConcurrentQueue::bounded(capacity);
        |queue: &concurrent_queue::ConcurrentQueue<Wide<W>>| queue.pop().ok()
    );

    /// A channel.
    macro_rules! channel {
        ($kind:ident = $name:literal, $producers:ident to $consumers:ident; $sender:ty, $receiver:ty; $open:path) => {
            kind! {
                $kind<W> = $name, $producers to $consumers;
                Widened<$sender>, Widened<$receiver>;
                |capacity| {
                    let (sender, receiver) = $open(capacity);
                    (Widened(sender), Widened(receiver))
                }
            }
            sender!(const W, Widened<$sender>, |channel, number| channel.0.try_send(Wide::of(number)).is_ok());
            receiver!(const W, Widened<$receiver>, |channel| channel.0.try_recv().ok().map(|item| item.number()));
        };
    }

    channel!(
        Channel = "crossbeam-channel/bounded", many to many;
        crossbeam_channel::Sender<Wide<W>>, crossbeam_channel::Receiver<Wide<W>>; crossbeam_channel::bounded
    );
    channel!(
        StdSyncChannel = "std/mpsc_sync_channel", many to one;
        mpsc::SyncSender<Wide<W>>, mpsc::Receiver<Wide<W>>; mpsc::sync_channel
    );

    /// `thingbuf`'s queue, which writes and reads items in place.
    #[cfg(feature = "rivals")]
    mod in_place {
        use std::sync::Arc;

        use super::super::super::kind::{kind, receiver, sender};
        use super::super::InPlace;
        use aqueduct_measure::items::{Item, Wide};
        use thingbuf::recycling::Recycle;

        /// Makes the first items, and leaves used ones as they are.
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct Reused;

        impl<const W: usize> Recycle<Wide<W>> for Reused {
            fn new_element(&self) -> Wide<W> {
                Wide::of(Item::MIN)
            }

            fn recycle(&self, _item: &mut Wide<W>) {}
        }

        kind! {
            ThingBuf<W> = "thingbuf/thingbuf in place", many to many;
            InPlace<Arc<thingbuf::ThingBuf<Wide<W>, Reused>>>, InPlace<Arc<thingbuf::ThingBuf<Wide<W>, Reused>>>;
            |capacity| {
                let queue = Arc::new(thingbuf::ThingBuf::with_recycle(capacity, Reused));
                (InPlace(Arc::clone(&queue)), InPlace(queue))
            }
        }
        sender!(const W, InPlace<Arc<thingbuf::ThingBuf<Wide<W>, Reused>>>, |queue, number| {
            queue.0.push_ref().map(|mut item| *item = Wide::of(number)).is_ok()
        });
        receiver!(const W, InPlace<Arc<thingbuf::ThingBuf<Wide<W>, Reused>>>, |queue| {
            queue.0.pop_ref().map(|item| item.number())
        });
    }
    #[cfg(feature = "rivals")]
    pub(super) use in_place::ThingBuf;
}
