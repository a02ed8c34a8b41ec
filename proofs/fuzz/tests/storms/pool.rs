//! Pools with everything nested in everything: joins, scopes, broadcasts, other pools, tasks and
//! panics. Each frame that begins ends, each spawned job has run once the pool is closed, and each
//! panic arrives where it belongs.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::SeqCst};
use std::thread;

use aqueduct_fuzz::Random;
use aqueduct_pool::{ThreadPool, ThreadPoolBuilder, join, scope, scope_fifo, task, undisturbed};

use crate::weather::{storm, threads};

/// Panics on purpose, without a message on the terminal.
fn wanted_panic() -> ! {
    resume_unwind(Box::new(()))
}

/// The counts of all frames of a round.
#[derive(Default)]
struct Counts {
    begun: AtomicUsize,
    ended: AtomicUsize,
}

/// A frame on some thread's stack.
struct Frame<'a>(&'a Counts);

impl<'a> Frame<'a> {
    fn new(counts: &'a Counts) -> Self {
        counts.begun.fetch_add(1, SeqCst);
        Self(counts)
    }
}

impl Drop for Frame<'_> {
    fn drop(&mut self) {
        self.0.ended.fetch_add(1, SeqCst);
    }
}

/// The resources of a round's work.
struct Storm {
    other: ThreadPool,
    counts: Arc<Counts>,
}

impl Storm {
    /// Runs a random tree of work. Returns the number of its leaves that did not panic.
    fn work(&self, mut random: Random, depth: usize) -> u64 {
        let _frame = Frame::new(&self.counts);
        if random.one_in(25) {
            wanted_panic();
        }
        if depth == 0 {
            return 1;
        }
        let (a, b) = (random.fork(), random.fork());
        let half = |random| move || self.work(random, depth - 1);
        match random.below(12) {
            0..=2 => sum(join(half(a), half(b))),
            3 => undisturbed(|| sum(join(half(a), half(b)))),
            4 => self.scope(random, depth),
            5 => self.scope_fifo(random, depth),
            6 => aqueduct_pool::broadcast(|_| self.work(a.clone(), 0)).into_iter().sum(),
            7 => self.other.install(half(a)),
            8 => self.tasks(random),
            9 => undisturbed(|| self.tasks(random)),
            10 => catch_unwind(AssertUnwindSafe(half(a))).unwrap_or(0),
            _ => {
                let _ = aqueduct_pool::yield_now();
                half(a)()
            }
        }
    }

    fn scope(&self, mut random: Random, depth: usize) -> u64 {
        let sum = AtomicU64::new(0);
        scope(|scope| {
            for _ in 0..random.below(5) {
                let (sum, mut random) = (&sum, random.fork());
                scope.spawn(move |scope| {
                    let more = random.one_in(4).then(|| random.fork());
                    sum.fetch_add(self.work(random, depth - 1), SeqCst);
                    if let Some(random) = more {
                        scope.spawn(move |_| _ = sum.fetch_add(self.work(random, depth - 1), SeqCst));
                    }
                });
            }
            if random.one_in(10) {
                scope.cancel();
            }
        });
        sum.into_inner()
    }

    fn scope_fifo(&self, mut random: Random, depth: usize) -> u64 {
        let sum = AtomicU64::new(0);
        scope_fifo(|scope| {
            for _ in 0..random.below(5) {
                let (sum, random) = (&sum, random.fork());
                scope.spawn_fifo(move |_| _ = sum.fetch_add(self.work(random, depth - 1), SeqCst));
            }
        });
        sum.into_inner()
    }

    /// Waits in a worker for a task that yields, panics or is aborted.
    fn tasks(&self, mut random: Random) -> u64 {
        let counts = Arc::clone(&self.counts);
        let (panics, aborts) = (random.one_in(6), random.one_in(3));
        task::block_on(async move {
            let task = task::spawn(async move {
                task::yield_now().await;
                let _frame = Frame::new(&counts);
                if panics {
                    wanted_panic();
                }
                1
            });
            if aborts {
                task.abort();
            }
            task.await.unwrap_or(0)
        })
    }
}

fn sum((a, b): (u64, u64)) -> u64 {
    a + b
}

/// Spawns jobs and tasks, and ends the pool while they are under way.
fn end(pool: ThreadPool, panicked: &AtomicUsize, random: &mut Random) {
    let (count, ran) = (random.below(200), Arc::new(AtomicUsize::new(0)));
    for number in 0..count {
        let ran = Arc::clone(&ran);
        pool.spawn(move || {
            ran.fetch_add(1, SeqCst);
            if number % 7 == 0 {
                wanted_panic();
            }
        });
    }
    for polls in 0..random.below(100) {
        drop(pool.spawn_task(async move {
            for _ in 0..polls {
                task::yield_now().await;
            }
        }));
    }
    if random.one_in(2) {
        pool.close();
        assert_eq!(ran.load(SeqCst), count, "a closed pool has run its jobs");
        assert_eq!(panicked.load(SeqCst), count.div_ceil(7), "each panic came to the handler");
    }
}

fn round(random: &mut Random) -> usize {
    let counts = Arc::new(Counts::default());
    let panicked = Arc::new(AtomicUsize::new(0));
    let handler = {
        let panicked = Arc::clone(&panicked);
        move |_| _ = panicked.fetch_add(1, SeqCst)
    };
    let workers = 1 + random.below(threads() - 2);
    let builder = ThreadPoolBuilder::new().num_threads(workers).deque_capacity(1 + random.below(64));
    let builder = if random.one_in(4) { builder.max_nested_jobs(random.below(4)) } else { builder };
    let pool = builder.panic_handler(handler).build().expect("threads can be started");
    let other = ThreadPoolBuilder::new().num_threads(2).build().expect("threads can be started");
    let storm = Storm { other, counts: Arc::clone(&counts) };
    let trees = 20;
    for _ in 0..trees {
        let (random, depth) = (random.fork(), 2 + random.below(5));
        let result = catch_unwind(AssertUnwindSafe(|| pool.install(|| storm.work(random, depth))));
        if let Err(panic) = result {
            assert!(panic.is::<()>(), "a panic that no work has made");
        }
    }
    end(pool, &panicked, random);
    drop(storm);
    // An aborted task may still be in its last poll. If it never ends, the storm stands still.
    while counts.begun.load(SeqCst) != counts.ended.load(SeqCst) {
        thread::yield_now();
    }
    trees
}

#[test]
fn each_frame_ends() {
    storm("pools", "trees of work", round);
}
