//! Panics: the closures that run after one, and wakers that panic.

use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::task::{Context, Poll, RawWaker, RawWakerVTable, Wake, Waker};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use aqueduct_pool::task::{self, Task};
use aqueduct_pool::{ThreadPool, ThreadPoolBuilder, join, time};

/// Time after which a test has failed, instead of hanging.
const HUNG: Duration = Duration::from_secs(20);

fn pool(threads: usize) -> ThreadPool {
    ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be made")
}

/// Joins `first` and `second` within `depth` other joins, each of which offers its second closure.
fn nest(depth: usize, first: &(dyn Fn() + Sync), second: &(dyn Fn() + Sync)) {
    if depth == 0 {
        join(first, second);
    } else {
        join(|| nest(depth - 1, first, second), || ());
    }
}

/// Three offered closures are enough, so the deepest joins offer none.
#[test]
fn a_second_closure_runs_after_the_first_has_unwound() {
    let pool = pool(1);
    for depth in 0..6 {
        let (lock, is_panicking) = (Mutex::new(()), Mutex::new(None));
        let second = || {
            *is_panicking.lock().unwrap() = Some(thread::panicking());
            let _guard = lock.lock().unwrap();
            resume_unwind(Box::new(2));
        };
        let joins = || nest(depth, &|| resume_unwind(Box::new(1)), &second);
        let panic = catch_unwind(AssertUnwindSafe(|| pool.install(joins))).unwrap_err();
        assert_eq!(panic.downcast_ref(), Some(&1), "at depth {depth}");
        assert_eq!(is_panicking.into_inner().unwrap(), Some(false), "at depth {depth}");
        assert!(lock.is_poisoned(), "at depth {depth}");
    }
    pool.close();
}

/// Wakes a thread, if there is one, and panics.
struct Bad(Option<Thread>);

impl Wake for Bad {
    fn wake(self: Arc<Self>) {
        if let Some(thread) = &self.0 {
            thread.unpark();
        }
        resume_unwind(Box::new("a waker panics"));
    }
}

fn bad(thread: Option<Thread>) -> Waker {
    Waker::from(Arc::new(Bad(thread)))
}

/// Counts how often it is woken.
#[derive(Default)]
struct Count(AtomicUsize);

impl Wake for Count {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

/// Runs `body` on another thread, and fails if it does not end.
fn ends<R: Send + 'static>(body: impl FnOnce() -> R + Send + 'static) -> R {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || sender.send(body()));
    receiver.recv_timeout(HUNG).expect("it ends")
}

#[test]
fn a_timers_waker_that_panics_stops_no_other_timer() {
    let count = Arc::new(Count::default());
    let wakers = [bad(None), Waker::from(Arc::clone(&count)), bad(None), Waker::from(Arc::clone(&count))];
    // All of them are due at once.
    let due = Instant::now() + Duration::from_millis(20);
    let mut sleeps: Vec<_> = wakers.iter().map(|_| time::sleep_until(due)).collect();
    for (sleep, waker) in sleeps.iter_mut().zip(&wakers) {
        assert_eq!(Pin::new(sleep).poll(&mut Context::from_waker(waker)), Poll::Pending);
    }
    ends(|| task::block_on(time::sleep(Duration::from_millis(40))));
    assert_eq!(count.0.load(Ordering::SeqCst), 2);
}

#[test]
fn an_awaiters_waker_that_panics_stops_no_worker() {
    let pool = pool(1);
    let (sender, receiver) = mpsc::channel();
    let mut task = pin!(pool.spawn_task(poll_fn(move |_| {
        receiver.recv().expect("the test sends");
        Poll::Ready(7)
    })));
    let waker = bad(None);
    assert!(task.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
    sender.send(()).unwrap();
    // The worker has continued.
    assert_eq!(pool.install(|| 1), 1);
    assert!(matches!(task.poll(&mut Context::from_waker(Waker::noop())), Poll::Ready(Ok(7))));
    pool.close();
}

#[test]
fn a_park_handlers_waker_that_panics_stops_no_other_thread() {
    let park = |parked: &mut aqueduct_pool::Parked| {
        let waker = bad(Some(thread::current()));
        while Pin::new(&mut *parked).poll(&mut Context::from_waker(&waker)).is_pending() {
            thread::park();
        }
    };
    let pool = ThreadPoolBuilder::new().num_threads(1).park_handler(park).build().expect("threads can be made");
    for number in 0..50 {
        assert_eq!(pool.install(|| number), number);
        thread::sleep(Duration::from_millis(1));
    }
    let tasks: Vec<Task<()>> = (0..50).map(|_| pool.spawn_task(async {})).collect();
    tasks.into_iter().for_each(|task| task.join().expect("it does not panic"));
    pool.close();
}

/// Returns a waker whose clone sets a timer, and makes and takes a job of a pool.
fn busy_clone() -> Waker {
    const TABLE: RawWakerVTable = RawWakerVTable::new(
        |data| {
            let mut sleep = time::sleep(Duration::from_secs(1));
            assert!(Pin::new(&mut sleep).poll(&mut Context::from_waker(Waker::noop())).is_pending());
            RawWaker::new(data, &TABLE)
        },
        |_| (),
        |_| (),
        |_| (),
    );
    // SAFETY: the functions use no data.
    unsafe { Waker::from_raw(RawWaker::new(std::ptr::null(), &TABLE)) }
}

#[test]
fn a_waker_that_sets_a_timer_when_it_is_cloned_is_stored_and_replaced() {
    ends(|| {
        let mut sleep = time::sleep(Duration::from_secs(1));
        let other = Waker::from(Arc::new(Count::default()));
        for waker in [&busy_clone(), &other, &busy_clone()] {
            assert!(Pin::new(&mut sleep).poll(&mut Context::from_waker(waker)).is_pending());
        }
    });
}
