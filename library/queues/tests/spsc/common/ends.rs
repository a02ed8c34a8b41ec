//! The handles' operations beyond the library's traits. A missing operation returns `None` or
//! `false`.

use std::fmt::Debug;
use std::mem::MaybeUninit;

use aqueduct::error::PushError;
use aqueduct::queue::{Closed, Full, Len, Pop, PushIter};
use aqueduct::spsc::{
    NonZeroWord, Peek, PopBatch, PushBatch, ReadBatch, WriteBatch, batched_improved_fast_forward, batched_lamport,
    fast_forward, improved_fast_forward, lamport, lazy_lamport, ring,
};

use super::lanes::{duplex_back, duplex_there};

/// The way in which a test ends a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// The batch ends by `publish` or `release`.
    Say,
    Drop,
    Forget,
}

/// A producing handle.
pub(crate) trait PushEnd<T>: PushIter<Item = T> + Full + Closed + Len + Send + Debug + 'static {
    /// Opens a batch, passes it to `work` and ends it. Returns `false` if the queue has no batches.
    fn batch(&mut self, _wanted: usize, _ending: Ending, _work: &mut dyn FnMut(&mut dyn OpenWrite<T>)) -> bool {
        false
    }
}

/// An open batch of a producer.
pub(crate) trait OpenWrite<T> {
    fn space(&self) -> usize;
    fn push(&mut self, item: T) -> Result<(), PushError<T>>;
    fn fill(&mut self, items: &mut dyn Iterator<Item = T>) -> usize;
    fn run(&mut self) -> &mut [MaybeUninit<T>];
    /// # Safety
    /// The conditions of `WriteBatch::written`.
    unsafe fn written(&mut self, count: usize);
}

/// A consuming handle.
pub(crate) trait PopEnd<T>: Pop<Item = T> + Closed + Len + Send + Debug + 'static {
    fn available(&mut self, _wanted: usize) -> Option<usize> {
        None
    }
    /// Returns the oldest item, if there is one. The outer `None` means that the queue cannot show
    /// it.
    fn peek(&mut self) -> Option<Option<&T>> {
        None
    }
    /// Opens a batch, passes it to `work` and ends it. Returns `false` if the queue has no batches.
    fn batch(&mut self, _most: usize, _ending: Ending, _work: &mut dyn FnMut(&mut dyn OpenRead<T>)) -> bool {
        false
    }
    /// Returns the items of a batch, taken by internal iteration.
    fn fold_batch(&mut self, _most: usize) -> Option<Vec<T>> {
        None
    }
}

/// An open batch of a consumer.
pub(crate) trait OpenRead<T> {
    fn pop(&mut self) -> Option<T>;
    fn size_hint(&self) -> (usize, Option<usize>);
    /// Returns the next run, or `None` if the queue's slots cannot be viewed.
    fn run(&mut self) -> Option<&[T]> {
        None
    }
    fn skip_run(&mut self, _count: usize) -> Option<usize> {
        None
    }
}

/// The bound of items for queues that carry anything.
pub(crate) trait Anything {}
impl<T> Anything for T {}

/// The batch of a producer.
struct Writing<'a, P: PushBatch>(WriteBatch<'a, P::Algorithm>);

impl<T, P: PushBatch<Item = T>> OpenWrite<T> for Writing<'_, P> {
    fn space(&self) -> usize {
        self.0.space()
    }

    fn push(&mut self, item: T) -> Result<(), PushError<T>> {
        self.0.push(item)
    }

    fn fill(&mut self, items: &mut dyn Iterator<Item = T>) -> usize {
        self.0.fill(items)
    }

    fn run(&mut self) -> &mut [MaybeUninit<T>] {
        self.0.run()
    }

    unsafe fn written(&mut self, count: usize) {
        // SAFETY: the caller's promise.
        unsafe { self.0.written(count) }
    }
}

/// The batch of a consumer.
struct Reading<'a, C: PopBatch>(ReadBatch<'a, C::Algorithm>);

impl<T, C: PopBatch<Item = T>> OpenRead<T> for Reading<'_, C> {
    fn pop(&mut self) -> Option<T> {
        self.0.pop()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

/// The batch of a consumer that gives access to items in place.
struct Viewing<'a, C: Peek>(ReadBatch<'a, C::Algorithm>);

impl<T, C: Peek<Item = T>> OpenRead<T> for Viewing<'_, C> {
    fn pop(&mut self) -> Option<T> {
        self.0.pop()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }

    fn run(&mut self) -> Option<&[T]> {
        Some(self.0.run())
    }

    fn skip_run(&mut self, count: usize) -> Option<usize> {
        Some(self.0.skip_run(count))
    }
}

/// Implements `PushEnd`, with batches or without.
macro_rules! push_end {
    ($($queue:ident: $bound:path $(, $batches:tt)?;)*) => {$(
        impl<T: $bound + Send + 'static> PushEnd<T> for $queue::Producer<T> {
            $(push_end!(@$batches);)?
        }
    )*};
    (@batches) => {
        fn batch(&mut self, wanted: usize, ending: Ending, work: &mut dyn FnMut(&mut dyn OpenWrite<T>)) -> bool {
            let mut batch = Writing::<Self>(PushBatch::batch(self, wanted));
            work(&mut batch);
            match ending {
                Ending::Say => batch.0.publish(),
                Ending::Drop => drop(batch),
                Ending::Forget => std::mem::forget(batch),
            }
            true
        }
    };
}

push_end! {
    lamport: Anything;
    lazy_lamport: Anything;
    batched_lamport: Anything, batches;
    ring: Anything, batches;
    duplex_there: Anything, batches;
    duplex_back: Anything, batches;
    fast_forward: NonZeroWord;
    improved_fast_forward: NonZeroWord;
    batched_improved_fast_forward: NonZeroWord, batches;
}

/// Implements `PopEnd`, with batches (`Reading`), with batches and views (`Viewing`), or without.
macro_rules! pop_end {
    ($($queue:ident: $bound:path $(, $batch:ident)?;)*) => {$(
        impl<T: $bound + Send + 'static> PopEnd<T> for $queue::Consumer<T> {
            $(pop_end!(@$batch);)?
        }
    )*};
    (@Viewing) => {
        pop_end!(@batches Viewing);

        fn peek(&mut self) -> Option<Option<&T>> {
            Some(Peek::peek(self))
        }
    };
    (@Reading) => {
        pop_end!(@batches Reading);
    };
    (@batches $batch:ident) => {
        fn available(&mut self, wanted: usize) -> Option<usize> {
            Some(PopBatch::available(self, wanted))
        }

        fn batch(&mut self, most: usize, ending: Ending, work: &mut dyn FnMut(&mut dyn OpenRead<T>)) -> bool {
            let mut batch = $batch::<Self>(PopBatch::batch(self, most));
            work(&mut batch);
            match ending {
                Ending::Say => batch.0.release(),
                Ending::Drop => drop(batch),
                Ending::Forget => std::mem::forget(batch),
            }
            true
        }

        fn fold_batch(&mut self, most: usize) -> Option<Vec<T>> {
            let mut items = Vec::new();
            PopBatch::batch(self, most).for_each(|item| items.push(item));
            Some(items)
        }
    };
}

pop_end! {
    lamport: Anything;
    lazy_lamport: Anything;
    batched_lamport: Anything, Viewing;
    ring: Anything, Viewing;
    duplex_there: Anything, Viewing;
    duplex_back: Anything, Viewing;
    fast_forward: NonZeroWord;
    // Both improved queues have this consumer.
    improved_fast_forward: NonZeroWord, Reading;
}
