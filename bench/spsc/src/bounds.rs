//! Bounds of this machine for any queue: rare synchronisation, no synchronisation, bare cache
//! lines.

use std::hint::black_box;
use std::num::NonZeroU64;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use super::alone::{Alone, AloneTime, clock_pairs};
use super::bounce::{Bounce, Bounced, clock_trips, serve_trips};
use super::pair::{Fault, GivenUp, Shared, Waiting, run_pair};
use super::stream::{Stream, Streamed};
use super::subject::{Subject, Workload};
use aqueduct_measure::record::{Payload, Role};

/// Keeps its content away from its neighbours and from the line that the prefetcher pairs it with.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Apart<T>(T);

/// Returns all bounds.
pub(super) fn all() -> Vec<Box<dyn Subject>> {
    vec![
        Box::new(SyncEvery512),
        Box::new(OneThread::PlainRing),
        Box::new(OneThread::NoQueue),
        Box::new(Lines::One),
        Box::new(Lines::Two),
    ]
}

fn unable<T>() -> Result<T, Fault> {
    Err(Fault::Refused("a bound has no such measurement".into()))
}

/// A producer and a consumer that synchronise once every 512 items, over a ring of 32 KiB.
///
/// It ignores the capacity and batch asked for: it measures what two cores can move when
/// synchronisation costs nothing.
struct SyncEvery512;

const SECTION: usize = 512;
const SECTIONS: usize = 8;

/// The ring of the bound: sections of plain words, and how many sections each side has finished.
struct Sections {
    slots: Vec<[std::cell::UnsafeCell<u64>; SECTION]>,
    filled: Apart<AtomicU64>,
    emptied: Apart<AtomicU64>,
}

// SAFETY: the producer touches a section only while `filled - emptied` shows that it is empty, and
// the consumer only while it is filled; the counters hand it over with release and acquire.
unsafe impl Sync for Sections {}

impl Sections {
    fn new() -> Self {
        let section = || std::array::from_fn(|_| std::cell::UnsafeCell::new(0));
        Self { slots: (0..SECTIONS).map(|_| section()).collect(), filled: Apart::default(), emptied: Apart::default() }
    }

    fn fill(&self, sections: u64, waiting: &mut Waiting<'_>) -> Result<(), GivenUp> {
        let mut number = 0;
        let begin = self.filled.0.load(Ordering::Relaxed);
        for turn in begin..begin + sections {
            // Ordering: Acquire pairs with the Release in `empty`: its reads come before these
            // writes.
            while turn - self.emptied.0.load(Ordering::Acquire) == SECTIONS as u64 {
                waiting.failed(false)?;
            }
            for slot in &self.slots[turn as usize % SECTIONS] {
                number += 1;
                // SAFETY: the section is empty, see `Sync`.
                unsafe { slot.get().write(number) };
            }
            // Ordering: Release pairs with the Acquire in `empty`: it sees the words.
            self.filled.0.store(turn + 1, Ordering::Release);
        }
        Ok(())
    }

    fn empty(&self, sections: u64, waiting: &mut Waiting<'_>) -> Result<(), Fault> {
        let mut number = 0;
        let mut difference = 0;
        let begin = self.emptied.0.load(Ordering::Relaxed);
        for turn in begin..begin + sections {
            // Ordering: Acquire pairs with the Release in `fill`.
            while self.filled.0.load(Ordering::Acquire) == turn {
                let done = turn * SECTION as u64;
                waiting.failed(false).map_err(|GivenUp| Fault::Stuck {
                    moved: done,
                    wanted: (begin + sections) * SECTION as u64,
                    in_order: difference == 0,
                })?;
            }
            for slot in &self.slots[turn as usize % SECTIONS] {
                number += 1;
                // SAFETY: the section is filled, see `Sync`.
                difference |= unsafe { slot.get().read() } ^ number;
            }
            // Ordering: Release pairs with the Acquire in `fill`.
            self.emptied.0.store(turn + 1, Ordering::Release);
        }
        if difference == 0 { Ok(()) } else { Err(Fault::WrongItems { sum: difference, expected: 0 }) }
    }
}

