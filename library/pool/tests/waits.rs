//! Waits within waits: a worker that waits runs what it waits for, however deep it is, and in
//! `undisturbed`, too.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Mutex, mpsc};
use std::thread;
use std::time::Duration;

use aqueduct_pool::task::{self, block_on, yield_now};
use aqueduct_pool::{ThreadPool, ThreadPoolBuilder, join, scope, scope_fifo, spawn, spawn_fifo, undisturbed};

/// Time after which a test has failed, instead of hanging.
const HUNG: Duration = Duration::from_secs(60);

fn pool(threads: usize) -> ThreadPool {
    ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be made")
}

/// Runs `body` on a worker of a pool, and fails if it does not end.
fn ends_on<R: Send + 'static>(threads: usize, most_nested: usize, body: impl FnOnce() -> R + Send + 'static) -> R {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let builder = ThreadPoolBuilder::new().num_threads(threads).max_nested_jobs(most_nested);
        let pool = builder.build().expect("threads can be made");
        let result = pool.install(body);
        pool.close();
        sender.send(result)
    });
    let message = format!("{threads} workers with max_nested_jobs({most_nested}) end");
    receiver.recv_timeout(HUNG).expect(&message)
}

/// Blocks on a task that blocks on a task, to this depth.
fn nest(depth: usize) -> usize {
    if depth == 0 { 0 } else { 1 + block_on(task::spawn(async move { nest(depth - 1) })).expect("no panic") }
}

/// Blocks on two tasks, each of which does so.
fn tree(depth: usize) -> usize {
    if depth == 0 {
        return 1;
    }
    block_on(async {
        let both = [(); 2].map(|()| {
            task::spawn(async move {
                yield_now().await;
                tree(depth - 1)
            })
        });
        let mut sum = 0;
        for task in both {
            sum += task.await.expect("no panic");
        }
        sum
    })
}

/// Does all of it within each other: a join, a scope, a wait for tasks, each of them undisturbed or
/// not.
fn mixed(depth: usize, is_undisturbed: bool) -> usize {
    if depth == 0 {
        return 1;
    }
    let below = move || mixed(depth - 1, depth.is_multiple_of(2));
    let body = move || match depth % 3 {
        0 => {
            let (a, b) = join(below, below);
            a + b
        }
        1 => {
            let sum = AtomicUsize::new(0);
            scope(|scope| {
                for _ in 0..2 {
                    scope.spawn(|_| drop_sum(sum.fetch_add(below(), Ordering::Relaxed)));
                }
            });
            sum.into_inner()
        }
        _ => block_on(async move {
            let other = task::spawn(async move { below() });
            let task = task::spawn(async move {
                yield_now().await;
                below()
            });
            task.await.expect("no panic") + other.await.expect("no panic")
        }),
    };
    if is_undisturbed { undisturbed(body) } else { body() }
}

fn drop_sum(_: usize) {}

#[test]
fn a_worker_that_blocks_on_its_own_task_runs_it_at_any_depth() {
    for (threads, most_nested) in [(1, 64), (4, 64), (1, 0), (2, 0), (4, 0), (1, 3), (4, 3)] {
        for depth in [1, 4, 20, 65, 300] {
            assert_eq!(ends_on(threads, most_nested, move || nest(depth)), depth);
        }
    }
}

#[test]
fn an_undisturbed_worker_that_blocks_on_its_own_task_runs_it_at_any_depth() {
    for (threads, most_nested) in [(1, 64), (4, 64), (1, 0), (4, 3)] {
        for depth in [1, 20, 300] {
            assert_eq!(ends_on(threads, most_nested, move || undisturbed(|| nest(depth))), depth);
        }
    }
}

/// Of two tasks, one is not the worker's next task.
#[test]
fn trees_of_tasks_that_block_end() {
    for (threads, most_nested) in [(1, 64), (1, 0), (2, 0), (4, 1)] {
        assert_eq!(ends_on(threads, most_nested, || tree(6)), 64);
        assert_eq!(ends_on(threads, most_nested, || undisturbed(|| tree(6))), 64);
        assert_eq!(ends_on(threads, most_nested, || join(|| undisturbed(|| tree(5)), || tree(5))), (32, 32));
    }
}

