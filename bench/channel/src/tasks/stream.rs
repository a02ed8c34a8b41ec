//! Tasks send as fast as they can, others receive.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use aqueduct_measure::rounds::{Cell, Fault, Threads};

use super::runtime::{Workers, all_on_one};
use super::{Kind, Rx, Tx};
use crate::kind::{Room, messages, on_one, rate};
use crate::plan::Plan;
use crate::tally::Tally;

pub(super) type Task<T> = Pin<Box<dyn Future<Output = T> + Send>>;

pub(super) fn add<K: Kind>(cells: &mut Vec<Cell<'static>>, plan: &Plan, workers: &Arc<Workers>) {
    const BENCH: &str = "channel.tasks";
    let bounded = plan.capacities.iter().map(|&capacity| Room::Of(capacity));
    for room in bounded.chain(plan.unbounded.then_some(Room::Any)) {
        for &threads in &plan.threads {
            if !K::ABOUT.serves(threads) || K::open(room, threads).is_none() {
                continue;
            }
            let (at, running) = ((threads, room.in_records()), Arc::clone(workers));
            let cell =
                K::ABOUT.cell(room.bench(BENCH), at, rate, move |amount| run::<K>(&running, room, threads, amount));
            cells.push(cell.on(workers.placement()));
        }
    }
}

/// Adds cells of a sender and a receiver on one core.
pub(super) fn add_on_one_core<K: Kind>(cells: &mut Vec<Cell<'static>>, workers: &Workers) {
    const BENCH: &str = "channel.one_core.tasks";
    for room in [Room::Of(100), Room::Any] {
        if K::open(room, Threads::PAIR).is_none() {
            continue;
        }
        let first = workers.first_core();
        let at = (Threads::PAIR, room.in_records());
        let placement = on_one(&first);
        let cell = K::ABOUT.cell(room.bench(BENCH), at, rate, move |amount| {
            counted(all_on_one(first.first().copied(), tasks::<K>(room, Threads::PAIR, amount)?)?, 1)
        });
        cells.push(cell.on(placement));
    }
}

/// Sends the messages. Returns the number of received ones, and the time.
pub(super) fn run<K: Kind>(
    workers: &Workers,
    room: Room,
    threads: Threads,
    amount: u64,
) -> Result<(u64, Duration), Fault> {
    counted(workers.all(tasks::<K>(room, threads, amount)?)?, threads.producers)
}

/// Returns the senders, and after them the receivers.
pub(super) fn tasks<K: Kind>(room: Room, threads: Threads, amount: u64) -> Result<Vec<Task<Tally>>, Fault> {
    let (senders, receivers) = K::open(room, threads).ok_or_else(|| Fault::Refused(format!("no {room:?}")))?;
    let sending = senders.into_iter().enumerate().map(|(at, mut sender)| -> Task<Tally> {
        Box::pin(async move {
            let mut sent = Tally::default();
            for message in messages(at, threads, amount) {
                if !sender.send(message).await {
                    break;
                }
                sent.add(message);
            }
            sent
        })
    });
    let receiving = receivers.into_iter().map(|mut receiver| -> Task<Tally> {
        Box::pin(async move {
            let mut came = Tally::default();
            while let Some(message) = receiver.recv().await {
                came.add(message);
            }
            came
        })
    });
    Ok(sending.chain(receiving).collect())
}

/// Checks the received messages against those that `senders` sent.
pub(super) fn counted((tallies, elapsed): (Vec<Tally>, Duration), senders: usize) -> Result<(u64, Duration), Fault> {
    let (sent, came) = tallies.split_at(senders);
    Tally::check(sent.iter().copied(), came.iter().copied())?;
    Ok((came.iter().map(|came| came.count).sum(), elapsed))
}
