//! BBQ's forms in drop-old mode.

use super::forms::geometry;
use super::library::bbq::drop_old::{self, Reader};
use super::library::bbq::{Multi, Overwritten, Producer, Single};
use crate::clients::bbq::Shape;
use crate::clients::bbq::drop_old::{Lost, Pair};
use crate::clients::threads::{Form, Nothing, Pop, Push, PushSlice, Refused};

/// One producer, many readers.
#[derive(Clone, Copy, Debug)]
pub struct Spmc;

/// Many producers, many readers.
#[derive(Clone, Copy, Debug)]
pub struct Mpmc;

macro_rules! forms {
    ($($name:ident: $producers:ident, $many:literal, $make:path, $several:expr;)*) => {$(
        impl Push<Pair> for Producer<Pair, $producers, Overwritten> {
            fn push(&mut self, item: Pair) -> Result<(), Refused> {
                Self::push(self, item).map_err(Refused::from)
            }
        }

        impl PushSlice<Pair> for Producer<Pair, $producers, Overwritten> {
            fn push_slice(&mut self, items: &[Pair]) -> usize {
                Self::push_slice(self, items)
            }
        }

        impl Pop<Pair> for Reader<Pair, $producers> {
            fn pop(&mut self) -> Result<Pair, Nothing> {
                Self::read(self).map_err(Nothing::from)
            }
        }

        impl Lost for Reader<Pair, $producers> {
            fn lost(&self) -> u64 {
                Self::lost(self)
            }
        }

        impl Form for $name {
            type Shape = Shape;
            type Item = Pair;
            type Producer = Producer<Pair, $producers, Overwritten>;
            type Consumer = Reader<Pair, $producers>;
            const MANY_PRODUCERS: bool = $many;
            const MANY_CONSUMERS: bool = true;

            fn make(shape: Shape, producers: usize, readers: usize) -> (Vec<Self::Producer>, Vec<Self::Consumer>) {
                let queue = $make(geometry(shape), shape.capacity(), shape.version, shape.rested);
                let (producer, reader) = queue.expect("a client's queue is small");
                let several: fn(Self::Producer, usize) -> Vec<Self::Producer> = $several;
                (several(producer, producers), vec![reader; readers])
            }
        }
    )*};
}

forms! {
    Spmc: Single, false, drop_old::spmc::resting, |producer, count| {
        assert_eq!(count, 1, "this side has one handle");
        vec![producer]
    };
    Mpmc: Multi, true, drop_old::mpmc::resting, |producer, count| vec![producer; count];
}
