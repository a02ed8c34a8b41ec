//! The layout of a queue's memory: a header, a line pair for each thing that one side writes, and a ring.

use crate::error::{AttachError, CapacityError, ClaimError, Mismatch};
use crate::sync::{Ordering, Word};

/// The memory of a queue, as a handle keeps it.
///
/// The words must be the same ones in each call.
pub trait Memory {
    /// Returns the words.
    fn words(&self) -> &[Word];

    /// Returns the size of a page, which a new queue's header keeps, or 0 where the memory has no pages of its own.
    fn page(&self) -> u64 {
        0
    }

    /// Whether the kernel keeps its places, so that sides cannot be taken without it.
    fn is_kept(&self) -> bool {
        false
    }

    /// Signals the events of the other side, which waits for them. A memory that has no event does nothing.
    fn signal(&self) {}

    /// Returns what the system knows about the other side, of which the memory's words say this:
    /// [`Unknown`](Peer::Unknown) if a handle has it. A memory that has no system knows no more.
    fn peer(&self, said: Peer) -> Peer {
        said
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

/// What is known about the other side of a queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Peer {
    /// It has a handle. Nobody knows whether its process lives: there is no kernel's lock.
    Unknown,
    /// It has a handle, and its process lives. The process may be stopped.
    Alive,
    /// Nobody has it any more, and a process that had it was killed, or ended without dropping the handle.
    Died,
    /// Nobody has it any more: each handle was dropped. Another one may come.
    Left,
    /// Nobody has come since the queue was made.
    Absent,
}

/// `AQUEDUCT`, read as bytes.
pub(crate) const MAGIC: u64 = u64::from_ne_bytes(*b"AQUEDUCT");
/// The version of the layout. It is raised with each change of the header or of a protocol.
pub(crate) const VERSION: u64 = 3;
/// The bytes of a cache line for which the layout is made.
pub(crate) const LINE: u64 = 64;
/// Words of a pair of lines, which hardware moves together.
pub(crate) const PAIR: usize = 16;

/// Words of the header, by their indices.
pub(crate) mod head {
    use super::PAIR;

    /// Written last: the rest is complete.
    pub(crate) const MAGIC: usize = 0;
    pub(crate) const VERSION: usize = 1;
    pub(crate) const KIND: usize = 2;
    pub(crate) const ITEM_BYTES: usize = 3;
    pub(crate) const ITEM_ALIGN: usize = 4;
    pub(crate) const CAPACITY: usize = 5;
    /// Words of a unit of the ring, and how many units it has.
    pub(crate) const UNIT: usize = 6;
    pub(crate) const UNITS: usize = 7;
    /// After how much the consumer reports its position, or how much more than it needs a producer overwrites.
    pub(crate) const REPORT: usize = 8;
    pub(crate) const LINE: usize = 9;
    pub(crate) const PAGE: usize = 10;
    pub(crate) const TAG: usize = 11;
    /// How many producers and consumers there can be, or 0 where a side is one handle's.
    pub(crate) const PRODUCERS: usize = 12;
    pub(crate) const CONSUMERS: usize = 13;
    pub(crate) const FIELDS: usize = 14;

    /// The handle that has the producer's side: [`super::OWNER`].
    pub(crate) const PRODUCER: usize = PAIR;
    /// Where the oldest records are overwritten: the positions behind the last one, and of it.
    pub(crate) const END: usize = PAIR + 1;
    pub(crate) const LAST: usize = PAIR + 2;
    /// The handle that has the consumer's side, and its position. The producer does not read this line while it works.
    pub(crate) const CONSUMER: usize = 2 * PAIR;
    pub(crate) const TAKEN: usize = 2 * PAIR + 1;
    /// The position that the consumer reported last.
    pub(crate) const REPORTED: usize = 3 * PAIR;
    /// Where the oldest records are overwritten: the position of the oldest one, which is seldom written.
    pub(crate) const OLDEST: usize = 3 * PAIR;
    /// 1 while a side sleeps, 2 while it waits for an event.
    pub(crate) const CONSUMER_SLEEPS: usize = 4 * PAIR;
    pub(crate) const PRODUCER_SLEEPS: usize = 5 * PAIR;
    /// Not 0 while some of a side's many handles wait for events.
    pub(crate) const CONSUMERS_ARMED: usize = CONSUMER_SLEEPS + 1;
    pub(crate) const PRODUCERS_ARMED: usize = PRODUCER_SLEEPS + 1;
    /// How many handles without places there are of a side: those that the kernel knows of, and then others.
    pub(crate) const CONSUMERS_HERE: usize = CONSUMER_SLEEPS + 2;
    pub(crate) const PRODUCERS_HERE: usize = PRODUCER_SLEEPS + 2;
    /// The ring begins here.
    pub(crate) const WORDS: usize = 6 * PAIR;
}

/// What a queue carries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Items = 1,
    Records = 2,
    /// Lanes of items.
    #[allow(dead_code, reason = "regions have them")]
    Lanes = 3,
    /// Items of many producers and consumers.
    Mpmc = 4,
    /// Items of which the oldest are overwritten.
    DropOld = 5,
    /// Small items, without places.
    Nblfq = 6,
    /// Records of which the oldest are overwritten.
    DropOldRecords = 7,
}