impl Subject for SyncEvery512 {
    fn name(&self) -> &'static str {
        "bound/sync_every_512"
    }

    fn role(&self) -> Role {
        Role::Bound
    }

    fn can(&self, workload: Workload) -> bool {
        matches!(workload, Workload::Stream { payload: Payload::Embedded, loaded: false, .. })
    }

    fn stream(&self, spec: &Stream) -> Result<Streamed, Fault> {
        let ring = Sections::new();
        let shared = Shared::new(spec.wait, spec.patience);
        let sections = |items: u64| items.div_ceil(SECTION as u64);
        let (warm_up, measured) = (sections(spec.warm_up), sections(spec.items));
        let producer = || {
            shared.meet();
            let mut waiting = Waiting::new(&shared);
            ring.fill(warm_up, &mut waiting)?;
            ring.fill(measured, &mut waiting)
        };
        let consumer = || {
            shared.meet();
            let mut waiting = Waiting::new(&shared);
            ring.empty(warm_up, &mut waiting)?;
            let begin = Instant::now();
            ring.empty(measured, &mut waiting)?;
            Ok(begin.elapsed())
        };
        let (_, consumed, conditions) = run_pair(spec.cores, producer, consumer);
        let items = measured * SECTION as u64;
        Ok(Streamed { items, elapsed: consumed?, producer_stalls: 0, consumer_stalls: 0, misses: None, conditions })
    }

    fn bounce(&self, _spec: &Bounce) -> Result<Bounced, Fault> {
        unable()
    }

    fn alone(&self, _spec: &Alone) -> Result<AloneTime, Fault> {
        unable()
    }
}

/// A single thread without a queue: no atomics, no second core.
#[derive(Clone, Copy)]
enum OneThread {
    /// A ring that only this thread uses.
    PlainRing,
    /// The empty measuring loop, which is part of every other row.
    NoQueue,
}

impl Subject for OneThread {
    fn name(&self) -> &'static str {
        match self {
            Self::PlainRing => "bound/plain_ring",
            Self::NoQueue => "bound/no_queue",
        }
    }

    fn role(&self) -> Role {
        Role::Bound
    }

    fn can(&self, workload: Workload) -> bool {
        workload == Workload::Alone
    }

    fn stream(&self, _spec: &Stream) -> Result<Streamed, Fault> {
        unable()
    }

    fn bounce(&self, _spec: &Bounce) -> Result<Bounced, Fault> {
        unable()
    }

    fn alone(&self, spec: &Alone) -> Result<AloneTime, Fault> {
        match self {
            Self::PlainRing => plain_ring(spec),
            Self::NoQueue => clock_pairs(spec, (), |(), item| Some(item)),
        }
    }
}

fn plain_ring(spec: &Alone) -> Result<AloneTime, Fault> {
    let slots = vec![0_u64; spec.capacity.next_power_of_two()].into_boxed_slice();
    clock_pairs(spec, (slots, 0_usize, 0_usize), |(slots, write, read), item| {
        let mask = slots.len() - 1;
        if *write - *read == slots.len() {
            return None;
        }
        slots[*write & mask] = item.get();
        *write += 1;
        // The item must pass through memory, as it does in a queue.
        let slots: &mut [u64] = black_box(&mut *slots);
        if *read == *write {
            return None;
        }
        let value = slots[*read & mask];
        *read += 1;
        NonZeroU64::new(value)
    })
}

/// Bare cache lines that go back and forth between the two cores.
#[derive(Clone, Copy)]
enum Lines {
    /// Request and response in the same line.
    One,
    /// One line for the request and one for the response, as two queues have at least.
    Two,
}

impl Subject for Lines {
    fn name(&self) -> &'static str {
        match self {
            Self::One => "bound/one_line",
            Self::Two => "bound/two_lines",
        }
    }

    fn role(&self) -> Role {
        Role::Bound
    }

    fn can(&self, workload: Workload) -> bool {
        matches!(workload, Workload::Bounce { payload: Payload::Embedded })
    }

    fn stream(&self, _spec: &Stream) -> Result<Streamed, Fault> {
        unable()
    }

    fn bounce(&self, spec: &Bounce) -> Result<Bounced, Fault> {
        let lines = Box::new([Apart(AtomicU64::new(0)), Apart(AtomicU64::new(0))]);
        let request = &lines[0].0;
        // In one line the response is the request's number with the lowest bit set.
        let response = match self {
            Self::One => request,
            Self::Two => &lines[1].0,
        };
        let shared = Shared::new(spec.wait, spec.patience);
        let await_value = |line: &AtomicU64, value: u64, waiting: &mut Waiting<'_>| {
            // Ordering: Acquire pairs with the Release of the other side's store.
            while line.load(Ordering::Acquire) != value {
                waiting.failed(false)?;
            }
            Ok(true)
        };
        let client = || {
            shared.meet();
            let mut waiting = Waiting::new(&shared);
            clock_trips(spec, |number| {
                // Ordering: Release pairs with the Acquire above.
                request.store(2 * number.get(), Ordering::Release);
                await_value(response, 2 * number.get() + 1, &mut waiting)
            })
        };
        let server = || {
            shared.meet();
            let mut waiting = Waiting::new(&shared);
            serve_trips(spec, |number| {
                let right = await_value(request, 2 * number.get(), &mut waiting);
                // Ordering: Release pairs with the Acquire above.
                response.store(2 * number.get() + 1, Ordering::Release);
                right
            })
        };
        let (clocked, served, conditions) = run_pair(spec.cores, client, server);
        Bounced::of(clocked, served, conditions)
    }

    fn alone(&self, _spec: &Alone) -> Result<AloneTime, Fault> {
        unable()
    }
}
