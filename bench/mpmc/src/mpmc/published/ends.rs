//! Published queues whose threads help each other, or reclaim memory on their own, as kinds. Each
//! thread has an end with its number. Two of them have no bound.

use aqueduct_bench_published::mpmc::cr_turn::{self, CrTurn};
#[cfg(target_arch = "x86_64")]
use aqueduct_bench_published::mpmc::{
    has_exchange_of_16_bytes,
    wcq::{self, Patience},
    ymc,
};
use aqueduct_measure::rounds::Threads;

use super::super::kind::{Ends, Item, Kind, receiver, sender};
#[cfg(target_arch = "x86_64")]
use super::shared::possible;

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

kind! {
    /// CRTurn.
    Turn = "published/cr_turn", CrTurn; |_capacity, threads| cr_turn::new(threads)
}
words!(CrTurn);

/// The queue of Yang and Mellor-Crummey, with the authors' numbers: cells of a segment, attempts,
/// and looks at a cell.
#[cfg(target_arch = "x86_64")]
type YmcEnd = ymc::Ymc<1022, 10, 100>;

#[cfg(target_arch = "x86_64")]
kind! {
    /// The queue of Yang and Mellor-Crummey.
    Ymc = "published/ymc", YmcEnd; |_capacity, threads| ymc::new(threads)
}
#[cfg(target_arch = "x86_64")]
words!(YmcEnd);

/// The authors' numbers, and as many looks as SCQD's here.
#[cfg(target_arch = "x86_64")]
#[derive(Debug)]
pub(crate) struct AsPublished;

#[cfg(target_arch = "x86_64")]
impl Patience for AsPublished {
    const PUSHES: u32 = 16;
    const POPS: u32 = 64;
    const HELPS_AFTER: u32 = 16;
    const LOOKS: u32 = 64;
}

#[cfg(target_arch = "x86_64")]
type WcqEnd = wcq::Wcq<Item, AsPublished>;

#[cfg(target_arch = "x86_64")]
kind! {
    /// wCQ.
    Wcq = "published/wcq", WcqEnd;
    |capacity, threads| {
        if !has_exchange_of_16_bytes() {
            return Err("this machine has no exchange of 16 bytes".to_owned());
        }
        wcq::new(possible(capacity)?, threads)
    }
}
#[cfg(target_arch = "x86_64")]
sender!(WcqEnd, |end, item| WcqEnd::push(end, item));
#[cfg(target_arch = "x86_64")]
receiver!(WcqEnd, |end| WcqEnd::pop(end));
