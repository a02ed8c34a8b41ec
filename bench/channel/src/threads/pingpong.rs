//! A message goes there and one comes back.

use std::time::Duration;

use aqueduct_measure::rounds::{Cell, Fault, Threads};

use super::{Kind, Rx, Tx};
use crate::crew::{self, Part};
use crate::kind::{Room, each};

pub(super) fn add<K: Kind>(cells: &mut Vec<Cell<'static>>, cores: &[usize]) {
    const BENCH: &str = "channel.pingpong.threads";
    for room in [Room::Of(0), Room::Of(1), Room::Any] {
        if K::open(room, Threads::PAIR).is_none() {
            continue;
        }
        let placed = cores.to_vec();
        let at = (Threads::PAIR, room.in_records());
        let cell = K::ABOUT.cell(room.bench(BENCH), at, each, move |amount| run::<K>(room, &placed, amount));
        cells.push(cell.on(Threads::PAIR.placement(cores)));
    }
}

fn run<K: Kind>(room: Room, cores: &[usize], amount: u64) -> Result<(u64, Duration), Fault> {
    let open = || {
        let (senders, receivers) = K::open(room, Threads::PAIR)?;
        Some((senders.into_iter().next()?, receivers.into_iter().next()?))
    };
    let (Some((mut there, mut arrived)), Some((mut back, mut returned))) = (open(), open()) else {
        return Err(Fault::Refused(format!("no {room:?}")));
    };
    let player = Part::new(Threads::PAIR.core_of_producer(0, cores), move || {
        (1..=amount).filter(|&ball| there.send(ball) && returned.recv() == Some(ball)).count() as u64
    });
    let wall = Part::new(Threads::PAIR.core_of_consumer(0, cores), move || {
        while let Some(ball) = arrived.recv() {
            if !back.send(ball) {
                break;
            }
        }
        amount
    });
    let (trips, elapsed) = crew::all(vec![player, wall])?;
    if trips[0] != amount {
        return Err(Fault::WrongAnswer("another message came back than was sent"));
    }
    Ok((amount, elapsed))
}
