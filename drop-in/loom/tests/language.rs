//! Programs in loom's language compile here, and have loom's meaning.

use std::future::poll_fn;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::task::Poll;
use std::time::Duration;

use loom::cell::{Cell, UnsafeCell};
use loom::future::{AtomicWaker, block_on};
use loom::sync::atomic::{AtomicBool, AtomicUsize};
use loom::sync::{Arc, Condvar, Mutex, Notify, RwLock, mpsc};
use loom::thread;

/// Returns the message of the panic, if the program fails.
fn failure(program: impl Fn() + Send + Sync + 'static) -> Option<String> {
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| loom::model(program)));
    let panic = outcome.err()?;
    Some(panic.downcast_ref::<String>().expect("failures have texts").clone())
}

#[loom::model(exhaustive, crate = loom)]
fn a_mutex_excludes_and_publishes() {
    let count = Arc::new(Mutex::new(0));
    let other = Arc::clone(&count);
    let thread = thread::spawn(move || *other.lock().unwrap() += 1);
    *count.lock().unwrap() += 1;
    thread.join().unwrap();
    assert_eq!(*count.lock().unwrap(), 2);
}

#[test]
fn locks_in_two_orders_are_a_deadlock() {
    let found = failure(|| {
        let locks = Arc::new((Mutex::new(()), Mutex::new(())));
        let other = Arc::clone(&locks);
        let thread = thread::spawn(move || {
            let _second = other.1.lock().unwrap();
            let _first = other.0.lock().unwrap();
        });
        let _first = locks.0.lock().unwrap();
        let _second = locks.1.lock().unwrap();
        drop((_first, _second));
        thread.join().unwrap();
    });
    let found = found.expect("each can hold what the other needs");
    assert!(found.contains("waits") && found.contains("language.rs"), "{found}");
}

#[test]
fn try_lock_may_find_it_locked() {
    loom::model(|| {
        let seen = std::sync::Arc::new(Mutex::new(0));
        let other = std::sync::Arc::clone(&seen);
        thread::spawn(move || drop(other.lock()));
        let _ = seen.try_lock().map(|mut value| *value += 1);
    });
}

#[test]
fn readers_share_and_writers_exclude() {
    loom::model(|| {
        let pair = Arc::new(RwLock::new((0, 0)));
        let other = Arc::clone(&pair);
        let thread = thread::spawn(move || {
            let mut pair = other.write().unwrap();
            pair.0 += 1;
            pair.1 += 1;
        });
        let (one, two) = *pair.read().unwrap();
        assert_eq!(one, two);
        thread.join().unwrap();
    });
}

#[test]
fn a_condition_is_waited_for() {
    loom::model(|| {
        let ready = Arc::new((Mutex::new(false), Condvar::new()));
        let other = Arc::clone(&ready);
        let thread = thread::spawn(move || {
            *other.0.lock().unwrap() = true;
            other.1.notify_one();
        });
        let mut guard = ready.0.lock().unwrap();
        while !*guard {
            guard = ready.1.wait(guard).unwrap();
        }
        drop(guard);
        thread.join().unwrap();
    });
}

#[test]
fn a_condition_that_is_set_outside_of_the_lock_loses_a_wake_up() {
    let found = failure(|| {
        let ready = Arc::new((Mutex::new(()), Condvar::new(), AtomicBool::new(false)));
        let other = Arc::clone(&ready);
        let thread = thread::spawn(move || {
            other.2.store(true, Release);
            other.1.notify_one();
        });
        let mut guard = ready.0.lock().unwrap();
        while !ready.2.load(Acquire) {
            guard = ready.1.wait(guard).unwrap();
        }
        drop(guard);
        thread.join().unwrap();
    });
    assert!(found.expect("between the load and the wait").contains("waits"));
}

#[test]
fn a_timed_wait_ends_in_both_ways() {
    static ENDS: [std::sync::atomic::AtomicUsize; 2] = [const { std::sync::atomic::AtomicUsize::new(0) }; 2];
    loom::model(|| {
        let ready = Arc::new((Mutex::new(()), Condvar::new()));
        let other = Arc::clone(&ready);
        let thread = thread::spawn(move || {
            let guard = other.0.lock().unwrap();
            other.1.notify_all();
            drop(guard);
        });
        let guard = ready.0.lock().unwrap();
        let (guard, result) = ready.1.wait_timeout(guard, Duration::from_secs(1)).unwrap();
        ENDS[usize::from(result.timed_out())].fetch_add(1, Relaxed);
        drop(guard);
        thread::park_timeout(Duration::from_secs(1));
        thread.join().unwrap();
    });
    assert!(ENDS.iter().all(|end| end.load(Relaxed) > 0));
}

