//! The auto traits of all public handles, guards and queues, in one table that is checked at compile time.
//!
//! Each row says for which items a type has a trait. An item that is not `Send` may not get to another thread by any handle; an item
//! that is not `Sync` may, because no two threads ever have a reference to one item. Handles and queues may be seen after a caught
//! panic; what borrows one mutably may not, like any `&mut`.

use std::cell::Cell;
use std::marker::PhantomData;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::rc::Rc;
use std::sync::MutexGuard;

use aqueduct::bbq::records::{self, drop_old as old_records};
use aqueduct::bbq::{self, Adding, Multi, Overwritten, Single, drop_old};
use aqueduct::bwos::policy::Topology;
use aqueduct::{bwos, cnq, faaq, nblfq, spsc, tube};

/// For which items a type has a trait: for those that are `Send` and `Sync`, `Send` only, `Sync` only, neither.
type For = [bool; 4];

type Both = u64;
type SendOnly = Cell<u8>;
type SyncOnly = MutexGuard<'static, u8>;
type Neither = Rc<u8>;

const ALWAYS: For = [true; 4];
const NEVER: For = [false; 4];
/// For items that are `Send`.
const SEND: For = [true, true, false, false];

/// Whether a type has a trait: an inherent constant, where its bound holds, goes before that of a trait.
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

