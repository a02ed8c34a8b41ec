//! The request-response measurement: one item goes to the other thread and back (the SPSC paper,
//! section 5.3).

use std::num::NonZeroU64;
use std::time::{Duration, Instant};

use super::kind::{Kind, Receiver, Sender, Word};
use super::pair::{Conditions, Fault, GivenUp, Shared, Waiting, run_pair};
use super::payload::{Carrier, Embedded, Indirect};
use super::plan::Wait;
use aqueduct_measure::counters::Misses;
use aqueduct_measure::machine::Cores;
use aqueduct_measure::record::Payload;
use aqueduct_measure::statistics;

/// Round trips between two looks at the clock, so that a look costs little of a trip.
pub const TRIPS_PER_CHUNK: u32 = 32;

/// One request-response measurement.
#[derive(Clone, Copy, Debug)]
pub struct Bounce {
    /// Items that each of the two queues can hold.
    pub capacity: usize,
    /// The place of the values.
    pub payload: Payload,
    /// Chunks of round trips before the clock starts.
    pub warm_up_chunks: u32,
    /// Chunks of round trips that are measured.
    pub chunks: u32,
    /// The behaviour of a thread while it waits for the other thread.
    pub wait: Wait,
    /// The time without progress after which the run counts as broken.
    pub patience: Duration,
    /// The threads' cores.
    pub cores: Cores,
    /// Whether to count L1 misses.
    pub count_misses: bool,
}

/// The result of a request-response measurement.
#[derive(Clone, Debug, PartialEq)]
pub struct Bounced {
    /// Mean round trip of each chunk, in nanoseconds, in the order of measurement.
    pub chunks_ns: Vec<f64>,
    /// L1 misses of the requesting thread and of the responding one in all of these chunks, if
    /// asked for.
    pub misses: Option<(u64, u64)>,
    /// The machine's behaviour.
    pub conditions: Conditions,
}

impl Bounced {
    /// Returns the median chunk's round trip in nanoseconds: a thread that loses its core for a
    /// while spoils one chunk, not the figure.
    #[must_use]
    pub fn typical_ns(&self) -> f64 {
        statistics::median(&self.chunks_ns)
    }

    /// Combines the results of both sides.
    pub(super) fn of(
        clocked: Result<Clocked, Fault>,
        served: Result<Option<u64>, Fault>,
        conditions: Conditions,
    ) -> Result<Self, Fault> {
        let answering = served?;
        let Clocked { chunks_ns, misses } = clocked?;
        Ok(Self { chunks_ns, misses: misses.zip(answering), conditions })
    }
}

/// Runs the measurement on two fresh queues of that kind.
pub(super) fn bounce<K: Kind>(spec: &Bounce) -> Result<Bounced, Fault> {
    match spec.payload {
        Payload::Embedded => bounce_with::<K, Embedded>(spec),
        Payload::Indirect => bounce_with::<K, Indirect>(spec),
    }
}

fn bounce_with<K: Kind, C: Carrier>(spec: &Bounce) -> Result<Bounced, Fault> {
    let [(request, requests), (response, responses)] =
        K::open_both_ways::<C::Item>(spec.capacity).map_err(Fault::Refused)?;
    let shared = Shared::new(spec.wait, spec.patience);
    let pool = C::pool(spec.capacity, K::most(spec.capacity));
    let mut source = C::source(&pool);
    let mut client_waiting = Waiting::new(&shared);
    let mut server_waiting = Waiting::new(&shared);
    // Each thread moves its handles into locals, which the compiler can keep in registers, as in a
    // user's loop.
    let client = || {
        let (mut request, mut responses) = (request, responses);
        shared.meet();
        clock_trips(spec, |number| {
            let item = C::make(&mut source, number);
            send(&mut request, item, &mut client_waiting)?;
            let back = receive(&mut responses, &mut client_waiting)?;
            Ok(C::same(item, back))
        })
    };
    let server = || {
        let (mut requests, mut response) = (requests, response);
        shared.meet();
        serve_trips(spec, |number| {
            let item = receive(&mut requests, &mut server_waiting)?;
            let right = C::number(item) == C::visible(number.get());
            send(&mut response, item, &mut server_waiting)?;
            Ok(right)
        })
    };
    let (clocked, served, conditions) = run_pair(spec.cores, client, server);
    Bounced::of(clocked, served, conditions)
}

