//! Tasks that drop by chance half of the futures that are not ready at once: what a channel that promises to lose
//! nothing then loses in speed. The channels of other crates that promise it are tokio's.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use aqueduct_measure::record::Role;
use aqueduct_measure::rounds::{Cell, Fault, Threads};

use super::runtime::Workers;
use super::stream::{Task, counted};
use super::{Kind, Rx, Tx};
use crate::kind::{Room, messages, rate};
use crate::tally::Tally;

const CAPACITY: usize = 4;

pub(super) fn add<K: Kind>(cells: &mut Vec<Cell<'static>>, workers: &Arc<Workers>) {
    let is_safe = K::ABOUT.role == Role::Ours || K::ABOUT.name.starts_with("tokio/");
    for threads in [Threads::PAIR, Threads::new(2, 1), Threads::new(2, 2)] {
        if !is_safe || !K::ABOUT.serves(threads) || K::open(Room::Of(CAPACITY), threads).is_none() {
            continue;
        }
        let running = Arc::clone(workers);
        let run = move |amount| run::<K>(&running, threads, amount);
        cells.push(K::ABOUT.cell("channel.dropped", (threads, CAPACITY), rate, run).on(workers.placement()));
    }
}

/// The future's result; nothing if it is not ready at once, and is dropped when the task is woken.
async fn for_once<T>(future: impl Future<Output = T>, patient: bool) -> Option<T> {
    let mut future = pin!(future);
    let mut polled = false;
    poll_fn(|context| match future.as_mut().poll(context) {
        Poll::Ready(result) => Poll::Ready(Some(result)),
        Poll::Pending if patient => Poll::Pending,
        // Others have their turn meanwhile, and may notify this future.
        Poll::Pending if !polled => {
            polled = true;
            context.waker().wake_by_ref();
            Poll::Pending
        }
        Poll::Pending => Poll::Ready(None),
    })
    .await
}

fn run<K: Kind>(workers: &Workers, threads: Threads, amount: u64) -> Result<(u64, Duration), Fault> {
    let (senders, receivers) =
        K::open(Room::Of(CAPACITY), threads).ok_or_else(|| Fault::Refused("no room".to_owned()))?;
    let sending = senders.into_iter().enumerate().map(|(at, mut sender)| -> Task<Tally> {
        Box::pin(async move {
            let (mut sent, mut random) = (Tally::default(), fastrand::Rng::with_seed(amount + at as u64));
            for message in messages(at, threads, amount) {
                // What a dropped future had has not been sent.
                let is_sent = loop {
                    if let Some(is_sent) = for_once(sender.send(message), random.bool()).await {
                        break is_sent;
                    }
                };
                if !is_sent {
                    break;
                }
                sent.add(message);
            }
            sent
        })
    });
    let receiving = receivers.into_iter().enumerate().map(|(at, mut receiver)| -> Task<Tally> {
        Box::pin(async move {
            let (mut came, mut random) = (Tally::default(), fastrand::Rng::with_seed(amount ^ at as u64));
            loop {
                match for_once(receiver.recv(), random.bool()).await {
                    Some(Some(message)) => came.add(message),
                    Some(None) => break came,
                    None => {}
                }
            }
        })
    });
    counted(workers.all(sending.chain(receiving).collect())?, threads.producers)
}
