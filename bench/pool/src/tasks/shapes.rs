//! The programs of the tasks.

use std::future::Future;
use std::marker::PhantomData;

use tokio::sync::{mpsc, oneshot};

use super::{Runtime, Shape};

/// A task is made and awaited.
pub(super) struct SpawnOne;

impl Shape for SpawnOne {
    const BENCH: &'static str = "pool.spawn.one";
    const FIRST: u64 = 1_000;

    async fn run<R: Runtime>(spawner: R::Spawner, amount: u64) -> (u64, u64) {
        let mut sum = 0;
        for _ in 0..amount {
            sum += R::spawn(&spawner, async { 1 }).await;
        }
        (amount, sum)
    }
}

/// A thousand tasks are made, and then awaited.
pub(super) struct SpawnMany;

impl Shape for SpawnMany {
    const BENCH: &'static str = "pool.spawn.thousand";
    const FIRST: u64 = 1_000;

    async fn run<R: Runtime>(spawner: R::Spawner, amount: u64) -> (u64, u64) {
        let rounds = amount.div_ceil(1_000);
        let (mut sum, mut tasks) = (0, Vec::with_capacity(1_000));
        for _ in 0..rounds {
            tasks.extend((0..1_000).map(|_| R::spawn(&spawner, async { 1 })));
            for task in tasks.drain(..) {
                sum += task.await;
            }
        }
        (rounds * 1_000, sum)
    }
}

/// A hundred tasks, each of which makes another task, sends it a message and waits for an answer.
pub(super) struct PingPong;

impl Shape for PingPong {
    const BENCH: &'static str = "pool.pingpong";
    const FIRST: u64 = 1_000;

    async fn run<R: Runtime>(spawner: R::Spawner, amount: u64) -> (u64, u64) {
        const PAIRS: u64 = 100;
        let rounds = amount.div_ceil(PAIRS);
        let mut sum = 0;
        for _ in 0..rounds {
            let ping = || {
                let of_task = spawner.clone();
                R::spawn(&spawner, async move {
                    let (there, arrives) = oneshot::channel();
                    let (back, comes) = oneshot::channel();
                    let pong = async move {
                        let ball: u64 = arrives.await.expect("it is sent");
                        back.send(ball).expect("somebody waits for it");
                    };
                    let other = R::spawn(&of_task, pong);
                    there.send(1).expect("somebody waits for it");
                    let ball = comes.await.expect("it is sent back");
                    other.await;
                    ball
                })
            };
            let pairs: Vec<_> = (0..PAIRS).map(|_| ping()).collect();
            for pair in pairs {
                sum += pair.await;
            }
        }
        (rounds * PAIRS, sum)
    }
}

/// Two hundred tasks, each of which yields again and again.
pub(super) struct Yields;

impl Shape for Yields {
    const BENCH: &'static str = "pool.yields";
    const FIRST: u64 = 20_000;

    async fn run<R: Runtime>(spawner: R::Spawner, amount: u64) -> (u64, u64) {
        const TASKS: u64 = 200;
        let each = amount.div_ceil(TASKS);
        let yielding = |_| {
            R::spawn(&spawner, async move {
                let mut sum = 0;
                for _ in 0..each {
                    R::yield_now().await;
                    sum += 1;
                }
                sum
            })
        };
        let tasks: Vec<_> = (0..TASKS).map(yielding).collect();
        let mut sum = 0;
        for task in tasks {
            sum += task.await;
        }
        (each * TASKS, sum)
    }
}

/// Tasks in chains of a thousand, each of which makes the next one and ends.
pub(super) struct ChainOfTasks;

impl Shape for ChainOfTasks {
    const BENCH: &'static str = "pool.chain.spawns";
    const FIRST: u64 = 1_000;

    async fn run<R: Runtime>(spawner: R::Spawner, amount: u64) -> (u64, u64) {
        const LINKS: u64 = 1_000;
        let chains = amount.div_ceil(LINKS);
        let mut sum = 0;
        for _ in 0..chains {
            let (end, ended) = oneshot::channel();
            let (kept, came) = std::sync::mpsc::channel();
            link::<R>(spawner.clone(), LINKS, 0, end, kept);
            sum += ended.await.expect("the last task sends it");
            // The handles are kept until here, because a dropped handle would abort its task.
            while let Ok(handle) = came.try_recv() {
                handle.await;
            }
        }
        (chains * LINKS, sum)
    }
}