#[test]
fn waits_of_all_kinds_within_each_other_end() {
    for (threads, most_nested) in [(1, 64), (1, 0), (2, 1), (4, 0), (4, 64)] {
        for _ in 0..4 {
            assert_eq!(ends_on(threads, most_nested, || mixed(8, true)), 256);
        }
    }
}

/// All workers block on tasks that another thread makes, and each of them may nest no job.
#[test]
fn workers_that_all_block_run_the_tasks_from_outside() {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let builder = ThreadPoolBuilder::new().num_threads(2).max_nested_jobs(0);
        let pool = Arc::new(builder.build().expect("threads can be made"));
        let (both, theirs) = (Barrier::new(3), Arc::clone(&pool));
        let blocked = || {
            let (task, result) = mpsc::channel();
            let (both, theirs) = (&both, &theirs);
            let waits = move || {
                both.wait();
                block_on(result.recv().expect("the test sends"))
            };
            (task, waits, theirs)
        };
        let ((first, waits_first, _), (second, waits_second, _)) = (blocked(), blocked());
        thread::scope(|threads| {
            let one = threads.spawn(|| pool.install(waits_first));
            let two = threads.spawn(|| pool.install(waits_second));
            both.wait();
            first.send(pool.spawn_task(async { 1 })).expect("the worker waits");
            second.send(pool.spawn_task(async { 2 })).expect("the worker waits");
            let sum = one.join().unwrap().unwrap() + two.join().unwrap().unwrap();
            sender.send(sum).expect("the test waits");
        });
    });
    assert_eq!(receiver.recv_timeout(HUNG), Ok(3));
}

/// The other worker is the thread that made the pool, which may never come to the pool's work.
#[test]
fn a_worker_beside_the_current_thread_blocks_on_two_tasks() {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let builder = ThreadPoolBuilder::new().num_threads(2).use_current_thread().max_nested_jobs(0);
        let pool = builder.build().expect("threads can be made");
        let (inner, result) = mpsc::channel();
        pool.spawn_broadcast(move |context| {
            if context.index() == 1 {
                inner.send(tree(2)).expect("the test waits");
            }
        });
        // Not a wait of the pool.
        sender.send(result.recv().expect("the worker sends")).expect("the test waits");
    });
    assert_eq!(receiver.recv_timeout(HUNG), Ok(4));
}

/// This number of jobs fills a deque.
const FULL: usize = 20_000;

