//! The threads of a replay.

use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU8, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use aqueduct::error::CapacityError;
use aqueduct_measure::crew::{self, Task, task};
use aqueduct_measure::machine::pin;
use thiserror::Error;

use super::client::{FrameSink, ReplayClient};
use super::summary::{Station, Summary};
use super::{Cast, Run};
use crate::mac::MacAddress;
use crate::memory::{self, TooLarge};
use crate::pcap::{Capture, CaptureError};
use crate::placement::Placement;
use crate::ports::{Kind, KindVisitor, QueueKind};
use crate::switch::Switch;
use crate::table::ForwardingTable;

/// The most stations of a capture: each has two queues, and an open file while captures are
/// written.
pub const MOST_STATIONS: usize = 512;
/// The time for which the switch waits for a client that sends nothing.
const STALLED_AFTER: Duration = Duration::from_secs(60);
/// The number of frames that a client makes and sends at once.
const CLIENT_BATCH: usize = 32;

/// The options of a replay.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The kind of all queues.
    pub kind: Kind,
    /// The number of frames that each queue holds.
    pub capacity: usize,
    /// The number of frames that the switch pulls before it pushes: the SPSC paper's B_V, at least
    /// 1.
    pub batch: usize,
    /// The time for which the switch waits for a full receive queue before it drops.
    pub patience: Duration,
    /// The cores of the threads.
    pub placement: Placement,
}

impl Default for Setting {
    /// Makes options of the recommended queue, the SPSC paper's capacity and batch, and the cores
    /// of this machine.
    fn default() -> Self {
        let placement = Placement::choose(&[]).unwrap_or_else(|_| Placement { switch: None, clients: vec![None] });
        Self { kind: Kind::Ring, capacity: 256, batch: 8, patience: Duration::from_secs(10), placement }
    }
}

