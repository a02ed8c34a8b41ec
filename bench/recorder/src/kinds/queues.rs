//! One memory for all threads: a ring that producers share, and a queue behind a lock.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use aqueduct::bbq::records::Space;
use aqueduct::bbq::records::drop_old::mpmc::{self, Producer, Reader};
use aqueduct_measure::record::Role;
use aqueduct_measure::rounds::Fault;
use quanta::Clock;

use super::{Handle, Kind, MEMORY};

/// Blocks of a shared ring: as many as in a recorder's ring of equal memory.
pub(crate) const BLOCK: usize = 8 << 10;

/// Bytes of the time and the place before a record's numbers.
const HEAD: usize = 12;

/// Returns the bytes of a record that holds its own time and place, because its neighbours may
/// belong to other threads.
#[inline(always)]
pub(crate) fn encode<const N: usize>(time: u64, place: u32, numbers: [u64; N]) -> ([u8; HEAD + 8 * 4], usize) {
    let mut bytes = [0; HEAD + 8 * 4];
    bytes[..8].copy_from_slice(&time.to_le_bytes());
    bytes[8..HEAD].copy_from_slice(&place.to_le_bytes());
    for (to, number) in bytes[HEAD..].chunks_mut(8).zip(numbers) {
        to.copy_from_slice(&number.to_le_bytes());
    }
    (bytes, HEAD + 8 * N)
}

/// The drop-old queue of records, shared by all threads.
pub(crate) struct SharedRing;

/// The first handles: threads clone the producer.
pub(crate) struct Handles {
    producer: Mutex<Producer>,
    reader: Mutex<Reader>,
    clock: Clock,
}

/// A thread's handle.
pub(crate) struct Sharing {
    producer: Producer,
    clock: Clock,
}

impl Kind for SharedRing {
    const NAME: &'static str = "aqueduct/shared ring";
    const ROLE: Role = Role::Ours;
    const HAS_SPANS: bool = true;
    type Shared = Handles;
    type Handle<'s> = Sharing;

    fn open() -> Result<Handles, Fault> {
        let space = Space::new(MEMORY / BLOCK, BLOCK).map_err(|error| Fault::Refused(error.to_string()))?;
        let (producer, reader) = mpmc::new(space).map_err(|error| Fault::Refused(error.to_string()))?;
        Ok(Handles { producer: Mutex::new(producer), reader: Mutex::new(reader), clock: Clock::new() })
    }

    fn enter(shared: &Handles) -> Sharing {
        let producer = shared.producer.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Sharing { producer, clock: shared.clock.clone() }
    }

    fn close(shared: Handles, _: u64) -> Result<Option<f64>, Fault> {
        let mut reader = shared.reader.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut buffer = vec![0; reader.longest()];
        let mut kept = 0_u64;
        while reader.read(&mut buffer).is_ok() {
            kept += 1;
        }
        Ok((kept > 0).then(|| reader.passed() as f64 / kept as f64))
    }
}

impl Sharing {
    #[inline(always)]
    fn put<const N: usize>(&mut self, place: u32, numbers: [u64; N]) {
        let (bytes, len) = encode(self.clock.raw(), place, numbers);
        // The record is refused if another thread writes in the block to overwrite: no thread
        // waits.
        let _ = self.producer.push(&bytes[..len]);
    }
}

impl Handle for Sharing {
    #[inline(always)]
    fn none(&mut self) {
        self.put(1, []);
    }

    #[inline(always)]
    fn one(&mut self, number: u64) {
        self.put(2, [number]);
    }

    #[inline(always)]
    fn four(&mut self, numbers: [u64; 4]) {
        self.put(3, numbers);
    }

    #[inline(always)]
    fn span(&mut self, number: u64) {
        self.put(4, [number]);
        self.put(5, []);
    }
}

/// A queue of std behind a lock, with equal memory: the usual hand-written recorder.
pub(crate) struct Mutexed;

/// A record of the queue. The numbers that an event lacks are 0.
pub(crate) type Entry = (u64, u32, [u64; 4]);

/// The queue, which drops its oldest entry when it is full.
pub(crate) struct Queue {
    entries: Mutex<VecDeque<Entry>>,
    clock: Clock,
}

impl Queue {
    pub(crate) const MOST: usize = MEMORY / size_of::<Entry>();

    #[inline(always)]
    fn put(&self, place: u32, numbers: [u64; 4]) {
        let entry = (self.clock.raw(), place, numbers);
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        if entries.len() == Self::MOST {
            entries.pop_front();
        }
        entries.push_back(entry);
    }
}

impl Kind for Mutexed {
    const NAME: &'static str = "std/VecDeque in a Mutex";
    const ROLE: Role = Role::Peer;
    const HAS_SPANS: bool = true;
    type Shared = Queue;
    type Handle<'s> = &'s Queue;

    fn open() -> Result<Queue, Fault> {
        Ok(Queue { entries: Mutex::new(VecDeque::with_capacity(Queue::MOST)), clock: Clock::new() })
    }

    fn enter(shared: &Queue) -> &Queue {
        shared
    }

    fn close(shared: Queue, records: u64) -> Result<Option<f64>, Fault> {
        let kept = shared.entries.into_inner().unwrap_or_else(PoisonError::into_inner).len() as u64;
        if kept != records.min(Queue::MOST as u64) {
            return Err(Fault::Stuck { popped: kept, wanted: records });
        }
        Ok(Some(size_of::<Entry>() as f64))
    }
}

impl Handle for &Queue {
    #[inline(always)]
    fn none(&mut self) {
        self.put(1, [0; 4]);
    }

    #[inline(always)]
    fn one(&mut self, number: u64) {
        self.put(2, [number, 0, 0, 0]);
    }

    #[inline(always)]
    fn four(&mut self, numbers: [u64; 4]) {
        self.put(3, numbers);
    }

    #[inline(always)]
    fn span(&mut self, number: u64) {
        self.put(4, [number, 0, 0, 0]);
        self.put(5, [0; 4]);
    }
}
