//! One memory for many threads: a ring for each thread, or one ring that all threads share.
//!
//! In `even`, all threads record as fast as they can. In `uneven`, one thread does, and each other
//! thread makes one event for a thousand of the first: with a ring for each, the events of the
//! quiet threads are kept, and the busy thread has little room.

use std::hint::black_box;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use aqueduct::bbq::records::Space;
use aqueduct::bbq::records::drop_old::mpmc::{self, Producer, Reader};
use aqueduct_measure::record::Role;
use aqueduct_measure::rounds::{Cell, Fault, Figure, Measured};
use aqueduct_measure::unit::Unit;
use aqueduct_recorder::ring::{Ring, Word, Writer};
use quanta::Clock;

use crate::kinds::MEMORY;
use crate::kinds::queues::{BLOCK, encode};
use crate::plan::Plan;
use crate::threads::{all, place, placement};

/// The divisions of the memory, by name.
pub(crate) const NAMES: [&str; 2] = ["aqueduct/ring for each thread", "aqueduct/ring for all threads"];

/// Events of the busy thread per event of a quiet thread.
const BUSY: u64 = 1_000;
/// The lowest bit of the thread's number in the number of an event. The bits below hold the event's
/// number in its thread.
const OF_THREAD: u32 = 48;

/// A memory for the events of several threads.
trait Memory: Sync + Sized {
    /// Records events of a thread.
    type Hand<'m>: FnMut(u64)
    where
        Self: 'm;

    fn new(threads: usize) -> Result<Self, Fault>;

    fn hand(&self, thread: usize, clock: &Clock) -> Self::Hand<'_>;

    /// Returns the number of remaining events of each thread, if every lost event is counted.
    fn kept(self, threads: usize, made: u64) -> Result<Vec<u64>, Fault>;
}

/// A ring for each thread.
struct Rings {
    words: Vec<Word>,
    of_ring: usize,
}

impl Rings {
    fn ring(&self, thread: usize) -> Ring<'_> {
        let words = &self.words[thread * self.of_ring..][..self.of_ring];
        Ring::new(words, BLOCK / 8, 0).expect("a ring has two blocks or more")
    }
}

impl Memory for Rings {
    type Hand<'m> = Box<dyn FnMut(u64) + 'm>;

    fn new(threads: usize) -> Result<Self, Fault> {
        let of_ring = Ring::words((MEMORY / BLOCK / threads).max(2), BLOCK / 8);
        let rings = Self { words: (0..threads * of_ring).map(|_| Word::new(0)).collect(), of_ring };
        (0..threads).for_each(|thread| rings.ring(thread).clear());
        Ok(rings)
    }

    fn hand(&self, thread: usize, clock: &Clock) -> Self::Hand<'_> {
        let mut writer: Writer<'_> = self.ring(thread).claim(thread as u64 + 1).expect("nobody else writes");
        let clock = clock.clone();
        Box::new(move |number| {
            if let Some(mut draft) = writer.record(clock.raw(), 2, 8) {
                draft.put(number, 8);
                draft.commit();
            }
        })
    }

    fn kept(self, threads: usize, made: u64) -> Result<Vec<u64>, Fault> {
        let snapshots: Vec<_> = (0..threads).map(|thread| self.ring(thread).snapshot()).collect();
        let found: u64 = snapshots.iter().map(|snapshot| snapshot.total().records).sum();
        if found != made || snapshots.iter().any(|snapshot| snapshot.damaged() != 0) {
            return Err(Fault::Stuck { popped: found, wanted: made });
        }
        Ok(snapshots.iter().map(|snapshot| snapshot.records().len() as u64).collect())
    }
}

/// A ring for all threads.
struct Shared {
    producer: Mutex<Producer>,
    reader: Mutex<Reader>,
    /// The number of records that found another thread in the middle of the block to overwrite.
    refused: AtomicU64,
}

impl Memory for Shared {
    type Hand<'m> = Box<dyn FnMut(u64) + 'm>;

    fn new(_: usize) -> Result<Self, Fault> {
        let space = Space::new(MEMORY / BLOCK, BLOCK).map_err(|error| Fault::Refused(error.to_string()))?;
        let (producer, reader) = mpmc::new(space).map_err(|error| Fault::Refused(error.to_string()))?;
        Ok(Self { producer: Mutex::new(producer), reader: Mutex::new(reader), refused: AtomicU64::new(0) })
    }

    fn hand(&self, _: usize, clock: &Clock) -> Self::Hand<'_> {
        let mut producer = self.producer.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let clock = clock.clone();
        Box::new(move |number| {
            let (bytes, len) = encode(clock.raw(), 2, [number]);
            if producer.push(&bytes[..len]).is_err() {
                // Ordering: relaxed; it is read after the threads' end.
                self.refused.fetch_add(1, Ordering::Relaxed);
            }
        })
    }

    fn kept(self, threads: usize, made: u64) -> Result<Vec<u64>, Fault> {
        let mut reader = self.reader.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut kept = vec![0; threads];
        let mut buffer = vec![0; reader.longest()];
        let mut last = vec![None; threads];
        while let Ok(record) = reader.read(&mut buffer) {
            let bytes = record.get(12..20).and_then(|bytes| bytes.try_into().ok());
            let number = u64::from_le_bytes(bytes.ok_or(Fault::WrongAnswer("a record of another length"))?);
            let thread = (number >> OF_THREAD) as usize;
            let last: &mut Option<u64> = last.get_mut(thread).ok_or(Fault::WrongAnswer("a record of nobody"))?;
            if last.replace(number).is_some_and(|last| last >= number) {
                return Err(Fault::WrongAnswer("a record twice"));
            }
            kept[thread] += 1;
        }
        // Losses are counted in bytes: each record has 20 and a word.
        let passed: u64 = kept.iter().sum();
        let lost = reader.lost();
        if lost == 0 && passed + self.refused.into_inner() != made {
            return Err(Fault::Stuck { popped: passed, wanted: made });
        }
        Ok(kept)
    }
}

