//! BBQ's forms in retry-new mode.

use super::library::bbq::{self, Geometry, Multi, Single};
use super::library::error::{PopError, PushError};
use super::library::faaq::{self, Adding};
use crate::clients::bbq::Shape;
use crate::clients::item::Item;
use crate::clients::threads::{Form, Nothing, Pop, PopSlice, Push, PushSlice, Refused};

impl<T> From<PushError<T>> for Refused {
    fn from(error: PushError<T>) -> Self {
        match error {
            PushError::Full(_) => Self::Full,
            PushError::Busy(_) => Self::Busy,
        }
    }
}

impl From<PopError> for Nothing {
    fn from(error: PopError) -> Self {
        match error {
            PopError::Empty => Self::Empty,
            PopError::Busy => Self::Busy,
        }
    }
}

/// As the library takes it.
///
/// # Panics
/// If it is impossible.
pub(super) fn geometry(shape: Shape) -> Geometry {
    Geometry::new(shape.blocks, shape.size).expect("a client's queue is small")
}

/// Whether a side can have several threads.
trait Side {
    const MANY: bool;
}

impl Side for Single {
    const MANY: bool = false;
}

impl Side for Multi {
    const MANY: bool = true;
}

impl Side for Adding {
    const MANY: bool = true;
}

/// As many handles as asked for: clones where there may be several.
trait Handles: Sized {
    fn several(self, count: usize) -> Vec<Self>;
}

macro_rules! forms {
    ($($(#[$doc:meta])* $name:ident: $producers:ident, $consumers:ident, $make:path;)*) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name<T>(std::marker::PhantomData<fn() -> T>);

        impl<T> Clone for $name<T> {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<T> Copy for $name<T> {}

        impl<T: Item> Push<T> for bbq::Producer<T, $producers, $consumers> {
            fn push(&mut self, item: T) -> Result<(), Refused> {
                Self::push(self, item).map_err(Refused::from)
            }
        }

        impl<T: Item + Copy> PushSlice<T> for bbq::Producer<T, $producers, $consumers> {
            fn push_slice(&mut self, items: &[T]) -> usize {
                Self::push_slice(self, items)
            }
        }

        impl<T: Item> Pop<T> for bbq::Consumer<T, $producers, $consumers> {
            fn pop(&mut self) -> Result<T, Nothing> {
                Self::pop(self).map_err(Nothing::from)
            }
        }

        impl<T: Item + Copy> PopSlice<T> for bbq::Consumer<T, $producers, $consumers> {
            fn pop_slice(&mut self, items: &mut [T]) -> usize {
                Self::pop_slice(self, items)
            }
        }

        impl<T: Item> Form for $name<T> {
            type Shape = Shape;
            type Item = T;
            type Producer = bbq::Producer<T, $producers, $consumers>;
            type Consumer = bbq::Consumer<T, $producers, $consumers>;
            const MANY_PRODUCERS: bool = <$producers as Side>::MANY;
            const MANY_CONSUMERS: bool = <$consumers as Side>::MANY;

            fn make(shape: Shape, producers: usize, consumers: usize) -> (Vec<Self::Producer>, Vec<Self::Consumer>) {
                let (producer, consumer) = $make(geometry(shape), shape.version).expect("a client's queue is small");
                (producer.several(producers), consumer.several(consumers))
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
    /// Many of either.
    Mpmc: Multi, Multi, bbq::mpmc::starting_at;
    /// FAAQ.
    Faaq: Multi, Adding, faaq::starting_at;
    /// Many producers, which claim entries by fetch-and-add, and one consumer.
    MpscAdding: Adding, Single, bbq::mpsc_adding::starting_at;
    /// Many of either, with such producers.
    MpmcAdding: Adding, Multi, bbq::mpmc_adding::starting_at;
}

macro_rules! handles {
    ($($handle:ty, $of:tt;)*) => {$(
        impl<T: Item> Handles for $handle {
            fn several(self, count: usize) -> Vec<Self> {
                handles!(@$of self count)
            }
        }
    )*};
    (@one $handle:ident $count:ident) => {{
        assert_eq!($count, 1, "this side has one handle");
        vec![$handle]
    }};
    (@many $handle:ident $count:ident) => {
        vec![$handle; $count]
    };
}

handles! {
    bbq::Producer<T, Single, Single>, one;
    bbq::Producer<T, Single, Multi>, one;
    bbq::Producer<T, Multi, Single>, many;
    bbq::Producer<T, Multi, Multi>, many;
    bbq::Producer<T, Multi, Adding>, many;
    bbq::Producer<T, Adding, Single>, many;
    bbq::Producer<T, Adding, Multi>, many;
    bbq::Consumer<T, Single, Single>, one;
    bbq::Consumer<T, Multi, Single>, one;
    bbq::Consumer<T, Single, Multi>, many;
    bbq::Consumer<T, Multi, Multi>, many;
    bbq::Consumer<T, Multi, Adding>, many;
    bbq::Consumer<T, Adding, Single>, one;
    bbq::Consumer<T, Adding, Multi>, many;
}

macro_rules! shared {
    ($($(#[$doc:meta])* $name:ident: $queue:ty;)*) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name<T>(std::marker::PhantomData<fn() -> T>);

        impl<T> Clone for $name<T> {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<T> Copy for $name<T> {}

        impl<T: Item> Push<T> for Share<$queue> {
            fn push(&mut self, item: T) -> Result<(), Refused> {
                <$queue>::push(self, item).map_err(Refused::from)
            }
        }

        impl<T: Item + Copy> PushSlice<T> for Share<$queue> {
            fn push_slice(&mut self, items: &[T]) -> usize {
                <$queue>::push_slice(self, items)
            }
        }

        impl<T: Item> Pop<T> for Share<$queue> {
            fn pop(&mut self) -> Result<T, Nothing> {
                <$queue>::pop(self).map_err(Nothing::from)
            }
        }

        impl<T: Item + Copy> PopSlice<T> for Share<$queue> {
            fn pop_slice(&mut self, items: &mut [T]) -> usize {
                <$queue>::pop_slice(self, items)
            }
        }

        impl<T: Item> Form for $name<T> {
            type Shape = Shape;
            type Item = T;
            type Producer = Share<$queue>;
            type Consumer = Share<$queue>;
            const MANY_PRODUCERS: bool = true;
            const MANY_CONSUMERS: bool = true;

            fn make(shape: Shape, producers: usize, consumers: usize) -> (Vec<Self::Producer>, Vec<Self::Consumer>) {
                let queue = <$queue>::starting_at(geometry(shape), shape.version).expect("a client's queue is small");
                let queue = Share::new(queue);
                (vec![queue.clone(); producers], vec![queue; consumers])
            }
        }
    )*};
}

/// One thread's share of a queue. The model's `Arc` orders the drop after all uses.
type Share<Q> = aqueduct_model::sync::Arc<Q>;

shared! {
    /// BBQ that is shared as a whole.
    Shared: bbq::Queue<T>;
    /// FAAQ that is shared as a whole.
    FaaqShared: faaq::Queue<T>;
}
