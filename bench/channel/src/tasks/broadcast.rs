//! One task sends, others receive all of it, or count what they have lost.

use std::sync::Arc;
use std::time::Duration;

use aqueduct_channel::broadcast;
use aqueduct_measure::record::Role;
use aqueduct_measure::rounds::{Cell, Fault, Threads};
use tokio::sync::broadcast as tokio_broadcast;
use tokio::sync::broadcast::error::RecvError;

use super::runtime::Workers;
use super::stream::Task;
use crate::kind::{About, rate};
use crate::plan::Plan;

const CAPACITY: usize = 1024;

/// Messages after which the sender yields to the receivers.
const TURN: u64 = 64;

/// A task's counts: messages that it sent or received, and messages that it lost.
type Counts = (u64, u64);

/// The sender and the receivers of a number of messages.
type Open = fn(usize, u64) -> Vec<Task<Counts>>;

pub(super) fn add(cells: &mut Vec<Cell<'static>>, plan: &Plan, workers: &Arc<Workers>) {
    let kinds: [(&str, Role, Open); 2] =
        [("aqueduct/broadcast", Role::Ours, ours), ("tokio/broadcast", Role::Peer, tokio_s)];
    for (name, role, open) in kinds {
        for receivers in [1, 4, 16] {
            if role == Role::Ours || plan.peers {
                let about = About { name, role, many_senders: true, many_receivers: true };
                let (at, running) = ((Threads::new(1, receivers), CAPACITY), Arc::clone(workers));
                let run = move |amount| run(&running, receivers, amount, open);
                cells.push(about.cell("channel.broadcast", at, rate, run).on(workers.placement()));
            }
        }
    }
}

/// Returns the number of received messages, and the time.
fn run(workers: &Workers, receivers: usize, amount: u64, open: Open) -> Result<(u64, Duration), Fault> {
    let each = amount.div_ceil(receivers as u64);
    let (counts, elapsed) = workers.all(open(receivers, each))?;
    for &(received, lost) in &counts[1..] {
        if received + lost != each {
            return Err(Fault::WrongItems { popped: received, wanted: each, sum: received + lost, expected: each });
        }
    }
    Ok((counts[1..].iter().map(|count| count.0).sum::<u64>().max(1), elapsed))
}

/// Sends `amount` messages, and yields now and then.
pub(super) async fn send(amount: u64, mut send: impl FnMut(u64)) -> Counts {
    for message in 0..amount {
        send(message);
        if message % TURN == 0 {
            tokio::task::yield_now().await;
        }
    }
    (amount, 0)
}

fn ours(receivers: usize, amount: u64) -> Vec<Task<Counts>> {
    let Ok((sender, receiver)) = broadcast::channel(CAPACITY) else { return Vec::new() };
    let handles: Vec<_> = (0..receivers).map(|_| receiver.clone()).collect();
    let mut tasks: Vec<Task<Counts>> = vec![Box::pin(async move {
        send(amount, |message| {
            // Receivers are dropped after the last message.
            let _ = sender.send(message);
        })
        .await
    })];
    tasks.extend(handles.into_iter().map(|mut receiver| -> Task<Counts> {
        Box::pin(async move {
            let mut received = 0;
            while receiver.recv_async().await.is_ok() {
                received += 1;
            }
            (received, receiver.lost())
        })
    }));
    tasks
}

fn tokio_s(receivers: usize, amount: u64) -> Vec<Task<Counts>> {
    let (sender, receiver) = tokio_broadcast::channel(CAPACITY);
    let handles: Vec<_> = (0..receivers).map(|_| receiver.resubscribe()).collect();
    let mut tasks: Vec<Task<Counts>> = vec![Box::pin(async move {
        send(amount, |message| {
            // Receivers are dropped after the last message.
            let _ = sender.send(message);
        })
        .await
    })];
    tasks.extend(handles.into_iter().map(|mut receiver| -> Task<Counts> {
        Box::pin(async move {
            let (mut received, mut lost) = (0, 0);
            loop {
                match receiver.recv().await {
                    Ok(_) => received += 1,
                    Err(RecvError::Lagged(more)) => lost += more,
                    Err(RecvError::Closed) => break (received, lost),
                }
            }
        })
    }));
    tasks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_message_is_received_or_counted() {
        let workers = Workers::new(&[]);
        for open in [ours as Open, tokio_s] {
            for receivers in [1, 3] {
                assert!(run(&workers, receivers, 9_000, open).is_ok());
            }
        }
    }
}
