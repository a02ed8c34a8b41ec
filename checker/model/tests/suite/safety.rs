//! Safe programs, however odd, get `std`'s guarantees: nothing is freed too early, no lock opens
//! early, nothing hangs.
#![forbid(unsafe_code)]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex as NativeMutex};

use aqueduct_model::alloc::Track;
use aqueduct_model::sync::atomic::AtomicUsize;
use aqueduct_model::sync::atomic::Ordering::Relaxed;
use aqueduct_model::sync::{Arc as ModelArc, Barrier, Condvar, Mutex, RwLock, mpsc};
use aqueduct_model::{Config, FailureKind, Report, lazy_static, model, thread};

use crate::support::passed;

fn first_line(report: &Report) -> Option<String> {
    let failure = report.failure.as_ref()?;
    failure.to_string().lines().next().map(str::to_owned)
}

#[test]
fn a_scope_waits_for_the_threads_that_its_threads_start() {
    let report = Config::new().check(|| {
        let count = AtomicUsize::new(0);
        let count = &count;
        let text = vec![7_u8; 4096];
        let text = &text;
        thread::scope(|scope| {
            scope.spawn(move || {
                count.fetch_add(1, Relaxed);
                scope.spawn(move || {
                    count.fetch_add(1, Relaxed);
                    scope.spawn(move || count.fetch_add(1, Relaxed));
                    assert!(text.iter().all(|&byte| byte == 7), "what the thread borrows has been freed");
                });
            });
        });
        assert_eq!(count.load(Relaxed), 3, "a thread of the scope has not ended");
    });
    passed(report);
}

/// A thread that is killed in a wait has no lock to open, because another thread may have it.
#[test]
fn a_thread_that_is_killed_in_a_wait_for_a_condition_opens_no_lock() {
    for timed in [false, true] {
        for steps in 0..12 {
            let report = Config::new().waits_fail(false).kill(1, steps).check(move || {
                let shared = Arc::new((Mutex::new(()), Condvar::new(), AtomicUsize::new(0)));
                let waiter = Arc::clone(&shared);
                thread::spawn(move || {
                    let guard = waiter.0.lock().unwrap();
                    if timed {
                        drop(waiter.1.wait_timeout(guard, std::time::Duration::ZERO));
                    } else {
                        drop(waiter.1.wait(guard));
                    }
                });
                for _ in 0..2 {
                    let user = Arc::clone(&shared);
                    thread::spawn(move || {
                        let _guard = user.0.lock().unwrap();
                        assert_eq!(user.2.fetch_add(1, Relaxed), 0, "two threads have the lock");
                        user.2.fetch_sub(1, Relaxed);
                    });
                }
            });
            assert_eq!(first_line(&report), None, "killed after {steps} steps");
            assert!(report.threads.iter().filter(|thread| thread.thread != 1).all(|thread| thread.always_ends()));
        }
    }
}

/// A wake-up does not go to a killed thread: if two wait and one is killed, `notify_one` wakes the
/// other.
#[test]
fn a_thread_that_is_killed_in_a_wait_is_not_woken() {
    // In its fourth step it waits.
    for steps in 0..=3 {
        let report = Config::new().waits_fail(false).kill(1, steps).check(|| {
            let shared = Arc::new((Mutex::new(0), Condvar::new()));
            let [dies, waits] = [(); 2].map(|()| {
                let shared = Arc::clone(&shared);
                thread::spawn(move || {
                    let mut ready = shared.0.lock().unwrap();
                    while *ready == 0 {
                        ready = shared.1.wait(ready).unwrap();
                    }
                })
            });
            let _ = dies.join();
            *shared.0.lock().unwrap() = 1;
            shared.1.notify_one();
            waits.join().unwrap();
        });
        assert_eq!(first_line(&report), None, "killed after {steps} steps");
        assert!(
            report.threads.iter().filter(|thread| thread.thread != 1).all(|thread| thread.always_ends()),
            "{report}"
        );
    }
}

#[test]
fn guards_live_and_die_outside_of_a_model() {
    let mutex = Mutex::new(1);
    *mutex.lock().unwrap() += 1;
    assert_eq!(mutex.try_lock().map(|guard| *guard).ok(), Some(2));
    let lock = RwLock::new(1);
    *lock.write().unwrap() += 1;
    assert_eq!(*lock.read().unwrap(), 2);
    assert!(lock.try_read().is_ok() && lock.try_write().is_ok());
    // The panic is one that unwinds already: a second panic would abort the process.
    let unwound = catch_unwind(AssertUnwindSafe(|| {
        let _guards = (mutex.lock(), lock.read());
        panic!("on purpose");
    }));
    assert!(unwound.is_err() && mutex.try_lock().is_ok() && lock.try_write().is_ok());
}

