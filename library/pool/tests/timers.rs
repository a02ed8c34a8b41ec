//! Timers, and tasks that are stuck behind a busy worker.

use std::future::pending;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use aqueduct_pool::task::{self, yield_now};
use aqueduct_pool::{ThreadPool, ThreadPoolBuilder, time};

const SHORT: Duration = Duration::from_millis(5);

/// Longer than any test here.
const LONG: Duration = Duration::from_secs(100);

fn pool(threads: usize) -> ThreadPool {
    ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be made")
}

#[test]
fn sleeps_end_in_the_order_of_their_deadlines() {
    // Timers that are due at once are woken in order, and one worker keeps that order.
    let pool = pool(1);
    let (sender, receiver) = mpsc::channel();
    let start = Instant::now();
    let tasks: Vec<_> = [3, 1, 2]
        .map(|number| {
            let sender = sender.clone();
            pool.spawn_task(async move {
                time::sleep_until(start + 10 * number * SHORT).await;
                assert!(Instant::now() >= start + 10 * number * SHORT);
                sender.send(number).expect("somebody waits");
            })
        })
        .into();
    tasks.into_iter().for_each(|task| task.join().unwrap());
    assert_eq!(receiver.try_iter().collect::<Vec<_>>(), [1, 2, 3]);
    pool.close();
}

#[test]
fn many_sleeps_end() {
    let pool = pool(2);
    let tasks: Vec<_> =
        (0..5000).map(|number| pool.spawn_task(time::sleep(Duration::from_micros(number % 97 * 50)))).collect();
    tasks.into_iter().for_each(|task| task.join().unwrap());
    pool.close();
}

#[test]
fn a_timeout_ends_the_future_or_not() {
    assert_eq!(task::block_on(time::timeout(SHORT, pending::<()>())), Err(time::Elapsed));
    let quick = async {
        yield_now().await;
        7
    };
    assert_eq!(task::block_on(time::timeout(LONG, quick)), Ok(7));
    // A ready future wins against any deadline.
    assert_eq!(task::block_on(time::timeout(Duration::ZERO, async { 7 })), Ok(7));
    assert_eq!(task::block_on(time::timeout(Duration::MAX, async { 7 })), Ok(7));
}

#[test]
fn a_sleep_can_move() {
    task::block_on(async {
        let mut sleep = time::sleep(LONG);
        assert_eq!(time::timeout(SHORT, &mut sleep).await, Err(time::Elapsed));
        sleep.reset(Instant::now() + SHORT);
        sleep.await;
    });
}

#[test]
fn ticks_that_are_missed_are_left_out() {
    task::block_on(async {
        let before = Instant::now();
        let mut ticks = time::interval(SHORT);
        let after = Instant::now();
        std::thread::sleep(3 * SHORT + SHORT / 2);
        let first = ticks.tick().await;
        let second = ticks.tick().await;
        assert!(first >= before + SHORT && first <= after + SHORT);
        assert!(second >= first + 3 * SHORT);
        let periods = (second - first).as_nanos() / SHORT.as_nanos();
        assert_eq!((second - first).as_nanos(), periods * SHORT.as_nanos());
    });
}

/// A task wakes another task, and then keeps its worker busy until that task has run: another
/// worker has to take it, although no worker was woken for it.
#[test]
fn a_task_behind_a_busy_worker_is_taken() {
    for is_next in [true, false] {
        let pool = pool(2);
        let has_run = Arc::new(AtomicBool::new(false));
        let busy = pool.spawn_task(async move {
            // The other worker was woken to look for more tasks, and sleeps again.
            std::thread::sleep(4 * SHORT);
            let theirs = Arc::clone(&has_run);
            let other = task::spawn(async move {
                if !is_next {
                    yield_now().await;
                }
                theirs.store(true, Ordering::SeqCst);
            });
            if !is_next {
                // Both tasks yield: one of them is alone in the queue.
                yield_now().await;
            }
            let mut naps = 0;
            while !has_run.load(Ordering::SeqCst) {
                naps += 1;
                assert!(naps < 100_000, "nobody takes it");
                std::thread::sleep(Duration::from_micros(100));
            }
            other.await.unwrap();
        });
        busy.join().unwrap();
        pool.close();
    }
}