/// Rows of types with an item `T` of any kind.
macro_rules! table {
    ($($type:ty: Send $send:ident, Sync $sync:ident, UnwindSafe $unwind:ident, RefUnwindSafe $ref_unwind:ident;)*) => {
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

/// Rows of types whose items are all `Send`, or that have none.
macro_rules! table_without_items {
    ($($type:ty: Send $send:literal, Sync $sync:literal, UnwindSafe $unwind:literal, RefUnwindSafe $ref_unwind:literal;)*) => {
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
    spsc::lamport::Producer<T>: Send SEND, Sync SEND, UnwindSafe ALWAYS, RefUnwindSafe ALWAYS;
    spsc::lamport::Consumer<T>: Send SEND, Sync SEND, UnwindSafe ALWAYS, RefUnwindSafe ALWAYS;
    spsc::lazy_lamport::Producer<T>: Send SEND, Sync SEND, UnwindSafe ALWAYS, RefUnwindSafe ALWAYS;
    spsc::lazy_lamport::Consumer<T>: Send SEND, Sync SEND, UnwindSafe ALWAYS, RefUnwindSafe ALWAYS;
    spsc::batched_lamport::Producer<T>: Send SEND, Sync SEND, UnwindSafe ALWAYS, RefUnwindSafe ALWAYS;
    spsc::batched_lamport::Consumer<T>: Send SEND, Sync SEND, UnwindSafe ALWAYS, RefUnwindSafe ALWAYS;
    spsc::stamped_line::Producer<T>: Send SEND, Sync SEND, UnwindSafe ALWAYS, RefUnwindSafe ALWAYS;
    spsc::stamped_line::Consumer<T>: Send SEND, Sync SEND, UnwindSafe ALWAYS, RefUnwindSafe ALWAYS;
    spsc::duplex::Producer<T, u8>: Send SEND, Sync SEND, UnwindSafe ALWAYS, RefUnwindSafe ALWAYS;
    spsc::duplex::Consumer<T, u8>: Send SEND, Sync SEND, UnwindSafe ALWAYS, RefUnwindSafe ALWAYS;
    spsc::Drain<'static, spsc::lamport::RawConsumer<T>>: Send SEND, Sync SEND, UnwindSafe NEVER, RefUnwindSafe NEVER;
    spsc::Drain<'static, spsc::lazy_lamport::RawConsumer<T>>: Send SEND, Sync SEND, UnwindSafe NEVER, RefUnwindSafe NEVER;
    spsc::Drain<'static, spsc::batched_lamport::RawConsumer<T>>: Send SEND, Sync SEND, UnwindSafe NEVER, RefUnwindSafe NEVER;
    spsc::Drain<'static, spsc::stamped_line::RawConsumer<T>>: Send SEND, Sync SEND, UnwindSafe NEVER, RefUnwindSafe NEVER;
    spsc::WriteBatch<'static, spsc::batched_lamport::RawProducer<T>>: Send NEVER, Sync NEVER, UnwindSafe NEVER, RefUnwindSafe NEVER;
    spsc::ReadBatch<'static, spsc::batched_lamport::RawConsumer<T>>: Send NEVER, Sync NEVER, UnwindSafe NEVER, RefUnwindSafe NEVER;
    spsc::WriteBatch<'static, spsc::stamped_line::RawProducer<T>>: Send NEVER, Sync NEVER, UnwindSafe NEVER, RefUnwindSafe NEVER;
    spsc::ReadBatch<'static, spsc::stamped_line::RawConsumer<T>>: Send NEVER, Sync NEVER, UnwindSafe NEVER, RefUnwindSafe NEVER;
    bbq::Producer<T, Single, Single>: Send SEND, Sync SEND, UnwindSafe ALWAYS, RefUnwindSafe ALWAYS;
    bbq::Consumer<T, Single, Single>: Send SEND, Sync SEND, UnwindSafe ALWAYS, RefUnwindSafe ALWAYS;
    bbq::Producer<T, Multi, Single>: Send SEND, Sync SEND, UnwindSafe ALWAYS, RefUnwindSafe ALWAYS;
    bbq::Consumer<T, Multi, Single>: Send SEND, Sync SEND, UnwindSafe ALWAYS, RefUnwindSafe ALWAYS;
    bbq::Producer<T, Single, Multi>: Send SEND, Sync SEND, UnwindSafe ALWAYS, RefUnwindSafe ALWAYS;
    bbq::Consumer<T, Single, Multi>: Send SEND, Sync SEND, UnwindSafe ALWAYS, RefUnwindSafe ALWAYS;
    bbq::Producer<T, Multi, Multi>: Send SEND, Sync SEND, UnwindSafe ALWAYS, RefUnwindSafe ALWAYS;
    bbq::Consumer<T, Multi, Multi>: Send SEND, Sync SEND, UnwindSafe ALWAYS, RefUnwindSafe ALWAYS;
    bbq::Producer<T, Multi, Adding>: Send SEND, Sync SEND, UnwindSafe ALWAYS, RefUnwindSafe ALWAYS;
    bbq::Consumer<T, Multi, Adding>: Send SEND, Sync SEND, UnwindSafe ALWAYS, RefUnwindSafe ALWAYS;
    bbq::Producer<T, Single, Overwritten>: Send SEND, Sync SEND, UnwindSafe ALWAYS, RefUnwindSafe ALWAYS;
    drop_old::Reader<T, Single>: Send SEND, Sync SEND, UnwindSafe ALWAYS, RefUnwindSafe ALWAYS;
    bbq::Producer<T, Multi, Overwritten>: Send SEND, Sync SEND, UnwindSafe ALWAYS, RefUnwindSafe ALWAYS;
    drop_old::Reader<T, Multi>: Send SEND, Sync SEND, UnwindSafe ALWAYS, RefUnwindSafe ALWAYS;
    bbq::Queue<T>: Send SEND, Sync SEND, UnwindSafe ALWAYS, RefUnwindSafe ALWAYS;
    faaq::Queue<T>: Send SEND, Sync SEND, UnwindSafe ALWAYS, RefUnwindSafe ALWAYS;
    tube::Fifo<T, tube::DpdkRing>: Send SEND, Sync SEND, UnwindSafe ALWAYS, RefUnwindSafe ALWAYS;
    tube::Fifo<T, tube::Scqd>: Send SEND, Sync SEND, UnwindSafe ALWAYS, RefUnwindSafe ALWAYS;
    tube::Fifo<T, tube::Bbq>: Send SEND, Sync SEND, UnwindSafe ALWAYS, RefUnwindSafe ALWAYS;
    tube::Fifo<T, tube::Faaq>: Send SEND, Sync SEND, UnwindSafe ALWAYS, RefUnwindSafe ALWAYS;
    bwos::lifo::Owner<T>: Send SEND, Sync NEVER, UnwindSafe ALWAYS, RefUnwindSafe ALWAYS;
    bwos::lifo::Stealer<T>: Send SEND, Sync SEND, UnwindSafe ALWAYS, RefUnwindSafe ALWAYS;
    bwos::fifo::Owner<T>: Send SEND, Sync NEVER, UnwindSafe ALWAYS, RefUnwindSafe ALWAYS;
    bwos::fifo::Stealer<T>: Send SEND, Sync SEND, UnwindSafe ALWAYS, RefUnwindSafe ALWAYS;
    cnq::Queue<T, tube::DpdkRing>: Send SEND, Sync SEND, UnwindSafe ALWAYS, RefUnwindSafe ALWAYS;
    cnq::Producer<T, tube::DpdkRing>: Send SEND, Sync SEND, UnwindSafe ALWAYS, RefUnwindSafe ALWAYS;
    cnq::Consumer<T, tube::DpdkRing>: Send SEND, Sync SEND, UnwindSafe ALWAYS, RefUnwindSafe ALWAYS;
    cnq::Queue<T, tube::Scqd>: Send SEND, Sync SEND, UnwindSafe ALWAYS, RefUnwindSafe ALWAYS;
    cnq::Producer<T, tube::Scqd>: Send SEND, Sync SEND, UnwindSafe ALWAYS, RefUnwindSafe ALWAYS;
    cnq::Consumer<T, tube::Scqd>: Send SEND, Sync SEND, UnwindSafe ALWAYS, RefUnwindSafe ALWAYS;
    cnq::Queue<T, tube::Bbq>: Send SEND, Sync SEND, UnwindSafe ALWAYS, RefUnwindSafe ALWAYS;
    cnq::Producer<T, tube::Bbq>: Send SEND, Sync SEND, UnwindSafe ALWAYS, RefUnwindSafe ALWAYS;
    cnq::Consumer<T, tube::Bbq>: Send SEND, Sync SEND, UnwindSafe ALWAYS, RefUnwindSafe ALWAYS;
    cnq::Queue<T, tube::Faaq>: Send SEND, Sync SEND, UnwindSafe ALWAYS, RefUnwindSafe ALWAYS;
    cnq::Producer<T, tube::Faaq>: Send SEND, Sync SEND, UnwindSafe ALWAYS, RefUnwindSafe ALWAYS;
    cnq::Consumer<T, tube::Faaq>: Send SEND, Sync SEND, UnwindSafe ALWAYS, RefUnwindSafe ALWAYS;
}

/// A word that is `Send` and not `Sync`.
#[repr(transparent)]
#[allow(dead_code, reason = "an item to ask of")]
struct NotSync(Box<Cell<u8>>);

// SAFETY: a box is an address, and not zero.
unsafe impl nblfq::NonZeroWord for NotSync {}

table_without_items! {
    spsc::fast_forward::Producer<Box<u8>>: Send true, Sync true, UnwindSafe true, RefUnwindSafe true;
    spsc::fast_forward::Consumer<Box<u8>>: Send true, Sync true, UnwindSafe true, RefUnwindSafe true;
    spsc::improved_fast_forward::Producer<Box<u8>>: Send true, Sync true, UnwindSafe true, RefUnwindSafe true;
    spsc::improved_fast_forward::Consumer<Box<u8>>: Send true, Sync true, UnwindSafe true, RefUnwindSafe true;
    spsc::batched_improved_fast_forward::Producer<Box<u8>>: Send true, Sync true, UnwindSafe true, RefUnwindSafe true;
    spsc::batched_improved_fast_forward::Consumer<Box<u8>>: Send true, Sync true, UnwindSafe true, RefUnwindSafe true;
    spsc::WriteBatch<'static, spsc::batched_improved_fast_forward::RawProducer<Box<u8>>>: Send false, Sync false, UnwindSafe false, RefUnwindSafe false;
    spsc::duplex::Side<u64, SendOnly>: Send true, Sync true, UnwindSafe true, RefUnwindSafe true;
    nblfq::Queue<Box<u8>, 4>: Send true, Sync true, UnwindSafe true, RefUnwindSafe true;
    nblfq::Queue<NotSync, 4>: Send true, Sync true, UnwindSafe true, RefUnwindSafe true;
    nblfq::wide::Queue<u64, 4>: Send true, Sync true, UnwindSafe true, RefUnwindSafe true;
    nblfq::wide::Handle<'static, u64, 4>: Send true, Sync true, UnwindSafe true, RefUnwindSafe true;
    records::Producer<Single, Single>: Send true, Sync true, UnwindSafe true, RefUnwindSafe true;
    records::Consumer<Single, Single>: Send true, Sync true, UnwindSafe true, RefUnwindSafe true;
    records::Grant<'static, Single, Single>: Send true, Sync true, UnwindSafe false, RefUnwindSafe true;
    records::Record<'static, Single, Single>: Send true, Sync true, UnwindSafe false, RefUnwindSafe true;
    records::Producer<Multi, Single>: Send true, Sync true, UnwindSafe true, RefUnwindSafe true;
    records::Consumer<Multi, Single>: Send true, Sync true, UnwindSafe true, RefUnwindSafe true;
    records::Grant<'static, Multi, Single>: Send true, Sync true, UnwindSafe false, RefUnwindSafe true;
    records::Record<'static, Multi, Single>: Send true, Sync true, UnwindSafe false, RefUnwindSafe true;
    records::Producer<Single, Multi>: Send true, Sync true, UnwindSafe true, RefUnwindSafe true;
    records::Consumer<Single, Multi>: Send true, Sync true, UnwindSafe true, RefUnwindSafe true;
    records::Grant<'static, Single, Multi>: Send true, Sync true, UnwindSafe false, RefUnwindSafe true;
    records::Record<'static, Single, Multi>: Send true, Sync true, UnwindSafe false, RefUnwindSafe true;
    records::Producer<Multi, Multi>: Send true, Sync true, UnwindSafe true, RefUnwindSafe true;
    records::Consumer<Multi, Multi>: Send true, Sync true, UnwindSafe true, RefUnwindSafe true;
    records::Grant<'static, Multi, Multi>: Send true, Sync true, UnwindSafe false, RefUnwindSafe true;
    records::Record<'static, Multi, Multi>: Send true, Sync true, UnwindSafe false, RefUnwindSafe true;
    records::Producer<Single, Overwritten>: Send true, Sync true, UnwindSafe true, RefUnwindSafe true;
    old_records::Draft<'static, Single>: Send true, Sync true, UnwindSafe false, RefUnwindSafe true;
    old_records::Reader<Single>: Send true, Sync true, UnwindSafe true, RefUnwindSafe true;
    records::Producer<Multi, Overwritten>: Send true, Sync true, UnwindSafe true, RefUnwindSafe true;
    old_records::Draft<'static, Multi>: Send true, Sync true, UnwindSafe false, RefUnwindSafe true;
    old_records::Reader<Multi>: Send true, Sync true, UnwindSafe true, RefUnwindSafe true;
    tube::DpdkRing: Send true, Sync true, UnwindSafe true, RefUnwindSafe true;
    tube::Scqd: Send true, Sync true, UnwindSafe true, RefUnwindSafe true;
    tube::Bbq: Send true, Sync true, UnwindSafe true, RefUnwindSafe true;
    tube::Faaq: Send true, Sync true, UnwindSafe true, RefUnwindSafe true;
    bwos::policy::Thief: Send true, Sync true, UnwindSafe true, RefUnwindSafe true;
    Topology: Send true, Sync true, UnwindSafe true, RefUnwindSafe true;
    records::Space: Send true, Sync true, UnwindSafe true, RefUnwindSafe true;
    bbq::Geometry: Send true, Sync true, UnwindSafe true, RefUnwindSafe true;
    bwos::Geometry: Send true, Sync true, UnwindSafe true, RefUnwindSafe true;
    cnq::Geometry: Send true, Sync true, UnwindSafe true, RefUnwindSafe true;
}

/// What is checked above is checked when this file is compiled.
#[test]
fn the_table_holds() {}