pub(crate) fn add(cells: &mut Vec<Cell<'static>>, plan: &Plan, cores: &[usize]) {
    for threads in plan.threads.iter().copied() {
        add_memory::<Rings>(cells, NAMES[0], threads, cores);
        add_memory::<Shared>(cells, NAMES[1], threads, cores);
    }
}

fn add_memory<M: Memory + 'static>(
    cells: &mut Vec<Cell<'static>>,
    name: &'static str,
    threads: usize,
    cores: &[usize],
) {
    let mut add = |bench: &str, run: fn(usize, &[usize], u64) -> Result<Measured, Fault>| {
        let (at, placed) = (place(threads, 1), cores.to_vec());
        let cell = Cell::new(at.words(bench), name, Role::Ours, at, move |events| run(threads, &placed, events));
        cells.push(cell.on(placement(threads, cores)));
    };
    add("recorder.budget.even", even::<M>);
    if threads > 1 {
        add("recorder.budget.uneven", uneven::<M>);
    }
}

/// All threads record as fast as they can.
fn even<M: Memory>(threads: usize, cores: &[usize], events: u64) -> Result<Measured, Fault> {
    let (memory, clock, each) = (M::new(threads)?, Clock::new(), events.div_ceil(threads as u64));
    let (_, elapsed) = all(threads, cores, |thread| {
        let mut hand = memory.hand(thread, &clock);
        let first = (thread as u64) << OF_THREAD;
        (first..first + each).for_each(&mut hand);
    });
    let done = each * threads as u64;
    memory.kept(threads, done)?;
    let rate = done as f64 / elapsed.as_secs_f64().max(1e-9) / 1e6;
    Ok(Measured { figures: vec![Figure::new("recorder.budget.even", Unit::Mrecords, rate)], done, elapsed })
}

/// One thread records as fast as it can, the others seldom.
fn uneven<M: Memory>(threads: usize, cores: &[usize], events: u64) -> Result<Measured, Fault> {
    let (memory, clock) = (M::new(threads)?, Clock::new());
    let (busy, is_over) = (AtomicU64::new(0), AtomicBool::new(false));
    let (made, elapsed) = all(threads, cores, |thread| {
        let mut hand = memory.hand(thread, &clock);
        let first = (thread as u64) << OF_THREAD;
        if thread > 0 {
            return quiet(&mut hand, first, &busy, &is_over);
        }
        let start = clock.raw();
        for number in 0..events {
            hand(number);
            if number % BUSY == 0 {
                // Ordering: relaxed; the number carries no other data.
                busy.store(number / BUSY + 1, Ordering::Relaxed);
            }
        }
        is_over.store(true, Ordering::Relaxed);
        black_box(clock.delta_as_nanos(start, clock.raw()))
    });
    let quiet: u64 = made[1..].iter().sum();
    let kept = memory.kept(threads, events + quiet)?;
    let percent = |part: u64, whole: u64| 100.0 * part as f64 / whole.max(1) as f64;
    // The number of events that fit into the whole memory if each takes 14 bytes, as in a thread's
    // ring; a shared ring needs more for each.
    let room = (MEMORY / 14) as u64;
    let figures = vec![
        Figure::new("recorder.budget.uneven.event", Unit::Ns, made[0] as f64 / events.max(1) as f64),
        Figure::new("recorder.budget.uneven.busy_kept", Unit::Percent, percent(kept[0], events.min(room))),
        Figure::new("recorder.budget.uneven.quiet_kept", Unit::Percent, percent(kept[1..].iter().sum(), quiet)),
    ];
    Ok(Measured { figures, done: events, elapsed })
}

/// Makes an event whenever the busy thread has made a thousand. Returns the number of events.
fn quiet(hand: &mut impl FnMut(u64), first: u64, busy: &AtomicU64, is_over: &AtomicBool) -> u64 {
    let mut made = 0;
    loop {
        // Ordering: relaxed; neither carries other data.
        let is_last = is_over.load(Ordering::Relaxed);
        while made < busy.load(Ordering::Relaxed) {
            hand(first + made);
            made += 1;
        }
        if is_last {
            return made;
        }
        std::thread::yield_now();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_memories_account_for_all_events() {
        for threads in [1, 3] {
            even::<Rings>(threads, &[], 3_000).expect("all are counted");
            even::<Shared>(threads, &[], 3_000).expect("all are counted");
        }
    }

    #[test]
    fn a_ring_for_each_keeps_what_quiet_threads_record() {
        let kept = |measured: Measured| measured.figures[2].value;
        let rings = kept(uneven::<Rings>(3, &[], 400_000).expect("all are counted"));
        let shared = kept(uneven::<Shared>(3, &[], 400_000).expect("all are counted"));
        assert!(rings > 99.0 && shared < 50.0, "{rings} {shared}");
    }
}
