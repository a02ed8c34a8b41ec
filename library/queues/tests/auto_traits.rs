//! The auto traits of all public handles, guards and queues, in one table that is checked at
//! compile time.
//!
//! Each row says for which items a type has a trait. An item that is not `Send` may not get to
//! another thread by any handle. An item that is not `Sync` may, because two threads never have
//! references to one item. Handles and queues may be used after a caught panic; a type that borrows
//! one mutably may not, like any `&mut`.

use std::cell::Cell;
use std::marker::PhantomData;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::rc::Rc;
use std::sync::MutexGuard;

use aqueduct::bbq::records::{self, drop_old as old_records};
use aqueduct::bbq::{self, Adding, Multi, Overwritten, Single, drop_old, slots};
use aqueduct::bwos::policy::Topology;
use aqueduct::queue::Drain;
use aqueduct::{bwos, cnq, deque, exact, faaq, nblfq, spsc, tube, unbounded};

/// The items for which a type has a trait: those that are `Send` and `Sync`, `Send` only, `Sync`
/// only, neither.
type For = [bool; 4];

type Both = u64;
type SendOnly = Cell<u8>;
type SyncOnly = MutexGuard<'static, u8>;
type Neither = Rc<u8>;

const ALWAYS: For = [true; 4];
const NEVER: For = [false; 4];
/// For items that are `Send`.
const SEND: For = [true, true, false, false];

/// For items that are `Send` and `Sync`.
const BOTH: For = [true, false, false, false];

/// Whether a type has a trait: an inherent constant, if its bound holds, takes precedence over a
/// trait's.
macro_rules! has {
    ($type:ty, $trait:path) => {{
        trait Otherwise {
            #[allow(dead_code, reason = "not where the bound holds")]
            const HAS: bool = false;
        }
        impl<T: ?Sized> Otherwise for Of<T> {}
        #[allow(dead_code, reason = "a type to ask of")]
        struct Of<T: ?Sized>(PhantomData<T>);
        impl<T: ?Sized + $trait> Of<T> {
            #[allow(dead_code, reason = "not where the bound does not hold")]
            const HAS: bool = true;
        }
        <Of<$type>>::HAS
    }};
}

const fn equal(one: For, other: For) -> bool {
    one[0] == other[0] && one[1] == other[1] && one[2] == other[2] && one[3] == other[3]
}

/// Checks rows of types with an item `T` of any kind: for which items they are `Send`, `Sync`,
/// `UnwindSafe` and `RefUnwindSafe`.
macro_rules! table {
    ($($type:ty: $send:ident, $sync:ident, $unwind:ident, $ref_unwind:ident;)*) => {
        $(const _: () = {
            type Row<T> = $type;
            macro_rules! row {
                ($trait:path) => {
                    [
                        has!(Row<Both>, $trait),
                        has!(Row<SendOnly>, $trait),
                        has!(Row<SyncOnly>, $trait),
                        has!(Row<Neither>, $trait),
                    ]
                };
            }
            assert!(equal(row!(Send), $send), concat!(stringify!($type), ": Send"));
            assert!(equal(row!(Sync), $sync), concat!(stringify!($type), ": Sync"));
            assert!(equal(row!(Unpin), ALWAYS), concat!(stringify!($type), ": Unpin"));
            assert!(equal(row!(UnwindSafe), $unwind), concat!(stringify!($type), ": UnwindSafe"));
            assert!(equal(row!(RefUnwindSafe), $ref_unwind), concat!(stringify!($type), ": RefUnwindSafe"));
        };)*
    };
}

/// Checks rows of types whose items are all `Send`, or that have none: whether they have these four
/// traits.
macro_rules! table_without_items {
    ($($type:ty: $send:literal, $sync:literal, $unwind:literal, $ref_unwind:literal;)*) => {
        $(const _: () = {
            assert!(has!($type, Send) == $send, concat!(stringify!($type), ": Send"));
            assert!(has!($type, Sync) == $sync, concat!(stringify!($type), ": Sync"));
            assert!(has!($type, Unpin), concat!(stringify!($type), ": Unpin"));
            assert!(has!($type, UnwindSafe) == $unwind, concat!(stringify!($type), ": UnwindSafe"));
            assert!(has!($type, RefUnwindSafe) == $ref_unwind, concat!(stringify!($type), ": RefUnwindSafe"));
        };)*
    };
}

