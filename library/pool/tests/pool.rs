//! Pools: results, panics, borrows, the end of a pool, and features beyond rayon's.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Barrier, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use aqueduct_pool::{ThreadPool, ThreadPoolBuilder, Yield, in_place_scope, join, spawn, undisturbed, yield_local};

fn pool(threads: usize) -> ThreadPool {
    ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be made")
}

fn fib(n: u32) -> u32 {
    if n < 2 {
        return n;
    }
    let (a, b) = join(|| fib(n - 1), || fib(n - 2));
    a + b
}

fn message(panic: &(dyn std::any::Any + Send)) -> &str {
    panic.downcast_ref::<&str>().expect("a text")
}

/// Counts its drops.
struct Counted<'a>(&'a AtomicUsize);

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

#[test]
fn joins_return_both_results_for_all_sizes_of_pools_and_deques() {
    for threads in [1, 2, 5] {
        for capacity in [1, 4, 4096] {
            let pool = ThreadPoolBuilder::new().num_threads(threads).deque_capacity(capacity).build().expect("threads");
            assert_eq!(pool.install(|| fib(18)), 2584, "{threads} threads, {capacity} jobs");
            pool.close();
        }
    }
}

#[test]
fn a_second_closure_that_waits_for_the_first_is_stolen() {
    let pool = pool(2);
    for _ in 0..100 {
        let barrier = Barrier::new(2);
        let (a, b) = pool.join(
            || {
                barrier.wait();
                thread::current().id()
            },
            || {
                barrier.wait();
                thread::current().id()
            },
        );
        assert_ne!(a, b);
    }
    assert!(pool.counts().thefts >= 100);
}

#[test]
fn a_stolen_result_is_dropped_after_a_panic() {
    let (pool, barrier, dropped) = (pool(2), Barrier::new(2), AtomicUsize::new(0));
    let first = || {
        barrier.wait();
        panic!("first");
    };
    let second = || {
        barrier.wait();
        Counted(&dropped)
    };
    let result = catch_unwind(AssertUnwindSafe(|| pool.join(first, second).0));
    assert_eq!(message(&*result.expect_err("a panic")), "first");
    assert_eq!(dropped.into_inner(), 1);
}

#[test]
fn panics_of_either_closure_arrive_after_both_have_ended() {
    for threads in [1, 2] {
        let pool = pool(threads);
        let ended = AtomicUsize::new(0);
        let end = || {
            thread::sleep(Duration::from_millis(2));
            ended.fetch_add(1, Ordering::SeqCst);
        };
        let first = catch_unwind(AssertUnwindSafe(|| pool.join(|| panic!("first"), end)));
        assert_eq!(message(&*first.expect_err("a panic")), "first");
        assert_eq!(ended.load(Ordering::SeqCst), 1);
        let second = catch_unwind(AssertUnwindSafe(|| pool.join(end, || panic!("second"))));
        assert_eq!(message(&*second.expect_err("a panic")), "second");
        assert_eq!(ended.load(Ordering::SeqCst), 2);
        let both = catch_unwind(AssertUnwindSafe(|| pool.join(|| panic!("first"), || panic!("second"))));
        assert_eq!(message(&*both.expect_err("a panic")), "first");
    }
}

#[test]
fn a_panic_without_room_in_the_deque_arrives() {
    let pool = ThreadPoolBuilder::new().num_threads(1).deque_capacity(1).build().expect("threads");
    let ended = AtomicUsize::new(0);
    fn nest(depth: usize, ended: &AtomicUsize) {
        if depth == 0 {
            panic!("the innermost");
        }
        join(|| nest(depth - 1, ended), || ended.fetch_add(1, Ordering::Relaxed));
    }
    let panic = catch_unwind(AssertUnwindSafe(|| pool.install(|| nest(300, &ended))));
    assert_eq!(message(&*panic.expect_err("a panic")), "the innermost");
    assert_eq!(ended.into_inner(), 300);
}

