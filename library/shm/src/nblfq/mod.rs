//! A lock-free queue of small items for any number of producers and consumers, in memory that the
//! caller provides.
//!
//! # Examples
//! ```
//! use aqueduct_shm::{Word, nblfq};
//!
//! // In regions (on Linux): `nblfq::Queue::in_region`.
//! let geometry = nblfq::Geometry::new(100)?;
//! let memory: Vec<Word> = (0..geometry.words()).map(|_| Word::new(0)).collect();
//! let queue = nblfq::Queue::<u32, _>::create(&memory[..], geometry, 0)?;
//! let (producer, consumer) = (queue.producer(), queue.consumer());
//! producer.push(7)?;
//! assert_eq!(consumer.pop()?, 7);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//! An item that leaves too few bits for the counter does not compile:
//! ```compile_fail,E0080
//! let queue = aqueduct_shm::nblfq::Queue::<u64, _>::on_heap(10, 0);
//! ```
//!
//! # Guarantees
//! * The queue is linearizable: items come out in the order in which they were pushed. If an
//!   operation returns `Full` or `Empty`, the queue was so at one moment during the call, as far as
//!   the calling thread can observe.
//! * A push takes effect by one compare-exchange, and so does a pop; their only other store is a
//!   hint. Both are lock-free: one that fails has lost against one that succeeded. A process that
//!   is killed or stopped at any step delays no other one, and a signal handler may push and pop.
//! * A handle has no place. So there can be any number of handles, and a dead process leaves
//!   nothing to be recovered: its operation took effect, or nothing has happened. Handles are
//!   counted, so that the other side [observes](Consumer::peer) when all of them have left.
//! * If a producer is killed, the queue has each item whose push returned, and at most one more. If
//!   a consumer is killed, the items that it had popped are lost with it: each item is delivered at
//!   most once.
//! * Whatever other processes write into the memory, an operation ends after at most about two laps
//!   of the ring, and accesses no other memory.
//!
//! # The counter
//! A slot's word holds an item and, in the remaining bits, a counter, so items have at most six
//! bytes. If a process is *stopped* in the middle of an operation, and resumes exactly when the
//! counter of its slot has wrapped, it may push or pop an item out of turn without noticing.
//! [`Queue::operations_until_wrap`] returns the number of pushes, or of pops, that it takes.
//!
//! | bytes of an item | bits of a turn | operations, with 1024 slots |
//! | --- | --- | --- |
//! | 1 | 56 | 3.7 · 10^19 |
//! | 2 | 48 | 1.4 · 10^17 |
//! | 4 | 32 | 2.2 · 10^12 |
//! | 6 | 16 | 33,552,386 |
//!
//! # When not to use it
//! For larger items, or if an item must outlive its consumer: [`mpmc`](crate::mpmc) keeps the item
//! of a dead consumer for its successor. A small item may be the offset of something larger in the
//! region. With one consumer, [`items`](crate::items) and [`mpsc`](crate::mpsc) have more
//! throughput.

mod handles;
mod ring;

use core::marker::PhantomData;

use crate::error::{AttachError, CapacityError};
use crate::front;
use crate::layout::{self, Expected, Kind, Memory, Numbers, head, words};
use crate::pod::Pod;

pub use handles::{Consumer, Producer};
use ring::Ring;

/// The size of a queue: its capacity.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Geometry {
    capacity: usize,
}

/// The fewest slots that tell a full queue from an empty one.
const FEWEST: usize = 2;

impl Geometry {
    /// Returns the geometry of a queue for at least `capacity` items.
    ///
    /// # Errors
    /// [`CapacityError`] if the number is 0, or the queue would be larger than all memory.
    pub fn new(capacity: usize) -> Result<Self, CapacityError> {
        match words(1, capacity as u64) {
            _ if capacity == 0 => Err(CapacityError::Zero),
            Some(_) => Ok(Self { capacity }),
            None => Err(CapacityError::TooLarge),
        }
    }

    /// Checks the numbers of a header. The caller has checked that the memory has that many words.
    fn checked(numbers: &Numbers) -> Option<Self> {
        let geometry = Self::new(usize::try_from(numbers.capacity).ok()?).ok()?;
        let is_sound = numbers.unit == 1 && numbers.units == geometry.slots() as u64 && numbers.places == [0; 2];
        is_sound.then_some(geometry)
    }

    /// The number of slots.
    fn slots(&self) -> usize {
        self.capacity.max(FEWEST)
    }

    /// Returns how many words of memory a queue needs.
    #[must_use]
    pub fn words(&self) -> usize {
        head::WORDS + self.slots()
    }

    /// Returns how many bytes of memory a queue needs.
    #[must_use]
    pub fn bytes(&self) -> usize {
        8 * self.words()
    }

    /// Returns how many items fit, at least.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.capacity
    }
}

/// A queue in a [`Memory`], from which any number of handles can be made.
pub struct Queue<T, M> {
    memory: M,
    geometry: Geometry,
    _items: PhantomData<fn() -> T>,
}

impl<T: Pod, M: Memory> Queue<T, M> {
    /// The bits of an item in its slot's word.
    const BITS: u32 = {
        assert!(size_of::<T>() != 0 && size_of::<T>() <= 6, "an item has from one to six bytes");
        8 * size_of::<T>() as u32
    };

    /// Makes an empty queue in the memory, and overwrites the memory's contents. No other handle
    /// may use the memory.
    ///
    /// # Errors
    /// [`CapacityError::TooLarge`] if the memory has fewer words than [`Geometry::words`] returns.
    pub fn create(memory: M, geometry: Geometry, tag: u64) -> Result<Self, CapacityError> {
        const { assert!(Self::BITS != 0) };
        let numbers = Numbers {
            kind: Kind::Nblfq,
            item_bytes: size_of::<T>() as u64,
            item_align: align_of::<T>() as u64,
            capacity: geometry.capacity as u64,
            unit: 1,
            units: geometry.slots() as u64,
            report: 0,
            page: memory.page(),
            tag,
            places: [0; 2],
        };
        layout::create(memory.words(), &numbers)?;
        Ok(Self::of(memory, geometry))
    }

    /// Attaches to the queue in the memory.
    ///
    /// # Errors
    /// [`AttachError`], with the expected value and the found one.
    pub fn attach(memory: M, expected: &Expected) -> Result<Self, AttachError> {
        const { assert!(Self::BITS != 0) };
        let numbers = layout::attach(memory.words(), (Kind::Nblfq, size_of::<T>(), align_of::<T>()), expected)?;
        let geometry = Geometry::checked(&numbers).ok_or(AttachError::Geometry)?;
        Ok(Self::of(memory, geometry))
    }

    fn of(memory: M, geometry: Geometry) -> Self {
        crate::sync::prepare();
        Self { memory, geometry, _items: PhantomData }
    }

    #[inline(always)]
    fn ring(&self) -> Ring<'_> {
        Ring::new(self.memory.words(), self.geometry.slots(), Self::BITS)
    }

    /// Returns how many items fit into the queue, at least.
    pub fn capacity(&self) -> usize {
        self.geometry.capacity()
    }

    /// Returns the number of pushes, or of pops, by other handles that make the counter of a slot
    /// wrap while one operation is stopped.
    ///
    /// With fewer of either, every operation is correct.
    #[must_use]
    pub fn operations_until_wrap(&self) -> u128 {
        // The counter of laps has one bit less than a turn.
        ((1_u128 << (u64::BITS - Self::BITS - 1)) - 2) * self.geometry.slots() as u128 + 2
    }
}

front::queue! { [T], (capacity), Geometry::new(capacity) }
