//! The types themselves: atomics inside and outside of models, statics, scoped threads.

use std::cell::RefCell;
use std::fmt::Write;
use std::sync::Arc;

use aqueduct_model::cell::UnsafeCell;
use aqueduct_model::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, SeqCst};
use aqueduct_model::sync::atomic::{
    AtomicBool, AtomicI8, AtomicI64, AtomicPtr, AtomicU8, AtomicU16, AtomicU64, AtomicUsize, fence,
};
use aqueduct_model::{Config, model, sync, thread};

use crate::support::SCHEDULERS;

/// Operations of every width and kind, with the results that core's atomics give.
fn operations() {
    let byte = AtomicI8::new(127);
    assert_eq!(byte.fetch_add(1, Relaxed), 127);
    assert_eq!(byte.load(Relaxed), -128);
    assert_eq!(byte.fetch_max(-3, Relaxed), -128);
    assert_eq!(byte.fetch_min(5, AcqRel), -3);
    assert_eq!(byte.swap(-1, SeqCst), -3);
    assert_eq!(byte.fetch_nand(3, Relaxed), -1);
    assert_eq!(byte.into_inner(), !3);
    let unsigned = AtomicU8::new(200);
    assert_eq!(unsigned.fetch_sub(201, Relaxed), 200);
    assert_eq!(unsigned.fetch_max(3, Relaxed), 255);
    assert_eq!(unsigned.fetch_and(0x0f, Relaxed), 255);
    assert_eq!(unsigned.fetch_or(0x30, Relaxed), 0x0f);
    assert_eq!(unsigned.fetch_xor(0xff, Relaxed), 0x3f);
    assert_eq!(unsigned.load(Acquire), 0xc0);
    assert_eq!(AtomicU16::new(9).fetch_min(4, Relaxed), 9);
    let wide = AtomicU64::new(u64::MAX);
    assert_eq!(wide.fetch_add(2, Relaxed), u64::MAX);
    assert_eq!(wide.load(Relaxed), 1);
    assert_eq!(AtomicI64::new(-5).fetch_max(-7, Relaxed), -5);
    let mut flag = AtomicBool::default();
    assert!(!flag.fetch_nand(false, Relaxed));
    assert!(flag.fetch_not(Relaxed));
    assert!(!flag.fetch_or(true, Relaxed));
    assert_eq!(flag.compare_exchange(false, true, Relaxed, Relaxed), Err(true));
    *flag.get_mut() = false;
    assert!(!flag.load(Relaxed));
    let mut value = 5;
    let pointer = AtomicPtr::new(&raw mut value);
    assert_eq!(pointer.swap(std::ptr::null_mut(), Relaxed), &raw mut value);
    assert!(pointer.load(Relaxed).is_null());
    let mut pair = [1_u32, 2];
    let pointer = AtomicPtr::new(pair.as_mut_ptr());
    assert_eq!(pointer.fetch_ptr_add(1, Relaxed), pair.as_mut_ptr());
    assert_eq!(pointer.fetch_byte_sub(4, Relaxed), pair.as_mut_ptr().wrapping_add(1));
    assert_eq!(pointer.fetch_or(1, Relaxed), pair.as_mut_ptr());
    assert_eq!(pointer.fetch_and(!1, Relaxed).addr() & 1, 1);
    assert_eq!(pointer.load(Relaxed), pair.as_mut_ptr());
    let mut number = AtomicUsize::from(3);
    number.store(4, Relaxed);
    *number.get_mut() += 1;
    assert_eq!(number.load(Relaxed), 5);
    assert_eq!(format!("{number:?}"), "5");
    fence(SeqCst);
}

#[test]
fn operations_outside_of_a_model() {
    operations();
    let x = AtomicUsize::new(0);
    assert_eq!(x.update(Relaxed, Relaxed, |x| x + 1), 0);
    assert_eq!(x.try_update(Relaxed, Relaxed, |_| None), Err(1));
    assert_eq!(x.fetch_update(Relaxed, Relaxed, |x| Some(x + 1)), Ok(1));
    assert!(!UnsafeCell::new(3).with(|p| p.is_null()));
}

#[test]
fn operations_inside_of_a_model() {
    let report = Config::new().check(operations);
    assert!(report.failure.is_none(), "{}", report.failure.unwrap());
    assert_eq!(report.executions, 1);
}

