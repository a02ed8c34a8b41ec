//! Published queues without a bound that reclaim memory on their own, as kinds. Each thread has an end of its own.

use std::sync::Arc;

use super::super::Threads;
use super::super::kind::{Ends, Item, Kind, receiver, sender};
use super::cr_turn::{self, CrTurn};
use super::loo::Loo;

/// Makes a [`Kind`] of a function that makes an end for each thread.
macro_rules! kind {
    ($(#[$note:meta])* $kind:ident = $name:literal, $end:ty; |$capacity:ident, $threads:ident| $open:expr) => {
        $(#[$note])*
        pub(crate) struct $kind;

        impl Kind for $kind {
            const NAME: &'static str = $name;
            type Sender = $end;
            type Receiver = $end;

            fn open($capacity: usize, threads: Threads) -> Result<Ends<Self>, String> {
                let $threads = threads.producers + threads.consumers;
                let mut senders: Vec<$end> = $open;
                let receivers = senders.split_off(threads.producers);
                Ok((senders, receivers))
            }
        }
    };
}

/// An end whose items are words, and whose pushes always succeed.
macro_rules! words {
    ($end:ty) => {
        sender!($end, |end, item| {
            <$end>::push(end, item.get());
            true
        });
        receiver!($end, |end| Item::new(<$end>::pop(end)?));
    };
}

/// Slots of an array, as the authors have them.
const LOO_SLOTS: usize = 1024;

/// LOO, as all threads have it.
#[derive(Clone)]
pub(crate) struct LooEnd(Arc<Loo<LOO_SLOTS>>);

kind! {
    /// LOO.
    Looping = "published/loo", LooEnd;
    |_capacity, threads| vec![LooEnd(Arc::new(Loo::new())); threads]
}
sender!(LooEnd, |end, item| {
    end.0.push(item.get());
    true
});
receiver!(LooEnd, |end| Item::new(end.0.pop()?));

kind! {
    /// CRTurn.
    Turn = "published/cr_turn", CrTurn; |_capacity, threads| cr_turn::new(threads)
}
words!(CrTurn);
