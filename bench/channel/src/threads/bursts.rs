//! Bursts of messages with idle times between: their lateness, and their processor time.

use std::time::Duration;

use aqueduct_measure::crew::step;
use aqueduct_measure::machine;
use aqueduct_measure::rounds::{Cell, Fault, Figure, Measured, Threads};
use aqueduct_measure::times::Times;
use aqueduct_measure::unit::Unit;
use quanta::Clock;

use super::{Kind, Rx, Tx};
use crate::crew::{self, Part};
use crate::kind::{Room, place};

/// Messages of a burst.
const BURST: u64 = 16;
/// Time between two bursts.
const IDLE: Duration = Duration::from_micros(500);
const CAPACITY: usize = 100;
/// Bursts of the first run.
const FIRST: u64 = 20;

pub(super) fn add<K: Kind>(cells: &mut Vec<Cell<'static>>, cores: &[usize]) {
    if K::open(Room::Of(CAPACITY), Threads::PAIR).is_none() {
        return;
    }
    let place = place(Threads::PAIR, CAPACITY);
    let placed = cores.to_vec();
    let run = move |bursts| run::<K>(bursts, &placed);
    let cell = Cell::new(place.words("channel.bursts"), K::ABOUT.name, K::ABOUT.role, place, run);
    cells.push(Cell { first: FIRST, ..cell.on(Threads::PAIR.placement(cores)) });
}

/// A side's result: the messages' lateness, and the thread's processor time.
type Found = (Option<Times>, Duration);

fn run<K: Kind>(bursts: u64, cores: &[usize]) -> Result<Measured, Fault> {
    let Some((mut senders, mut receivers)) = K::open(Room::Of(CAPACITY), Threads::PAIR) else {
        return Err(Fault::Refused(format!("no room for {CAPACITY}")));
    };
    let (Some(mut sender), Some(mut receiver)) = (senders.pop(), receivers.pop()) else {
        return Err(Fault::Refused("no handles".to_owned()));
    };
    let clock = Clock::new();
    let sending = {
        let clock = clock.clone();
        Part::new(Threads::PAIR.core_of_producer(0, cores), move || -> Found {
            let ran = on_core(|| {
                for _ in 0..bursts {
                    for _ in 0..BURST {
                        sender.send(clock.raw());
                    }
                    std::thread::sleep(IDLE);
                }
                drop(sender);
            });
            (None, ran)
        })
    };
    let receiving = Part::new(Threads::PAIR.core_of_consumer(0, cores), move || -> Found {
        let mut times = Times::new(&clock);
        let ran = on_core(|| {
            while let Some(sent) = receiver.recv() {
                times.add(clock.raw().saturating_sub(sent));
            }
        });
        (Some(times), ran)
    });
    let (found, elapsed) = crew::all(vec![sending, receiving])?;
    let ran: Duration = found.iter().map(|(_, ran)| *ran).sum();
    let times = found.into_iter().find_map(|(times, _)| times).ok_or(Fault::WrongAnswer("nothing was timed"))?;
    if times.count() != bursts * BURST {
        return Err(Fault::Stuck { popped: times.count(), wanted: bursts * BURST });
    }
    let quantile = |bench: &'static str, fraction| Figure::new(bench, Unit::Ns, times.quantile_ns(fraction));
    Ok(Measured {
        figures: vec![
            quantile("channel.bursts.p50", 0.5),
            quantile("channel.bursts.p99", 0.99),
            quantile("channel.bursts.p999", 0.999),
            Figure::new("channel.bursts.time_on_core", Unit::Us, ran.as_secs_f64() * 1e6 / bursts as f64),
        ],
        done: bursts,
        elapsed,
    })
}

/// Returns the thread's processor time of `work`.
fn on_core(work: impl FnOnce()) -> Duration {
    let began = std::time::Instant::now();
    let ((), share) = machine::share_on_core(step(work));
    began.elapsed().mul_f64(share)
}
