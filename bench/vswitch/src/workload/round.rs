//! One round: threads, clock, accounting.

use std::sync::Barrier;
use std::sync::atomic::{AtomicU8, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use aqueduct::error::CapacityError;
use aqueduct_measure::crew::{self, Task, task};
use aqueduct_measure::machine::pin;
use thiserror::Error;

use super::{Client, ClientCounts, Setting, Workload};
use crate::mac::MacAddress;
use crate::memory::{self, TooLarge};
use crate::placement::Placement;
use crate::ports::QueueKind;
use crate::switch::{Switch, SwitchCounts};
use crate::table::ForwardingTable;

/// The figures of a round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Round {
    /// The frames that the switch pulled out of transmit queues while the clock ran, in millions
    /// per second.
    pub rate: f64,
    /// The share of these that it dropped because a receive queue was full, 0 to 1.
    pub dropped_share: f64,
    /// The number of frames that the switch pulled in the whole round, including the warm-up.
    pub pulled: u64,
}

/// A round that cannot be run, or whose figures cannot be trusted.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum WorkloadError {
    /// There are too few clients.
    #[error(
        "--clients: {0} clients were asked for; a workload needs at least 2, since every client sends to the others"
    )]
    Clients(usize),
    /// A client would send no frames at once, or more than a queue holds.
    #[error(
        "--client-batch, --capacity: a batch of {asked} frames was asked for; it must be at least 1, and at most the capacity, {capacity}"
    )]
    ClientBatch {
        /// The batch asked for.
        asked: usize,
        /// The number of frames that a queue holds.
        capacity: usize,
    },
    /// The switch would take no frames at once.
    #[error("--switch-batch: a batch of 0 frames was asked for; it must be at least 1")]
    SwitchBatch,
    /// The memory does not suffice for these clients, or for such long queues.
    #[error("--clients, --capacity: {0}")]
    TooLarge(#[from] TooLarge),
    /// The workload would lose frames in such queues and wait forever.
    #[error(
        "--capacity, --clients, --client-batch: queues of {asked} frames were asked for; {bench} with these clients and batches \
         needs at least {least}"
    )]
    Capacity {
        /// The workload.
        bench: &'static str,
        /// The capacity asked for.
        asked: usize,
        /// The least capacity that works.
        least: usize,
    },
    /// The queue refuses the capacity.
    #[error("--capacity: {0}")]
    Queue(#[from] CapacityError),
    /// Frames were lost, invented, swapped or sent to the wrong client.
    #[error("the frames of a round do not add up: {0}")]
    Accounting(String),
}

/// The state of the round's threads, set by the thread that watches the time.
struct Clock(AtomicU8);

impl Clock {
    const WARMING: u8 = 0;
    const MEASURING: u8 = 1;
    const STOPPED: u8 = 2;

    fn now(&self) -> u8 {
        // Ordering: Relaxed, because this value permits no other access.
        self.0.load(Ordering::Relaxed)
    }

    fn run(&self, warm_up: Duration, time: Duration) {
        thread::sleep(warm_up);
        self.0.store(Self::MEASURING, Ordering::Relaxed);
        thread::sleep(time);
        self.0.store(Self::STOPPED, Ordering::Relaxed);
    }
}

/// Runs one round of the workload `W` on queues of kind `Q`. It takes the warm-up and the time of
/// `setting`.
///
/// # Errors
/// [`WorkloadError`] if the setting makes no sense, or if afterwards some frame is not accounted
/// for.
///
/// # Panics
/// If a thread cannot be started, or panics.
pub fn run_round<Q: QueueKind, W: Workload>(setting: &Setting) -> Result<Round, WorkloadError> {
    check_setting::<W>(setting)?;
    let stations = (0..setting.clients).map(|port| (MacAddress::of_client(port as u32), port));
    let table = ForwardingTable::fixed(stations);
    let (switch, ports) = Switch::<Q>::new(setting.clients, setting.capacity, setting.switch_batch, table)?;
    let clients = (0..).zip(ports).map(|(number, port)| W::client(number, port, setting)).collect();
    let clock = &Clock(AtomicU8::new(Clock::WARMING));
    let crews = setting.placement.deal(clients);
    let placement = &setting.placement;
    let start = &Barrier::new(crews.len() + 2);
    // The threads' results lie here, so that starting the threads is compiled once and not for each
    // kind of queue.
    let (mut measured, mut clients) = (None, Vec::new());
    clients.resize_with(crews.len(), Vec::new);
    let mut tasks: Vec<Task<'_, ()>> = Vec::new();
    for ((core, crew), ended) in crews.into_iter().zip(&mut clients) {
        tasks.push(task(move || {
            pin(core);
            start.wait();
            *ended = run_crew(crew, placement, clock);
        }));
    }
    tasks.push(task(|| {
        pin(placement.switch);
        start.wait();
        measured = Some(run_switch(switch, placement, clock));
    }));
    tasks.push(task(|| {
        start.wait();
        clock.run(setting.warm_up, setting.time);
    }));
    crew::all(tasks);
    let (switch, round) = measured.expect("the switch runs to its end");
    let totals = clients.into_iter().flatten().map(Client::finish).fold(ClientCounts::default(), add);
    let counts = *switch.counts();
    check_accounts(&totals, &counts, switch.discard_unforwarded())?;
    Ok(round)
}

