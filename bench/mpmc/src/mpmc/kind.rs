//! The handles of a queue under test, and the kind that makes them; all calls are static.

pub use aqueduct_measure::items::Item;

/// The handle of a producing thread. A queue that is shared by reference is its own sender, behind
/// a counted pointer.
pub trait Sender: Send {
    /// Pushes one item. Returns false if the queue refused it.
    fn push(&mut self, item: Item) -> bool;

    /// Pushes the first of `items`, until the queue is full, and returns their number.
    ///
    /// Not called for a queue without such an interface ([`Kind::BATCHES`]).
    fn push_slice(&mut self, _items: &[Item]) -> usize {
        0
    }
}

/// The handle of a consuming thread.
pub trait Receiver: Send {
    /// Pops one item, if there is one.
    fn pop(&mut self) -> Option<Item>;

    /// Pops up to `items.len()` items to the front of `items`, and returns their number.
    ///
    /// Not called for a queue without such an interface ([`Kind::BATCHES`]).
    fn pop_slice(&mut self, _items: &mut [Item]) -> usize {
        0
    }
}

/// The handles of a new queue of kind `K`, one for each thread.
pub type Ends<K> = (Vec<<K as Kind>::Sender>, Vec<<K as Kind>::Receiver>);

/// A queue under test: its name, its abilities, and its constructor.
pub trait Kind: Sized + Send + Sync + 'static {
    /// `CRATE/QUEUE`.
    const NAME: &'static str;
    /// Whether it is a peer, not one of aqueduct's queues.
    const PEER: bool = true;
    /// Whether both sides have an interface that moves several items per synchronisation.
    const BATCHES: bool = false;
    /// The greatest number of threads that can push.
    const MOST_PRODUCERS: usize = usize::MAX;
    /// The greatest number of threads that can pop.
    const MOST_CONSUMERS: usize = usize::MAX;

    /// The handle of a producing thread.
    type Sender: Sender;
    /// The handle of a consuming thread.
    type Receiver: Receiver;

    /// Makes an empty queue with room for `capacity` items, or the next number it can do, and a
    /// handle for every thread.
    ///
    /// # Errors
    /// A sentence that names the possible capacities.
    fn open(capacity: usize, threads: Threads) -> Result<Ends<Self>, String>;
}

/// A [`Kind`]: its name, the number of threads on each side, the constants that differ from the
/// trait's, and the constructor of its first two handles. `many` makes clones of the first one.
/// `KIND<W>` is a kind for each number `W` of words of an item.
#[macro_export]
macro_rules! kind {
    (
        $(#[$note:meta])*
        $kind:ident $(<$width:ident>)? = $name:literal, $producers:ident to $consumers:ident $(, $constant:ident: $value:literal)*;
        $sender:ty, $receiver:ty;
        |$capacity:ident| $open:expr
    ) => {
        $(#[$note])*
        pub(crate) struct $kind $(<const $width: usize>)?;

        impl $(<const $width: usize>)? $crate::mpmc::Kind for $kind $(<$width>)? {
            const NAME: &'static str = $name;
            $(const $constant: bool = $value;)*
            const MOST_PRODUCERS: usize = $crate::kind!(@most $producers);
            const MOST_CONSUMERS: usize = $crate::kind!(@most $consumers);
            type Sender = $sender;
            type Receiver = $receiver;

            fn open(
                $capacity: usize,
                threads: $crate::mpmc::Threads,
            ) -> Result<$crate::mpmc::Ends<Self>, String> {
                let (sender, receiver) = $open;
                Ok((
                    $crate::kind!(@hand_out $producers, sender, threads.producers),
                    $crate::kind!(@hand_out $consumers, receiver, threads.consumers),
                ))
            }
        }
    };
    (@most one) => { 1 };
    (@most many) => { usize::MAX };
    (@hand_out one, $first:expr, $count:expr) => {{
        debug_assert_eq!($count, 1, "the kind takes one thread on this side");
        vec![$first]
    }};
    (@hand_out many, $first:expr, $count:expr) => { vec![$first; $count] };
}
pub use kind;

/// A type as a [`Sender`], with slices or without; `const W` before it makes it a type for each
/// number `W` of words.
#[macro_export]
macro_rules! sender {
    (const $width:ident, $($rest:tt)*) => {
        $crate::sender!(@of [<const $width: usize>] $($rest)*);
    };
    (@of [$($generics:tt)*] $type:ty, |$to:ident, $item:ident| $push:expr $(, |$all:ident, $items:ident| $push_slice:expr)?) => {
        impl $($generics)* $crate::mpmc::Sender for $type {
            #[inline(always)]
            fn push(&mut self, $item: $crate::mpmc::Item) -> bool {
                let $to = self;
                $push
            }

            $(
                #[inline(always)]
                fn push_slice(&mut self, $items: &[$crate::mpmc::Item]) -> usize {
                    let $all = self;
                    $push_slice
                }
            )?
        }
    };
    ($($rest:tt)*) => {
        $crate::sender!(@of [] $($rest)*);
    };
}
pub use sender;

/// A type as a [`Receiver`], with slices or without; `const W` before it makes it a type for each
/// number `W` of words.
#[macro_export]
macro_rules! receiver {
    (const $width:ident, $($rest:tt)*) => {
        $crate::receiver!(@of [<const $width: usize>] $($rest)*);
    };
    (@of [$($generics:tt)*] $type:ty, |$from:ident| $pop:expr $(, |$all:ident, $items:ident| $pop_slice:expr)?) => {
        impl $($generics)* $crate::mpmc::Receiver for $type {
            #[inline(always)]
            fn pop(&mut self) -> Option<$crate::mpmc::Item> {
                let $from = self;
                $pop
            }

            $(
                #[inline(always)]
                fn pop_slice(&mut self, $items: &mut [$crate::mpmc::Item]) -> usize {
                    let $all = self;
                    $pop_slice
                }
            )?
        }
    };
    ($($rest:tt)*) => {
        $crate::receiver!(@of [] $($rest)*);
    };
}
use aqueduct_measure::rounds::Threads;
pub use receiver;