#[test]
fn objects_without_threads_work_outside_of_a_model() {
    let (sender, receiver) = mpsc::channel();
    sender.clone().send(ModelArc::new(3)).unwrap();
    assert_eq!(receiver.recv().map(|value| *value).ok(), Some(3));
    assert_eq!(receiver.try_recv().err(), Some(mpsc::TryRecvError::Empty));
    drop(sender);
    assert_eq!(receiver.try_recv().err(), Some(mpsc::TryRecvError::Disconnected));
    assert!(Barrier::new(1).wait().is_leader());
    assert_eq!(*Track::new(3).get_ref(), 3);
}

#[test]
fn a_model_inside_a_model_is_a_failure_that_says_so() {
    let report = Config::new().check(|| model(|| ()));
    let failure = report.failure.expect("the inner model is refused");
    assert_eq!(failure.kind, FailureKind::Panic);
    assert!(failure.message.contains("inside another"), "{failure}");
    let nested = Config::new().check(|| {
        let file = std::env::temp_dir().join("never written");
        let _ = Config::new().check_saving(&file, "inner", std::time::Duration::MAX, || ());
    });
    assert!(nested.failure.expect("the inner check is refused").message.contains("inside another"));
    // The thread of the system is restored: the next model is not inside another one.
    model(|| thread::spawn(|| ()).join().unwrap());
}

struct Holder(&'static String);

impl Drop for Holder {
    fn drop(&mut self) {
        assert_eq!(*self.0, TEXT);
    }
}

const TEXT: &str = "a string on the heap, long enough to be seen";

lazy_static! {
    static ref NAME: String = TEXT.to_owned();
    static ref HOLDER: Holder = Holder(&NAME);
    static ref SHARED: ModelArc<usize> = ModelArc::new(7);
    static ref LIST: Mutex<Vec<ModelArc<usize>>> = Mutex::new(Vec::new());
    static ref COUNT: AtomicUsize = AtomicUsize::new(0);
}

/// `&'static` keeps its promise: one lazy static may hold another one, and an ordinary static a
/// lazy one.
#[test]
fn what_a_lazy_static_gives_is_there_for_good() {
    static SEEN: NativeMutex<Vec<&'static String>> = NativeMutex::new(Vec::new());
    model(|| {
        assert_eq!(*HOLDER.0, TEXT);
        SEEN.lock().unwrap().push(&NAME);
        let thread = thread::spawn(|| COUNT.fetch_add(1, Relaxed));
        COUNT.fetch_add(1, Relaxed);
        thread.join().unwrap();
    });
    let seen = SEEN.lock().unwrap();
    assert!(seen.len() > 1 && seen.iter().all(|name| **name == TEXT));
}

#[test]
fn what_a_lazy_static_owns_is_no_leak() {
    model(|| assert_eq!(**SHARED, 7));
    model(|| {
        let thread = thread::spawn(|| LIST.lock().unwrap().push(ModelArc::new(1)));
        LIST.lock().unwrap().push(ModelArc::new(2));
        thread.join().unwrap();
    });
}

#[test]
fn a_lazy_static_has_no_value_outside_of_a_model() {
    assert!(catch_unwind(|| COUNT.load(Relaxed)).is_err());
    model(|| assert_eq!(COUNT.fetch_add(1, Relaxed), 0));
}

/// A lazy static that owns nothing excuses no leak.
#[test]
fn a_leak_beside_a_lazy_static_that_owns_nothing_is_found() {
    let report = Config::new().check(|| {
        COUNT.store(1, Relaxed);
        std::mem::forget(ModelArc::new(1));
    });
    assert_eq!(report.failure.map(|failure| failure.kind), Some(FailureKind::Leak));
}

#[test]
fn a_tracked_value_has_been_written_from_the_beginning() {
    model(|| {
        let shared = ModelArc::new(Track::new(5));
        let other = ModelArc::clone(&shared);
        let thread = thread::spawn(move || *other.get_ref());
        assert_eq!(*shared.get_ref(), thread.join().unwrap());
        Track::new(()).get_ref();
        let mut mine = Track::new(1);
        *mine.get_mut() += 1;
        assert_eq!((*mine.get_ref(), mine.into_inner()), (2, 2));
    });
}
