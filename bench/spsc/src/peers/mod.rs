//! Other crates' queues, each called as its own documentation recommends for speed.
//!
//! Queues with an interface for several items have a file each. If a crate waits, parks or spins
//! inside a call, its non-blocking call is used, so that all queues wait in the same way.

pub(super) mod channels;
#[cfg(feature = "rivals")]
mod disruptor;
mod gil;
mod heapless;
pub(super) mod ringbuf;
#[cfg(feature = "rivals")]
mod rivals;
pub(super) mod rtrb;
pub(super) mod single;

use super::subject::{Subject, subject_of};

/// Returns all peers of this build.
pub(super) fn all() -> Vec<Box<dyn Subject>> {
    #[cfg_attr(not(feature = "rivals"), expect(unused_mut, reason = "rivals come after them"))]
    let mut all = vec![
        subject_of::<rtrb::Rtrb>(),
        subject_of::<ringbuf::Ringbuf>(),
        subject_of::<gil::Gil>(),
        subject_of::<heapless::Heapless>(),
        subject_of::<single::ArrayQueue>(),
        subject_of::<channels::StdSyncChannel>(),
        subject_of::<channels::StdChannel>(),
        subject_of::<channels::CrossbeamChannel>(),
        subject_of::<channels::Flume>(),
        subject_of::<channels::Kanal>(),
    ];
    #[cfg(feature = "rivals")]
    all.extend(rivals::all());
    all
}

/// A peer that moves one item per call: its kind, its handles and the two calls.
macro_rules! peer {
    (
        $(#[$note:meta])*
        $kind:ident = $name:literal $(, bounded: $bounded:literal)?;
        handles: $sender:ident($sender_type:ty), $receiver:ident($receiver_type:ty);
        open: |$capacity:ident| $open:expr;
        push: |$to:ident, $item:ident| $push:expr;
        pop: |$from:ident| $pop:expr;
    ) => {
        $(#[$note])*
        pub(crate) struct $kind;
        pub(crate) struct $sender<T: Thing>($sender_type);
        pub(crate) struct $receiver<T: Thing>($receiver_type);

        impl Kind for $kind {
            const NAME: &'static str = $name;
            $(const BOUNDED: bool = $bounded;)?
            type Sender<T: Word> = $sender<T>;
            type Receiver<T: Word> = $receiver<T>;

            fn open<T: Word>(capacity: usize) -> Result<Ends<Self, T>, String> {
                Self::make(capacity)
            }
        }

        impl $kind {
            /// Returns the queue's ends for any items.
            pub(crate) fn make<T: Thing>($capacity: usize) -> Result<($sender<T>, $receiver<T>), String> {
                let (sender, receiver) = $open;
                Ok(($sender(sender), $receiver(receiver)))
            }
        }

        impl<T: Thing> Sender<T> for $sender<T> {
            #[inline]
            fn push(&mut self, $item: T) -> bool {
                let $to = &mut self.0;
                $push
            }
        }

        impl<T: Thing> Receiver<T> for $receiver<T> {
            #[inline]
            fn pop(&mut self, take: &mut impl FnMut(T)) -> usize {
                let $from = &mut self.0;
                match $pop {
                    Some(item) => {
                        take(item);
                        1
                    }
                    None => 0,
                }
            }
        }
    };
}
use peer;
