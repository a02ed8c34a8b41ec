//! Measures the forwarding rate of the switch for every kind of queue: figures 23 and 24 of the
//! SPSC paper.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use aqueduct_measure::record::{Payload, Place, Record, Role};
use aqueduct_measure::rounds::Observer;
use aqueduct_measure::statistics::median;
use clap::ValueEnum;
use serde::Serialize;

use crate::placement::Placement;
use crate::ports::{Kind, KindVisitor, QueueKind};
use crate::workload::{Flood, RequestResponse, Round, Setting, Workload, WorkloadError, check_setting, run_round};
use aqueduct_measure::unit::Unit;

/// One of the SPSC paper's workloads, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum WorkloadName {
    /// Every client sends as much as it can to all the others.
    Flood,
    /// Every client sends requests and waits for the responses.
    #[value(name = "request_response", alias = "request-response")]
    RequestResponse,
}

impl WorkloadName {
    /// Returns the name of its figures.
    #[must_use]
    pub const fn bench(self) -> &'static str {
        match self {
            Self::Flood => Flood::BENCH,
            Self::RequestResponse => RequestResponse::BENCH,
        }
    }

    fn run_round(self, kind: Kind, setting: &Setting) -> Result<Round, WorkloadError> {
        struct WithKind<'s>(WorkloadName, &'s Setting);
        impl KindVisitor for WithKind<'_> {
            type Output = Result<Round, WorkloadError>;

            fn visit<Q: QueueKind>(self) -> Self::Output {
                match self.0 {
                    WorkloadName::Flood => run_round::<Q, Flood>(self.1),
                    WorkloadName::RequestResponse => run_round::<Q, RequestResponse>(self.1),
                }
            }
        }
        kind.visit(WithKind(self, setting))
    }
}

/// A plan: all kinds in all workloads with all numbers of clients and all client batches.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The kinds of queues.
    pub kinds: Vec<Kind>,
    /// The workloads.
    pub workloads: Vec<WorkloadName>,
    /// The numbers of clients: the paper's N_C.
    pub clients: Vec<usize>,
    /// The number of frames that the switch takes from a queue at once: the paper's B_V.
    pub switch_batch: usize,
    /// The number of frames that a client sends at once: the paper's B_C.
    pub client_batches: Vec<usize>,
    /// The number of frames that each queue holds.
    pub capacity: usize,
    /// The number of rounds, A B C A B C ...
    pub rounds: usize,
    /// The duration of one measurement. A quarter of that more warms up.
    pub time: Duration,
    /// The cores of the threads.
    pub placement: Placement,
}

/// The forwarding rates of one kind in one setting.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// The rates, in million packets pulled per second. The record's batch is the client's.
    #[serde(flatten)]
    pub record: Record,
    /// The paper's N_C; each client is a producer and a consumer.
    pub clients: usize,
    /// The paper's B_V.
    pub switch_batch: usize,
    /// The median share of the frames pulled that were dropped because a receive queue was full, 0
    /// to 1.
    pub dropped_share: f64,
}

/// One kind in one setting while it is being measured.
struct Cell {
    workload: WorkloadName,
    kind: Kind,
    setting: Setting,
    rounds: Vec<Round>,
}

/// The extent of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outlook {
    /// The number of measurements in each round: one for each kind in each setting.
    pub measurements: usize,
    /// The number of rounds.
    pub rounds: usize,
    /// The time that the plan takes.
    pub time: Duration,
}

impl fmt::Display for Outlook {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { measurements, rounds, time } = self;
        write!(formatter, "{measurements} measurements in each of {rounds} rounds: {:.1} s", time.as_secs_f64())
    }
}

/// Checks that this machine can measure every setting of a plan. Returns the plan's extent.
///
/// # Errors
/// [`WorkloadError`] of the first setting that cannot.
pub fn check(plan: &Plan) -> Result<Outlook, WorkloadError> {
    let cells = cells(plan);
    for cell in &cells {
        match cell.workload {
            WorkloadName::Flood => check_setting::<Flood>(&cell.setting)?,
            WorkloadName::RequestResponse => check_setting::<RequestResponse>(&cell.setting)?,
        }
    }
    let all = u32::try_from(cells.len().saturating_mul(plan.rounds)).unwrap_or(u32::MAX);
    Ok(Outlook { measurements: cells.len(), rounds: plan.rounds, time: plan.time.saturating_mul(all) * 5 / 4 })
}

