//! The layout of a queue's memory: a header, a pair of cache lines for each group of words that one
//! side writes, and a ring.

use crate::error::{AttachError, CapacityError, ClaimError, Mismatch};
use crate::sync::{Ordering, Word};

/// The memory of a queue. Each handle has a clone of it, or a reference to it.
///
/// Each call must return the same words.
pub trait Memory {
    /// Returns the words.
    fn words(&self) -> &[Word];

    /// Returns the size of a page, which [`Expected::page`] compares, or 0 if the memory has no
    /// pages of its own.
    fn page(&self) -> u64 {
        0
    }

    /// Whether the kernel keeps the places of this memory, so that a side cannot be taken without
    /// its lock.
    fn is_kept(&self) -> bool {
        false
    }

    /// Signals the other side's events. A memory that has no event does nothing.
    fn signal(&self) {}

    /// Refines the state of the other side by asking the system. `recorded` is the state that the
    /// memory's words record: [`Unknown`](Peer::Unknown) if a handle has that side. A memory
    /// without a system returns `recorded`.
    fn peer(&self, recorded: Peer) -> Peer {
        recorded
    }
}

impl Memory for &[Word] {
    #[inline(always)]
    fn words(&self) -> &[Word] {
        self
    }
}

impl Memory for alloc::sync::Arc<[Word]> {
    #[inline(always)]
    fn words(&self) -> &[Word] {
        self
    }
}

/// The state of the other side of a queue, as far as it is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Peer {
    /// A handle has that side. Whether its process lives is not known: it has no lock of the
    /// kernel.
    Unknown,
    /// A handle has that side, and its process lives. The process may be stopped.
    Alive,
    /// No live handle has that side, and a process that had it was killed, or ended without
    /// dropping the handle.
    Died,
    /// No handle has that side: each was dropped. Another process may take it.
    Left,
    /// No handle has had that side since the queue was made.
    Absent,
}

/// `AQUEDUCT`, read as bytes.
pub(crate) const MAGIC: u64 = u64::from_ne_bytes(*b"AQUEDUCT");
/// The version of the layout. Each change of the header or of a protocol raises it.
pub(crate) const VERSION: u64 = 3;
/// Bytes of a cache line, as the layout assumes.
pub(crate) const LINE: u64 = 64;
/// Words of a pair of cache lines, which hardware may prefetch together.
pub(crate) const PAIR: usize = 16;

/// Words of the header, by their indices.
pub(crate) mod head {
    use super::PAIR;

    /// Written last: if it is there, the rest of the header is complete.
    pub(crate) const MAGIC: usize = 0;
    pub(crate) const VERSION: usize = 1;
    pub(crate) const KIND: usize = 2;
    pub(crate) const ITEM_BYTES: usize = 3;
    pub(crate) const ITEM_ALIGN: usize = 4;
    pub(crate) const CAPACITY: usize = 5;
    /// Words of a unit of the ring, and how many units it has.
    pub(crate) const UNIT: usize = 6;
    pub(crate) const UNITS: usize = 7;
    /// Distance after which the consumer reports its position; in a queue that overwrites records,
    /// how much more than it needs the producer overwrites.
    pub(crate) const REPORT: usize = 8;
    pub(crate) const LINE: usize = 9;
    pub(crate) const PAGE: usize = 10;
    pub(crate) const TAG: usize = 11;
    /// Numbers of places for producers and consumers, or 0 where a side has one handle.
    pub(crate) const PRODUCERS: usize = 12;
    pub(crate) const CONSUMERS: usize = 13;
    pub(crate) const FIELDS: usize = 14;

    /// The handle that has the producer's side: [`super::OWNER`].
    pub(crate) const PRODUCER: usize = PAIR;
    /// In a queue that overwrites the oldest records: the position behind the last one, and the
    /// last one's.
    pub(crate) const END: usize = PAIR + 1;
    pub(crate) const LAST: usize = PAIR + 2;
    /// The handle that has the consumer's side, and its position. The producer does not read this
    /// line while it works.
    pub(crate) const CONSUMER: usize = 2 * PAIR;
    pub(crate) const TAKEN: usize = 2 * PAIR + 1;
    /// The position that the consumer reported last.
    pub(crate) const REPORTED: usize = 3 * PAIR;
    /// In a queue that overwrites the oldest records: the position of the oldest one, which is
    /// seldom written.
    pub(crate) const OLDEST: usize = 3 * PAIR;
    /// 1 while a side sleeps, 2 while it waits for an event.
    pub(crate) const CONSUMER_SLEEPS: usize = 4 * PAIR;
    pub(crate) const PRODUCER_SLEEPS: usize = 5 * PAIR;
    /// Not 0 while some of a side's many handles wait for events.
    pub(crate) const CONSUMERS_ARMED: usize = CONSUMER_SLEEPS + 1;
    pub(crate) const PRODUCERS_ARMED: usize = PRODUCER_SLEEPS + 1;
    /// Number of a side's handles that have no places: in this word those that hold a lock of the
    /// kernel, and in the next one the others.
    pub(crate) const CONSUMERS_HERE: usize = CONSUMER_SLEEPS + 2;
    pub(crate) const PRODUCERS_HERE: usize = PRODUCER_SLEEPS + 2;
    /// The ring begins here.
    pub(crate) const WORDS: usize = 6 * PAIR;
}

