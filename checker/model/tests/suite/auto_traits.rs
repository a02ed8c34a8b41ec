//! The auto traits of each type that mirrors one of `std`: exactly those of the original.
//!
//! The traits are `Send`, `Sync`, `Unpin`, `UnwindSafe` and `RefUnwindSafe`. A type that has more
//! than its original lets safe code race; one that has less does not compile where the original
//! does. The table is checked when the tests are compiled, for contents that have all of these
//! traits, or lack one of them.

use std::cell::Cell;
use std::marker::{PhantomData, PhantomPinned};
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::rc::Rc;
use std::{sync as native, thread as system};

use aqueduct_model::{alloc, cell, future, lazy_static, sync, thread};

/// Whether a type has a trait: the inherent constant hides that of `No` if its bound holds.
macro_rules! has {
    ($type:ty, $trait:path) => {{
        #[allow(dead_code)]
        trait No {
            const HAS: bool = false;
        }
        impl<T: ?Sized> No for T {}
        #[allow(dead_code)]
        struct Asked<T: ?Sized>(PhantomData<T>);
        #[allow(dead_code)]
        impl<T: ?Sized + $trait> Asked<T> {
            const HAS: bool = true;
        }
        <Asked<$type>>::HAS
    }};
}

macro_rules! agree_on {
    ($trait:path: $ours:ty, $original:ty) => {
        assert!(
            has!($ours, $trait) == has!($original, $trait),
            "{}",
            concat!(stringify!($trait), " of ", stringify!($ours), " is not as of ", stringify!($original))
        )
    };
}

macro_rules! agree {
    ($ours:ty, $original:ty) => {
        agree_on!(Send: $ours, $original);
        agree_on!(Sync: $ours, $original);
        agree_on!(Unpin: $ours, $original);
        agree_on!(UnwindSafe: $ours, $original);
        agree_on!(RefUnwindSafe: $ours, $original);
    };
}

/// Checks the table's rows without contents.
macro_rules! plain {
    ($($ours:ty = $original:ty;)*) => {
        $(const _: () = { agree!($ours, $original); };)*
    };
}

/// Checks the table's rows with contents `T`.
macro_rules! generic {
    ($T:ident: $($ours:ty = $original:ty;)*) => {
        $(
            const _: () = { type $T = u8; agree!($ours, $original); };
            const _: () = { type $T = NotSync; agree!($ours, $original); };
            const _: () = { type $T = NotSend; agree!($ours, $original); };
            const _: () = { type $T = Neither; agree!($ours, $original); };
            const _: () = { type $T = NotUnpin; agree!($ours, $original); };
            const _: () = { type $T = NotUnwindSafe; agree!($ours, $original); };
        )*
    };
}

/// A type that is neither `Sync` nor `RefUnwindSafe`.
type NotSync = Cell<u8>;
type NotSend = native::MutexGuard<'static, u8>;
type Neither = Rc<u8>;
type NotUnpin = PhantomPinned;
type NotUnwindSafe = &'static mut u8;

plain! {
    sync::Condvar = native::Condvar;
    sync::WaitTimeoutResult = native::WaitTimeoutResult;
    sync::Barrier = native::Barrier;
    sync::BarrierWaitResult = native::BarrierWaitResult;
    sync::Notify = native::Condvar;
    sync::Once = native::Once;
    sync::OnceState = native::OnceState;
    sync::atomic::AtomicBool = native::atomic::AtomicBool;
    sync::atomic::AtomicI8 = native::atomic::AtomicI8;
    sync::atomic::AtomicI16 = native::atomic::AtomicI16;
    sync::atomic::AtomicI32 = native::atomic::AtomicI32;
    sync::atomic::AtomicI64 = native::atomic::AtomicI64;
    sync::atomic::AtomicIsize = native::atomic::AtomicIsize;
    sync::atomic::AtomicU8 = native::atomic::AtomicU8;
    sync::atomic::AtomicU16 = native::atomic::AtomicU16;
    sync::atomic::AtomicU32 = native::atomic::AtomicU32;
    sync::atomic::AtomicU64 = native::atomic::AtomicU64;
    sync::atomic::AtomicUsize = native::atomic::AtomicUsize;
    future::AtomicWaker = native::Mutex<Option<std::task::Waker>>;
    thread::Thread = system::Thread;
    thread::ThreadId = system::ThreadId;
    thread::Builder = system::Builder;
    thread::AccessError = system::AccessError;
    thread::Scope<'static, 'static> = system::Scope<'static, 'static>;
}

generic! { T:
    sync::Arc<T> = native::Arc<T>;
    sync::Weak<T> = native::Weak<T>;
    sync::Mutex<T> = native::Mutex<T>;
    sync::MutexGuard<'static, T> = native::MutexGuard<'static, T>;
    sync::RwLock<T> = native::RwLock<T>;
    sync::RwLockReadGuard<'static, T> = native::RwLockReadGuard<'static, T>;
    sync::RwLockWriteGuard<'static, T> = native::RwLockWriteGuard<'static, T>;
    sync::OnceLock<T> = native::OnceLock<T>;
    sync::LazyLock<T> = native::LazyLock<T>;
    sync::LazyLock<u8, T> = native::LazyLock<u8, T>;
    sync::mpsc::Sender<T> = native::mpsc::Sender<T>;
    sync::mpsc::SyncSender<T> = native::mpsc::SyncSender<T>;
    sync::mpsc::Receiver<T> = native::mpsc::Receiver<T>;
    sync::atomic::AtomicPtr<T> = native::atomic::AtomicPtr<T>;
    cell::Cell<T> = Cell<T>;
    cell::UnsafeCell<T> = std::cell::UnsafeCell<T>;
    cell::ConstPtr<T> = *const T;
    cell::MutPtr<T> = *mut T;
    alloc::Track<T> = (T,);
    thread::LocalKey<T> = system::LocalKey<T>;
    lazy_static::Lazy<T> = fn() -> T;
    // The exceptions: `std`'s are always `Send` and `Sync`, and never `UnwindSafe`. Threads of a
    // model may return a value that is not `Send`, because all of them run in one thread of the
    // system, in which their handles stay.
    thread::JoinHandle<T> = native::Arc<native::Mutex<T>>;
    thread::ScopedJoinHandle<'static, T> = native::Arc<native::Mutex<T>>;
}

/// The contents lack the traits that their names exclude, and the table distinguishes types.
#[test]
fn the_contents_lack_what_their_names_say() {
    assert_eq!([has!(NotSync, Send), has!(NotSync, Sync), has!(NotSync, RefUnwindSafe)], [true, false, false]);
    assert_eq!([has!(NotSend, Send), has!(NotSend, Sync)], [false, true]);
    assert_eq!([has!(Neither, Send), has!(Neither, Sync)], [false, false]);
    assert_eq!([has!(NotUnpin, Unpin), has!(NotUnwindSafe, UnwindSafe), has!(u8, UnwindSafe)], [false, false, true]);
}