/// Measures the cells of the plan: all once, then all again, so that a drifting speed affects all
/// kinds alike.
///
/// It takes 1.25 times [`Plan::time`] for each round of each cell. Set `stop` from another thread
/// to end after the present measurement; the figures so far are returned.
///
/// # Errors
/// [`WorkloadError`] if a setting makes no sense, or if frames were lost.
pub fn measure(plan: &Plan, stop: &AtomicBool, observer: &mut dyn Observer) -> Result<Vec<Figure>, WorkloadError> {
    let mut cells = cells(plan);
    observer.begin((cells.len() * plan.rounds) as u64);
    let result = measure_cells(&mut cells, plan.rounds, stop, observer);
    observer.end();
    result?;
    Ok(cells.into_iter().filter(|cell| !cell.rounds.is_empty()).map(figure).collect())
}

fn measure_cells(
    cells: &mut [Cell],
    rounds: usize,
    stop: &AtomicBool,
    observer: &mut dyn Observer,
) -> Result<(), WorkloadError> {
    for _ in 0..rounds {
        for cell in &mut *cells {
            // Ordering: Relaxed, because the flag carries no data.
            if stop.load(Ordering::Relaxed) {
                return Ok(());
            }
            observer.measuring(cell.workload.bench(), cell.kind.name());
            cell.rounds.push(cell.workload.run_round(cell.kind, &cell.setting)?);
            observer.measured();
        }
    }
    Ok(())
}

fn cells(plan: &Plan) -> Vec<Cell> {
    let mut cells = Vec::new();
    for &workload in &plan.workloads {
        for &clients in &plan.clients {
            for &client_batch in &plan.client_batches {
                let setting = Setting {
                    clients,
                    switch_batch: plan.switch_batch,
                    client_batch,
                    capacity: plan.capacity,
                    warm_up: plan.time / 4,
                    time: plan.time,
                    placement: plan.placement.clone(),
                };
                cells.extend(plan.kinds.iter().map(|&kind| {
                    let setting = setting.clone();
                    Cell { workload, kind, setting, rounds: Vec::new() }
                }));
            }
        }
    }
    cells
}

fn figure(cell: Cell) -> Figure {
    let Cell { workload, kind, setting, rounds } = cell;
    let runs: Vec<f64> = rounds.iter().map(|round| round.rate).collect();
    let dropped: Vec<f64> = rounds.iter().map(|round| round.dropped_share).collect();
    let Setting { clients, capacity, client_batch, .. } = setting;
    let place = Place { producers: clients, consumers: clients, capacity, batch: client_batch };
    let queue = if kind.is_peer() { kind.to_string() } else { format!("aqueduct/{kind}") };
    let record = Record {
        payload: Payload::Indirect,
        ..Record::of(workload.bench().to_string(), queue, Role::of_queue(kind.is_peer()), place, Unit::Mpackets, runs)
    };
    let (clients, switch_batch) = (setting.clients, setting.switch_batch);
    Figure { record, clients, switch_batch, dropped_share: median(&dropped) }
}

/// The figures as tables, one for each setting, the fastest kind first.
#[derive(Clone, Copy, Debug)]
pub struct Tables<'f>(pub &'f [Figure]);

impl fmt::Display for Tables<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let same = |one: &Figure, other: &Figure| {
            let key = |figure: &Figure| (figure.record.bench.clone(), figure.clients, figure.record.batch);
            key(one) == key(other)
        };
        for table in self.0.chunk_by(same) {
            let Figure { record, clients, switch_batch, .. } = &table[0];
            let Record { bench, capacity, batch, .. } = record;
            writeln!(formatter, "{bench}: {clients} clients, B_V {switch_batch}, B_C {batch}, queues of {capacity}")?;
            writeln!(formatter, "  queue                         Mpackets/s     least      most  of best   dropped")?;
            let mut rows: Vec<&Figure> = table.iter().collect();
            rows.sort_by(|one, other| other.record.median.total_cmp(&one.record.median));
            let best = rows[0].record.median;
            for Figure { record, dropped_share, .. } in rows {
                let name = record.queue.name.trim_start_matches("aqueduct/");
                let Record { median, min, max, .. } = record;
                let (of_best, dropped) = (median / best, dropped_share * 100.0);
                writeln!(
                    formatter,
                    "  {name:<29} {median:>10.2}  {min:>8.2}  {max:>8.2}  {of_best:>7.2}  {dropped:>6.1} %"
                )?;
            }
            writeln!(formatter)?;
        }
        Ok(())
    }
}
