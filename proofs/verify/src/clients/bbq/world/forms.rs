//! BBQ's forms in retry-new mode.

use std::marker::PhantomData;

use super::ends::{End, Share};
use super::library::bbq::{self, Consumer, ConsumerSide, Geometry, Multi, Producer, ProducerSide, Reuse, Single};
use super::library::faaq::{self, Adding};
use crate::clients::bbq::Shape;
use crate::clients::item::Item;
use crate::clients::threads::Form;

/// Returns the library's geometry for a shape.
///
/// # Panics
/// If it is impossible.
pub(super) fn geometry(shape: Shape) -> Geometry {
    Geometry::new(shape.blocks, shape.size).expect("a client's queue is small")
}

/// The producers' side: one handle, or clones of the first one.
pub(super) trait Producers: ProducerSide {
    const MANY: bool = true;

    fn several<T, C: Reuse>(first: Producer<T, Self, C>, count: usize) -> Vec<End<Producer<T, Self, C>>>;
}

/// The consumers' side: one handle, or clones of the first one.
pub(super) trait Consumers: ConsumerSide {
    const MANY: bool = true;

    fn several<T, P: ProducerSide>(first: Consumer<T, P, Self>, count: usize) -> Vec<End<Consumer<T, P, Self>>>;
}

/// Returns the handle of a side that has one.
fn only<H>(handle: H, count: usize) -> Vec<End<H>> {
    assert_eq!(count, 1, "this side has one handle");
    vec![End(handle)]
}

impl Producers for Single {
    const MANY: bool = false;

    fn several<T, C: Reuse>(first: Producer<T, Self, C>, count: usize) -> Vec<End<Producer<T, Self, C>>> {
        only(first, count)
    }
}

impl Producers for Multi {
    fn several<T, C: Reuse>(first: Producer<T, Self, C>, count: usize) -> Vec<End<Producer<T, Self, C>>> {
        vec![End(first); count]
    }
}

impl Consumers for Single {
    const MANY: bool = false;

    fn several<T, P: ProducerSide>(first: Consumer<T, P, Self>, count: usize) -> Vec<End<Consumer<T, P, Self>>> {
        only(first, count)
    }
}

impl Consumers for Multi {
    fn several<T, P: ProducerSide>(first: Consumer<T, P, Self>, count: usize) -> Vec<End<Consumer<T, P, Self>>> {
        vec![End(first); count]
    }
}

impl Consumers for Adding {
    fn several<T, P: ProducerSide>(first: Consumer<T, P, Self>, count: usize) -> Vec<End<Consumer<T, P, Self>>> {
        vec![End(first); count]
    }
}

/// A queue with handles: its name in [`forms`], and its items.
#[derive(Debug)]
pub struct Of<N, T>(PhantomData<fn() -> (N, T)>);

impl<N, T> Clone for Of<N, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<N, T> Copy for Of<N, T> {}

macro_rules! forms {
    ($($(#[$doc:meta])* $name:ident: $producers:ident, $consumers:ident, $make:path;)*) => {$(
        $(#[$doc])*
        pub type $name<T> = Of<fn($producers, $consumers), T>;

        impl<T: Item> Form for $name<T> {
            type Shape = Shape;
            type Item = T;
            type Producer = End<Producer<T, $producers, $consumers>>;
            type Consumer = End<Consumer<T, $producers, $consumers>>;
            const MANY_PRODUCERS: bool = <$producers as Producers>::MANY;
            const MANY_CONSUMERS: bool = <$consumers as Consumers>::MANY;

            fn make(shape: Shape, producers: usize, consumers: usize) -> (Vec<Self::Producer>, Vec<Self::Consumer>) {
                let (producer, consumer) = $make(geometry(shape), shape.lap).expect("a client's queue is small");
                (Producers::several(producer, producers), Consumers::several(consumer, consumers))
            }
        }
    )*};
}

forms! {
    /// One producer, one consumer.
    Spsc: Single, Single, bbq::spsc::starting_at;
    /// Many producers, one consumer.
    Mpsc: Multi, Single, bbq::mpsc::starting_at;
    /// One producer, many consumers.
    Spmc: Single, Multi, bbq::spmc::starting_at;
    /// Many producers, many consumers.
    Mpmc: Multi, Multi, bbq::mpmc::starting_at;
    /// FAAQ.
    Faaq: Multi, Adding, faaq::starting_at;
}

macro_rules! shared {
    ($($(#[$doc:meta])* $name:ident: $queue:ident;)*) => {$(
        $(#[$doc])*
        pub type $name<T> = Of<$queue::Queue<()>, T>;

        impl<T: Item> Form for $name<T> {
            type Shape = Shape;
            type Item = T;
            type Producer = Share<$queue::Queue<T>>;
            type Consumer = Share<$queue::Queue<T>>;
            const MANY_PRODUCERS: bool = true;
            const MANY_CONSUMERS: bool = true;

            fn make(shape: Shape, producers: usize, consumers: usize) -> (Vec<Self::Producer>, Vec<Self::Consumer>) {
                let queue = $queue::Queue::starting_at(geometry(shape), shape.lap);
                let queue = Share::new(queue.expect("a client's queue is small"));
                (vec![queue.clone(); producers], vec![queue; consumers])
            }
        }
    )*};
}

shared! {
    /// BBQ that is shared as a whole.
    Shared: bbq;
    /// FAAQ that is shared as a whole.
    FaaqShared: faaq;
}