/// Checks that the workload can be run with this setting.
///
/// # Errors
/// The error names the possible values.
pub(crate) fn check_setting<W: Workload>(setting: &Setting) -> Result<(), WorkloadError> {
    if setting.clients < 2 {
        return Err(WorkloadError::Clients(setting.clients));
    }
    let least = W::least_capacity(setting);
    if setting.capacity < least {
        return Err(WorkloadError::Capacity { bench: W::BENCH, asked: setting.capacity, least });
    }
    check_client_batch(setting.client_batch, setting.capacity)?;
    check_switch_batch(setting.switch_batch)?;
    Ok(memory::check(setting.clients, setting.capacity)?)
}

/// Checks that a client can send `asked` frames at once.
fn check_client_batch(asked: usize, capacity: usize) -> Result<(), WorkloadError> {
    if (1..=capacity).contains(&asked) { Ok(()) } else { Err(WorkloadError::ClientBatch { asked, capacity }) }
}

/// Checks that the switch can take `asked` frames at once. It never takes more than a queue has.
pub(crate) fn check_switch_batch(asked: usize) -> Result<(), WorkloadError> {
    if asked > 0 { Ok(()) } else { Err(WorkloadError::SwitchBatch) }
}

/// Gives every client of a core its turn until the clock stops.
fn run_crew<C: Client>(mut crew: Vec<C>, placement: &Placement, clock: &Clock) -> Vec<C> {
    while clock.now() != Clock::STOPPED {
        let mut moved = false;
        for client in &mut crew {
            moved |= client.turn();
        }
        if !moved {
            placement.wait();
        }
    }
    crew
}

/// Pulls and pushes until the clock stops, and measures.
fn run_switch<Q: QueueKind>(mut switch: Switch<Q>, placement: &Placement, clock: &Clock) -> (Switch<Q>, Round) {
    let mut start = None;
    loop {
        match clock.now() {
            Clock::STOPPED => break,
            Clock::MEASURING if start.is_none() => start = Some((Instant::now(), *switch.counts())),
            _ => {}
        }
        let pulled = switch.pull();
        if switch.push() > 0 {
            switch.drop_waiting();
        }
        if pulled == 0 {
            placement.wait();
        }
    }
    let end = *switch.counts();
    // A switch without a core while the clock ran has measured nothing.
    let (pulled, dropped, seconds) = start.map_or((0, 0, 1.0), |(begin, before)| {
        let dropped = end.dropped.total() - before.dropped.total();
        (end.pulled - before.pulled, dropped, begin.elapsed().as_secs_f64())
    });
    let round = Round {
        rate: pulled as f64 / seconds / 1e6,
        dropped_share: if pulled == 0 { 0.0 } else { dropped as f64 / pulled as f64 },
        pulled: end.pulled,
    };
    (switch, round)
}

fn add(one: ClientCounts, other: ClientCounts) -> ClientCounts {
    ClientCounts {
        sent: one.sent + other.sent,
        received: one.received + other.received,
        misaddressed: one.misaddressed + other.misaddressed,
        out_of_order: one.out_of_order + other.out_of_order,
    }
}

/// Checks that every frame sent was pulled or is left, every frame pulled was pushed or dropped,
/// and every frame pushed was received.
fn check_accounts(clients: &ClientCounts, switch: &SwitchCounts, left: u64) -> Result<(), WorkloadError> {
    let accounts = [
        ("frames sent, and pulled or left in transmit queues", clients.sent, switch.pulled + left),
        ("frames pulled, and pushed or dropped", switch.pulled, switch.pushed + switch.dropped.total()),
        ("frames pushed, and received", switch.pushed, clients.received),
        ("frames for another client, and none", clients.misaddressed, 0),
        ("frames out of order, and none", clients.out_of_order, 0),
    ];
    match accounts.into_iter().find(|(_, one, other)| one != other) {
        Some((what, one, other)) => Err(WorkloadError::Accounting(format!("{what}: {one} and {other}"))),
        None => Ok(()),
    }
}
