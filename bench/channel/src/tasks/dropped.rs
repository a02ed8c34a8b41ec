//! Tasks that drop by chance half of the futures that are not ready at once: the speed of channels
//! that promise to lose no message. The channels of other crates that promise it are tokio's.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use aqueduct_measure::record::Role;
use aqueduct_measure::rounds::{Cell, Fault, Threads};

use tokio::sync::mpsc;

use super::runtime::Workers;
use super::stream::{Task, counted};
use super::{Kind, Rx, Tx};
use crate::kind::{About, Room, messages, rate};
use crate::plan::Plan;
use crate::tally::Tally;

const CAPACITY: usize = 4;

/// Awaits the answer until it comes, or for one poll; `None` if the future was dropped before.
type Receive<R> = for<'a> fn(&'a mut R, bool) -> Pin<Box<dyn Future<Output = Option<Option<u64>>> + Send + 'a>>;

/// Sends that number of requests. Returns the number of answers, and the time.
type Ask = fn(&Workers, u64) -> Result<(u64, Duration), Fault>;

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

/// Channels for one message each: a task requests answers of another one, and drops futures that
/// wait for them.
pub(super) fn add_oneshot(cells: &mut Vec<Cell<'static>>, plan: &Plan, workers: &Arc<Workers>) {
    let mut cell = |name, role, run: Ask| {
        if role == Role::Ours || plan.peers {
            let about = About { name, role, many_senders: false, many_receivers: false };
            let running = Arc::clone(workers);
            let cell = about.cell("channel.dropped", (Threads::PAIR, 1), rate, move |amount| run(&running, amount));
            cells.push(cell.on(workers.placement()));
        }
    };
    cell("aqueduct/oneshot", Role::Ours, |workers, amount| {
        run_oneshot(
            workers,
            amount,
            aqueduct_channel::oneshot::channel,
            |sender, message| sender.send(message).is_ok(),
            |receiver, patient| Box::pin(async move { for_once(receiver.recv_async(), patient).await.map(Result::ok) }),
        )
    });
    cell("tokio/oneshot", Role::Peer, |workers, amount| {
        run_oneshot(
            workers,
            amount,
            tokio::sync::oneshot::channel,
            |sender, message| sender.send(message).is_ok(),
            |receiver, patient| Box::pin(async move { for_once(receiver, patient).await.map(Result::ok) }),
        )
    });
}

/// Returns the future's result; `None` if it is not ready at once, and is dropped when the task is
/// woken.
async fn for_once<T>(future: impl Future<Output = T>, patient: bool) -> Option<T> {
    let mut future = pin!(future);
    let mut polled = false;
    poll_fn(|context| match future.as_mut().poll(context) {
        Poll::Ready(result) => Poll::Ready(Some(result)),
        Poll::Pending if patient => Poll::Pending,
        // Other tasks run meanwhile, and may notify this future.
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
                // The message of a dropped future has not been sent.
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

/// Sends `amount` requests, each with a channel for its answer.
fn run_oneshot<T: Send + 'static, R: Send + 'static>(
    workers: &Workers,
    amount: u64,
    open: fn() -> (T, R),
    send: fn(T, u64) -> bool,
    receive: Receive<R>,
) -> Result<(u64, Duration), Fault> {
    let (questions, mut asked) = mpsc::channel::<(T, u64)>(CAPACITY);
    let answering: Task<Tally> = Box::pin(async move {
        let mut sent = Tally::default();
        while let Some((answer, message)) = asked.recv().await {
            if send(answer, message) {
                sent.add(message);
            }
        }
        sent
    });
    let asking: Task<Tally> = Box::pin(async move {
        let (mut came, mut random) = (Tally::default(), fastrand::Rng::with_seed(amount));
        for message in 1..=amount {
            let (answer, mut answered) = open();
            if questions.send((answer, message)).await.is_err() {
                break;
            }
            let result = loop {
                if let Some(result) = receive(&mut answered, random.bool()).await {
                    break result;
                }
            };
            if let Some(message) = result {
                came.add(message);
            }
        }
        came
    });
    counted(workers.all(vec![answering, asking])?, 1)
}
