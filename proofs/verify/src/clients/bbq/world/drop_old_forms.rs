//! BBQ's forms in drop-old mode.

use std::marker::PhantomData;

use super::ends::End;
use super::forms::{Producers, geometry};
use super::library::bbq::drop_old::{self, Reader};
use super::library::bbq::{Multi, Overwritten, Producer, ProducerSide, ReaderSide, Single};
use crate::clients::bbq::Shape;
use crate::clients::bbq::drop_old::{Lost, Pair};
use crate::clients::threads::Form;

impl<P: ProducerSide, R: ReaderSide> Lost for End<Reader<Pair, P, R>> {
    fn lost(&self) -> u64 {
        self.0.lost()
    }
}

/// The reading threads of a form.
trait Readers: ReaderSide + Sized {
    const MANY: bool;

    /// Returns `count` handles.
    fn several<P: ProducerSide>(reader: Reader<Pair, P, Self>, count: usize) -> Vec<End<Reader<Pair, P, Self>>>;
}

impl Readers for Multi {
    const MANY: bool = true;

    fn several<P: ProducerSide>(reader: Reader<Pair, P>, count: usize) -> Vec<End<Reader<Pair, P>>> {
        vec![End(reader); count]
    }
}

impl Readers for Single {
    const MANY: bool = false;

    fn several<P: ProducerSide>(reader: Reader<Pair, P, Self>, count: usize) -> Vec<End<Reader<Pair, P, Self>>> {
        assert_eq!(count, 1, "there is one reader");
        vec![End(reader)]
    }
}

/// A drop-old queue with these producers and readers.
#[derive(Clone, Copy, Debug)]
pub struct DropOld<P, R>(PhantomData<(P, R)>);

macro_rules! forms {
    ($($(#[$doc:meta])* $name:ident: $producers:ident, $readers:ident, $make:path;)*) => {$(
        $(#[$doc])*
        pub type $name = DropOld<$producers, $readers>;

        impl Form for $name {
            type Shape = Shape;
            type Item = Pair;
            type Producer = End<Producer<Pair, $producers, Overwritten>>;
            type Consumer = End<Reader<Pair, $producers, $readers>>;
            const MANY_PRODUCERS: bool = <$producers as Producers>::MANY;
            const MANY_CONSUMERS: bool = <$readers as Readers>::MANY;

            fn make(shape: Shape, producers: usize, readers: usize) -> (Vec<Self::Producer>, Vec<Self::Consumer>) {
                let queue = $make(geometry(shape), shape.capacity(), shape.lap, shape.rested);
                let (producer, reader) = queue.expect("a client's queue is small");
                (Producers::several(producer, producers), Readers::several(reader, readers))
            }
        }
    )*};
}

forms! {
    /// One producer, many readers.
    Spmc: Single, Multi, drop_old::spmc::resting;
    /// Many producers, many readers.
    Mpmc: Multi, Multi, drop_old::mpmc::resting;
    /// One producer, one reader.
    Spsc: Single, Single, drop_old::spsc::resting;
    /// Many producers, one reader.
    Mpsc: Multi, Single, drop_old::mpsc::resting;
}
