//! A task receives from eight channels by `tokio::select!`, into which another one sends in turn.

use std::sync::Arc;
use std::time::Duration;

use aqueduct_measure::rounds::{Cell, Fault, Threads};

use super::runtime::Workers;
use super::stream::{Task, counted};
use super::{Kind, Rx, Tx};
use crate::kind::{Room, rate};
use crate::tally::Tally;

const CHANNELS: usize = 8;
const CAPACITY: usize = 100;

/// Adds channels whose receive future may be dropped: ours and tokio's.
pub(super) fn add<K: Kind>(cells: &mut Vec<Cell<'static>>, workers: &Arc<Workers>) {
    let is_asked = ["aqueduct/channel", "aqueduct/mpsc", "tokio/mpsc"].contains(&K::ABOUT.name);
    if is_asked && K::open(Room::Of(CAPACITY), Threads::PAIR).is_some() {
        let running = Arc::clone(workers);
        let run = move |amount| run::<K>(&running, amount);
        cells.push(K::ABOUT.cell("channel.select.tasks", (Threads::PAIR, CAPACITY), rate, run).on(workers.placement()));
    }
}

fn run<K: Kind>(workers: &Workers, amount: u64) -> Result<(u64, Duration), Fault> {
    let (mut senders, mut receivers) = (Vec::new(), Vec::new());
    for _ in 0..CHANNELS {
        let (more_senders, more_receivers) =
            K::open(Room::Of(CAPACITY), Threads::PAIR).ok_or_else(|| Fault::Refused("no room".to_owned()))?;
        senders.extend(more_senders);
        receivers.extend(more_receivers);
    }
    let sending: Task<Tally> = Box::pin(async move {
        let mut sent = Tally::default();
        for message in 1..=amount {
            if senders[message as usize % CHANNELS].send(message).await {
                sent.add(message);
            }
        }
        sent
    });
    let Ok([mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h]) = <[K::Rx; CHANNELS]>::try_from(receivers) else {
        return Err(Fault::WrongAnswer("there is not one receiver for each channel"));
    };
    let receiving: Task<Tally> = Box::pin(async move {
        let mut came = Tally::default();
        loop {
            // A branch whose channel has ended is left out.
            let message = tokio::select! {
                Some(message) = a.recv() => message,
                Some(message) = b.recv() => message,
                Some(message) = c.recv() => message,
                Some(message) = d.recv() => message,
                Some(message) = e.recv() => message,
                Some(message) = f.recv() => message,
                Some(message) = g.recv() => message,
                Some(message) = h.recv() => message,
                else => break came,
            };
            came.add(message);
        }
    });
    counted(workers.all(vec![sending, receiving])?, 1)
}
