//! The experiments.

use std::cell::RefCell;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use aqueduct_measure::machine;
use aqueduct_measure::names::{Bench, Facet};
use aqueduct_measure::record::{Placement, Role};
use aqueduct_measure::rounds::{self, Cell, Fault, Figure, Findings, Measured, Observer, Pace, Place, experiments};
use aqueduct_measure::statistics::quantile;
use aqueduct_measure::unit::Unit;

use super::eal::{self, Start};
use super::ffi::{self, Flow};
use super::process::Clients;
use super::setup::{self, Setup, Tester};

experiments! {
    "dpdk":
    /// `dpdk.l2fwd`: a process sends packets to another one, which sends them back, in bursts of
    /// 32.
    Forward = "l2fwd",
    /// `dpdk.round_trip`: a packet is sent when the one before has come back.
    RoundTrip = "round_trip",
    /// `dpdk.clients`: a process hands packets to two others, which send them back into one queue.
    Clients = "clients",
    /// `dpdk.stops`: one of the two is stopped at any instruction: the share of stops after which
    /// packets of the other one still come.
    Stops = "stops",
    /// `dpdk.call`: a push and a pop on one thread.
    Call = "call",
    /// `dpdk.pipeline`: events go through two stages of DPDK's software event device.
    Pipeline = "pipeline",
}

/// The measurements of a run, and their durations.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The experiments.
    pub experiments: Vec<Experiment>,
    /// Whether DPDK's rings take part.
    pub peers: bool,
    /// The cores of the tester and of the clients; with two, the clients share the second one.
    /// Empty means all usable cores.
    pub cores: Vec<usize>,
    /// The number of rounds, and their duration.
    pub pace: Pace,
    /// More options for DPDK.
    pub more: Vec<String>,
}

/// The packets that are on their way at once in a burst.
const BURST: usize = 32;

/// Milliseconds that packets may take to come back before a queue counts as stuck.
pub(crate) const PATIENCE: u64 = 10_000;

/// The longest time of a run, in milliseconds.
const LONGEST: u64 = 1_000;

/// Milliseconds after a stop in which packets that the other client had sent may still come, and
/// milliseconds that it has for further ones.
const GRACE: u64 = 5;
const WATCHED: u64 = 100;

/// A client is stopped fewer instructions than this after a moment by chance: about as many as its
/// loop has.
const INSTRUCTIONS: u64 = 1024;

/// Runs the plan's measurements.
///
/// # Errors
/// A sentence that names the error of the plan, or of DPDK.
pub fn run(plan: &Plan, stop: &AtomicBool, observer: &mut dyn Observer) -> Result<Findings, String> {
    let cores = machine::cores(&plan.cores)?;
    let prefix = format!("aqueduct{}", std::process::id());
    eal::start(&Start::on(cores.first().copied().unwrap_or(0), &prefix, false, &plan.more))?;
    let tester = Tester::new()?;
    let setups = setup::all();
    let flows = setups.iter().enumerate().map(|(at, setup)| tester.flow(at, setup.clients)).collect();
    let clients = Clients::start(tester.board, &cores, &prefix, &plan.more)?;
    let state = State { flows: RefCell::new(flows), clients: RefCell::new(clients) };
    let mut cells = Vec::new();
    for &experiment in &plan.experiments {
        for (at, setup) in setups.iter().enumerate() {
            if experiment.has(setup) && (plan.peers || setup.role == Role::Ours) {
                cells.push(cell(experiment, at, setup, &cores, &state));
            }
        }
    }
    if plan.experiments.contains(&Experiment::Call) {
        cells.extend(super::calls::cells(plan.peers)?);
    }
    #[cfg(has_event_device)]
    if plan.experiments.contains(&Experiment::Pipeline) {
        cells.extend(super::pipeline::cells(plan.peers, &cores)?);
    }
    let mut findings = rounds::measure(cells, plan.pace, stop, observer)?;
    if !cfg!(has_event_device) && plan.experiments.contains(&Experiment::Pipeline) {
        findings.notes.push("No pipeline: this program was built without AQUEDUCT_DPDK_SOURCE.".to_owned());
    }
    Ok(findings)
}

impl Experiment {
    /// Whether it measures that setup.
    fn has(self, setup: &Setup) -> bool {
        match self {
            Self::Forward => setup.clients == 1,
            Self::RoundTrip => setup.clients == 1 && setup.packets == 1024,
            Self::Clients | Self::Stops => setup.clients > 1,
            Self::Call | Self::Pipeline => false,
        }
    }
}

/// The state that all runs share.
struct State {
    flows: RefCell<Vec<Flow>>,
    clients: RefCell<Clients>,
}

fn cell<'a>(experiment: Experiment, at: usize, setup: &Setup, cores: &[usize], state: &'a State) -> Cell<'a> {
    let bench = format!("dpdk.{}", experiment.name());
    let batch = if experiment == Experiment::RoundTrip { 1 } else { BURST };
    let place = Place { producers: setup.clients, consumers: 1, capacity: setup.packets, batch };
    let others = if cores.len() > 1 { &cores[1..(1 + setup.clients).min(cores.len())] } else { cores };
    let placement = Placement { producers: others.into(), consumers: cores.iter().take(1).copied().collect() };
    let clients = setup.clients;
    let words = place.words(&bench);
    let cell = Cell::new(words, setup.name, setup.role, place, move |amount| {
        let task = at as u32 + 1;
        state.clients.borrow_mut().turn_to(task, clients).map_err(Fault::Refused)?;
        let flow = &mut state.flows.borrow_mut()[at];
        let measured = match experiment {
            Experiment::RoundTrip => round_trips(flow, amount, &bench),
            Experiment::Stops => stops(flow, amount, &bench, &state.clients.borrow()),
            _ => through(flow, amount, &bench),
        };
        state.clients.borrow_mut().turn_to(0, clients).map_err(Fault::Refused)?;
        measured
    });
    let first = match experiment {
        Experiment::Stops => 1,
        Experiment::RoundTrip => 200,
        _ => 20_000,
    };
    Cell { first, ..cell.on(placement) }
}

