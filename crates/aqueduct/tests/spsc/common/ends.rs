//! The handles of all queues behind one interface. A missing operation answers `None` or `false`.

use std::fmt::Debug;
use std::mem::MaybeUninit;

use aqueduct::error::{PopError, PushError};
use aqueduct::spsc::{
    self, NonZeroWord, ReadBatch, WriteBatch, batched_improved_fast_forward, batched_lamport, fast_forward,
    improved_fast_forward, lamport, lazy_lamport, ring,
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
pub(crate) trait PushEnd<T>: Send + Debug + 'static {
    fn push(&mut self, item: T) -> Result<(), PushError<T>>;
    fn push_slice(&mut self, items: &[T]) -> usize
    where
        T: Copy;
    fn push_iter(&mut self, items: &mut dyn Iterator<Item = T>) -> usize;
    fn capacity(&self) -> usize;
    fn len(&self) -> usize;
    fn is_empty(&self) -> bool;
    fn is_full(&self) -> bool;
    fn is_closed(&self) -> bool;
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
pub(crate) trait PopEnd<T>: Send + Debug + 'static {
    fn pop(&mut self) -> Result<T, PopError>;
    fn pop_slice(&mut self, items: &mut [T]) -> usize
    where
        T: Copy;
    fn drain(&mut self) -> Box<dyn Iterator<Item = T> + '_>;
    fn capacity(&self) -> usize;
    fn len(&self) -> usize;
    fn is_empty(&self) -> bool;
    fn is_closed(&self) -> bool;
    fn available(&mut self, _wanted: usize) -> Option<usize> {
        None
    }
    /// Returns the oldest item, if there is one. The outer `None` means that the queue cannot show it.
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

macro_rules! push_end {
    ($queue:ident, $bound:path $(, $batches:tt)?) => {
        impl<T: $bound + Send + 'static> PushEnd<T> for $queue::Producer<T> {
            fn push(&mut self, item: T) -> Result<(), PushError<T>> {
                self.push(item)
            }

            fn push_slice(&mut self, items: &[T]) -> usize
            where
                T: Copy,
            {
                self.push_slice(items)
            }

            fn push_iter(&mut self, items: &mut dyn Iterator<Item = T>) -> usize {
                self.push_iter(items)
            }

            fn capacity(&self) -> usize {
                self.capacity()
            }

            fn len(&self) -> usize {
                self.len()
            }

            fn is_empty(&self) -> bool {
                self.is_empty()
            }

            fn is_full(&self) -> bool {
                self.is_full()
            }

            fn is_closed(&self) -> bool {
                self.is_closed()
            }
            $(push_end!(batch $batches);)?
        }
        $(push_end!(open $batches, $queue, $bound);)?
    };
    (batch batches) => {
        fn batch(&mut self, wanted: usize, ending: Ending, work: &mut dyn FnMut(&mut dyn OpenWrite<T>)) -> bool {
            let mut batch = self.batch(wanted);
            work(&mut batch);
            match ending {
                Ending::Say => batch.publish(),
                Ending::Drop => drop(batch),
                Ending::Forget => std::mem::forget(batch),
            }
            true
        }
    };
    (open batches, $queue:ident, $bound:path) => {
        impl<T: $bound> OpenWrite<T> for WriteBatch<'_, $queue::RawProducer<T>> {
            fn space(&self) -> usize {
                self.space()
            }

            fn push(&mut self, item: T) -> Result<(), PushError<T>> {
                self.push(item)
            }

            fn fill(&mut self, items: &mut dyn Iterator<Item = T>) -> usize {
                self.fill(items)
            }

            fn run(&mut self) -> &mut [MaybeUninit<T>] {
                self.run()
            }

            unsafe fn written(&mut self, count: usize) {
                // SAFETY: the caller's promise.
                unsafe { self.written(count) }
            }
        }
    };
}

