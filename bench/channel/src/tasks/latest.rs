//! One task sends values, others follow the newest one.

use std::sync::Arc;
use std::time::Duration;

use aqueduct_channel::latest;
use aqueduct_measure::record::Role;
use aqueduct_measure::rounds::{Cell, Fault, Threads};
use tokio::sync::watch;

use super::broadcast::send;
use super::runtime::Workers;
use super::stream::Task;
use crate::kind::{About, rate};
use crate::plan::Plan;

/// A task's result: the last value that it sent or saw, and whether each value was newer than the
/// one before.
type Found = (u64, bool);

/// The sender and the receivers, given their number and that of the values.
type Open = fn(usize, u64) -> Vec<Task<Found>>;

pub(super) fn add(cells: &mut Vec<Cell<'static>>, plan: &Plan, workers: &Arc<Workers>) {
    let kinds: [(&str, Role, Open); 2] = [("aqueduct/latest", Role::Ours, ours), ("tokio/watch", Role::Peer, tokio_s)];
    for (name, role, open) in kinds {
        for receivers in [1, 4, 16] {
            if role == Role::Ours || plan.peers {
                let about = About { name, role, many_senders: true, many_receivers: true };
                let (at, running) = ((Threads::new(1, receivers), 1), Arc::clone(workers));
                let run = move |amount| run(&running, receivers, amount, open);
                cells.push(about.cell("channel.latest", at, rate, run).on(workers.placement()));
            }
        }
    }
}

/// Returns the number of sent values, and the time. Each receiver has seen the last one.
fn run(workers: &Workers, receivers: usize, amount: u64, open: Open) -> Result<(u64, Duration), Fault> {
    let (found, elapsed) = workers.all(open(receivers, amount))?;
    if found.iter().any(|&(last, is_rising)| last != amount || !is_rising) {
        return Err(Fault::WrongAnswer("a receiver has not seen the last value, or an older one after a newer one"));
    }
    Ok((amount, elapsed))
}

fn ours(receivers: usize, amount: u64) -> Vec<Task<Found>> {
    let (sender, receiver) = latest::channel(0);
    let handles: Vec<_> = (0..receivers).map(|_| receiver.clone()).collect();
    let mut tasks: Vec<Task<Found>> = vec![Box::pin(async move {
        send(amount, |value| {
            // Receivers are dropped after the last value.
            let _ = sender.send(value + 1);
        })
        .await;
        (amount, true)
    })];
    tasks.extend(handles.into_iter().map(|mut receiver| -> Task<Found> {
        Box::pin(async move {
            let (mut last, mut is_rising) = (0, true);
            while let Ok(value) = receiver.recv_async().await {
                is_rising &= value > last;
                last = value;
            }
            (last, is_rising)
        })
    }));
    tasks
}

fn tokio_s(receivers: usize, amount: u64) -> Vec<Task<Found>> {
    let (sender, receiver) = watch::channel(0);
    let handles: Vec<_> = (0..receivers).map(|_| receiver.clone()).collect();
    let mut tasks: Vec<Task<Found>> = vec![Box::pin(async move {
        send(amount, |value| {
            // Receivers are dropped after the last value.
            let _ = sender.send(value + 1);
        })
        .await;
        (amount, true)
    })];
    tasks.extend(handles.into_iter().map(|mut receiver| -> Task<Found> {
        Box::pin(async move {
            let (mut last, mut is_rising) = (0, true);
            while receiver.changed().await.is_ok() {
                let value = *receiver.borrow_and_update();
                is_rising &= value > last;
                last = value;
            }
            (last, is_rising)
        })
    }));
    tasks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_receiver_sees_the_last_value() {
        let workers = Workers::new(&[]);
        for open in [ours as Open, tokio_s] {
            for receivers in [1, 3] {
                assert!(run(&workers, receivers, 5_000, open).is_ok());
            }
        }
    }
}