/// The kind of a queue: what it carries, and by which protocol.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Items = 1,
    Records = 2,
    /// Lanes of items.
    #[allow(dead_code, reason = "regions have them")]
    Lanes = 3,
    /// Items of many producers and consumers.
    Mpmc = 4,
    /// Items. A push overwrites the oldest one.
    DropOld = 5,
    /// Small items, without places.
    Nblfq = 6,
    /// Records. A push overwrites the oldest ones.
    DropOldRecords = 7,
}

/// The numbers that the caller of `attach` expects besides the type.
///
/// # Examples
/// ```
/// use aqueduct_shm::{AttachError, Expected, Memory, Mismatch, items};
///
/// let memory = items::Queue::<u32, _>::on_heap(100, 7)?.into_memory();
/// let expected = Expected::new().tag(8);
/// let found = items::Queue::<u32, _>::attach(memory, &expected);
/// assert_eq!(found.unwrap_err(), AttachError::Tag(Mismatch { expected: 8, found: 7 }));
/// # Ok::<(), aqueduct_shm::CapacityError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[must_use]
pub struct Expected {
    tag: u64,
    capacity: Option<u64>,
    page: Option<u64>,
    places: Option<[u64; 2]>,
}

impl Expected {
    /// Expects the tag 0, and any capacity.
    pub fn new() -> Self {
        Self::default()
    }

    /// Expects this tag: a number that identifies the meaning of the items.
    pub fn tag(mut self, tag: u64) -> Self {
        self.tag = tag;
        self
    }

    /// Expects that the queue was made for this capacity, in items or bytes.
    pub fn capacity(mut self, capacity: usize) -> Self {
        self.capacity = Some(capacity as u64);
        self
    }

    /// Expects places for these numbers of producers and consumers. A queue of one producer and one
    /// consumer has 0 of each.
    pub fn places(mut self, producers: usize, consumers: usize) -> Self {
        self.places = Some([producers as u64, consumers as u64]);
        self
    }

    /// Expects pages of this size. A queue that was made without regions has 0.
    pub fn page(mut self, bytes: usize) -> Self {
        self.page = Some(bytes as u64);
        self
    }
}

/// The numbers in a queue's header.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Numbers {
    pub(crate) kind: Kind,
    pub(crate) item_bytes: u64,
    pub(crate) item_align: u64,
    pub(crate) capacity: u64,
    pub(crate) unit: u64,
    pub(crate) units: u64,
    pub(crate) report: u64,
    pub(crate) page: u64,
    pub(crate) tag: u64,
    /// Numbers of places for producers and consumers, or 0.
    pub(crate) places: [u64; 2],
}

/// Returns how many words a ring of such units takes, with its header.
pub(crate) fn words(unit: u64, units: u64) -> Option<usize> {
    let words = unit.checked_mul(units)?.checked_add(head::WORDS as u64)?;
    // As bytes, they must be addresses too.
    words.checked_mul(8).filter(|bytes| *bytes <= isize::MAX as u64)?;
    usize::try_from(words).ok()
}

/// Makes a queue: writes the header. All other words of the queue become 0.
pub(crate) fn create(memory: &[Word], numbers: &Numbers) -> Result<(), CapacityError> {
    let needed = words(numbers.unit, numbers.units).ok_or(CapacityError::TooLarge)?;
    create_filled(memory, numbers, needed, |_| {})
}

/// Makes a queue of `needed` words. All are set to 0, then `fill` writes some of them, then the
/// header is written.
pub(crate) fn create_filled(
    memory: &[Word],
    numbers: &Numbers,
    needed: usize,
    fill: impl FnOnce(&[Word]),
) -> Result<(), CapacityError> {
    let memory = memory.get(..needed).ok_or(CapacityError::TooLarge)?;
    memory.iter().for_each(|word| word.store(0, Ordering::Relaxed));
    fill(memory);
    let Numbers { kind, item_bytes, item_align, capacity, unit, units, report, page, tag, places } = *numbers;
    let [producers, consumers] = places;
    let fields = [
        VERSION,
        kind as u64,
        item_bytes,
        item_align,
        capacity,
        unit,
        units,
        report,
        LINE,
        page,
        tag,
        producers,
        consumers,
    ];
    for (word, field) in memory[head::VERSION..head::FIELDS].iter().zip(fields) {
        word.store(field, Ordering::Relaxed);
    }
    // Ordering: Release pairs with the acquire of `attach`: another thread then finds the rest of
    // the header, and zeros in the ring.
    memory[head::MAGIC].store(MAGIC, Ordering::Release);
    Ok(())
}