table! {
    spsc::lamport::Producer<T>: SEND, SEND, ALWAYS, ALWAYS;
    spsc::lamport::Consumer<T>: SEND, SEND, ALWAYS, ALWAYS;
    spsc::lazy_lamport::Producer<T>: SEND, SEND, ALWAYS, ALWAYS;
    spsc::lazy_lamport::Consumer<T>: SEND, SEND, ALWAYS, ALWAYS;
    spsc::batched_lamport::Producer<T>: SEND, SEND, ALWAYS, ALWAYS;
    spsc::batched_lamport::Consumer<T>: SEND, SEND, ALWAYS, ALWAYS;
    spsc::ring::Producer<T>: SEND, SEND, ALWAYS, ALWAYS;
    spsc::ring::Consumer<T>: SEND, SEND, ALWAYS, ALWAYS;
    spsc::duplex::Producer<T, u8>: SEND, SEND, ALWAYS, ALWAYS;
    spsc::duplex::Consumer<T, u8>: SEND, SEND, ALWAYS, ALWAYS;
    Drain<'static, spsc::lamport::Consumer<T>>: SEND, SEND, NEVER, ALWAYS;
    Drain<'static, spsc::lazy_lamport::Consumer<T>>: SEND, SEND, NEVER, ALWAYS;
    Drain<'static, spsc::batched_lamport::Consumer<T>>: SEND, SEND, NEVER, ALWAYS;
    Drain<'static, spsc::ring::Consumer<T>>: SEND, SEND, NEVER, ALWAYS;
    spsc::WriteBatch<'static, spsc::batched_lamport::RawProducer<T>>: NEVER, NEVER, NEVER, NEVER;
    spsc::ReadBatch<'static, spsc::batched_lamport::RawConsumer<T>>: NEVER, NEVER, NEVER, NEVER;
    spsc::WriteBatch<'static, spsc::ring::RawProducer<T>>: NEVER, NEVER, NEVER, NEVER;
    spsc::ReadBatch<'static, spsc::ring::RawConsumer<T>>: NEVER, NEVER, NEVER, NEVER;
    bbq::Producer<T, Single, Single>: SEND, SEND, ALWAYS, ALWAYS;
    bbq::Consumer<T, Single, Single>: SEND, SEND, ALWAYS, ALWAYS;
    bbq::Producer<T, Multi, Single>: SEND, SEND, ALWAYS, ALWAYS;
    bbq::Consumer<T, Multi, Single>: SEND, SEND, ALWAYS, ALWAYS;
    bbq::Producer<T, Single, Multi>: SEND, SEND, ALWAYS, ALWAYS;
    bbq::Consumer<T, Single, Multi>: SEND, SEND, ALWAYS, ALWAYS;
    bbq::Producer<T, Multi, Multi>: SEND, SEND, ALWAYS, ALWAYS;
    bbq::Consumer<T, Multi, Multi>: SEND, SEND, ALWAYS, ALWAYS;
    bbq::Producer<T, Multi, Adding>: SEND, SEND, ALWAYS, ALWAYS;
    bbq::Consumer<T, Multi, Adding>: SEND, SEND, ALWAYS, ALWAYS;
    bbq::Producer<T, Single, Overwritten>: SEND, SEND, ALWAYS, ALWAYS;
    drop_old::Reader<T, Single>: SEND, SEND, ALWAYS, ALWAYS;
    bbq::Producer<T, Multi, Overwritten>: SEND, SEND, ALWAYS, ALWAYS;
    drop_old::Reader<T, Multi>: SEND, SEND, ALWAYS, ALWAYS;
    drop_old::Reader<T, Single, Single>: SEND, SEND, ALWAYS, ALWAYS;
    drop_old::Reader<T, Multi, Single>: SEND, SEND, ALWAYS, ALWAYS;
    slots::Producer<T, Single, Single>: SEND, SEND, ALWAYS, ALWAYS;
    slots::Consumer<T, Single, Single>: SEND, SEND, ALWAYS, ALWAYS;
    slots::Slot<'static, T, Single, Single>: SEND, SEND, NEVER, ALWAYS;
    slots::Filled<'static, T, Single, Single>: SEND, BOTH, NEVER, ALWAYS;
    slots::Item<'static, T, Single, Single>: SEND, BOTH, NEVER, ALWAYS;
    slots::Producer<T, Single, Multi>: SEND, SEND, ALWAYS, ALWAYS;
    slots::Consumer<T, Single, Multi>: SEND, SEND, ALWAYS, ALWAYS;
    slots::Slot<'static, T, Single, Multi>: SEND, SEND, NEVER, ALWAYS;
    slots::Filled<'static, T, Single, Multi>: SEND, BOTH, NEVER, ALWAYS;
    slots::Item<'static, T, Single, Multi>: SEND, BOTH, NEVER, ALWAYS;
    slots::Producer<T, Multi, Single>: SEND, SEND, ALWAYS, ALWAYS;
    slots::Consumer<T, Multi, Single>: SEND, SEND, ALWAYS, ALWAYS;
    slots::Slot<'static, T, Multi, Single>: SEND, SEND, NEVER, ALWAYS;
    slots::Filled<'static, T, Multi, Single>: SEND, BOTH, NEVER, ALWAYS;
    slots::Item<'static, T, Multi, Single>: SEND, BOTH, NEVER, ALWAYS;
    slots::Producer<T, Multi, Multi>: SEND, SEND, ALWAYS, ALWAYS;
    slots::Consumer<T, Multi, Multi>: SEND, SEND, ALWAYS, ALWAYS;
    slots::Slot<'static, T, Multi, Multi>: SEND, SEND, NEVER, ALWAYS;
    slots::Filled<'static, T, Multi, Multi>: SEND, BOTH, NEVER, ALWAYS;
    slots::Item<'static, T, Multi, Multi>: SEND, BOTH, NEVER, ALWAYS;
    Drain<'static, bbq::Consumer<T, Multi, Multi>>: SEND, SEND, NEVER, ALWAYS;
    bbq::Queue<T>: SEND, SEND, ALWAYS, ALWAYS;
    bbq::IntoIter<T>: SEND, SEND, ALWAYS, ALWAYS;
    faaq::IntoIter<T>: SEND, SEND, ALWAYS, ALWAYS;
    deque::Injector<T>: SEND, SEND, ALWAYS, ALWAYS;
    faaq::Queue<T>: SEND, SEND, ALWAYS, ALWAYS;
    exact::Queue<T>: SEND, SEND, ALWAYS, ALWAYS;
    exact::Permit<'static, T>: SEND, SEND, ALWAYS, ALWAYS;
    exact::IntoIter<T>: SEND, SEND, ALWAYS, ALWAYS;
    unbounded::Queue<T>: SEND, SEND, ALWAYS, ALWAYS;
    unbounded::IntoIter<T>: SEND, SEND, ALWAYS, ALWAYS;
    unbounded::Producer<T>: SEND, SEND, ALWAYS, ALWAYS;
    unbounded::Consumer<T>: SEND, SEND, ALWAYS, ALWAYS;
    Drain<'static, unbounded::Consumer<T>>: SEND, SEND, NEVER, ALWAYS;
    tube::Fifo<T, tube::SequencedRing>: SEND, SEND, ALWAYS, ALWAYS;
    tube::Fifo<T, tube::IndexQueues>: SEND, SEND, ALWAYS, ALWAYS;
    tube::Fifo<T, tube::Blocks>: SEND, SEND, ALWAYS, ALWAYS;
    tube::Fifo<T, tube::FetchAddBlocks>: SEND, SEND, ALWAYS, ALWAYS;
    bwos::lifo::Owner<T>: SEND, NEVER, ALWAYS, ALWAYS;
    bwos::lifo::Stealer<T>: SEND, SEND, ALWAYS, ALWAYS;
    bwos::fifo::Owner<T>: SEND, NEVER, ALWAYS, ALWAYS;
    bwos::fifo::Stealer<T>: SEND, SEND, ALWAYS, ALWAYS;
    cnq::Queue<T, tube::SequencedRing>: SEND, SEND, ALWAYS, ALWAYS;
    cnq::Producer<T, tube::SequencedRing>: SEND, SEND, ALWAYS, ALWAYS;
    cnq::Consumer<T, tube::SequencedRing>: SEND, SEND, ALWAYS, ALWAYS;
    cnq::Queue<T, tube::IndexQueues>: SEND, SEND, ALWAYS, ALWAYS;
    cnq::Producer<T, tube::IndexQueues>: SEND, SEND, ALWAYS, ALWAYS;
    cnq::Consumer<T, tube::IndexQueues>: SEND, SEND, ALWAYS, ALWAYS;
    cnq::Queue<T, tube::Blocks>: SEND, SEND, ALWAYS, ALWAYS;
    cnq::Producer<T, tube::Blocks>: SEND, SEND, ALWAYS, ALWAYS;
    cnq::Consumer<T, tube::Blocks>: SEND, SEND, ALWAYS, ALWAYS;
    cnq::Queue<T, tube::FetchAddBlocks>: SEND, SEND, ALWAYS, ALWAYS;
    cnq::Producer<T, tube::FetchAddBlocks>: SEND, SEND, ALWAYS, ALWAYS;
    cnq::Consumer<T, tube::FetchAddBlocks>: SEND, SEND, ALWAYS, ALWAYS;
}

