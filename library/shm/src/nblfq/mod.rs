//! A lock-free queue of small items for any number of producers and consumers, in memory that the caller gives.
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
//! An item that leaves the counter too few bits does not compile:
//! ```compile_fail,E0080
//! let queue = aqueduct_shm::nblfq::Queue::<u64, _>::on_heap(10, 0);
//! ```
//!
//! # Guarantees
//! * The queue is linearizable: items come out in the order in which they were pushed. `Full` and `Empty` were true at
//!   one moment during the call, as far as the calling thread could know.
//! * A push takes place by one compare-exchange, and so does a pop; neither writes anything else that counts. Both are
//!   lock-free: one that fails has lost against one that succeeded. A process that is killed or stopped at any step
//!   holds up nobody, and a signal handler may push and pop.
//! * A handle has no place. So there can be any number of them, nothing has to be taken from a dead process, and one
//!   that is killed leaves nothing to be done: an operation took place, or nothing happened. Handles are counted, so
//!   that the other side [learns](Consumer::peer) when all of them have left.
//! * A producer that is killed has put in each item whose push returned, and at most one more. A consumer that is
//!   killed takes the items with it whose pop had taken place: at most once, always.
//! * Whatever other processes write into the memory, an operation ends after at most about two laps of the ring, and
//!   accesses no other memory.
//!
//! # The counter
//! A slot counts in the bits of its word that its item leaves, so items have at most six bytes. A process that is
//! *stopped* in the middle of an operation, and comes back after exactly as many operations as make the counter of one
//! slot wrap, may push or pop an item out of turn: nothing tells it. [`Queue::operations_until_wrap`] has the
//! number of pushes, or of pops, that it takes.
//!
//! | bytes of an item | bits of a turn | operations, with 1024 slots |
//! | --- | --- | --- |
//! | 1 | 56 | 3.7 · 10^19 |
//! | 2 | 48 | 1.4 · 10^17 |
//! | 4 | 32 | 2.2 · 10^12 |
//! | 6 | 16 | 33,552,386 |
//!
//! # When not to use it
//! For larger items, or if an item must outlive its consumer: [`mpmc`](crate::mpmc) keeps what a dead consumer had not
//! finished. A small item may be the offset of something larger in the region. With one consumer,
//! [`items`](crate::items) and [`mpsc`](crate::mpsc) move more.

mod handles;
mod ring;

use core::marker::PhantomData;

use crate::error::{AttachError, CapacityError};
use crate::front;
use crate::layout::{self, Expected, Kind, Memory, Numbers, head, words};
use crate::pod::Pod;

pub use handles::{Consumer, Producer};
use ring::Ring;

/// The size of a queue: how many items it has room for.
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

    /// Checks the numbers of a header. That the memory has these words is checked.
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

/// A queue in a memory: any number of handles can be made of it.
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

    /// Makes an empty queue in the memory, whatever was there. No other handle may use the memory.
    ///
    /// # Errors
    /// [`CapacityError::TooLarge`] if the memory has fewer words than [`Geometry::words`] says.
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

    /// Finds the queue that is in the memory.
    ///
    /// # Errors
    /// [`AttachError`] says how the found queue differs.
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

    /// Returns how many pushes, or pops, of others within one stopped operation make the counter of a slot wrap.
    ///
    /// With fewer of either, nothing goes wrong.
    #[must_use]
    pub fn operations_until_wrap(&self) -> u128 {
        // The counter of laps has one bit less than a turn.
        ((1_u128 << (u64::BITS - Self::BITS - 1)) - 2) * self.geometry.slots() as u128 + 2
    }
}

front::queue! { [T], (capacity), Geometry::new(capacity) }