#[inline]
fn send<T: Word>(sender: &mut impl Sender<T>, item: T, waiting: &mut Waiting<'_>) -> Result<(), GivenUp> {
    while !sender.push(item) {
        waiting.failed(false)?;
    }
    Ok(())
}

#[inline]
fn receive<T: Word>(receiver: &mut impl Receiver<T>, waiting: &mut Waiting<'_>) -> Result<T, GivenUp> {
    let mut came = None;
    loop {
        receiver.pop(&mut |item| came = Some(item));
        if let Some(item) = came {
            return Ok(item);
        }
        waiting.failed(false)?;
    }
}

/// The result of the requesting side.
pub(super) struct Clocked {
    /// Mean round trip of each chunk, in nanoseconds.
    chunks_ns: Vec<f64>,
    misses: Option<u64>,
}

/// Runs the requesting side: measures `trip`, which gets the number of the trip and returns whether
/// the right answer came.
#[inline]
pub(super) fn clock_trips(
    spec: &Bounce,
    mut trip: impl FnMut(NonZeroU64) -> Result<bool, GivenUp>,
) -> Result<Clocked, Fault> {
    let mut number = NonZeroU64::MIN;
    let mut right = true;
    let mut chunk = || {
        for _ in 0..TRIPS_PER_CHUNK {
            right &= trip(number).map_err(|GivenUp| stuck(spec, number, right))?;
            number = number.saturating_add(1);
        }
        Ok(())
    };
    for _ in 0..spec.warm_up_chunks {
        chunk()?;
    }
    let mut marks = Vec::with_capacity(spec.chunks as usize + 1);
    let misses = Misses::start_if(spec.count_misses).map_err(Fault::NotAvailable)?;
    marks.push(Instant::now());
    for _ in 0..spec.chunks {
        chunk()?;
        marks.push(Instant::now());
    }
    let misses = misses.stop();
    if !right {
        return Err(Fault::WrongItems { sum: 0, expected: 0 });
    }
    let per_trip = |pair: &[Instant]| (pair[1] - pair[0]).as_nanos() as f64 / f64::from(TRIPS_PER_CHUNK);
    Ok(Clocked { chunks_ns: marks.windows(2).map(per_trip).collect(), misses })
}

/// Runs the responding side: calls `turn` once for each trip. Returns its misses in those that are
/// measured.
#[inline]
pub(super) fn serve_trips(
    spec: &Bounce,
    mut turn: impl FnMut(NonZeroU64) -> Result<bool, GivenUp>,
) -> Result<Option<u64>, Fault> {
    let mut number = NonZeroU64::MIN;
    let mut right = true;
    let mut serve = |chunks: u32| {
        for _ in 0..u64::from(chunks) * u64::from(TRIPS_PER_CHUNK) {
            right &= turn(number).map_err(|GivenUp| stuck(spec, number, right))?;
            number = number.saturating_add(1);
        }
        Ok(())
    };
    serve(spec.warm_up_chunks)?;
    let misses = Misses::start_if(spec.count_misses).map_err(Fault::NotAvailable)?;
    serve(spec.chunks)?;
    let misses = misses.stop();
    if right { Ok(misses) } else { Err(Fault::WrongItems { sum: 0, expected: 0 }) }
}

fn trips(spec: &Bounce) -> u64 {
    u64::from(spec.warm_up_chunks + spec.chunks) * u64::from(TRIPS_PER_CHUNK)
}

#[cold]
fn stuck(spec: &Bounce, number: NonZeroU64, in_order: bool) -> Fault {
    Fault::Stuck { moved: number.get() - 1, wanted: trips(spec), in_order }
}
