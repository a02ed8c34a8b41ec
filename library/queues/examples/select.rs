//! A thread waits for whatever comes first: a command, a job, a tick, or the end of its patience.
//! It looks at each queue in turn and sleeps when all are empty; each sender unparks it after a
//! push.
//!
//! cargo run -p aqueduct --example select

use std::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};
use std::sync::atomic::{AtomicBool, fence};
use std::sync::{Arc, OnceLock};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use aqueduct::queue::{Pop, Push};
use aqueduct::{mpsc, spsc};

/// The thread that waits, and whether it sleeps.
#[derive(Default)]
struct Sleeper {
    thread: OnceLock<Thread>,
    sleeps: AtomicBool,
}

impl Sleeper {
    /// Wakes the thread. Call it after a push.
    fn wake(&self) {
        // Ordering: SeqCst pairs with the fence in `wait`: see the page `aqueduct::waiting`.
        fence(SeqCst);
        // Ordering: Acquire pairs with the Release in `wait`: the thread is stored.
        if self.sleeps.load(Acquire) {
            self.thread.get().into_iter().for_each(Thread::unpark);
        }
    }

    /// Repeats `attempt` until it returns something, or for at most that long.
    fn wait<R>(&self, patience: Duration, mut attempt: impl FnMut() -> Option<R>) -> Option<R> {
        self.thread.get_or_init(thread::current);
        let until = Instant::now() + patience;
        let mut result = attempt();
        while result.is_none() && Instant::now() < until {
            // Ordering: Release pairs with the Acquire in `wake`.
            self.sleeps.store(true, Release);
            // Ordering: SeqCst pairs with the fence in `wake`.
            fence(SeqCst);
            result = attempt();
            if result.is_none() {
                thread::park_timeout(until.saturating_duration_since(Instant::now()));
            }
            self.sleeps.store(false, Relaxed);
        }
        result
    }
}

/// An event of any queue.
enum Event {
    Command(&'static str),
    Job(u32),
    Tick,
}

fn send<Q: Push>(queue: &mut Q, item: Q::Item, sleeper: &Sleeper) {
    assert!(queue.push(item).is_ok(), "there is room for all");
    sleeper.wake();
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (mut commands, mut command) = spsc::ring::new(8)?;
    let (jobs, mut job) = mpsc::new(1024)?;
    let (mut ticks, mut tick) = spsc::ring::new(64)?;
    let sleeper = Arc::new(Sleeper::default());
    for worker in 0..2 {
        let (mut jobs, sleeper) = (jobs.clone(), Arc::clone(&sleeper));
        thread::spawn(move || (0..100).for_each(|job| send(&mut jobs, worker * 100 + job, &sleeper)));
    }
    let of_ticks = Arc::clone(&sleeper);
    thread::spawn(move || {
        for _ in 0..10 {
            thread::sleep(Duration::from_millis(1));
            send(&mut ticks, (), &of_ticks);
        }
        send(&mut commands, "stop", &of_ticks);
    });
    let (mut sum, mut seen, mut ticked, mut is_told) = (0, 0, 0, false);
    while !(is_told && seen == 200 && ticked == 10) {
        // Commands come first. The next attempt tries again a queue that is empty or busy.
        let event = sleeper.wait(Duration::from_secs(5), || {
            let next = command.pop().map(Event::Command).or_else(|_| job.pop().map(Event::Job));
            next.or_else(|_| Pop::pop(&mut tick).map(|()| Event::Tick)).ok()
        });
        match event {
            Some(Event::Command(command)) => is_told = command == "stop",
            Some(Event::Job(job)) => (sum, seen) = (sum + job, seen + 1),
            Some(Event::Tick) => ticked += 1,
            None => return Err("nothing came for 5 s".into()),
        }
    }
    println!("{seen} jobs, in sum {sum}, and {ticked} ticks came");
    Ok(())
}