/// The jobs from before would find the lock taken.
#[test]
fn a_full_deque_does_not_disturb() {
    let pool = ThreadPoolBuilder::new().num_threads(1).deque_capacity(64).build().expect("threads can be made");
    let (lock, met, own) = (Mutex::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
    pool.scope(|scope| {
        let (lock, met) = (&lock, &met);
        for _ in 0..FULL {
            scope.spawn(move |_| match lock.try_lock() {
                Ok(mut runs) => *runs += 1,
                Err(_) => {
                    met.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        let _guard = lock.lock().expect("nobody panics");
        undisturbed(|| {
            let task = task::spawn(async { 3 });
            assert_eq!(join(|| 1, || 2), (1, 2));
            aqueduct_pool::scope(|inner| {
                (0..100).for_each(|_| inner.spawn(|_| drop_sum(own.fetch_add(1, Ordering::Relaxed))))
            });
            assert_eq!(own.load(Ordering::Relaxed), 100);
            assert_eq!(block_on(task).expect("no panic"), 3);
            while aqueduct_pool::yield_now() == Some(aqueduct_pool::Yield::Executed) {}
        });
        assert_eq!(met.load(Ordering::Relaxed), 0, "jobs from before");
    });
    assert_eq!((*lock.lock().expect("nobody panics"), met.into_inner()), (FULL, 0));
    pool.close();
}

/// The tickets of these jobs stand for the oldest job of the worker.
#[test]
fn jobs_in_order_do_not_disturb() {
    let pool = pool(1);
    pool.install(|| {
        let is_within = &AtomicBool::new(false);
        let runs = Arc::new(AtomicUsize::new(0));
        scope_fifo(|scope| {
            let before = move |_: &_| assert!(!is_within.load(Ordering::Relaxed), "a job from before");
            (0..3).for_each(|_| scope.spawn_fifo(before));
            undisturbed(|| {
                is_within.store(true, Ordering::Relaxed);
                scope.spawn_fifo(|_| drop_sum(runs.fetch_add(1, Ordering::Relaxed)));
                let theirs = Arc::clone(&runs);
                spawn_fifo(move || drop_sum(theirs.fetch_add(1, Ordering::Relaxed)));
                while aqueduct_pool::yield_local() == Some(aqueduct_pool::Yield::Executed) {}
                assert_eq!(runs.load(Ordering::Relaxed), 2);
                is_within.store(false, Ordering::Relaxed);
            });
        });
    });
    pool.close();
}

/// Tasks from before may take the lock that the body's caller holds; a task of the body may not
/// wait for them.
#[test]
fn tasks_from_before_wait_until_the_body_has_ended() {
    let pool = pool(1);
    pool.install(|| {
        let is_within = Arc::new(AtomicBool::new(true));
        let theirs = Arc::clone(&is_within);
        let before = task::spawn(async move { assert!(!theirs.load(Ordering::SeqCst), "a task from before") });
        let left = undisturbed(|| {
            let own = [(); 3].map(|()| {
                task::spawn(async {
                    yield_now().await;
                    undisturbed(|| block_on(task::spawn(async { 1 }))).expect("no panic")
                })
            });
            let left = task::spawn(async { 5 });
            let sum = own.into_iter().map(|task| task.join().expect("no panic")).sum::<usize>();
            is_within.store(false, Ordering::SeqCst);
            assert_eq!(sum, 3);
            left
        });
        // A task that is left is a task like others.
        assert_eq!(left.join().expect("no panic"), 5);
        before.join().expect("no panic");
    });
    pool.close();
}

/// A worker that is busy in a body has made tasks there: another worker runs them.
#[test]
fn other_workers_run_the_tasks_of_a_body() {
    let pool = pool(2);
    let (sender, receiver) = mpsc::channel();
    let received = pool.install(move || {
        undisturbed(|| {
            for number in 0..3 {
                let sender = sender.clone();
                task::spawn(async move { sender.send(number).expect("it waits") }).detach();
            }
            (0..3).map(|_| receiver.recv_timeout(HUNG).expect("another worker runs it")).sum::<usize>()
        })
    });
    assert_eq!(received, 3);
    pool.close();
}

/// A call of a broadcast of a body does not take the injected job.
#[test]
fn broadcasts_of_a_body_are_parts_of_it() {
    let pool = &pool(2);
    let runs = Arc::new(AtomicUsize::new(0));
    let call = |own: Option<usize>| {
        if aqueduct_pool::current_thread_index() != own {
            let theirs = Arc::clone(&runs);
            let inject = || pool.spawn(move || drop_sum(theirs.fetch_add(1, Ordering::SeqCst)));
            thread::scope(|threads| drop(threads.spawn(inject).join()));
            assert_eq!(aqueduct_pool::yield_now(), Some(aqueduct_pool::Yield::Idle));
            assert_eq!(runs.load(Ordering::SeqCst), 0);
        }
    };
    pool.install(|| {
        let own = aqueduct_pool::current_thread_index();
        undisturbed(|| drop(aqueduct_pool::broadcast(|_| call(own))));
    });
    pool.install(|| {
        while runs.swap(0, Ordering::SeqCst) == 0 {
            thread::yield_now();
        }
        let own = aqueduct_pool::current_thread_index();
        undisturbed(|| scope(|scope| scope.spawn_broadcast(|_, _| call(own))));
    });
}

/// A spawned job of a body that another worker runs does not disturb the body, either: it runs
/// nothing from elsewhere.
#[test]
fn spawned_jobs_of_a_body_are_part_of_it() {
    let pool = pool(2);
    let lock = &Mutex::new(0);
    for _ in 0..200 {
        pool.scope(|scope| {
            for _ in 0..6 {
                scope.spawn(move |_| {
                    let mut sum = lock.lock().expect("nobody panics");
                    let (sender, receiver) = mpsc::channel();
                    undisturbed(|| {
                        spawn(move || {
                            let pause = || thread::sleep(Duration::from_micros(20));
                            join(|| join(pause, pause), || join(pause, pause));
                            sender.send(1).expect("the body waits");
                        });
                        *sum += block_on(task::spawn(async move {
                            loop {
                                match receiver.try_recv() {
                                    Ok(number) => break number,
                                    Err(_) => yield_now().await,
                                }
                            }
                        }))
                        .expect("no panic");
                    });
                });
            }
        });
    }
    assert_eq!(*lock.lock().expect("nobody panics"), 1200);
    pool.close();
}