/// A replay that failed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReplayError {
    /// The capture cannot be used.
    #[error(transparent)]
    Capture(#[from] CaptureError),
    /// The capture has too many stations.
    #[error(
        "{found} stations send in this capture; up to {MOST_STATIONS} can be clients of the switch: filter it, as in `tcpdump -r FILE -w FILTERED ether src MAC`"
    )]
    TooManyStations {
        /// The number of stations of the capture.
        found: usize,
    },
    /// The queue refuses the capacity.
    #[error("--capacity: {0}")]
    Queue(#[from] CapacityError),
    /// The memory does not suffice for such queues.
    #[error("--capacity: {0}")]
    TooLarge(#[from] TooLarge),
    /// Received frames cannot be written.
    #[error("what {station} received cannot be written: {source}")]
    Sink {
        /// The station.
        station: MacAddress,
        /// The system's reason.
        source: io::Error,
    },
    /// A file or folder of the results cannot be made.
    #[error("{}: {source}", path.display())]
    Output {
        /// The file or folder.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The results would overwrite the capture that is being read.
    #[error("{}: is the capture that is being read, and what a station received would overwrite it; choose another folder", .0.display())]
    OverwritesInput(PathBuf),
    /// A client sent nothing for a long time.
    #[error("{station} has sent nothing for {} s although it has frames left", STALLED_AFTER.as_secs())]
    Stalled {
        /// The client's station.
        station: MacAddress,
    },
    /// Frames were lost or invented.
    #[error("the frames do not add up: {0}")]
    Accounting(String),
}

/// Forwards `capture`. `sink` makes the destination of a station's received frames.
///
/// Returns the counts of the frames, and the sinks of the stations in the summary's order.
///
/// # Errors
/// [`ReplayError`]; also if the frames do not add up at the end.
///
/// # Panics
/// If a thread cannot be started, or panics, or a sink does.
pub fn replay<S: FrameSink>(
    capture: &Capture<'_>,
    setting: &Setting,
    sink: impl FnMut(MacAddress) -> Result<S, ReplayError>,
) -> Result<(Summary, Vec<S>), ReplayError> {
    struct WithKind<'r, 'c, F>(&'r Capture<'c>, &'r Setting, F);
    impl<S: FrameSink, F: FnMut(MacAddress) -> Result<S, ReplayError>> KindVisitor for WithKind<'_, '_, F> {
        type Output = Result<(Summary, Vec<S>), ReplayError>;

        fn visit<Q: QueueKind>(self) -> Self::Output {
            replay_on::<Q, S>(self.0, self.1, self.2)
        }
    }
    setting.kind.visit(WithKind(capture, setting, sink))
}

fn replay_on<Q: QueueKind, S: FrameSink>(
    capture: &Capture<'_>,
    setting: &Setting,
    sink: impl FnMut(MacAddress) -> Result<S, ReplayError>,
) -> Result<(Summary, Vec<S>), ReplayError> {
    let Cast { stations, packets, schedule, dropped } = Cast::of(capture);
    if stations.len() > MOST_STATIONS {
        return Err(ReplayError::TooManyStations { found: stations.len() });
    }
    memory::check(stations.len(), setting.capacity)?;
    let sinks = stations.iter().copied().map(sink).collect::<Result<Vec<S>, _>>()?;
    let table = ForwardingTable::learning();
    let (switch, ports) = Switch::<Q>::new(stations.len(), setting.capacity, setting.batch, table)?;
    let clients = (ports.into_iter().zip(packets).zip(sinks))
        .map(|((port, packets), sink)| ReplayClient::new(port, packets, CLIENT_BATCH, setting.capacity, sink));
    let begin = Instant::now();
    let (switch, clients) = run_threads(switch, clients.enumerate().collect(), &schedule, setting)
        .map_err(|failure| failure.name(&stations))?;
    let elapsed = begin.elapsed();
    let counts = clients.iter().map(|client| client.counts);
    let stations = stations.iter().zip(counts).map(|(&address, counts)| Station::new(address, counts)).collect();
    let summary = Summary::new(capture.packets.len() as u64, dropped, stations, &switch, elapsed);
    summary.check()?;
    Ok((summary, clients.into_iter().map(|client| client.sink).collect()))
}

/// The reason for an early end of a replay.
enum Failure {
    /// The sink of the client at this port failed.
    Sink(usize, io::Error),
    /// The client at this port sent nothing.
    Stalled(usize),
    /// Another thread failed and has the reason.
    Elsewhere,
}

impl Failure {
    fn name(self, stations: &[MacAddress]) -> ReplayError {
        match self {
            Self::Sink(port, source) => ReplayError::Sink { station: stations[port], source },
            Self::Stalled(port) => ReplayError::Stalled { station: stations[port] },
            Self::Elsewhere => ReplayError::Accounting("a thread gave up without a reason".to_string()),
        }
    }
}

/// The stage of the replay, which all threads share.
struct Stage(AtomicU8);

impl Stage {
    const RUNNING: u8 = 0;
    /// The switch has pushed the last frame.
    const FORWARDED: u8 = 1;
    /// A thread has failed.
    const FAILED: u8 = 2;

    fn get(&self) -> u8 {
        // Ordering: Acquire pairs with the Release in `set`: a client that sees FORWARDED finds all
        // frames in its queue.
        self.0.load(Ordering::Acquire)
    }

    /// Sets the stage. A failure stays.
    fn set(&self, stage: u8) {
        self.0.fetch_max(stage, Ordering::Release);
    }
}

/// Ends the other threads if its thread panics; otherwise they would wait for that thread forever.
struct FailsInPanic<'s>(&'s Stage);

impl Drop for FailsInPanic<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.set(Stage::FAILED);
        }
    }
}

/// Clients with their ports.
type Clients<'c, Q, S> = Vec<(usize, ReplayClient<'c, Q, S>)>;
/// The switch, and the clients in the order of their ports.
type Ended<'c, Q, S> = (Switch<Q>, Vec<ReplayClient<'c, Q, S>>);