/// Printing is not part of an execution. A logger that formats while it holds a `RefCell` must not
/// lose its turn there.
#[test]
fn an_atomic_is_printed_without_an_event() {
    thread_local! {
        static LOG: RefCell<String> = const { RefCell::new(String::new()) };
    }
    let report = Config::new().check(|| {
        let x = Arc::new(AtomicUsize::new(1));
        let threads = [2, 3].map(|value| {
            let x = Arc::clone(&x);
            thread::spawn(move || {
                LOG.with_borrow_mut(|log| write!(log, "{x:?}")).unwrap();
                assert_eq!(format!("{x:?}"), "1", "the other thread's store does not happen before");
                x.store(value, Relaxed);
                assert_eq!(format!("{x:?}"), value.to_string());
            })
        });
        assert_eq!(format!("{x:?}"), "1");
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert_eq!(format!("{x:?}"), x.load(Relaxed).to_string());
        LOG.with_borrow_mut(|log| assert_eq!(std::mem::take(log), "11"));
    });
    assert!(report.failure.is_none(), "{}", report.failure.unwrap());
    assert_eq!((report.executions, report.blocked, report.discarded), (2, 0, 0));
}

#[test]
#[should_panic(expected = "no such thing as a release load")]
fn impossible_orderings_panic() {
    let _ = AtomicUsize::new(0).load(aqueduct_model::sync::atomic::Ordering::Release);
}

#[test]
fn statics_begin_each_execution_anew() {
    static COUNT: AtomicUsize = AtomicUsize::new(7);
    for jobs in [1, 2] {
        let report = Config::new().jobs(jobs).check(|| {
            let others: Vec<_> = (0..2).map(|_| thread::spawn(|| COUNT.fetch_add(1, Relaxed))).collect();
            COUNT.fetch_add(1, Relaxed);
            for other in others {
                other.join().unwrap();
            }
            assert_eq!(COUNT.load(Relaxed), 10);
        });
        assert!(report.failure.is_none(), "{}", report.failure.unwrap());
        assert_eq!(report.executions, 6);
    }
}

#[test]
fn scoped_threads_borrow() {
    let report = Config::new().check(|| {
        let sum = AtomicUsize::new(0);
        let first = thread::scope(|scope| {
            scope.spawn(|| sum.fetch_add(1, Relaxed));
            scope.spawn(|| sum.fetch_add(1, Relaxed)).join().unwrap()
        });
        assert!(first < 2);
        assert_eq!(sum.load(Relaxed), 2);
    });
    assert!(report.failure.is_none(), "{}", report.failure.unwrap());
    assert_eq!(report.executions, 2);
}

#[test]
fn threads_have_names_of_their_own() {
    model(|| {
        let main = thread::current().id();
        let other = thread::spawn(|| thread::current().id()).join().unwrap();
        assert_ne!(main, other);
        assert_eq!(main, thread::current().id());
    });
}

#[test]
fn nested_threads() {
    let report = Config::new().check(|| {
        let x = Arc::new(AtomicUsize::new(0));
        let (a, b) = (Arc::clone(&x), Arc::clone(&x));
        thread::spawn(move || {
            let inner = thread::spawn(move || a.fetch_add(1, Relaxed));
            b.fetch_add(1, Relaxed);
            inner.join().unwrap();
        });
        x.fetch_add(1, Relaxed);
    });
    assert!(report.failure.is_none(), "{}", report.failure.unwrap());
    assert_eq!(report.executions, 6);
}

#[test]
fn destructors_do_not_run_on_in_an_execution_that_has_ended() {
    struct Looks(Arc<AtomicUsize>);
    impl Drop for Looks {
        fn drop(&mut self) {
            let found = self.0.load(Relaxed);
            assert_ne!(found, 1, "dropped in the middle of everything");
        }
    }
    let report = Config::new().check(|| {
        let x = Arc::new(AtomicUsize::new(0));
        let y = Arc::new(AtomicUsize::new(0));
        let (looks, go) = (Looks(Arc::clone(&x)), Arc::clone(&y));
        let waiting = thread::spawn(move || {
            looks.0.store(1, Relaxed);
            aqueduct_model::await_until(|| go.load(Relaxed) == 1);
            looks.0.store(0, Relaxed);
        });
        assert_eq!(x.load(Relaxed), 0, "as told");
        y.store(1, Relaxed);
        waiting.join().unwrap();
    });
    let failure = report.failure.expect("the load can read 1");
    assert!(failure.message.contains("as told"), "{failure}");
}