/// Sends that many packets and receives them, or as many as come in [`LONGEST`]: clients that share
/// a core may go on by a burst in each time slice.
fn through(flow: &mut Flow, amount: u64, bench: &str) -> Result<Measured, Fault> {
    let received = |flow: &Flow| flow.received.iter().sum::<u64>();
    let (begin, before) = (eal::now(), received(flow));
    go_on(flow, before + amount, LONGEST)?;
    let (elapsed, done) = (since(begin), received(flow) - before);
    let sent = flow.sent.iter().sum();
    go_on(flow, sent, PATIENCE)?;
    all_are_back(flow)?;
    let rate = done as f64 / elapsed.as_secs_f64().max(1e-9) / 1e6;
    Ok(Measured { figures: vec![Figure::new(bench, Unit::Mpackets, rate)], done, elapsed })
}

fn round_trips(flow: &mut Flow, amount: u64, bench: &str) -> Result<Measured, Fault> {
    let mut ticks = vec![0; amount as usize];
    let begin = eal::now();
    let until = begin + milliseconds(PATIENCE);
    // SAFETY: the flow and the array live, and the array has `amount` places.
    judge(unsafe { ffi::aq_round_trips(flow, amount, ticks.as_mut_ptr(), until) })?;
    let elapsed = since(begin);
    let ns: Vec<f64> = ticks.iter().map(|&ticks| f64::from(ticks) * 1e9 / eal::ticks_in_a_second() as f64).collect();
    let figures = [(Facet::P50, 0.5), (Facet::P99, 0.99)]
        .map(|(facet, fraction)| Figure::new(Bench::side(bench, facet), Unit::Ns, quantile(&ns, fraction)));
    Ok(Measured { figures: figures.into(), done: amount, elapsed })
}

/// Stops the first client `amount` times while both are at work, and counts how often the other
/// client's packets still came, and how often its calls of ports still came back.
fn stops(flow: &mut Flow, amount: u64, bench: &str, clients: &Clients) -> Result<Measured, Fault> {
    let begin = eal::now();
    let (mut packets, mut calls) = (0, 0);
    for _ in 0..amount {
        // The clock's last digits are random enough.
        go_on_for(flow, milliseconds(1) + eal::now() % milliseconds(1))?;
        let stopped = clients.stop(0, eal::now() / 2 % INSTRUCTIONS).map_err(Fault::Refused)?;
        go_on(flow, u64::MAX, GRACE)?;
        let (received, beats) = (flow.received[1], clients.beats(1));
        // A loop counts once for each call: two more counts are a call that began after the stop.
        let has_arrived = |flow: &Flow| (flow.received[1] > received, clients.beats(1) > beats + 1);
        for _ in 0..WATCHED {
            go_on(flow, u64::MAX, 1)?;
            if has_arrived(flow) == (true, true) {
                break;
            }
        }
        let (packet, call) = has_arrived(flow);
        packets += u64::from(packet);
        calls += u64::from(call);
        drop(stopped);
        let sent = flow.sent.iter().sum();
        go_on(flow, sent, PATIENCE)?;
        all_are_back(flow)?;
    }
    let share = |(facet, count): (&str, u64)| {
        Figure::new(format!("{bench}.{facet}"), Unit::Percent, 100.0 * count as f64 / amount as f64)
    };
    let figures = [("packets", packets), ("calls", calls)].map(share).into();
    Ok(Measured { figures, done: amount, elapsed: since(begin) })
}

/// Sends and receives until `limit` packets are back, or `ms` milliseconds have passed.
fn go_on(flow: &mut Flow, limit: u64, ms: u64) -> Result<(), Fault> {
    // SAFETY: the flow lives.
    judge(unsafe { ffi::aq_run(flow, limit, eal::now() + milliseconds(ms)) })
}

fn go_on_for(flow: &mut Flow, ticks: u64) -> Result<(), Fault> {
    // SAFETY: the flow lives.
    judge(unsafe { ffi::aq_run(flow, u64::MAX, eal::now() + ticks) })
}

fn all_are_back(flow: &Flow) -> Result<(), Fault> {
    if flow.sent == flow.received {
        return Ok(());
    }
    let Flow { sent, received, .. } = flow;
    Err(Fault::Refused(format!("of {sent:?} packets sent to the clients, {received:?} came back in {PATIENCE} ms")))
}

/// Returns the result that a value of `enum aq_fault` stands for.
fn judge(fault: i32) -> Result<(), Fault> {
    let words = match fault {
        0 => return Ok(()),
        1 => "a packet came out of its order",
        2 => "a packet came with another content, or with its addresses as they were",
        3 => "a packet did not come back",
        _ => "there is no memory for a packet",
    };
    Err(Fault::Refused(words.to_owned()))
}

pub(crate) fn milliseconds(ms: u64) -> u64 {
    eal::ticks_in_a_second() / 1000 * ms
}

pub(crate) fn since(begin: u64) -> Duration {
    Duration::from_secs_f64((eal::now() - begin) as f64 / eal::ticks_in_a_second() as f64)
}