/// Runs the switch and the clients to their end, and returns them.
fn run_threads<'c, Q: QueueKind, S: FrameSink>(
    switch: Switch<Q>,
    clients: Clients<'c, Q, S>,
    schedule: &[Run],
    setting: &Setting,
) -> Result<Ended<'c, Q, S>, Failure> {
    let stage = &Stage(AtomicU8::new(Stage::RUNNING));
    let placement = &setting.placement;
    let crews = placement.deal(clients);
    // The threads' results lie here, so that starting the threads is compiled once and not for each
    // kind of queue.
    let (mut forwarded, mut ended) = (None, Vec::new());
    ended.resize_with(crews.len(), || None);
    let mut tasks: Vec<Task<'_, ()>> = Vec::new();
    for ((core, crew), ended) in crews.into_iter().zip(&mut ended) {
        tasks.push(task(move || *ended = Some(run_crew(core, crew, stage))));
    }
    tasks.push(task(|| forwarded = Some(run_switch(switch, schedule, setting, stage))));
    crew::all(tasks);
    let mut clients = Vec::new();
    let mut failure = None;
    for crew in ended {
        match crew.expect("the clients run to their end") {
            Ok(crew) => clients.extend(crew),
            Err(reason) => failure = Some(reason),
        }
    }
    match (forwarded.expect("the switch runs to its end"), failure) {
        (Err(Failure::Elsewhere), Some(failure)) | (Ok(_), Some(failure)) => Err(failure),
        (Err(failure), _) => Err(failure),
        (Ok(switch), None) => {
            clients.sort_by_key(|(port, _)| *port);
            Ok((switch, clients.into_iter().map(|(_, client)| client).collect()))
        }
    }
}

/// Gives every client of a core its turn until all frames have arrived.
fn run_crew<'c, Q: QueueKind, S: FrameSink>(
    core: Option<usize>,
    mut crew: Clients<'c, Q, S>,
    stage: &Stage,
) -> Result<Clients<'c, Q, S>, Failure> {
    pin(core);
    let _guard = FailsInPanic(stage);
    loop {
        // The stage is read before the queues: a queue that is empty after the last push stays
        // empty.
        let seen = stage.get();
        let mut moved = false;
        for (port, client) in &mut crew {
            moved |= client.turn().map_err(|error| {
                stage.set(Stage::FAILED);
                Failure::Sink(*port, error)
            })?;
        }
        if !moved {
            if seen != Stage::RUNNING {
                return Ok(crew);
            }
            thread::yield_now();
        }
    }
}

/// Pulls the frames in the order of the schedule and pushes them, a batch at a time.
fn run_switch<Q: QueueKind>(
    mut switch: Switch<Q>,
    schedule: &[Run],
    setting: &Setting,
    stage: &Stage,
) -> Result<Switch<Q>, Failure> {
    pin(setting.placement.switch);
    let _guard = FailsInPanic(stage);
    let batch = setting.batch.max(1);
    let mut room = batch;
    let mut idle = Patience::new(STALLED_AFTER);
    for run in schedule {
        let mut left = run.packets;
        while left > 0 {
            let pulled = switch.pull_from(run.port, left.min(room));
            left -= pulled;
            room -= pulled;
            // The queue is empty, or there are enough for a batch: the pulled frames move on.
            if pulled == 0 || room == 0 {
                push_all(&mut switch, setting.patience, stage)?;
                room = batch;
            }
            if pulled > 0 {
                idle.reset();
            } else if stage.get() == Stage::FAILED {
                return Err(Failure::Elsewhere);
            } else if idle.is_over() {
                stage.set(Stage::FAILED);
                return Err(Failure::Stalled(run.port));
            } else {
                thread::yield_now();
            }
        }
    }
    push_all(&mut switch, setting.patience, stage)?;
    stage.set(Stage::FORWARDED);
    Ok(switch)
}

/// Runs the push phase under back-pressure: waits for full receive queues. Drops if no frame moves
/// for too long.
fn push_all<Q: QueueKind>(switch: &mut Switch<Q>, patience: Duration, stage: &Stage) -> Result<(), Failure> {
    let mut blocked = Patience::new(patience);
    let mut waiting = switch.push();
    while waiting > 0 {
        if stage.get() == Stage::FAILED {
            return Err(Failure::Elsewhere);
        }
        if blocked.is_over() {
            switch.drop_waiting();
            break;
        }
        thread::yield_now();
        let before = waiting;
        waiting = switch.push();
        if waiting < before {
            blocked.reset();
        }
    }
    Ok(())
}

/// The time for which a thread waits without progress.
struct Patience {
    most: Duration,
    since: Option<Instant>,
}

impl Patience {
    fn new(most: Duration) -> Self {
        Self { most, since: None }
    }

    /// Notes progress.
    fn reset(&mut self) {
        self.since = None;
    }

    fn is_over(&mut self) -> bool {
        self.since.get_or_insert_with(Instant::now).elapsed() > self.most
    }
}
