//! A task sends a message whenever one is due, and yields meanwhile; another one receives.

use std::sync::Arc;
use std::time::Duration;

use aqueduct_measure::rounds::{Cell, Fault, Threads};
use aqueduct_measure::times::Times;

use super::runtime::Workers;
use super::stream::Task;
use super::{Kind, Rx, Tx};
use crate::kind::Room;
use crate::open_loop::{self, CAPACITY, INTERVALS, Schedule};

pub(super) fn add<K: Kind>(cells: &mut Vec<Cell<'static>>, workers: &Arc<Workers>) {
    if K::open(Room::Of(CAPACITY), Threads::PAIR).is_none() {
        return;
    }
    for interval in INTERVALS {
        let running = Arc::clone(workers);
        let run = move |schedule, amount| run::<K>(&running, schedule, amount);
        cells.push(open_loop::cell(K::ABOUT, "tasks", interval, workers.placement(), run));
    }
}

fn run<K: Kind>(workers: &Workers, schedule: Schedule, amount: u64) -> Result<(Times, Duration), Fault> {
    let (senders, receivers) =
        K::open(Room::Of(CAPACITY), Threads::PAIR).ok_or_else(|| Fault::Refused("no room".to_owned()))?;
    let sends = schedule.clone();
    let sending = senders.into_iter().map(|mut sender| -> Task<Option<Times>> {
        let schedule = sends.clone();
        Box::pin(async move {
            for due in schedule.due(amount) {
                while schedule.is_before(due) {
                    tokio::task::yield_now().await;
                }
                sender.send(due).await;
            }
            None
        })
    });
    let receiving = receivers.into_iter().map(|mut receiver| -> Task<Option<Times>> {
        let schedule = schedule.clone();
        Box::pin(async move {
            let mut times = schedule.times();
            while let Some(due) = receiver.recv().await {
                times.add(schedule.lateness(due));
            }
            Some(times)
        })
    });
    let (found, elapsed) = workers.all(sending.chain(receiving).collect())?;
    let times = found.into_iter().flatten().next().ok_or(Fault::WrongAnswer("nothing was timed"))?;
    Ok((times, elapsed))
}