/// A word that is `Send` and not `Sync`.
#[repr(transparent)]
#[allow(dead_code, reason = "an item to ask of")]
struct NotSync(Box<Cell<u8>>);

// SAFETY: a box is an address, and not zero.
unsafe impl nblfq::NonZeroWord for NotSync {}

table_without_items! {
    spsc::fast_forward::Producer<Box<u8>>: true, true, true, true;
    spsc::fast_forward::Consumer<Box<u8>>: true, true, true, true;
    spsc::improved_fast_forward::Producer<Box<u8>>: true, true, true, true;
    spsc::improved_fast_forward::Consumer<Box<u8>>: true, true, true, true;
    spsc::batched_improved_fast_forward::Producer<Box<u8>>: true, true, true, true;
    spsc::batched_improved_fast_forward::Consumer<Box<u8>>: true, true, true, true;
    spsc::WriteBatch<'static, spsc::batched_improved_fast_forward::RawProducer<Box<u8>>>: false, false, false, false;
    spsc::duplex::Side<u64, SendOnly>: true, true, true, true;
    nblfq::Queue<Box<u8>, 4>: true, true, true, true;
    nblfq::Queue<NotSync, 4>: true, true, true, true;
    nblfq::DynamicQueue<NotSync>: true, true, true, true;
    nblfq::wide::Queue<u64, 4>: true, true, true, true;
    nblfq::wide::DynamicQueue<u64>: true, true, true, true;
    nblfq::wide::DynamicHandle<'static, u64>: true, true, true, true;
    nblfq::wide::Handle<'static, u64, 4>: true, true, true, true;
    records::Producer<Single, Single>: true, true, true, true;
    records::Consumer<Single, Single>: true, true, true, true;
    records::Grant<'static, Single, Single>: true, true, false, true;
    records::Record<'static, Single, Single>: true, true, false, true;
    records::Producer<Multi, Single>: true, true, true, true;
    records::Consumer<Multi, Single>: true, true, true, true;
    records::Grant<'static, Multi, Single>: true, true, false, true;
    records::Record<'static, Multi, Single>: true, true, false, true;
    records::Producer<Single, Multi>: true, true, true, true;
    records::Consumer<Single, Multi>: true, true, true, true;
    records::Grant<'static, Single, Multi>: true, true, false, true;
    records::Record<'static, Single, Multi>: true, true, false, true;
    records::Producer<Multi, Multi>: true, true, true, true;
    records::Consumer<Multi, Multi>: true, true, true, true;
    records::Grant<'static, Multi, Multi>: true, true, false, true;
    records::Record<'static, Multi, Multi>: true, true, false, true;
    records::Producer<Single, Overwritten>: true, true, true, true;
    old_records::Draft<'static, Single>: true, true, false, true;
    old_records::Reader<Single>: true, true, true, true;
    records::Producer<Multi, Overwritten>: true, true, true, true;
    old_records::Draft<'static, Multi>: true, true, false, true;
    old_records::Reader<Multi>: true, true, true, true;
    tube::SequencedRing: true, true, true, true;
    tube::IndexQueues: true, true, true, true;
    tube::Blocks: true, true, true, true;
    tube::FetchAddBlocks: true, true, true, true;
    bwos::policy::Thief: true, true, true, true;
    Topology: true, true, true, true;
    records::Space: true, true, true, true;
    bbq::Geometry: true, true, true, true;
    bwos::Geometry: true, true, true, true;
    cnq::Geometry: true, true, true, true;
}

/// The table is checked when this file is compiled.
#[test]
fn the_table_holds() {}