/// Deep joins, most of which offer nothing: their closures keep what joins promise.
#[test]
fn joins_in_turn_call_both_closures_and_drop_each_result_once() {
    fn leaves<'a>(
        levels: u32,
        number: usize,
        bad: &[usize],
        ran: &'a AtomicUsize,
        dropped: &'a AtomicUsize,
    ) -> Vec<Counted<'a>> {
        if levels == 0 {
            assert!(!bad.contains(&number), "leaf {number}");
            ran.fetch_add(1, Ordering::SeqCst);
            return vec![Counted(dropped)];
        }
        let half = |number| move || leaves(levels - 1, number, bad, ran, dropped);
        let (mut a, b) = join(half(2 * number), half(2 * number + 1));
        a.extend(b);
        a
    }
    const LEVELS: u32 = if cfg!(miri) { 4 } else { 10 };
    const LEAVES: usize = 1 << LEVELS;
    for threads in [1, 2] {
        for bad in
            [&[][..], &[0], &[LEAVES - 1], &[LEAVES / 2, LEAVES / 2 + 1], &[3, LEAVES / 2 - 1, LEAVES / 2, LEAVES - 2]]
        {
            let (ran, dropped) = (AtomicUsize::new(0), AtomicUsize::new(0));
            let pool = pool(threads);
            let call = || pool.install(|| leaves(LEVELS, 0, bad, &ran, &dropped)).len();
            match catch_unwind(AssertUnwindSafe(call)) {
                Ok(count) => assert_eq!((bad.len(), count), (0, LEAVES)),
                Err(panic) => {
                    let first = format!("leaf {}", bad[0]);
                    assert_eq!(panic.downcast_ref::<String>(), Some(&first), "of several panics, the first closure's");
                }
            }
            pool.close();
            assert_eq!(ran.into_inner(), LEAVES - bad.len());
            assert_eq!(dropped.into_inner(), LEAVES - bad.len());
        }
    }
}

/// The jobs that a worker has offered before are empty, so the other worker depends on those that
/// come later.
#[test]
fn a_request_ends_joins_in_turn() {
    fn index() -> usize {
        aqueduct_pool::current_thread_index().expect("a worker")
    }
    /// Counts the leaves that run on another worker than `first`.
    fn tree(levels: u32, first: usize, stolen: &AtomicUsize) {
        if levels > 0 {
            join(|| tree(levels - 1, first, stolen), || tree(levels - 1, first, stolen));
            return;
        }
        let end = Instant::now() + Duration::from_millis(1);
        while Instant::now() < end {
            thread::yield_now();
        }
        stolen.fetch_add(usize::from(index() != first), Ordering::SeqCst);
    }
    fn below_empty_jobs(jobs: u32, body: &(dyn Fn() + Sync)) {
        if jobs == 0 {
            return body();
        }
        join(|| below_empty_jobs(jobs - 1, body), || ());
    }
    let (pool, stolen) = (pool(2), AtomicUsize::new(0));
    // The system may let the other worker wait for a whole tree.
    let has_stolen = (0..100).any(|_| {
        pool.install(|| below_empty_jobs(20, &|| tree(5, index(), &stolen)));
        stolen.load(Ordering::SeqCst) > 0
    });
    pool.close();
    assert!(has_stolen);
}

#[test]
fn more_jobs_than_a_deque_holds_run_once_each() {
    for threads in [1, 3] {
        let pool = ThreadPoolBuilder::new().num_threads(threads).deque_capacity(8).build().expect("threads");
        let runs: Vec<_> = (0..5000).map(|_| AtomicUsize::new(0)).collect();
        pool.scope(|scope| {
            for run in &runs {
                scope.spawn(move |_| {
                    run.fetch_add(1, Ordering::Relaxed);
                });
            }
        });
        assert!(runs.iter().all(|run| run.load(Ordering::Relaxed) == 1));
    }
}

#[test]
fn a_closed_pool_has_run_all_its_jobs() {
    let pool = pool(3);
    let runs = Arc::new(AtomicUsize::new(0));
    for _ in 0..500 {
        let runs = Arc::clone(&runs);
        pool.spawn(move || {
            spawn(move || {
                runs.fetch_add(1, Ordering::Relaxed);
            });
        });
    }
    pool.close();
    assert_eq!(runs.load(Ordering::Relaxed), 500);
}

