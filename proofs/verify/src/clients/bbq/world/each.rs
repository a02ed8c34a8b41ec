//! Batches by iterator and by closure instead of slices, for sides with one thread.

use std::num::NonZeroU64;

use super::ends::End;
use super::library::bbq::{Consumer, ConsumerSide, Multi, Producer, ProducerSide, Single};
use crate::clients::bbq::Shape;
use crate::clients::threads::{Form, Nothing, Pop, PopSlice, Push, PushSlice, Refused};

/// A form whose single sides move batches that way.
#[derive(Clone, Copy, Debug)]
pub(super) struct EachOf<F>(std::marker::PhantomData<F>);

/// The handles of such a form.
#[derive(Debug)]
pub(super) struct Each<H>(H);

impl<T, H: Push<T>> Push<T> for Each<H> {
    fn push(&mut self, item: T) -> Result<(), Refused> {
        self.0.push(item)
    }
}

impl<T, H: Pop<T>> Pop<T> for Each<H> {
    fn pop(&mut self) -> Result<T, Nothing> {
        self.0.pop()
    }
}

impl<C: ConsumerSide> PushSlice<NonZeroU64> for Each<End<Producer<NonZeroU64, Single, C>>> {
    fn push_slice(&mut self, items: &[NonZeroU64]) -> usize {
        let mut asked = 0;
        let pushed = self.0.0.push_iter(items.iter().copied().inspect(|_| asked += 1));
        assert_eq!(asked, pushed, "an item was taken from the iterator that had no room");
        pushed
    }
}

impl<C: ConsumerSide> PushSlice<NonZeroU64> for Each<End<Producer<NonZeroU64, Multi, C>>> {
    fn push_slice(&mut self, items: &[NonZeroU64]) -> usize {
        self.0.push_slice(items)
    }
}

impl<P: ProducerSide> PopSlice<NonZeroU64> for Each<End<Consumer<NonZeroU64, P, Single>>> {
    fn pop_slice(&mut self, items: &mut [NonZeroU64]) -> usize {
        let mut places = items.iter_mut();
        self.0.0.pop_each(places.len(), |item| *places.next().expect("no more than were asked for") = item)
    }
}

impl<P: ProducerSide> PopSlice<NonZeroU64> for Each<End<Consumer<NonZeroU64, P, Multi>>> {
    fn pop_slice(&mut self, items: &mut [NonZeroU64]) -> usize {
        self.0.pop_slice(items)
    }
}

impl<F: Form<Shape = Shape, Item = NonZeroU64>> Form for EachOf<F>
where
    Each<F::Producer>: Push<NonZeroU64>,
    Each<F::Consumer>: Pop<NonZeroU64>,
{
    type Shape = Shape;
    type Item = NonZeroU64;
    type Producer = Each<F::Producer>;
    type Consumer = Each<F::Consumer>;
    const MANY_PRODUCERS: bool = F::MANY_PRODUCERS;
    const MANY_CONSUMERS: bool = F::MANY_CONSUMERS;

    fn make(shape: Shape, producers: usize, consumers: usize) -> (Vec<Self::Producer>, Vec<Self::Consumer>) {
        let (producers, consumers) = F::make(shape, producers, consumers);
        (producers.into_iter().map(Each).collect(), consumers.into_iter().map(Each).collect())
    }
}
