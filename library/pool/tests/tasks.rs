//! Tasks: results, wake-ups, abortion, panics, order, and the end of a pool.

use std::future::{Future, pending, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

use aqueduct_pool::task::{self, Task, yield_now};
use aqueduct_pool::{Parked, ThreadPool, ThreadPoolBuilder, join};

fn pool(threads: usize) -> ThreadPool {
    ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be made")
}

/// Counts its drops.
struct Counted(Arc<AtomicUsize>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

/// One message from one task to another.
#[derive(Default)]
struct Mail {
    full: AtomicBool,
    waker: Mutex<Option<Waker>>,
}

impl Mail {
    fn send(&self) {
        self.full.store(true, Ordering::SeqCst);
        let waker = self.waker.lock().expect("nobody panics").take();
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    async fn receive(&self) {
        poll_fn(|context| {
            *self.waker.lock().expect("nobody panics") = Some(context.waker().clone());
            if self.full.swap(false, Ordering::SeqCst) { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    }
}

/// Sends a message to the other side, and receives a message from it; one side sends first.
async fn exchange(mails: &[Mail; 2], side: usize) {
    if side == 0 {
        mails[1].send();
        mails[0].receive().await;
    } else {
        mails[1].receive().await;
        mails[0].send();
    }
}

#[test]
fn results_arrive_from_inside_and_outside() {
    let pool = pool(2);
    let outside: Vec<Task<usize>> = (0..100).map(|number| pool.spawn_task(async move { number })).collect();
    for (number, task) in outside.into_iter().enumerate() {
        assert_eq!(task.join().unwrap(), number);
    }
    let sum = pool.block_on(async {
        let tasks: Vec<_> = (0..10_000).map(|number| task::spawn(async move { number })).collect();
        let mut sum = 0;
        for task in tasks {
            sum += task.await.unwrap();
        }
        sum
    });
    assert_eq!(sum, 49_995_000);
    pool.close();
}

#[test]
fn messages_go_to_and_fro() {
    let pool = pool(2);
    let mails: Arc<[Mail; 2]> = Arc::default();
    let sides = [0, 1].map(|side| {
        let mails = Arc::clone(&mails);
        pool.spawn_task(async move {
            for _ in 0..20_000 {
                exchange(&mails, side).await;
            }
        })
    });
    sides.into_iter().for_each(|side| side.join().unwrap());
    pool.close();
}

#[test]
fn a_panic_arrives_at_the_awaiter() {
    let pool = pool(1);
    let task: Task<()> = pool.spawn_task(async { resume_unwind(Box::new(7)) });
    let error = task.join().unwrap_err();
    assert!(error.is_panic() && !error.is_aborted());
    assert_eq!(error.to_string(), "the task panicked");
    assert_eq!(error.try_into_panic().unwrap().downcast_ref(), Some(&7));
    let task: Task<()> = pool.spawn_task(async { resume_unwind(Box::new("as it is")) });
    let error = task.join().unwrap_err();
    assert_eq!(error.to_string(), "the task panicked: as it is");
    assert_eq!(catch_unwind(AssertUnwindSafe(|| error.resume())).unwrap_err().downcast_ref(), Some(&"as it is"));
    pool.close();
}

#[test]
fn a_detached_tasks_panic_goes_to_the_handler() {
    let (sender, receiver) = mpsc::channel();
    let sender = Mutex::new(sender);
    let handler = move |payload| sender.lock().expect("nobody panics").send(payload).expect("somebody waits");
    let pool = ThreadPoolBuilder::new().num_threads(1).panic_handler(handler).build().expect("a thread can be made");
    pool.spawn_task(async { resume_unwind(Box::new(7)) }).detach();
    assert_eq!(receiver.recv().unwrap().downcast_ref(), Some(&7));
    pool.close();
}

#[test]
fn an_aborted_task_drops_its_future_once() {
    let pool = pool(2);
    let drops = Arc::new(AtomicUsize::new(0));
    for round in 0..1000 {
        let value = Counted(Arc::clone(&drops));
        let task = pool.spawn_task(async move {
            let _value = value;
            for _ in 0..round % 5 {
                yield_now().await;
            }
            if round % 3 == 0 {
                pending::<()>().await;
            }
        });
        match round % 2 {
            0 => task.abort(),
            _ => task.abort_handle().abort(),
        }
        if let Err(error) = task.join() {
            assert!(error.is_aborted());
        }
        assert_eq!(drops.load(Ordering::SeqCst), round + 1);
    }
    pool.close();
}

#[test]
fn a_dropped_handle_aborts_and_a_detached_one_does_not() {
    let pool = pool(2);
    let drops = Arc::new(AtomicUsize::new(0));
    let value = Counted(Arc::clone(&drops));
    drop(pool.spawn_task(async move {
        let _value = value;
        pending::<()>().await;
    }));
    let (sender, receiver) = mpsc::channel();
    pool.spawn_task(async move {
        yield_now().await;
        sender.send(7).expect("somebody waits");
    })
    .detach();
    assert_eq!(receiver.recv(), Ok(7));
    pool.close();
    assert_eq!(drops.load(Ordering::SeqCst), 1);
}

#[test]
fn a_task_that_nobody_can_wake_is_dropped() {
    let pool = pool(1);
    let drops = Arc::new(AtomicUsize::new(0));
    let value = Counted(Arc::clone(&drops));
    let (sender, receiver) = mpsc::channel();
    pool.spawn_task(async move {
        let _value = value;
        sender.send(()).expect("somebody waits");
        pending::<()>().await;
    })
    .detach();
    receiver.recv().unwrap();
    // The only worker has left the task when it runs this.
    pool.install(|| ());
    assert_eq!(drops.load(Ordering::SeqCst), 1);
    pool.close();
}

#[test]
fn a_pool_that_ends_aborts_its_tasks() {
    let pool = pool(2);
    let drops = Arc::new(AtomicUsize::new(0));
    let wakers: Arc<Mutex<Vec<Waker>>> = Arc::default();
    let tasks: Vec<_> = (0..50)
        .map(|_| {
            let (value, wakers) = (Counted(Arc::clone(&drops)), Arc::clone(&wakers));
            pool.spawn_task(async move {
                let _value = value;
                poll_fn(|context| {
                    wakers.lock().expect("nobody panics").push(context.waker().clone());
                    Poll::<()>::Pending
                })
                .await;
            })
        })
        .collect();
    pool.close();
    assert_eq!(drops.load(Ordering::SeqCst), 50);
    for task in tasks {
        assert!(task.join().unwrap_err().is_aborted());
    }
    // The wakers outlive the pool.
    wakers.lock().unwrap().drain(..).for_each(Waker::wake);
}

#[test]
fn a_task_that_is_made_while_the_pool_ends_is_aborted() {
    struct Late(mpsc::Sender<bool>);
    impl Drop for Late {
        fn drop(&mut self) {
            let late = task::spawn(async {});
            self.0.send(late.join().is_err_and(|error| error.is_aborted())).expect("somebody waits");
        }
    }
    let pool = pool(1);
    let (sender, receiver) = mpsc::channel();
    let (late, mail) = (Late(sender), Arc::new(Mail::default()));
    let theirs = Arc::clone(&mail);
    pool.spawn_task(async move {
        let _late = late;
        theirs.receive().await;
    })
    .detach();
    pool.close();
    assert!(receiver.recv().unwrap());
}

#[test]
fn tasks_run_in_order_and_a_yield_goes_behind_them() {
    let pool = pool(1);
    let order: Arc<Mutex<Vec<usize>>> = Arc::default();
    pool.block_on(async {
        let tasks: Vec<_> = (0..3)
            .map(|number| {
                let order = Arc::clone(&order);
                task::spawn(async move {
                    for round in 0..2 {
                        order.lock().expect("nobody panics").push(10 * round + number);
                        yield_now().await;
                    }
                })
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
    });
    // The task that was woken last is next; the others come in order.
    assert_eq!(*order.lock().unwrap(), [2, 0, 1, 12, 10, 11]);
    pool.close();
}

#[test]
fn messages_do_not_starve_other_tasks() {
    let pool = pool(1);
    let mails: Arc<[Mail; 2]> = Arc::default();
    let stop = Arc::new(AtomicBool::new(false));
    let sides = [0, 1].map(|side| {
        let (mails, stop) = (Arc::clone(&mails), Arc::clone(&stop));
        pool.spawn_task(async move {
            while !stop.load(Ordering::SeqCst) {
                exchange(&mails, side).await;
            }
            mails[1 - side].send();
        })
    });
    // A task from outside, and one of the worker's own.
    pool.spawn_task(async move {
        let inner = task::spawn(async {
            yield_now().await;
            yield_now().await;
        });
        yield_now().await;
        inner.await.unwrap();
        stop.store(true, Ordering::SeqCst);
    })
    .join()
    .unwrap();
    sides.into_iter().for_each(|side| side.join().unwrap());
    pool.close();
}

/// A connection makes a task for each request. Each of them wakes it; it runs again when all have
/// answered.
#[test]
fn a_task_that_has_run_does_not_overtake_those_that_wake_it() {
    const REQUESTS: usize = 8;
    let pool = pool(1);
    let (answers, polls) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let counted = Arc::clone(&polls);
    let connection = poll_fn(move |context| {
        if counted.fetch_add(1, Ordering::SeqCst) == 0 {
            for _ in 0..REQUESTS {
                let (answers, waker) = (Arc::clone(&answers), context.waker().clone());
                let request = task::spawn(async move {
                    answers.fetch_add(1, Ordering::SeqCst);
                    waker.wake();
                });
                request.detach();
            }
        }
        if answers.load(Ordering::SeqCst) == REQUESTS { Poll::Ready(()) } else { Poll::Pending }
    });
    let connection = pool.spawn_task(async move {
        // From here on, the task is one of the worker's.
        yield_now().await;
        connection.await;
    });
    connection.join().unwrap();
    assert_eq!(polls.load(Ordering::SeqCst), 2);
    pool.close();
}

/// Workers wait in a reactor, which alone wakes the task, on the worker.
#[test]
fn what_a_park_handler_wakes_runs() {
    for threads in [1, 2] {
        let wakers: Arc<Mutex<Vec<Waker>>> = Arc::default();
        let theirs = Arc::clone(&wakers);
        let handler = move |parked: &mut Parked| {
            let ready = std::mem::take(&mut *theirs.lock().expect("nobody panics"));
            ready.into_iter().for_each(Waker::wake);
            park_thread(parked);
        };
        let pool = ThreadPoolBuilder::new().num_threads(threads).park_handler(handler).build().unwrap();
        let tasks: Vec<_> = (0..4)
            .map(|_| {
                let wakers = Arc::clone(&wakers);
                pool.spawn_task(async move {
                    for _ in 0..100 {
                        let mut is_first = true;
                        poll_fn(|context| {
                            if !std::mem::take(&mut is_first) {
                                return Poll::Ready(());
                            }
                            wakers.lock().expect("nobody panics").push(context.waker().clone());
                            Poll::Pending
                        })
                        .await;
                    }
                    join(|| 1, || 2)
                })
            })
            .collect();
        for task in tasks {
            assert_eq!(task.join().unwrap(), (1, 2));
        }
        pool.close();
    }
}

/// What a handler calls may spawn a job, which lands on the deque of the worker that waits there.
#[test]
fn what_a_park_handler_spawns_runs() {
    for threads in [1, 2] {
        let (sender, receiver) = mpsc::channel();
        let once = AtomicBool::new(true);
        let handler = move |parked: &mut Parked| {
            if once.swap(false, Ordering::SeqCst) {
                let sender = sender.clone();
                aqueduct_pool::spawn(move || sender.send(()).expect("the test waits"));
            }
            park_thread(parked);
        };
        let pool = ThreadPoolBuilder::new().num_threads(threads).park_handler(handler).build().unwrap();
        receiver.recv_timeout(std::time::Duration::from_secs(10)).expect("the job runs");
        pool.close();
    }
}

/// Parks the thread until the future is ready.
fn park_thread(parked: &mut Parked) {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    while Pin::new(&mut *parked).poll(&mut Context::from_waker(&waker)).is_pending() {
        thread::park();
    }
}

#[test]
fn tasks_and_jobs_share_the_workers() {
    fn fib(n: u64) -> u64 {
        if n < 2 {
            return n;
        }
        let (a, b) = join(|| fib(n - 1), || fib(n - 2));
        a + b
    }
    let pool = pool(2);
    let tasks: Vec<_> = (0..8)
        .map(|_| {
            pool.spawn_task(async {
                let first = fib(15);
                yield_now().await;
                first + task::spawn(async { fib(10) }).await.unwrap()
            })
        })
        .collect();
    for task in tasks {
        assert_eq!(task.join().unwrap(), 610 + 55);
    }
    pool.close();
}

#[test]
fn a_worker_that_blocks_helps() {
    let pool = pool(1);
    let sum = pool.install(|| {
        let outer = task::spawn(async {
            let inner = task::spawn(async { 1 });
            inner.join().unwrap() + 1
        });
        outer.join().unwrap() + 1
    });
    assert_eq!(sum, 3);
    pool.close();
}

#[test]
fn a_handle_can_be_awaited_from_task_to_task() {
    let pool = pool(2);
    let mut first = Some(pool.spawn_task(async {
        for _ in 0..10 {
            yield_now().await;
        }
        7
    }));
    // Each of these tasks polls the handle once, and passes it on.
    for _ in 0..5 {
        let task = first.take().unwrap();
        let next = pool.spawn_task(async move {
            let mut task = task;
            let mut result = None;
            poll_fn(|context| {
                if let Poll::Ready(value) = std::pin::Pin::new(&mut task).poll(context) {
                    result = Some(value);
                }
                Poll::Ready(())
            })
            .await;
            match result {
                Some(value) => Err(value),
                None => Ok(task),
            }
        });
        match next.join().unwrap() {
            Ok(task) => first = Some(task),
            Err(value) => {
                assert_eq!(value.unwrap(), 7);
                break;
            }
        }
    }
    if let Some(task) = first {
        assert_eq!(task.join().unwrap(), 7);
    }
    pool.close();
}