/// Makes a task that makes the next task; the last task sends their number.
fn link<R: Runtime>(
    spawner: R::Spawner,
    left: u64,
    before: u64,
    end: oneshot::Sender<u64>,
    kept: std::sync::mpsc::Sender<R::Handle<()>>,
) {
    let (of_task, of_kept) = (spawner.clone(), kept.clone());
    let handle = R::spawn(&spawner, async move {
        if left == 1 {
            end.send(before + 1).expect("somebody waits for it");
        } else {
            link::<R>(of_task, left - 1, before + 1, end, of_kept);
        }
    });
    kept.send(handle).expect("somebody receives it");
}

/// A thousand tasks that wait, each of which wakes the next one.
pub(super) struct ChainOfWakes;

impl Shape for ChainOfWakes {
    const BENCH: &'static str = "pool.chain.wakes";
    const FIRST: u64 = 1_000;

    async fn run<R: Runtime>(spawner: R::Spawner, amount: u64) -> (u64, u64) {
        const LINKS: u64 = 1_000;
        let chains = amount.div_ceil(LINKS);
        let mut sum = 0;
        for _ in 0..chains {
            let (first, mut before) = oneshot::channel();
            let mut tasks = Vec::with_capacity(LINKS as usize);
            for _ in 0..LINKS {
                let (next, after) = oneshot::channel();
                let waits = std::mem::replace(&mut before, after);
                tasks.push(R::spawn(&spawner, async move {
                    let count: u64 = waits.await.expect("the one before sends it");
                    next.send(count + 1).expect("somebody waits for it");
                }));
            }
            first.send(0).expect("the first task waits for it");
            sum += before.await.expect("the last task sends it");
            for task in tasks {
                task.await;
            }
        }
        (chains * LINKS, sum)
    }
}

/// Ten tasks send to one task over a channel.
pub(super) struct Senders<C>(PhantomData<C>);

/// A channel with room for some messages.
pub(super) trait Channel: 'static {
    const BENCH: &'static str;
    type Tx: Send + 'static;
    type Rx: Send + 'static;

    /// Makes a channel with this number of senders.
    fn open(senders: usize) -> (Vec<Self::Tx>, Self::Rx);
    fn send(sender: &mut Self::Tx, message: u64) -> impl Future<Output = bool> + Send;
    fn recv(receiver: &mut Self::Rx) -> impl Future<Output = Option<u64>> + Send;
}

/// The number of messages for which a channel has room.
const ROOM: usize = 1_000;

impl<C: Channel> Shape for Senders<C> {
    const BENCH: &'static str = C::BENCH;
    const FIRST: u64 = 10_000;

    async fn run<R: Runtime>(spawner: R::Spawner, amount: u64) -> (u64, u64) {
        const SENDERS: u64 = 10;
        let each = amount.div_ceil(SENDERS);
        let (senders, mut receiver) = C::open(SENDERS as usize);
        let sending = |mut sender: C::Tx| {
            R::spawn(&spawner, async move {
                for _ in 0..each {
                    assert!(C::send(&mut sender, 1).await, "somebody receives it");
                }
            })
        };
        let tasks: Vec<_> = senders.into_iter().map(sending).collect();
        let mut sum = 0;
        while let Some(message) = C::recv(&mut receiver).await {
            sum += message;
        }
        for task in tasks {
            task.await;
        }
        (each * SENDERS, sum)
    }
}

/// Our channel.
pub(super) struct Ours;

impl Channel for Ours {
    const BENCH: &'static str = "pool.senders.aqueduct";
    type Tx = aqueduct_channel::Sender<u64>;
    type Rx = aqueduct_channel::Receiver<u64>;

    fn open(senders: usize) -> (Vec<Self::Tx>, Self::Rx) {
        let (sender, receiver) = aqueduct_channel::bounded(ROOM).expect("there is memory for so few");
        (vec![sender; senders], receiver)
    }

    async fn send(sender: &mut Self::Tx, message: u64) -> bool {
        sender.send_async(message).await.is_ok()
    }

    async fn recv(receiver: &mut Self::Rx) -> Option<u64> {
        receiver.recv_async().await.ok()
    }
}

/// tokio's channel.
pub(super) struct Tokios;

impl Channel for Tokios {
    const BENCH: &'static str = "pool.senders.tokio";
    type Tx = mpsc::Sender<u64>;
    type Rx = mpsc::Receiver<u64>;

    fn open(senders: usize) -> (Vec<Self::Tx>, Self::Rx) {
        let (sender, receiver) = mpsc::channel(ROOM);
        (vec![sender; senders], receiver)
    }

    async fn send(sender: &mut Self::Tx, message: u64) -> bool {
        sender.send(message).await.is_ok()
    }

    async fn recv(receiver: &mut Self::Rx) -> Option<u64> {
        receiver.recv().await
    }
}
