//! Threads send as fast as they can, others receive.

use std::time::Duration;

use aqueduct_measure::rounds::{Cell, Fault, Threads};

use super::{Kind, Rx, Tx};
use crate::crew::{self, Part};
use crate::kind::{Room, messages, on_one, rate};
use crate::plan::Plan;
use crate::tally::Tally;

pub(super) fn add<K: Kind>(cells: &mut Vec<Cell<'static>>, plan: &Plan, cores: &[usize]) {
    const BENCH: &str = "channel.blocking";
    let bounded = plan.capacities.iter().map(|&capacity| Room::Of(capacity));
    for room in bounded.chain(plan.unbounded.then_some(Room::Any)) {
        for &threads in &plan.threads {
            if !K::ABOUT.serves(threads) || K::open(room, threads).is_none() {
                continue;
            }
            let placed = cores.to_vec();
            let at = (threads, room.in_records());
            let cell =
                K::ABOUT.cell(room.bench(BENCH), at, rate, move |amount| run::<K>(room, threads, &placed, amount));
            cells.push(cell.on(threads.placement(cores)));
        }
    }
}

/// Adds cells of a sender and a receiver on one core.
pub(super) fn add_on_one_core<K: Kind>(cells: &mut Vec<Cell<'static>>, cores: &[usize]) {
    const BENCH: &str = "channel.one_core.threads";
    for room in [Room::Of(100), Room::Any] {
        if K::open(room, Threads::PAIR).is_none() {
            continue;
        }
        let first: Vec<usize> = cores.iter().take(1).copied().collect();
        let at = (Threads::PAIR, room.in_records());
        let cell =
            K::ABOUT.cell(room.bench(BENCH), at, rate, move |amount| run::<K>(room, Threads::PAIR, &first, amount));
        cells.push(cell.on(on_one(cores)));
    }
}

/// Sends the messages. Returns the number of received ones, and the time.
pub(super) fn run<K: Kind>(
    room: Room,
    threads: Threads,
    cores: &[usize],
    amount: u64,
) -> Result<(u64, Duration), Fault> {
    let (senders, receivers) = K::open(room, threads).ok_or_else(|| Fault::Refused(format!("no {room:?}")))?;
    let sending = senders.into_iter().enumerate().map(|(at, mut sender)| {
        Part::new(threads.core_of_producer(at, cores), move || {
            let mut sent = Tally::default();
            for message in messages(at, threads, amount) {
                if !sender.send(message) {
                    break;
                }
                sent.add(message);
            }
            sent
        })
    });
    let receiving = receivers.into_iter().enumerate().map(|(at, mut receiver)| {
        Part::new(threads.core_of_consumer(at, cores), move || {
            let mut came = Tally::default();
            while let Some(message) = receiver.recv() {
                came.add(message);
            }
            came
        })
    });
    let (tallies, elapsed) = crew::all(sending.chain(receiving).collect())?;
    let (sent, came) = tallies.split_at(threads.producers);
    Tally::check(sent.iter().copied(), came.iter().copied())?;
    Ok((came.iter().map(|came| came.count).sum(), elapsed))
}
