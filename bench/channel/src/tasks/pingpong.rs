//! A message goes to another task and one comes back.

use std::sync::Arc;
use std::time::Duration;

use aqueduct_measure::rounds::{Cell, Fault, Threads};

use super::runtime::Workers;
use super::stream::Task;
use super::{Kind, Rx, Tx};
use crate::kind::{Room, each};

pub(super) fn add<K: Kind>(cells: &mut Vec<Cell<'static>>, workers: &Arc<Workers>) {
    const BENCH: &str = "channel.pingpong.tasks";
    for room in [Room::Of(0), Room::Of(1), Room::Any] {
        if K::open(room, Threads::PAIR).is_none() {
            continue;
        }
        let (at, running) = ((Threads::PAIR, room.in_records()), Arc::clone(workers));
        let cell = K::ABOUT.cell(room.bench(BENCH), at, each, move |amount| run::<K>(&running, room, amount));
        cells.push(cell.on(workers.placement()));
    }
}

fn run<K: Kind>(workers: &Workers, room: Room, amount: u64) -> Result<(u64, Duration), Fault> {
    let open = || {
        let (senders, receivers) = K::open(room, Threads::PAIR)?;
        Some((senders.into_iter().next()?, receivers.into_iter().next()?))
    };
    let (Some((mut there, mut arrived)), Some((mut back, mut returned))) = (open(), open()) else {
        return Err(Fault::Refused(format!("no {room:?}")));
    };
    let player: Task<u64> = Box::pin(async move {
        let mut trips = 0;
        for ball in 1..=amount {
            trips += u64::from(there.send(ball).await && returned.recv().await == Some(ball));
        }
        trips
    });
    let wall: Task<u64> = Box::pin(async move {
        while let Some(ball) = arrived.recv().await {
            if !back.send(ball).await {
                break;
            }
        }
        amount
    });
    let (trips, elapsed) = workers.all(vec![player, wall])?;
    if trips[0] != amount {
        return Err(Fault::WrongAnswer("another message came back than was sent"));
    }
    Ok((amount, elapsed))
}