#[test]
fn a_parked_thread_is_unparked() {
    loom::model(|| {
        let main = thread::current();
        let flag = Arc::new(AtomicBool::new(false));
        let other = Arc::clone(&flag);
        let thread = thread::Builder::new().name("waker".to_owned()).spawn(move || {
            other.store(true, Relaxed);
            main.unpark();
            thread::current().name().map(str::to_owned)
        });
        thread::park();
        assert!(flag.load(Relaxed), "unpark happens before the end of park");
        let thread = thread.unwrap();
        assert_ne!(thread.thread().id(), thread::current().id());
        assert_eq!(thread.join().unwrap().as_deref(), Some("waker"));
    });
}

#[test]
fn a_notification_is_taken_once() {
    let found = failure(|| {
        let notify = Arc::new(Notify::new());
        let other = Arc::clone(&notify);
        thread::spawn(move || {
            other.notify();
            other.notify();
        });
        notify.wait();
        notify.wait();
    });
    assert!(found.expect("both may come before the first wait").contains("waits"));
}

#[test]
fn a_channel_delivers_in_order_and_ends_with_its_senders() {
    loom::model(|| {
        let (sender, receiver) = mpsc::channel();
        let other = sender.clone();
        let threads = [thread::spawn(move || sender.send(1).unwrap()), thread::spawn(move || other.send(1).unwrap())];
        let sum: usize = std::iter::from_fn(|| receiver.recv().ok()).sum();
        assert_eq!(sum, 2);
        for thread in threads {
            thread.join().unwrap();
        }
    });
}

loom::thread_local! {
    static MINE: Cell<usize> = Cell::new(7);
    static DROPS: Dropping = Dropping;
}

loom::lazy_static! {
    static ref MADE: AtomicUsize = {
        assert!(!INITIALISED.swap(true, std::sync::atomic::Ordering::Relaxed), "made once in an execution");
        AtomicUsize::new(1)
    };
}

static INITIALISED: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);
static DROPPED: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);

struct Dropping;

impl Drop for Dropping {
    fn drop(&mut self) {
        MINE.with(|mine| mine.set(0));
        DROPPED.fetch_add(1, Relaxed);
    }
}

#[test]
fn locals_belong_to_their_thread_and_are_dropped_at_its_end() {
    loom::model(|| {
        let thread = thread::spawn(|| {
            MINE.with(|mine| mine.set(8));
            DROPS.with(|_| ());
            MINE.with(Cell::get)
        });
        assert_eq!(MINE.with(Cell::get), 7);
        assert_eq!(thread.join().unwrap(), 8);
        assert_eq!(DROPPED.swap(0, Relaxed), 1);
    });
}

#[test]
fn a_lazy_static_is_made_once_and_published() {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(|| {
        INITIALISED.store(false, Relaxed);
        let thread = thread::spawn(|| MADE.fetch_add(1, Relaxed));
        MADE.fetch_add(1, Relaxed);
        thread.join().unwrap();
        assert_eq!(MADE.load(Relaxed), 3);
    });
}

/// loom exports three names of its threads from `lazy_static`, too, and tokio imports one of them
/// from there.
#[test]
fn lazy_statics_have_the_names_of_threads_too() {
    loom::model(|| {
        loom::lazy_static::yield_now();
        assert!(!loom::lazy_static::panicking());
        let access: Result<(), loom::lazy_static::AccessError> = MINE.try_with(|_| ());
        assert!(access.is_ok());
    });
}

#[test]
fn a_future_is_woken() {
    loom::model(|| {
        let shared = Arc::new((AtomicWaker::new(), AtomicBool::new(false)));
        let other = Arc::clone(&shared);
        let thread = thread::spawn(move || {
            other.1.store(true, Release);
            other.0.wake();
        });
        block_on(poll_fn(|context| {
            shared.0.register_by_ref(context.waker());
            if shared.1.load(Acquire) { Poll::Ready(()) } else { Poll::Pending }
        }));
        thread.join().unwrap();
    });
}

