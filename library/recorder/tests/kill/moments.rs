//! Kills at random moments.

use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};
use std::{env, hint, thread};

use super::{Running, check, child, record};

const THREADS: usize = 2;

/// The child's side: records until it is killed. In the parent it does nothing.
#[test]
fn child_that_records() {
    let Some((_, progress)) = child() else { return };
    thread::scope(|scope| {
        for (which, committed) in progress[..THREADS].iter().enumerate() {
            scope.spawn(move || {
                for number in 0_u64.. {
                    record(number, which);
                    committed.store(number + 1, Relaxed);
                }
            });
        }
    });
}

fn start() -> Running {
    let mut running = Running::start("moments::child_that_records");
    (0..THREADS).for_each(|thread| running.wait_for(thread));
    running
}

fn kills() -> u64 {
    let is_thorough = env::var_os("AQUEDUCT_THOROUGH").is_some_and(|value| value == "1");
    let usual = if is_thorough { 500 } else { 100 };
    env::var("AQUEDUCT_KILLS").map_or(usual, |kills| kills.parse().expect("a number"))
}

#[test]
fn a_killed_process_leaves_every_record_that_it_committed() {
    let (mut records, mut lost) = (0, 0);
    for kill in 0..kills() {
        let mut running = start();
        let start = Instant::now();
        // Each kill comes at another moment, some of them in the first lap of the rings.
        let moment = Duration::from_nanos(kill * 7919 % 400_000);
        while start.elapsed() < moment {
            hint::spin_loop();
        }
        running.kill();
        let trace = running.trace();
        assert_eq!((trace.damaged(), trace.refused(), trace.gone().records), (0, 0, 0), "kill {kill}");
        let mut found: Vec<u64> = trace.threads().iter().map(|thread| check(&trace, thread)).collect();
        let mut committed: Vec<u64> = running.progress[..THREADS].iter().map(|count| count.load(Relaxed)).collect();
        found.sort_unstable();
        committed.sort_unstable();
        // The kill may have come between a commit and the count.
        let is_exact = found.iter().zip(&committed).all(|(found, count)| (*count..=count + 1).contains(found));
        assert!(is_exact && found.len() == THREADS, "kill {kill}: {found:?} records, and {committed:?} were counted");
        records += found.iter().sum::<u64>();
        lost += trace.overwritten().records;
    }
    println!("{} kills, {records} records, {lost} of them overwritten", kills());
}

#[test]
fn the_file_of_a_process_that_records_can_be_read() {
    let running = start();
    for _ in 0..200 {
        let least = running.progress[..THREADS].iter().map(|count| count.load(Relaxed)).min().expect("two threads");
        let trace = running.trace();
        assert_eq!(trace.damaged(), 0);
        assert!(trace.threads().iter().all(|thread| check(&trace, thread) >= least));
    }
}