#[test]
fn two_threads_may_panic_at_once() {
    struct Looks(Arc<AtomicUsize>);
    impl Drop for Looks {
        fn drop(&mut self) {
            self.0.load(Relaxed);
            self.0.load(Relaxed);
        }
    }
    for scheduler in SCHEDULERS {
        let report = Config::new().scheduler(scheduler).check(|| {
            let x = Arc::new(AtomicUsize::new(0));
            for _ in 0..2 {
                let looks = Looks(Arc::clone(&x));
                thread::spawn(move || assert_eq!(looks.0.load(Relaxed), 1, "as told"));
            }
        });
        let failure = report.failure.expect("nobody stores 1");
        assert!(failure.message.contains("as told"), "{failure}");
    }
}

#[test]
fn scoped_threads_have_names_and_handles() {
    let report = Config::new().check(|| {
        thread::scope(|scope| {
            let name = || thread::current().name().map(str::to_owned);
            let named = thread::Builder::new().name("worker".to_owned()).spawn_scoped(scope, name).unwrap();
            let nameless = scope.spawn(name);
            assert_eq!(named.thread().name(), Some("worker"));
            assert_ne!(named.thread().id(), nameless.thread().id());
            assert_eq!(named.join().unwrap().as_deref(), Some("worker"));
            assert_eq!(nameless.join().unwrap(), None);
        });
    });
    assert!(report.failure.is_none(), "{}", report.failure.unwrap());
}

/// A loop that sleeps waits for other threads, as one that yields does.
#[test]
fn a_loop_that_sleeps_polls() {
    let report = Config::new().check(|| {
        let flag = Arc::new(AtomicBool::new(false));
        let other = Arc::clone(&flag);
        let thread = thread::spawn(move || other.store(true, Relaxed));
        while !flag.load(Relaxed) {
            thread::sleep(std::time::Duration::from_secs(3600));
        }
        thread.join().unwrap();
    });
    assert!(report.failure.is_none(), "{}", report.failure.unwrap());
    assert!(report.exhaustive);
}

/// The time may be over before the condition holds; the result reports that.
#[test]
fn a_condition_is_waited_for_until_the_time_is_over() {
    let seen = Arc::new(std::sync::Mutex::new(std::collections::BTreeSet::new()));
    let note = Arc::clone(&seen);
    let report = Config::new().check(move || {
        let pair = Arc::new((sync::Mutex::new(0), sync::Condvar::new()));
        let other = Arc::clone(&pair);
        let thread = thread::spawn(move || {
            *other.0.lock().unwrap() = 1;
            other.1.notify_one();
        });
        let (lock, condvar) = &*pair;
        let moment = std::time::Duration::from_millis(1);
        let (value, result) = condvar.wait_timeout_while(lock.lock().unwrap(), moment, |value| *value == 0).unwrap();
        note.lock().unwrap().insert((*value, result.timed_out()));
        drop(value);
        assert!(!lock.is_poisoned());
        thread.join().unwrap();
    });
    assert!(report.failure.is_none(), "{}", report.failure.unwrap());
    let seen: Vec<_> = seen.lock().unwrap().iter().copied().collect();
    assert_eq!(seen, [(0, true), (1, false)]);
}

#[test]
fn a_writer_that_reads_on_lets_no_other_writer_in_between() {
    let report = Config::new().check(|| {
        let lock = Arc::new(sync::RwLock::new(0));
        let theirs = Arc::clone(&lock);
        let writer = thread::spawn(move || *theirs.write().unwrap() += 1);
        let mut mine = lock.write().unwrap();
        *mine += 1;
        let (written, mine) = (*mine, sync::RwLockWriteGuard::downgrade(mine));
        assert_eq!(*mine, written);
        drop(mine);
        writer.join().unwrap();
        assert_eq!(*lock.read().unwrap(), 2);
    });
    assert!(report.exhaustive && report.executions == 2, "{report}");
}

#[test]
fn thread_locals_of_cells_have_stds_methods() {
    aqueduct_model::thread_local! {
        static NUMBER: std::cell::Cell<usize> = std::cell::Cell::new(1);
        static LIST: std::cell::RefCell<Vec<usize>> = std::cell::RefCell::new(Vec::new());
    }
    aqueduct_model::model(|| {
        let other = thread::spawn(|| NUMBER.replace(3));
        NUMBER.set(2);
        LIST.with_borrow_mut(|list| list.push(NUMBER.get()));
        assert_eq!((LIST.with_borrow(Vec::len), LIST.take(), NUMBER.take()), (1, vec![2], 2));
        LIST.set(vec![7]);
        assert_eq!((LIST.replace(Vec::new()), other.join().unwrap()), (vec![7], 1));
    });
}
