//! A pool of workers counts primes by splitting ranges. Each worker has a work-stealing queue;
//! tasks from outside, and those for which a worker has no room, go to a shared queue. A thief can
//! take each task, also while its owner runs a long one: it then seizes the tasks of the owner's
//! block, which takes some microseconds (see `bwos`).
//!
//! cargo run -p aqueduct --example work_stealing_pool

use std::ops::Range;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::AcqRel, Ordering::Acquire, Ordering::Relaxed};
use std::thread;

use aqueduct::deque::{Geometry, Injector, Steal, lifo};

const WORKERS: usize = 4;
const NUMBERS: u64 = 200_000;
/// The length of ranges that are not split further.
const SHORT: u64 = 500;

type Task = Range<u64>;

/// The workers' shared state.
struct Pool {
    injector: Injector<Task>,
    /// Tasks that are in a queue or being run.
    pending: AtomicUsize,
    primes: AtomicU64,
}

struct Worker<'a> {
    pool: &'a Pool,
    own: lifo::Owner<Task>,
    others: Vec<lifo::Stealer<Task>>,
    run: usize,
    stolen: usize,
}

impl Worker<'_> {
    /// Adds a task: to the worker's queue, or to the shared one, or runs it at once.
    fn spawn(&mut self, task: Task) {
        self.pool.pending.fetch_add(1, Relaxed);
        if let Err(error) = self.own.push(task)
            && let Err(error) = self.pool.injector.push(error.into_inner())
        {
            self.run(error.into_inner());
        }
    }

    fn find(&mut self) -> Option<Task> {
        if let Ok(task) = self.own.pop() {
            return Some(task);
        }
        // It steals several tasks: the others wait in this worker's queue, where thieves find them.
        if let Steal::Success(task) = self.pool.injector.steal_batch_and_pop(&mut self.own, 16) {
            return Some(task);
        }
        // Empty: a steal request to the owner is pending. Retry: another thief was faster. The next
        // round tries again.
        let stolen = self.others.iter().map(lifo::Stealer::steal).find_map(Steal::success);
        self.stolen += usize::from(stolen.is_some());
        stolen
    }

    fn run(&mut self, task: Task) {
        self.run += 1;
        if task.end - task.start <= SHORT {
            let primes = task.filter(|&n| n > 1 && (2..).take_while(|d| d * d <= n).all(|d| n % d != 0)).count();
            self.pool.primes.fetch_add(primes as u64, Relaxed);
        } else {
            let middle = task.start.midpoint(task.end);
            self.spawn(task.start..middle);
            self.spawn(middle..task.end);
        }
        // Ordering: AcqRel, all that tasks did happens before the end.
        self.pool.pending.fetch_sub(1, AcqRel);
    }

    fn work(mut self) -> (usize, usize) {
        while self.pool.pending.load(Acquire) > 0 {
            match self.find() {
                Some(task) => self.run(task),
                None => thread::yield_now(),
            }
        }
        (self.run, self.stolen)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let pool = Pool { injector: Injector::new(256)?, pending: 1.into(), primes: 0.into() };
    pool.injector.push(0..NUMBERS)?;
    // Blocks are small: most thefts are then from another block than the owner's, and cheaper.
    let queues = (0..WORKERS).map(|_| lifo::with_geometry(Geometry::new(16, 4)?)).collect::<Result<Vec<_>, _>>()?;
    let stealers: Vec<_> = queues.iter().map(|(_, stealer)| stealer.clone()).collect();
    thread::scope(|scope| {
        for (number, (own, _)) in queues.into_iter().enumerate() {
            let others = (1..WORKERS).map(|other| stealers[(number + other) % WORKERS].clone()).collect();
            let worker = Worker { pool: &pool, own, others, run: 0, stolen: 0 };
            scope.spawn(move || {
                let (run, stolen) = worker.work();
                println!("worker {number} ran {run:>4} tasks, of which it stole {stolen}");
            });
        }
    });
    let primes = pool.primes.load(Relaxed);
    println!("{primes} primes below {NUMBERS}");
    assert_eq!(primes, 17_984);
    Ok(())
}