#[test]
fn injected_jobs_come_though_a_worker_has_always_jobs_of_its_own() {
    let pool = pool(1);
    let (sender, receiver) = channel();
    let injected = Arc::new(AtomicUsize::new(0));
    fn again(left: usize, injected: Arc<AtomicUsize>, sender: std::sync::mpsc::Sender<usize>) {
        if injected.load(Ordering::SeqCst) > 0 || left == 0 {
            sender.send(left).expect("the test waits");
        } else {
            spawn(move || again(left - 1, injected, sender));
        }
    }
    let (started, is_started) = channel();
    let flag = Arc::clone(&injected);
    let go = Arc::new(Barrier::new(2));
    let gone = Arc::clone(&go);
    pool.spawn(move || {
        started.send(()).expect("the test waits");
        gone.wait();
        again(1000, flag, sender);
    });
    is_started.recv().expect("it starts");
    pool.spawn(move || {
        injected.fetch_add(1, Ordering::SeqCst);
    });
    go.wait();
    let left = receiver.recv().expect("it ends");
    assert!(left >= 1000 - 63, "{left} left: the injected job came late");
}

/// rayon's issue 592: a worker that holds a lock and waits takes a job that wants the lock.
#[test]
fn a_lock_is_held_across_a_join() {
    let pool = pool(2);
    let lock = &Mutex::new(0);
    for _ in 0..50 {
        pool.scope(|scope| {
            for _ in 0..20 {
                scope.spawn(move |_| {
                    let mut sum = lock.lock().expect("nobody panics");
                    // The pause lets the closures be stolen now and then.
                    let pause = || thread::sleep(Duration::from_micros(20));
                    undisturbed(|| join(|| join(pause, pause), || join(pause, pause)));
                    *sum += 1;
                });
            }
        });
    }
    assert_eq!(*lock.lock().expect("nobody panics"), 1000);
}

/// The second closure, on the thief, adds jobs that only the other worker can take before the
/// closure ends. Returns how many jobs the other worker has taken until then.
fn taken_while_waiting(wait: Duration) -> usize {
    let (begun, runs) = (Barrier::new(2), Arc::new(AtomicUsize::new(0)));
    let second = || {
        begun.wait();
        for _ in 0..3 {
            let runs = Arc::clone(&runs);
            spawn(move || {
                runs.fetch_add(1, Ordering::SeqCst);
            });
        }
        let end = Instant::now() + wait;
        while runs.load(Ordering::SeqCst) == 0 && Instant::now() < end {
            thread::yield_now();
        }
        runs.load(Ordering::SeqCst)
    };
    join(|| begun.wait(), second).1
}

#[test]
fn an_undisturbed_wait_takes_no_other_work() {
    let pool = pool(2);
    assert!(pool.install(|| taken_while_waiting(Duration::from_secs(60))) > 0);
    assert_eq!(pool.install(|| undisturbed(|| taken_while_waiting(Duration::from_millis(30)))), 0);
}

#[test]
fn an_undisturbed_yield_leaves_what_was_there_before() {
    let pool = pool(1);
    pool.install(|| {
        let runs = Arc::new(AtomicUsize::new(0));
        let add = || {
            let runs = Arc::clone(&runs);
            spawn(move || {
                runs.fetch_add(1, Ordering::Relaxed);
            });
        };
        add();
        undisturbed(|| {
            add();
            assert_eq!(yield_local(), Some(Yield::Executed));
            assert_eq!(yield_local(), Some(Yield::Idle));
            assert_eq!(runs.load(Ordering::Relaxed), 1);
        });
        assert_eq!(yield_local(), Some(Yield::Executed));
        assert_eq!(runs.load(Ordering::Relaxed), 2);
        assert_eq!(yield_local(), Some(Yield::Idle));
    });
}

#[test]
fn jobs_nest_only_up_to_the_bound() {
    static DEEPEST: AtomicUsize = AtomicUsize::new(0);
    thread_local!(static DEPTH: std::cell::Cell<usize> = const { std::cell::Cell::new(0) });
    fn job(depth: usize) {
        DEPTH.set(DEPTH.get() + 1);
        DEEPEST.fetch_max(DEPTH.get(), Ordering::Relaxed);
        if depth > 0 {
            join(thread::yield_now, || thread::sleep(Duration::from_micros(30)));
        }
        DEPTH.set(DEPTH.get() - 1);
    }
    let pool = ThreadPoolBuilder::new().num_threads(4).max_nested_jobs(2).build().expect("threads");
    // In place, so that the worker's frames are of injected jobs alone.
    pool.in_place_scope(|scope| (0..300).for_each(|_| scope.spawn(|_| job(1))));
    // The main loop's job is the first; two more may begin within it.
    let deepest = DEEPEST.load(Ordering::Relaxed);
    assert!((1..=3).contains(&deepest), "{deepest} jobs within each other");
}

