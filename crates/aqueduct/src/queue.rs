//! Traits over all queues, for code that works with any of them.
//!
//! ```
//! use aqueduct::queue::{Pop, Push};
//!
//! /// A stage of a pipeline, over any pair of queues.
//! struct Stage<I, O> {
//!     input: I,
//!     output: O,
//! }
//!
//! impl<I: Pop<Item = u32>, O: Push<Item = String>> Stage<I, O> {
//!     /// Passes items on until there are no more for now.
//!     fn run(&mut self) {
//!         while let Ok(number) = self.input.pop() {
//!             let mut text = number.to_string();
//!             while let Err(error) = self.output.push(text) {
//!                 text = error.into_inner();
//!                 std::thread::yield_now();
//!             }
//!         }
//!     }
//! }
//!
//! let (mut numbers, input) = aqueduct::spsc::ring::new(16)?;
//! let (output, mut texts) = aqueduct::mpsc::new(16)?;
//! numbers.push(7)?;
//! Stage { input, output }.run();
//! assert_eq!(texts.pop()?, "7");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The traits are sealed. A queue that threads share as a whole, such as `bbq::Queue`, implements
//! them for references to it. `nblfq::Queue` implements [`Pop`] only: it refuses some items for
//! their value, which [`PushError`] cannot express.

use crate::error::{PopError, PushError};

/// Private supertraits: only the queues of this crate implement them.
pub(crate) mod sealed {
    pub trait Push {}
    pub trait Pop {}
}

/// The end of a queue that adds items.
pub trait Push: sealed::Push {
    /// The type of the queue's items.
    type Item;

    /// Adds `item` at the end of the queue.
    ///
    /// # Errors
    /// [`PushError`] gives the item back if there is no room.
    fn push(&mut self, item: Self::Item) -> Result<(), PushError<Self::Item>>;
}

/// The end of a queue that takes items.
pub trait Pop: sealed::Pop {
    /// The type of the queue's items.
    type Item;

    /// Takes an item: the oldest one, unless the queue's page says otherwise.
    ///
    /// # Errors
    /// [`PopError`] if the queue has no item to return.
    fn pop(&mut self) -> Result<Self::Item, PopError>;
}

/// Adds several items for less than the cost of single pushes.
pub trait PushSlice: Push<Item: Copy> {
    /// Adds the first items of `items`, as many as fit, and returns their number.
    #[must_use = "items beyond the returned number were not pushed"]
    fn push_slice(&mut self, items: &[Self::Item]) -> usize;
}

/// Takes several items for less than the cost of single pops.
pub trait PopSlice: Pop<Item: Copy> {
    /// Moves up to `items.len()` items to the start of `items` and returns their number.
    #[must_use = "says how many of the items were written"]
    fn pop_slice(&mut self, items: &mut [Self::Item]) -> usize;
}

/// Implements the traits by the methods of those names.
///
/// For handles, or for references to a queue:
///
/// `[GENERICS] HANDLE, ITEM: TRAITS;` or `[GENERICS] &QUEUE, ITEM: TRAITS;`
macro_rules! implement {
    () => {};
    ($of:tt & $queue:ty, $item:ty: $($trait:ident)*; $($more:tt)*) => {
        $($crate::queue::implement! { @$trait $of &$queue, $queue, $item })*
        $crate::queue::implement! { $($more)* }
    };
    ($of:tt $handle:ty, $item:ty: $($trait:ident)*; $($more:tt)*) => {
        $($crate::queue::implement! { @$trait $of $handle, $handle, $item })*
        $crate::queue::implement! { $($more)* }
    };
    (@Push [$($of:tt)*] $self:ty, $owner:ty, $item:ty) => {
        impl<$($of)*> $crate::queue::sealed::Push for $self {}

        impl<$($of)*> $crate::queue::Push for $self {
            type Item = $item;

            #[inline(always)]
            fn push(&mut self, item: $item) -> Result<(), $crate::error::PushError<$item>> {
                <$owner>::push(self, item)
            }
        }
    };
    (@Pop [$($of:tt)*] $self:ty, $owner:ty, $item:ty) => {
        impl<$($of)*> $crate::queue::sealed::Pop for $self {}

        impl<$($of)*> $crate::queue::Pop for $self {
            type Item = $item;

            #[inline(always)]
            fn pop(&mut self) -> Result<$item, $crate::error::PopError> {
                <$owner>::pop(self)
            }
        }
    };
    (@PushSlice [$($of:tt)*] $self:ty, $owner:ty, $item:ty) => {
        impl<$($of)*> $crate::queue::PushSlice for $self {
            #[inline(always)]
            fn push_slice(&mut self, items: &[$item]) -> usize {
                <$owner>::push_slice(self, items)
            }
        }
    };
    (@PopSlice [$($of:tt)*] $self:ty, $owner:ty, $item:ty) => {
        impl<$($of)*> $crate::queue::PopSlice for $self {
            #[inline(always)]
            fn pop_slice(&mut self, items: &mut [$item]) -> usize {
                <$owner>::pop_slice(self, items)
            }
        }
    };
}

pub(crate) use implement;
