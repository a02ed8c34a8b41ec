//! BBQ's forms in drop-old mode.

use std::marker::PhantomData;

use super::ends::End;
use super::forms::{Producers, geometry};
use super::library::bbq::drop_old::{self, Reader};
use super::library::bbq::{Multi, Overwritten, Producer, ProducerSide, Single};
use crate::clients::bbq::Shape;
use crate::clients::bbq::drop_old::{Lost, Pair};
use crate::clients::threads::Form;

impl<P: ProducerSide> Lost for End<Reader<Pair, P>> {
    fn lost(&self) -> u64 {
        self.0.lost()
    }
}

/// A drop-old queue with these producers.
#[derive(Clone, Copy, Debug)]
pub struct DropOld<P>(PhantomData<P>);

macro_rules! forms {
    ($($(#[$doc:meta])* $name:ident: $producers:ident, $make:path;)*) => {$(
        $(#[$doc])*
        pub type $name = DropOld<$producers>;

        impl Form for $name {
            type Shape = Shape;
            type Item = Pair;
            type Producer = End<Producer<Pair, $producers, Overwritten>>;
            type Consumer = End<Reader<Pair, $producers>>;
            const MANY_PRODUCERS: bool = <$producers as Producers>::MANY;
            const MANY_CONSUMERS: bool = true;

            fn make(shape: Shape, producers: usize, readers: usize) -> (Vec<Self::Producer>, Vec<Self::Consumer>) {
                let queue = $make(geometry(shape), shape.capacity(), shape.lap, shape.rested);
                let (producer, reader) = queue.expect("a client's queue is small");
                (Producers::several(producer, producers), vec![End(reader); readers])
            }
        }
    )*};
}

forms! {
    /// One producer, many readers.
    Spmc: Single, drop_old::spmc::resting;
    /// Many producers, many readers.
    Mpmc: Multi, drop_old::mpmc::resting;
}