/// What the caller of `attach` expects besides the type.
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

    /// Expects this tag: a number by which the queue's users know what its items mean.
    pub fn tag(mut self, tag: u64) -> Self {
        self.tag = tag;
        self
    }

    /// Expects the capacity that this number of items, or bytes, was asked for with.
    pub fn capacity(mut self, capacity: usize) -> Self {
        self.capacity = Some(capacity as u64);
        self
    }

    /// Expects these numbers of producers and consumers at most. A queue of one producer and one consumer has 0.
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

/// The numbers of a queue that its header has.
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
    /// How many producers and consumers there can be, or 0.
    pub(crate) places: [u64; 2],
}

/// Returns how many words such a ring has, with its header.
pub(crate) fn words(unit: u64, units: u64) -> Option<usize> {
    let words = unit.checked_mul(units)?.checked_add(head::WORDS as u64)?;
    // As bytes, they must be addresses too.
    words.checked_mul(8).filter(|bytes| *bytes <= isize::MAX as u64)?;
    usize::try_from(words).ok()
}

/// Makes a queue: writes the header. All other words of it become 0.
pub(crate) fn create(memory: &[Word], numbers: &Numbers) -> Result<(), CapacityError> {
    let needed = words(numbers.unit, numbers.units).ok_or(CapacityError::TooLarge)?;
    create_filled(memory, numbers, needed, |_| {})
}

/// Makes a queue of `needed` words: writes the header, and lets `fill` write others, which are 0 before.
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
    // Ordering: Release pairs with the acquire of `attach`: another thread then finds the rest of the header, and zeros
    // in the ring.
    memory[head::MAGIC].store(MAGIC, Ordering::Release);
    Ok(())
}

/// Checks a header, and returns its numbers. The caller checks `unit`, `units` and `report` against its kind.
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

/// How a handle takes its side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Claim {
    /// If no handle has it.
    Free,
    /// In place of any other one: the caller knows that it is dead. The number is the caller's.
    Replace(u32),
}

/// Refuses to take a side of a memory of which the kernel keeps the places.
pub(crate) fn unless_kept(memory: &impl Memory) -> Result<(), ClaimError> {
    if memory.is_kept() { Err(ClaimError::Kept) } else { Ok(()) }
}

/// In the word of a side, or of a place: the number of the handle that has it, or 0. The rest counts those that have
/// had it, so that a value does not come again.
pub(crate) const OWNER: u64 = u32::MAX as u64;

/// Takes a side. Returns its word's value, for [`leave`].
pub(crate) fn claim(side: &Word, claim: Claim) -> Result<u64, ClaimError> {
    crate::sync::prepare();
    let old = side.load(Ordering::Relaxed);
    // A side that was left is never one to which nobody has come: the count is not 0.
    let count = u64::from(((old >> 32) as u32).wrapping_add(1).max(1)) << 32;
    match claim {
        Claim::Free => {
            let value = count | 1;
            let taken = |found: u64| Err(ClaimError::Taken { owner: found & OWNER });
            if old & OWNER != 0 {
                return taken(old);
            }
            // Ordering: Acquire pairs with the release of `leave`. Without it, this handle begins at an old position of
            // the last one.
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

/// Leaves a side to others, if its word still has the value with which it was taken.
pub(crate) fn leave(side: &Word, value: u64) {
    // Ordering: Release pairs with the acquire of `claim`, with the next handle's load of positions, and with the
    // acquire of `peer::of`: a side that finds that this handle has left finds all that it has done.
    let _ = side.compare_exchange(value, value & !OWNER, Ordering::Release, Ordering::Relaxed);
}
