//! Producers that push as fast as they can, consumers that pop: the cost of an item.

use std::cell::Cell;
use std::num::NonZeroU64;
use std::rc::Rc;

use crate::bbq::{self, Backoff, drop_old, records};
use crate::cnq;
use crate::machine::{self, Body, Costs, Counts};
use crate::tube::{Blocks, FetchAddBlocks, SequencedRing, Tube};

/// An item of a queue.
pub type Item = NonZeroU64;

/// One thread's end: moves up to a number of items, and returns the number of items that it moved.
pub type End = Box<dyn FnMut(usize) -> usize>;

/// The ends of a queue, one for each thread.
pub type Ends = (Vec<End>, Vec<End>);

/// A queue that can be run.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// The queue's name.
    pub name: &'static str,
    /// Makes a queue with a capacity, and with numbers of producers and consumers; `None` if it
    /// does not take that many.
    pub open: fn(usize, usize, usize) -> Option<Ends>,
    /// True if the queue overwrites items that were not popped. Then a run ends with its producers.
    pub drops: bool,
}

impl Kind {
    const fn new(name: &'static str, open: fn(usize, usize, usize) -> Option<Ends>) -> Self {
        Self { name, open, drops: false }
    }
}

/// One run.
#[derive(Clone, Copy, Debug)]
pub struct Stream {
    /// The times of accesses and instructions.
    pub costs: Costs,
    /// The number of producers.
    pub producers: usize,
    /// The number of consumers.
    pub consumers: usize,
    /// The number of items of a call.
    pub batch: usize,
    /// The number of items that the queue can hold.
    pub capacity: usize,
    /// The number of items of all producers together.
    pub items: usize,
    /// The time of a thread's work between two calls, in tenths of a nanosecond. Readers of a queue
    /// that drops items do none.
    pub work: u64,
}

/// The costs of a run.
#[derive(Clone, Debug)]
pub struct Streamed {
    /// The number of popped items; if the queue drops items, of pushed ones.
    pub items: usize,
    /// The time at which the last item was popped, or pushed if the queue drops items, in tenths of
    /// a nanosecond.
    pub time: u64,
    /// The counts of all lines of the source.
    pub counts: Counts,
}

impl Streamed {
    /// Returns a count per item.
    #[must_use]
    pub fn each(&self, count: u64) -> f64 {
        count as f64 / self.items as f64
    }

    /// Returns million items per second, by the simulated clocks.
    #[must_use]
    pub fn mitems_per_second(&self) -> f64 {
        self.items as f64 / self.time as f64 * 1e4
    }
}

/// Runs a queue; `None` if it does not take that many threads.
#[must_use]
pub fn run(kind: Kind, stream: &Stream) -> Option<Streamed> {
    let (producers, consumers) = (kind.open)(stream.capacity, stream.producers, stream.consumers)?;
    let each = stream.items / stream.producers;
    let (batch, work, all) = (stream.batch, stream.work, each * stream.producers);
    let (popped, pushed, time) = (Rc::new(Cell::new(0)), Rc::new(Cell::new(0)), Rc::new(Cell::new(0)));
    let producing = producers.into_iter().map(|mut push| -> Body {
        let (pushed, time) = (Rc::clone(&pushed), Rc::clone(&time));
        Box::new(move || {
            let mut left = each;
            while left > 0 {
                machine::call();
                match push(batch.min(left)) {
                    0 => machine::hint(1),
                    count => {
                        left -= count;
                        machine::spend(work);
                    }
                }
            }
            pushed.set(pushed.get() + each);
            if kind.drops {
                time.set(time.get().max(machine::now()));
            }
        })
    });
    let consuming = consumers.into_iter().map(|mut pop| -> Body {
        let (popped, pushed, time) = (Rc::clone(&popped), Rc::clone(&pushed), Rc::clone(&time));
        Box::new(move || {
            while if kind.drops { pushed.get() } else { popped.get() } < all {
                machine::call();
                match pop(batch) {
                    0 => machine::hint(1),
                    count => {
                        popped.set(popped.get() + count);
                        machine::spend(if kind.drops { 0 } else { work });
                    }
                }
                if popped.get() == all && time.get() == 0 {
                    time.set(machine::now());
                }
            }
        })
    });
    // Interleaved, as threads are placed on cores.
    let (mut producing, mut consuming, mut bodies) = (producing.fuse(), consuming.fuse(), Vec::new());
    while bodies.len() < stream.producers + stream.consumers {
        bodies.extend(producing.next().into_iter().chain(consuming.next()));
    }
    let counts = machine::run(stream.costs, bodies);
    Some(Streamed { items: all, time: time.get(), counts })
}