push_end!(lamport, Anything);
push_end!(lazy_lamport, Anything);
push_end!(batched_lamport, Anything, batches);
push_end!(ring, Anything, batches);
push_end!(duplex_there, Anything, batches);
push_end!(duplex_back, Anything, batches);
push_end!(fast_forward, NonZeroWord);
push_end!(improved_fast_forward, NonZeroWord);
push_end!(batched_improved_fast_forward, NonZeroWord, batches);

/// Implements the traits. `batches`: the queue has batches; `views`: also views of its slots.
macro_rules! pop_end {
    ($queue:ident, $bound:path $(, $extra:tt)*) => {
        impl<T: $bound + Send + 'static> PopEnd<T> for $queue::Consumer<T> {
            fn pop(&mut self) -> Result<T, PopError> {
                self.pop()
            }

            fn pop_slice(&mut self, items: &mut [T]) -> usize
            where
                T: Copy,
            {
                self.pop_slice(items)
            }

            fn drain(&mut self) -> Box<dyn Iterator<Item = T> + '_> {
                Box::new(self.drain())
            }

            fn capacity(&self) -> usize {
                self.capacity()
            }

            fn len(&self) -> usize {
                self.len()
            }

            fn is_empty(&self) -> bool {
                self.is_empty()
            }

            fn is_closed(&self) -> bool {
                self.is_closed()
            }
            $(pop_end!(method $extra);)*
        }
    };
    (method batches) => {
        fn available(&mut self, wanted: usize) -> Option<usize> {
            Some(self.available(wanted))
        }

        fn batch(&mut self, most: usize, ending: Ending, work: &mut dyn FnMut(&mut dyn OpenRead<T>)) -> bool {
            let mut batch = self.batch(most);
            work(&mut batch);
            match ending {
                Ending::Say => batch.release(),
                Ending::Drop => drop(batch),
                Ending::Forget => std::mem::forget(batch),
            }
            true
        }

        fn fold_batch(&mut self, most: usize) -> Option<Vec<T>> {
            let mut items = Vec::new();
            self.batch(most).for_each(|item| items.push(item));
            Some(items)
        }
    };
    (method views) => {
        fn peek(&mut self) -> Option<Option<&T>> {
            Some(self.peek())
        }
    };
}

pop_end!(lamport, Anything);
pop_end!(lazy_lamport, Anything);
pop_end!(batched_lamport, Anything, batches, views);
pop_end!(ring, Anything, batches, views);
pop_end!(duplex_there, Anything, batches, views);
pop_end!(duplex_back, Anything, batches, views);
pop_end!(fast_forward, NonZeroWord);
// Both improved queues have this consumer.
pop_end!(improved_fast_forward, NonZeroWord, batches);

macro_rules! open_read {
    ($queue:ident, $bound:path $(, $views:tt)?) => {
        impl<T: $bound> OpenRead<T> for ReadBatch<'_, <$queue::Consumer<T> as Algorithm>::Raw> {
            fn pop(&mut self) -> Option<T> {
                self.pop()
            }

            fn size_hint(&self) -> (usize, Option<usize>) {
                Iterator::size_hint(self)
            }
            $(open_read!($views);)?
        }
    };
    (views) => {
        fn run(&mut self) -> Option<&[T]> {
            Some(self.run())
        }

        fn skip_run(&mut self, count: usize) -> Option<usize> {
            Some(self.skip_run(count))
        }
    };
}

/// Names the algorithm's type in a handle's type, if the crate has no name for it.
pub(crate) trait Algorithm {
    type Raw;
}

impl<R> Algorithm for spsc::Producer<R> {
    type Raw = R;
}

impl<R> Algorithm for spsc::Consumer<R> {
    type Raw = R;
}

open_read!(batched_lamport, Anything, views);
open_read!(ring, Anything, views);
open_read!(duplex_there, Anything, views);
open_read!(duplex_back, Anything, views);
open_read!(improved_fast_forward, NonZeroWord);