#[test]
fn a_waker_that_is_registered_after_the_look_is_lost() {
    let found = failure(|| {
        let shared = Arc::new((AtomicWaker::new(), AtomicBool::new(false)));
        let other = Arc::clone(&shared);
        thread::spawn(move || {
            other.1.store(true, Release);
            other.0.wake();
        });
        block_on(poll_fn(|context| {
            if shared.1.load(Acquire) {
                return Poll::Ready(());
            }
            shared.0.register_by_ref(context.waker());
            Poll::Pending
        }));
    });
    assert!(found.expect("the wake comes in between").contains("waits"));
}

#[test]
fn an_arc_that_is_forgotten_leaks() {
    let found = failure(|| std::mem::forget(Arc::new(1)));
    let found = found.expect("nobody drops it");
    assert!(found.contains("leak") && found.contains("language.rs"), "{found}");
}

#[test]
fn the_last_owner_has_the_value_to_himself() {
    loom::model(|| {
        let cell = Arc::new(UnsafeCell::new(0));
        let other = Arc::clone(&cell);
        let thread = thread::spawn(move || {
            // SAFETY: the other thread does not touch it before it is the only owner.
            other.with_mut(|value| unsafe { *value = 1 });
        });
        let mut cell = cell;
        if let Some(cell) = Arc::get_mut(&mut cell) {
            cell.with_mut(|_| ());
        }
        thread.join().unwrap();
        let raw = Arc::into_raw(cell);
        // SAFETY: the address was made just above.
        let cell = unsafe { Arc::from_raw(raw) };
        assert_eq!(Arc::try_unwrap(cell).unwrap().into_inner(), 1);
        let unsized_value: Arc<dyn Fn() -> usize> = Arc::from_std(std::sync::Arc::new(|| 3));
        assert_eq!(unsized_value(), 3);
    });
}

#[test]
fn each_use_of_a_pointer_into_a_cell_is_an_access() {
    let found = failure(|| {
        let cell = Arc::new((UnsafeCell::new(0), AtomicBool::new(false)));
        let other = Arc::clone(&cell);
        thread::spawn(move || {
            // The pointer is used after the flag is set.
            let pointer = other.0.get_mut();
            other.1.store(true, Release);
            // SAFETY: the model finds the race.
            *unsafe { pointer.deref() } = 1;
        });
        if cell.1.load(Acquire) {
            cell.0.with(|_| ());
        }
    });
    assert!(found.expect("the write goes on after the flag").contains("race"));
}

/// A guard that keeps a pointer unlocks before its fields are dropped, because a drop is no use of
/// the pointer.
#[test]
fn a_pointer_that_is_dropped_is_not_used() {
    loom::model(|| {
        let cell = Arc::new((AtomicBool::new(false), UnsafeCell::new(0)));
        let other = Arc::clone(&cell);
        let add = |cell: &(AtomicBool, UnsafeCell<usize>)| {
            while cell.0.compare_exchange(false, true, Acquire, Relaxed).is_err() {
                thread::yield_now();
            }
            let pointer = cell.1.get_mut();
            // SAFETY: the lock is held.
            *unsafe { pointer.deref() } += 1;
            cell.0.store(false, Release);
        };
        let thread = thread::spawn(move || add(&other));
        add(&cell);
        thread.join().unwrap();
    });
}

/// The other thread may never act while this one goes on: such executions are cut, and the check
/// reports them.
#[test]
fn a_loop_that_tries_and_yields_is_cut() {
    let report = aqueduct_model::Config::new().yield_bound(3).check(|| {
        let tries = std::sync::Arc::new(AtomicUsize::new(0));
        let other = std::sync::Arc::clone(&tries);
        thread::spawn(move || other.fetch_add(100, Relaxed));
        while tries.fetch_add(1, Relaxed) < 100 {
            thread::yield_now();
        }
    });
    assert!(report.failure.is_none(), "{}", report.failure.unwrap());
    assert_eq!((report.executions, report.cut, report.exhaustive), (4, 1, false));
}