/// Returns an end for each thread: clones of the first if there may be several.
fn several<E: Clone>(first: E, count: usize) -> Vec<E> {
    vec![first; count]
}

/// Returns an end, if there is to be one.
fn one<E>(first: E, count: usize) -> Option<Vec<E>> {
    (count == 1).then(|| vec![first])
}

const ITEM: Item = Item::MIN;

macro_rules! of_items {
    ($producers:expr, $consumers:expr) => {{
        let push = |mut producer| -> End {
            Box::new(move |count| match count {
                1 => usize::from(bbq::Producer::push(&mut producer, ITEM).is_ok()),
                _ => bbq::Producer::push_slice(&mut producer, &[ITEM; 64][..count.min(64)]),
            })
        };
        let pop = |mut consumer| -> End {
            Box::new(move |count| match count {
                1 => usize::from(bbq::Consumer::pop(&mut consumer).is_ok()),
                _ => bbq::Consumer::pop_slice(&mut consumer, &mut [ITEM; 64][..count.min(64)]),
            })
        };
        Some(($producers.into_iter().map(push).collect(), $consumers.into_iter().map(pop).collect()))
    }};
}

fn over<U: Tube + 'static>(k: usize, capacity: usize, producers: usize, consumers: usize) -> Option<Ends> {
    let queue =
        cnq::Queue::<Item, U>::with_tube(cnq::Geometry::for_order(k, capacity, producers, consumers).ok()?).ok()?;
    let push = |mut producer: cnq::Producer<Item, U>| -> End {
        Box::new(move |count| match count {
            1 => usize::from(producer.push(ITEM).is_ok()),
            _ => producer.push_slice(&[ITEM; 64][..count.min(64)]),
        })
    };
    let pop = |mut consumer: cnq::Consumer<Item, U>| -> End {
        Box::new(move |count| match count {
            1 => usize::from(consumer.pop().is_ok()),
            _ => consumer.pop_slice(&mut [ITEM; 64][..count.min(64)]),
        })
    };
    let ends = (
        (0..producers).map(|_| queue.producer().map(push)).collect::<Result<_, _>>().ok()?,
        (0..consumers).map(|_| queue.consumer().map(pop)).collect::<Result<_, _>>().ok()?,
    );
    Some(ends)
}