/// Checks a header, and returns its numbers. The caller checks `unit`, `units` and `report`, which
/// depend on the kind.
pub(crate) fn attach(
    memory: &[Word],
    (kind, item_bytes, item_align): (Kind, usize, usize),
    expected: &Expected,
) -> Result<Numbers, AttachError> {
    let len = memory.len() as u64;
    let too_small = |needed: u64| Err(AttachError::TooSmall(Mismatch { expected: needed, found: len }));
    if len < head::WORDS as u64 {
        return too_small(head::WORDS as u64);
    }
    // Ordering: Acquire pairs with the release of `create`.
    match memory[head::MAGIC].load(Ordering::Acquire) {
        MAGIC => {}
        0 => return Err(AttachError::Unfinished),
        found if found.swap_bytes() == MAGIC => return Err(AttachError::ByteOrder),
        found => return Err(AttachError::NotAQueue(Mismatch { expected: MAGIC, found })),
    }
    let check = |field: usize, expected: u64, error: fn(Mismatch) -> AttachError| {
        let found = memory[field].load(Ordering::Relaxed);
        if found == expected { Ok(found) } else { Err(error(Mismatch { expected, found })) }
    };
    let read = |field: usize| memory[field].load(Ordering::Relaxed);
    check(head::VERSION, VERSION, AttachError::Version)?;
    check(head::KIND, kind as u64, AttachError::Kind)?;
    check(head::LINE, LINE, AttachError::LineSize)?;
    let numbers = Numbers {
        kind,
        item_bytes: check(head::ITEM_BYTES, item_bytes as u64, AttachError::ItemSize)?,
        item_align: check(head::ITEM_ALIGN, item_align as u64, AttachError::ItemAlign)?,
        tag: check(head::TAG, expected.tag, AttachError::Tag)?,
        // Each field is read once: another process may change it between two reads.
        capacity: match expected.capacity {
            Some(capacity) => check(head::CAPACITY, capacity, AttachError::Capacity)?,
            None => read(head::CAPACITY),
        },
        places: match expected.places {
            Some([producers, consumers]) => [
                check(head::PRODUCERS, producers, AttachError::Producers)?,
                check(head::CONSUMERS, consumers, AttachError::Consumers)?,
            ],
            None => [read(head::PRODUCERS), read(head::CONSUMERS)],
        },
        page: match expected.page {
            Some(page) => check(head::PAGE, page, AttachError::PageSize)?,
            None => read(head::PAGE),
        },
        unit: read(head::UNIT),
        units: read(head::UNITS),
        report: read(head::REPORT),
    };
    match words(numbers.unit, numbers.units) {
        Some(needed) if needed <= memory.len() => Ok(numbers),
        Some(needed) => too_small(needed as u64),
        None => Err(AttachError::Geometry),
    }
}

/// Way in which a handle takes its side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Claim {
    /// Only if no handle has the side.
    Free,
    /// In place of another one, which the caller knows to be dead. The number is the new handle's.
    Replace(u32),
}

/// Refuses to take a side without a lock if the kernel keeps the memory's places.
pub(crate) fn unless_kept(memory: &impl Memory) -> Result<(), ClaimError> {
    if memory.is_kept() { Err(ClaimError::Kept) } else { Ok(()) }
}

/// Bits of a side's or a place's word with the number of the handle that has it, or 0. The other
/// bits count the handles that have had it, so that a value does not recur.
pub(crate) const OWNER: u64 = u32::MAX as u64;

/// Takes a side. Returns its word's value, for [`leave`].
pub(crate) fn claim(side: &Word, claim: Claim) -> Result<u64, ClaimError> {
    crate::sync::prepare();
    let old = side.load(Ordering::Relaxed);
    // The count is never 0, so a side that was left differs from one that no handle has had.
    let count = u64::from(((old >> 32) as u32).wrapping_add(1).max(1)) << 32;
    match claim {
        Claim::Free => {
            let value = count | 1;
            let taken = |found: u64| Err(ClaimError::Taken { owner: found & OWNER });
            if old & OWNER != 0 {
                return taken(old);
            }
            // Ordering: Acquire pairs with the release of `leave`. Without it, this handle starts
            // at an old position of the last one.
            match side.compare_exchange(old, value, Ordering::Acquire, Ordering::Relaxed) {
                Ok(_) => Ok(value),
                Err(found) => taken(found),
            }
        }
        Claim::Replace(owner) => {
            let value = count | u64::from(owner);
            side.store(value, Ordering::Relaxed);
            Ok(value)
        }
    }
}

/// Releases a side, if its word still has the value with which it was claimed.
pub(crate) fn leave(side: &Word, value: u64) {
    // Ordering: Release pairs with the acquire of `claim`, with the next handle's load of
    // positions, and with the acquire of `peer::of`: a side that sees that this handle has left
    // sees all its operations.
    let _ = side.compare_exchange(value, value & !OWNER, Ordering::Release, Ordering::Relaxed);
}
