//! Tasks that send to each other, and many that send to one, as the benchmarks of the crate
//! `tachyonix` describe them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use aqueduct_measure::rounds::{Cell, Fault, Threads};

use super::runtime::Workers;
use super::stream::{Task, counted, tasks};
use super::{Kind, Rx, Tx};
use crate::kind::{Room, rate};
use crate::tally::Tally;

/// Tasks of a pinball table.
const PINS: usize = 13;
/// Balls on a table.
const BALLS: [usize; 2] = [1, 7];
/// The message that ends the game. No ball has this number of hops left.
const OVER: u64 = u64::MAX;

/// Funnels side by side.
const FUNNELS: usize = 8;
const FUNNEL: Threads = Threads::new(13, 1);

/// The place of a pinball's figures: tasks that each send and receive, and the room of each
/// channel.
pub(super) fn add_pinball<K: Kind>(cells: &mut Vec<Cell<'static>>, workers: &Arc<Workers>) {
    if !K::ABOUT.serves(Threads::new(PINS, 1)) {
        return;
    }
    for balls in BALLS {
        // All balls can be with one pin, and the end of the game.
        let room = Room::Of(balls + 1);
        if K::open(room, FUNNEL).is_none() {
            continue;
        }
        let (at, running) = ((Threads::new(PINS, PINS), balls + 1), Arc::clone(workers));
        let bench = format!("channel.pinball.balls_{balls}");
        let cell = K::ABOUT.cell(bench, at, rate, move |amount| pinball::<K>(&running, balls, amount));
        cells.push(cell.on(workers.placement()));
    }
}

fn pinball<K: Kind>(workers: &Workers, balls: usize, amount: u64) -> Result<(u64, Duration), Fault> {
    let mut tables: Vec<Vec<K::Tx>> = (0..PINS).map(|_| Vec::new()).collect();
    let mut receivers = Vec::new();
    for _ in 0..PINS {
        let (senders, receiver) =
            K::open(Room::Of(balls + 1), Threads::new(PINS, 1)).ok_or_else(|| Fault::Refused("no room".to_owned()))?;
        for (table, sender) in tables.iter_mut().zip(senders) {
            table.push(sender);
        }
        receivers.extend(receiver);
    }
    let hops = amount.div_ceil(balls as u64);
    let rolling = Arc::new(AtomicU64::new(balls as u64));
    let pins = tables.into_iter().zip(receivers).enumerate().map(|(at, (mut senders, mut receiver))| -> Task<u64> {
        let rolling = Arc::clone(&rolling);
        Box::pin(async move {
            let mut random = fastrand::Rng::with_seed(at as u64);
            if at < balls {
                senders[random.usize(..PINS)].send(hops).await;
            }
            let mut came = 0;
            while let Some(hops) = receiver.recv().await.filter(|&hops| hops != OVER) {
                came += 1;
                if hops > 1 {
                    senders[random.usize(..PINS)].send(hops - 1).await;
                // Ordering: relaxed; a count only.
                } else if rolling.fetch_sub(1, Ordering::Relaxed) == 1 {
                    for sender in &mut senders {
                        sender.send(OVER).await;
                    }
                }
            }
            came
        })
    });
    let (came, elapsed) = workers.all(pins.collect())?;
    let (came, wanted) = (came.into_iter().sum::<u64>(), hops * balls as u64);
    if came != wanted {
        return Err(Fault::Stuck { popped: came, wanted });
    }
    Ok((came, elapsed))
}

pub(super) fn add_funnel<K: Kind>(cells: &mut Vec<Cell<'static>>, workers: &Arc<Workers>) {
    if !K::ABOUT.serves(FUNNEL) {
        return;
    }
    for capacity in [10, 100] {
        if K::open(Room::Of(capacity), FUNNEL).is_none() {
            continue;
        }
        let running = Arc::clone(workers);
        let run = move |amount| funnels::<K>(&running, capacity, amount);
        cells.push(K::ABOUT.cell("channel.funnel", (FUNNEL, capacity), rate, run).on(workers.placement()));
    }
}

fn funnels<K: Kind>(workers: &Workers, capacity: usize, amount: u64) -> Result<(u64, Duration), Fault> {
    let (mut senders, mut receivers): (Vec<Task<Tally>>, Vec<_>) = (Vec::new(), Vec::new());
    for _ in 0..FUNNELS {
        let mut all = tasks::<K>(Room::Of(capacity), FUNNEL, amount / FUNNELS as u64)?;
        receivers.extend(all.split_off(FUNNEL.producers));
        senders.extend(all);
    }
    let sending = senders.len();
    counted(workers.all(senders.into_iter().chain(receivers).collect())?, sending)
}
