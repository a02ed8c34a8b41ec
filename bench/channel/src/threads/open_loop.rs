//! A thread sends a message whenever one is due; another one receives.

use std::time::Duration;

use aqueduct_measure::rounds::{Cell, Fault, Threads};
use aqueduct_measure::times::Times;

use super::{Kind, Rx, Tx};
use crate::crew::{self, Part};
use crate::kind::Room;
use crate::open_loop::{self, CAPACITY, INTERVALS, Schedule};

pub(super) fn add<K: Kind>(cells: &mut Vec<Cell<'static>>, cores: &[usize]) {
    if K::open(Room::Of(CAPACITY), Threads::PAIR).is_none() {
        return;
    }
    for interval in INTERVALS {
        let placed = cores.to_vec();
        let run = move |schedule, amount| run::<K>(schedule, amount, &placed);
        cells.push(open_loop::cell(K::ABOUT, "threads", interval, Threads::PAIR.placement(cores), run));
    }
}

fn run<K: Kind>(schedule: Schedule, amount: u64, cores: &[usize]) -> Result<(Times, Duration), Fault> {
    let (senders, receivers) =
        K::open(Room::Of(CAPACITY), Threads::PAIR).ok_or_else(|| Fault::Refused("no room".to_owned()))?;
    let sends = schedule.clone();
    let sending = senders.into_iter().map(|mut sender| {
        let schedule = sends.clone();
        Part::new(Threads::PAIR.core_of_producer(0, cores), move || {
            for due in schedule.due(amount) {
                while schedule.is_before(due) {
                    std::hint::spin_loop();
                }
                sender.send(due);
            }
            None
        })
    });
    let receiving = receivers.into_iter().map(|mut receiver| {
        let schedule = schedule.clone();
        Part::new(Threads::PAIR.core_of_consumer(0, cores), move || {
            let mut times = schedule.times();
            while let Some(due) = receiver.recv() {
                times.add(schedule.lateness(due));
            }
            Some(times)
        })
    });
    let (found, elapsed) = crew::all(sending.chain(receiving).collect())?;
    let times = found.into_iter().flatten().next().ok_or(Fault::WrongAnswer("nothing was timed"))?;
    Ok((times, elapsed))
}