#[test]
fn a_cancelled_scope_drops_the_jobs_that_have_not_begun() {
    struct OnDrop<'a>(&'a AtomicUsize);
    impl Drop for OnDrop<'_> {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
    let (begun, dropped) = (AtomicUsize::new(0), AtomicUsize::new(0));
    pool(1).scope(|scope| {
        for _ in 0..100 {
            let (value, begun) = (OnDrop(&dropped), &begun);
            scope.spawn(move |scope| {
                let _value = value;
                begun.fetch_add(1, Ordering::Relaxed);
                scope.cancel();
                assert!(scope.is_cancelled());
            });
        }
    });
    assert_eq!((begun.into_inner(), dropped.into_inner()), (1, 100));
}

#[test]
fn idle_workers_use_no_time() {
    let pool = pool(4);
    pool.install(|| fib(10));
    // On a busy machine they come to their sleep late.
    let rest = (0..20).any(|_| {
        let before = pool.counts();
        thread::sleep(Duration::from_millis(100));
        let after = pool.counts();
        after.attempts == before.attempts && after.sleeps == before.sleeps && after.sleeps >= 4
    });
    assert!(rest, "they look for work while there is none: {:?}", pool.counts());
}

#[test]
fn searches_in_vain_become_short() {
    let pool = pool(2);
    let attempts = |bursts| {
        let before = pool.counts().attempts;
        for _ in 0..bursts {
            pool.install(|| ());
            thread::sleep(Duration::from_millis(2));
        }
        pool.counts().attempts - before
    };
    attempts(8);
    // The worker that has run the job searches for 4 rounds, and the other one, which was woken,
    // for 35. Each looks into one deque, and once again before it sleeps.
    let made = attempts(50);
    assert!(made <= 50 * 52, "{made} attempts");
}

#[test]
fn bursts_with_gaps_wake_workers() {
    let pool = pool(3);
    for gap in 0..60 {
        let sum = AtomicUsize::new(0);
        pool.scope(|scope| {
            for number in 0..50 {
                let sum = &sum;
                scope.spawn(move |_| {
                    sum.fetch_add(number, Ordering::Relaxed);
                });
            }
        });
        assert_eq!(sum.into_inner(), 1225);
        thread::sleep(Duration::from_micros(gap * 20));
    }
}

#[test]
fn many_threads_call_in() {
    let pool = pool(2);
    let end = Instant::now() + Duration::from_millis(300);
    thread::scope(|threads| {
        for number in 0..4 {
            let pool = &pool;
            threads.spawn(move || {
                while Instant::now() < end {
                    assert_eq!(pool.install(|| join(|| number, || number + 1)), (number, number + 1));
                }
            });
        }
    });
}

#[test]
fn scopes_in_place_stay_on_the_thread() {
    let here = thread::current().id();
    let mut there = None;
    in_place_scope(|scope| {
        assert_eq!(thread::current().id(), here);
        scope.spawn(|_| there = Some(thread::current().id()));
    });
    assert_ne!(there, Some(here));
}

/// Returns the cores on which the system lets the calling thread run, such as `0-1`.
#[cfg(all(target_os = "linux", not(miri)))]
fn allowed_cores() -> String {
    let status = std::fs::read_to_string("/proc/thread-self/status").unwrap();
    let cores = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    cores.unwrap().trim().to_owned()
}

#[test]
#[cfg(all(target_os = "linux", not(miri)))]
fn workers_run_on_their_cores_and_find_far_work() {
    let all = allowed_cores();
    let first: usize = all.split(['-', ',']).next().unwrap().parse().unwrap();
    // The system refuses the second core, so the second worker runs anywhere.
    let pool = ThreadPoolBuilder::new().num_threads(3).cores([first, 8_191]).build().unwrap();
    assert_eq!(pool.broadcast(|_| allowed_cores()), [first.to_string(), all, first.to_string()]);
    // Three jobs wait for each other: both other workers have to steal.
    let met = std::sync::Barrier::new(3);
    pool.scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|_| {
                met.wait();
            });
        }
    });
    pool.close();
}
