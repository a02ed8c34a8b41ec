//! `UnwindSafe` for handles and queues: they may be used again after a caught panic.
//!
//! This holds for all items, as for the handles of `std::sync::mpsc`. The user's code that
//! operations run is iterators, closures and destructors. After one of them panics, the queue is as
//! it was after the items before: each item that went in comes out or is dropped, once. The tests
//! of `aqueduct-fuzz` make all of them panic.

use core::panic::{RefUnwindSafe, UnwindSafe};

use crate::bbq::{Adding, Consumer, Multi, Overwritten, Plain, Producer, Single, drop_old, slots};
use crate::nblfq::{self, Capacity, NonZeroWord, wide};
use crate::tube::{self, Tube};
use crate::{bbq, bwos, cnq, deque, faaq, spsc, unbounded};

macro_rules! unwind_safe {
    ($([$($parameters:tt)*] $type:ty;)*) => {$(
        impl<$($parameters)*> UnwindSafe for $type {}
        impl<$($parameters)*> RefUnwindSafe for $type {}
    )*};
}

unwind_safe! {
    [R] spsc::Producer<R>;
    [R] spsc::Consumer<R>;
    [T] Producer<T, Single, Single>;
    [T] Producer<T, Multi, Single>;
    [T] Producer<T, Single, Multi>;
    [T] Producer<T, Multi, Multi>;
    [T] Producer<T, Multi, Adding>;
    [T] Producer<T, Single, Overwritten>;
    [T] Producer<T, Multi, Overwritten>;
    [T] Consumer<T, Single, Single>;
    [T] Consumer<T, Multi, Single>;
    [T] Consumer<T, Single, Multi>;
    [T] Consumer<T, Multi, Multi>;
    [T] Consumer<T, Multi, Adding>;
    [T] drop_old::Reader<T, Single>;
    [T] drop_old::Reader<T, Multi>;
    [T] drop_old::Reader<T, Single, Single>;
    [T] drop_old::Reader<T, Multi, Single>;
    [T] slots::Producer<T, Single, Single>;
    [T] slots::Producer<T, Multi, Single>;
    [T] slots::Producer<T, Single, Multi>;
    [T] slots::Producer<T, Multi, Multi>;
    [T] slots::Consumer<T, Single, Single>;
    [T] slots::Consumer<T, Multi, Single>;
    [T] slots::Consumer<T, Single, Multi>;
    [T] slots::Consumer<T, Multi, Multi>;
    [T] bbq::Queue<T>;
    [T] faaq::Queue<T>;
    [T] deque::Injector<T>;
    [T] bbq::IntoIter<T>;
    [T] faaq::IntoIter<T>;
    [T, O: bwos::Order] bwos::Owner<T, O>;
    [T, O: bwos::Order] bwos::Stealer<T, O>;
    [] tube::Blocks;
    [] tube::FetchAddBlocks;
    [T, U: Tube] tube::Fifo<T, U>;
    [T, U: Tube] cnq::Queue<T, U>;
    [T, U: Tube] cnq::Producer<T, U>;
    [T, U: Tube] cnq::Consumer<T, U>;
    [T: NonZeroWord, C: Capacity, const BITS: u32] nblfq::QueueOf<T, C, BITS>;
    [T] unbounded::Queue<T>;
    [T] unbounded::IntoIter<T>;
    [T] unbounded::Producer<T>;
    [T] unbounded::Consumer<T>;
    [T: Plain, C: Capacity, const BITS: u32] wide::QueueOf<T, C, BITS>;
}