/// All queues.
pub const ALL: &[Kind] = &[
    Kind::new("mpmc", |capacity, producers, consumers| {
        let (producer, consumer) = bbq::mpmc::new::<Item>(capacity).ok()?;
        of_items!(several(producer, producers), several(consumer, consumers))
    }),
    Kind::new("mpsc", |capacity, producers, consumers| {
        let (producer, consumer) = bbq::mpsc::new::<Item>(capacity).ok()?;
        of_items!(several(producer, producers), one(consumer, consumers)?)
    }),
    Kind::new("mpsc_never", |capacity, producers, consumers| {
        let (mut producer, consumer) = bbq::mpsc::new::<Item>(capacity).ok()?;
        producer.set_backoff(Backoff::Never);
        of_items!(several(producer, producers), one(consumer, consumers)?)
    }),
    Kind::new("spmc", |capacity, producers, consumers| {
        let (producer, consumer) = bbq::spmc::new::<Item>(capacity).ok()?;
        of_items!(one(producer, producers)?, several(consumer, consumers))
    }),
    Kind::new("spsc", |capacity, producers, consumers| {
        let (producer, consumer) = bbq::spsc::new::<Item>(capacity).ok()?;
        of_items!(one(producer, producers)?, one(consumer, consumers)?)
    }),
    Kind::new("faaq", |capacity, producers, consumers| {
        let (producer, consumer) = crate::faaq::new::<Item>(capacity).ok()?;
        of_items!(several(producer, producers), several(consumer, consumers))
    }),
    Kind::new("queue", |capacity, producers, consumers| {
        let queue = Rc::new(bbq::Queue::<Item>::new(capacity).ok()?);
        let push = |queue: Rc<bbq::Queue<Item>>| -> End {
            Box::new(move |count| match count {
                1 => usize::from(queue.push(ITEM).is_ok()),
                _ => queue.push_slice(&[ITEM; 64][..count.min(64)]),
            })
        };
        let pop = |queue: Rc<bbq::Queue<Item>>| -> End {
            Box::new(move |count| match count {
                1 => usize::from(queue.pop().is_ok()),
                _ => queue.pop_slice(&mut [ITEM; 64][..count.min(64)]),
            })
        };
        let (producers, consumers) = (several(Rc::clone(&queue), producers), several(queue, consumers));
        Some((producers.into_iter().map(push).collect(), consumers.into_iter().map(pop).collect()))
    }),
    Kind::new("records", |capacity, producers, consumers| {
        let space = records::Space::for_bytes(capacity.next_power_of_two() * 2 * size_of::<Item>()).ok()?;
        let (producer, consumer) = records::mpmc::new(space).ok()?;
        let push = |mut producer: records::Producer<bbq::Multi, bbq::Multi>| -> End {
            Box::new(move |_| usize::from(producer.push(&7_u64.to_ne_bytes()).is_ok()))
        };
        let pop = |mut consumer: records::Consumer<bbq::Multi, bbq::Multi>| -> End {
            Box::new(move |_| usize::from(consumer.read().is_ok()))
        };
        let (producers, consumers) = (several(producer, producers), several(consumer, consumers));
        Some((producers.into_iter().map(push).collect(), consumers.into_iter().map(pop).collect()))
    }),
    Kind::new("nblfq", |_, producers, consumers| {
        let queue = Rc::new(crate::nblfq::Queue::<Item, 1024>::new());
        let push = |queue: Rc<crate::nblfq::Queue<Item, 1024>>| -> End {
            Box::new(move |_| usize::from(queue.push(ITEM).is_ok()))
        };
        let pop =
            |queue: Rc<crate::nblfq::Queue<Item, 1024>>| -> End { Box::new(move |_| usize::from(queue.pop().is_ok())) };
        let (producers, consumers) = (several(Rc::clone(&queue), producers), several(queue, consumers));
        Some((producers.into_iter().map(push).collect(), consumers.into_iter().map(pop).collect()))
    }),
    Kind {
        drops: true,
        ..Kind::new("drop_old", |capacity, producers, consumers| {
            let (producer, reader) = drop_old::mpmc::new::<u64>(capacity).ok()?;
            let push = |mut producer: bbq::Producer<u64, bbq::Multi, bbq::Overwritten>| -> End {
                Box::new(move |_| usize::from(producer.push(7).is_ok()))
            };
            let read = |mut reader: drop_old::Reader<u64, bbq::Multi>| -> End {
                Box::new(move |_| usize::from(reader.read().is_ok()))
            };
            let (producers, readers) = (several(producer, producers), several(reader, consumers));
            Some((producers.into_iter().map(push).collect(), readers.into_iter().map(read).collect()))
        })
    },
    Kind {
        drops: true,
        ..Kind::new("drop_old_single", |capacity, producers, consumers| {
            let (producer, reader) = drop_old::spmc::new::<u64>(capacity).ok()?;
            let push = |mut producer: bbq::Producer<u64, bbq::Single, bbq::Overwritten>| -> End {
                Box::new(move |_| usize::from(producer.push(7).is_ok()))
            };
            let read = |mut reader: drop_old::Reader<u64, bbq::Single>| -> End {
                Box::new(move |_| usize::from(reader.read().is_ok()))
            };
            let (producers, readers) = (one(producer, producers)?, several(reader, consumers));
            Some((producers.into_iter().map(push).collect(), readers.into_iter().map(read).collect()))
        })
    },
    Kind::new("cnq_sequenced_100", |n, p, c| over::<SequencedRing>(100, n, p, c)),
    Kind::new("cnq_bbq_100", |n, p, c| over::<Blocks>(100, n, p, c)),
    Kind::new("cnq_sequenced_1000", |n, p, c| over::<SequencedRing>(1000, n, p, c)),
    Kind::new("cnq_faaq_100", |n, p, c| over::<FetchAddBlocks>(100, n, p, c)),
    Kind::new("cnq_faaq_1000", |n, p, c| over::<FetchAddBlocks>(1000, n, p, c)),
    Kind::new("cnq_sequenced_10000", |n, p, c| over::<SequencedRing>(10_000, n, p, c)),
    Kind::new("cnq_bbq_1000", |n, p, c| over::<Blocks>(1000, n, p, c)),
    Kind::new("cnq_bbq_10000", |n, p, c| over::<Blocks>(10_000, n, p, c)),
];
