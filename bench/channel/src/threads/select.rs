//! A thread receives from eight channels, into which another one sends in turn.

use std::time::Duration;

use aqueduct_channel as ours;
use aqueduct_measure::record::Role;
use aqueduct_measure::rounds::{Cell, Fault, Threads};

use super::kinds::{Crossbeam, Flume, Shared};
use super::{Kind, Tx};
use crate::crew::{self, Part};
use crate::kind::{Room, rate};
use crate::plan::Plan;
use crate::tally::Tally;

const CHANNELS: usize = 8;
const CAPACITY: usize = 100;

/// Receives from the channels until all have ended.
type Collect<R> = fn(&[R]) -> Tally;

pub(super) fn add(cells: &mut Vec<Cell<'static>>, plan: &Plan, cores: &[usize]) {
    add_one::<Shared>(cells, plan, cores, |receivers| {
        let (mut came, mut open) = (Tally::default(), receivers.len());
        let mut select = ours::IndexSelect::new();
        for receiver in receivers {
            select.recv(receiver);
        }
        while open > 0 {
            let operation = select.select();
            let at = operation.index();
            match operation.recv(&receivers[at]) {
                Ok(message) => came.add(message),
                Err(_) => {
                    select.remove(at);
                    open -= 1;
                }
            }
        }
        came
    });
    add_one::<Crossbeam>(cells, plan, cores, |receivers| {
        let (mut came, mut open) = (Tally::default(), receivers.len());
        let mut select = crossbeam_channel::Select::new();
        for receiver in receivers {
            select.recv(receiver);
        }
        while open > 0 {
            let operation = select.select();
            let at = operation.index();
            match operation.recv(&receivers[at]) {
                Ok(message) => came.add(message),
                Err(_) => {
                    select.remove(at);
                    open -= 1;
                }
            }
        }
        came
    });
    add_one::<Flume>(cells, plan, cores, |receivers| {
        let mut came = Tally::default();
        let mut open: Vec<usize> = (0..receivers.len()).collect();
        while !open.is_empty() {
            let selector = open.iter().fold(flume::Selector::new(), |selector, &at| {
                selector.recv(&receivers[at], move |result| (at, result.ok()))
            });
            match selector.wait() {
                (_, Some(message)) => came.add(message),
                (ended, None) => open.retain(|&at| at != ended),
            }
        }
        came
    });
}

fn add_one<K: Kind>(cells: &mut Vec<Cell<'static>>, plan: &Plan, cores: &[usize], collect: Collect<K::Rx>) {
    if K::ABOUT.role == Role::Peer && !plan.peers {
        return;
    }
    let placed = cores.to_vec();
    let at = (Threads::PAIR, CAPACITY);
    let cell = K::ABOUT.cell("channel.select.threads", at, rate, move |amount| run::<K>(amount, &placed, collect));
    cells.push(cell.on(Threads::PAIR.placement(cores)));
}

fn run<K: Kind>(amount: u64, cores: &[usize], collect: Collect<K::Rx>) -> Result<(u64, Duration), Fault> {
    let (mut senders, mut receivers) = (Vec::new(), Vec::new());
    for _ in 0..CHANNELS {
        let (more_senders, more_receivers) =
            K::open(Room::Of(CAPACITY), Threads::PAIR).ok_or_else(|| Fault::Refused("no channel".to_owned()))?;
        senders.extend(more_senders);
        receivers.extend(more_receivers);
    }
    let sending = Part::new(Threads::PAIR.core_of_producer(0, cores), move || {
        let mut sent = Tally::default();
        for message in 1..=amount {
            if senders[message as usize % CHANNELS].send(message) {
                sent.add(message);
            }
        }
        sent
    });
    let receiving = Part::new(Threads::PAIR.core_of_consumer(0, cores), move || collect(&receivers));
    let (tallies, elapsed) = crew::all(vec![sending, receiving])?;
    Tally::check(tallies[..1].iter().copied(), tallies[1..].iter().copied())?;
    Ok((tallies[1].count, elapsed))
}
