//! Channels for one message: made, used and dropped by one thread.

use std::time::{Duration, Instant};

use aqueduct_measure::record::Role;
use aqueduct_measure::rounds::{Cell, Fault, Threads};

use crate::kind::{About, each};
use crate::plan::Plan;
use crate::tally::Tally;

pub(super) fn add(cells: &mut Vec<Cell<'static>>, plan: &Plan) {
    let mut cell = |name, role, once: fn(u64) -> Option<u64>| {
        if role == Role::Ours || plan.peers {
            let about = About { name, role, many_senders: false, many_receivers: false };
            cells.push(about.cell("channel.oneshot", (Threads::PAIR, 1), each, move |amount| run(amount, once)));
        }
    };
    cell("aqueduct/oneshot", Role::Ours, |message| {
        let (sender, receiver) = aqueduct_channel::oneshot::channel();
        sender.send(message).ok()?;
        receiver.recv().ok()
    });
    cell("tokio/oneshot", Role::Peer, |message| {
        let (sender, receiver) = tokio::sync::oneshot::channel();
        sender.send(message).ok()?;
        receiver.blocking_recv().ok()
    });
    cell("crossfire/oneshot", Role::Peer, |message| {
        let (sender, receiver) = crossfire::oneshot::oneshot();
        sender.send(message);
        receiver.recv().ok()
    });
    cell("crossbeam-channel/channel", Role::Peer, |message| {
        let (sender, receiver) = crossbeam_channel::bounded(1);
        sender.send(message).ok()?;
        receiver.recv().ok()
    });
    cell("std/mpsc", Role::Peer, |message| {
        let (sender, receiver) = std::sync::mpsc::sync_channel(1);
        sender.send(message).ok()?;
        receiver.recv().ok()
    });
}

fn run(amount: u64, once: fn(u64) -> Option<u64>) -> Result<(u64, Duration), Fault> {
    let (mut sent, mut came) = (Tally::default(), Tally::default());
    let began = Instant::now();
    for message in 1..=amount {
        sent.add(message);
        if let Some(message) = once(message) {
            came.add(message);
        }
    }
    let elapsed = began.elapsed();
    Tally::check([sent], [came])?;
    Ok((amount, elapsed))
}
