//! The library's handles as the clients' ends, by the library's traits.

use aqueduct_under_model::error::PushError;
use aqueduct_under_model::queue::{Closed, Full, Len, Pop, PopSlice, Push, PushSlice};
use aqueduct_under_model::spsc::{Peek, PopBatch, PushBatch};

use super::queue::{
    BatchConsumer, BatchProducer, Close, Consumer, Producer, RunConsumer, SliceConsumer, SliceProducer,
};
use crate::clients::item::Item;

impl<P: Push<Item: Item> + Full + Closed + Len + Send + 'static> Producer for P {
    type Item = P::Item;

    fn push(&mut self, item: P::Item) -> Result<(), P::Item> {
        Push::push(self, item).map_err(PushError::into_inner)
    }

    fn len(&self) -> usize {
        Len::len(self)
    }

    fn is_empty(&self) -> bool {
        Len::is_empty(self)
    }

    fn is_full(&self) -> bool {
        Full::is_full(self)
    }

    fn is_closed(&self) -> bool {
        Closed::is_closed(self)
    }

    fn capacity(&self) -> usize {
        Len::capacity(self)
    }
}

impl<C: Pop<Item: Item> + Closed + Len + Send + 'static> Consumer for C {
    type Item = C::Item;

    fn pop(&mut self) -> Option<C::Item> {
        Pop::pop(self).ok()
    }

    fn len(&self) -> usize {
        Len::len(self)
    }

    fn is_empty(&self) -> bool {
        Len::is_empty(self)
    }

    fn is_closed(&self) -> bool {
        Closed::is_closed(self)
    }
}

impl<P: Producer<Item = <P as Push>::Item> + PushSlice> SliceProducer for P {
    fn push_slice(&mut self, items: &[<P as Push>::Item]) -> usize {
        PushSlice::push_slice(self, items)
    }
}

impl<C: Consumer<Item = <C as Pop>::Item> + PopSlice> SliceConsumer for C {
    fn pop_slice(&mut self, items: &mut [<C as Pop>::Item]) -> usize {
        PopSlice::pop_slice(self, items)
    }
}

impl<P: Producer<Item = <P as Push>::Item> + PushBatch> BatchProducer for P {
    fn batch(&mut self, wanted: usize, items: &mut dyn Iterator<Item = <P as Push>::Item>, close: Close) -> usize {
        let mut batch = PushBatch::batch(self, wanted);
        let count = batch.fill(items);
        match close {
            Close::Properly => batch.publish(),
            Close::Forgotten => std::mem::forget(batch),
        }
        count
    }

    fn runs(&mut self, wanted: usize, items: &mut dyn Iterator<Item = <P as Push>::Item>) -> usize {
        let mut batch = PushBatch::batch(self, wanted);
        let before = batch.space();
        loop {
            let mut count = 0;
            for (slot, item) in batch.run().iter_mut().zip(&mut *items) {
                slot.write(item);
                count += 1;
            }
            if count == 0 {
                return before - batch.space();
            }
            // SAFETY: `count` of the run's slots have just been written.
            unsafe { batch.written(count) };
        }
    }
}

impl<C: Consumer<Item = <C as Pop>::Item> + PopBatch> BatchConsumer for C {
    fn batch(&mut self, most: usize, take: usize, got: &mut dyn FnMut(<C as Pop>::Item), close: Close) {
        let mut batch = PopBatch::batch(self, most);
        batch.by_ref().take(take).for_each(got);
        match close {
            Close::Properly => batch.release(),
            Close::Forgotten => std::mem::forget(batch),
        }
    }

    fn available(&mut self, wanted: usize) -> usize {
        PopBatch::available(self, wanted)
    }
}

impl<C: Consumer<Item = <C as Pop>::Item> + Peek> RunConsumer for C {
    fn runs(&mut self, most: usize, see: &mut dyn FnMut(&<C as Pop>::Item)) {
        let mut batch = PopBatch::batch(self, most);
        loop {
            let run = batch.run();
            if run.is_empty() {
                break;
            }
            run.iter().for_each(&mut *see);
            let count = run.len();
            assert_eq!(batch.skip_run(count), count);
        }
    }

    fn peek(&mut self) -> Option<&<C as Pop>::Item> {
        Peek::peek(self)
    }
}
