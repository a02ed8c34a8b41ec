//! Queues of many producers in a region: lanes (per-producer sub-queues), and the places of their
//! producers.

use core::marker::PhantomData;
use core::ops::Range;
use std::sync::Arc;
use std::vec::Vec;

use super::places::{Place, lock, owner};
use super::{OpenError, PlaceError, Region, byte, sys};
use crate::error::{AttachError, CapacityError};
use crate::items::{self, Geometry};
use crate::lanes::{Consumer, Producer};
use crate::layout::{self, Expected, Kind, Memory, Numbers, PAIR, head};
use crate::pod::Pod;

/// A queue of many producers and one consumer in a region.
///
/// # Examples
/// ```
/// use aqueduct_shm::{Region, mpsc};
///
/// let region = Region::anonymous("example", 1 << 16)?;
/// let queue = mpsc::Queue::<u64>::in_region(region, 4, 100, 0)?;
/// let (mut first, mut second) = (queue.take_producer()?, queue.take_producer()?);
/// let mut consumer = queue.take_consumer()?;
/// first.push(1)?;
/// second.push(2)?;
/// assert_eq!(consumer.pop()? + consumer.pop()?, 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Queue<T> {
    region: Region,
    geometry: Geometry,
    lanes: usize,
    _items: PhantomData<fn() -> T>,
}

impl<T: Pod> Queue<T> {
    /// Returns how many bytes a region needs for `lanes` lanes of `capacity` items.
    ///
    /// # Errors
    /// [`CapacityError`] if a number is 0, or the queue would be larger than all memory.
    pub fn bytes(lanes: usize, capacity: usize) -> Result<usize, CapacityError> {
        words(lanes, &Geometry::new::<T>(capacity)?).map(|words| 8 * words)
    }

    /// Finds the queue in the region, or makes it if the region has none, for at most `lanes`
    /// producers at a time and at least `capacity` items of each.
    ///
    /// `tag` identifies the meaning of the items. A process that expects another tag is refused.
    ///
    /// # Errors
    /// [`OpenError`] if the found queue differs, the queue does not fit into the region, or the
    /// system refuses.
    pub fn in_region(region: Region, lanes: usize, capacity: usize, tag: u64) -> Result<Self, OpenError> {
        let geometry = Geometry::new::<T>(capacity)?;
        let words = words(lanes, &geometry)?;
        let queue = Self { region, geometry, lanes, _items: PhantomData };
        queue.region.as_maker(|| {
            let memory = queue.region.words();
            let numbers = Numbers {
                kind: Kind::Lanes,
                item_bytes: size_of::<T>() as u64,
                item_align: align_of::<T>() as u64,
                capacity: lanes as u64,
                unit: 1,
                units: (words - head::WORDS) as u64,
                report: 0,
                page: sys::page(),
                tag,
                places: [0; 2],
            };
            let expected = Expected::new().tag(tag).capacity(lanes).page(sys::page() as usize);
            match layout::attach(memory, (Kind::Lanes, size_of::<T>(), align_of::<T>()), &expected) {
                Err(AttachError::Unfinished) => layout::create(memory, &numbers)?,
                found if found?.units != numbers.units => return Err(AttachError::Geometry.into()),
                _ => {}
            }
            for lane in 0..lanes {
                let memory = &memory[queue.lane(lane)];
                let expected = Expected::new().tag(tag).capacity(capacity);
                let found = match items::Queue::<T, _>::attach(memory, &expected) {
                    // A maker died before it made this lane.
                    Err(AttachError::Unfinished) => items::Queue::create(memory, geometry, tag)?,
                    found => found?,
                };
                if found.geometry() != geometry {
                    return Err(AttachError::Geometry.into());
                }
            }
            Ok::<_, OpenError>(())
        })??;
        Ok(queue)
    }

    /// The words of a lane.
    fn lane(&self, lane: usize) -> Range<usize> {
        let start = head::WORDS + lane * stride(&self.geometry);
        start..start + self.geometry.words()
    }

    /// Takes a producer's place that is free, or whose process has ended.
    ///
    /// # Errors
    /// [`PlaceError::Held`] if no lane can be taken: live processes have them, or they are damaged.
    pub fn take_producer(&self) -> Result<Producer<T, Place, Region>, PlaceError> {
        for lane in 0..self.lanes {
            let side = byte::MANY + lane as i64;
            let lock = match lock(&self.region, side) {
                Err(PlaceError::Held) => continue,
                lock => Arc::new(lock?),
            };
            let place = Place::part(&self.region, self.lane(lane), lock, byte::CONSUMER..byte::CONSUMER + 1);
            // A damaged lane is skipped.
            if let Ok(producer) = items::Producer::new(place, self.geometry, owner()) {
                return Ok(Producer::new(producer, self.region.clone()));
            }
        }
        Err(PlaceError::Held)
    }

    /// Takes the consumer's place if it is free, or its process has ended.
    ///
    /// # Errors
    /// [`PlaceError::Held`] if a live process has it; [`PlaceError::Damaged`] if the positions in
    /// the memory contradict each other.
    pub fn take_consumer(&self) -> Result<Consumer<T, Place, Region>, PlaceError> {
        let lock = Arc::new(lock(&self.region, byte::CONSUMER)?);
        let mut lanes = Vec::with_capacity(self.lanes);
        for lane in 0..self.lanes {
            let side = byte::MANY + lane as i64;
            let place = Place::part(&self.region, self.lane(lane), Arc::clone(&lock), side..side + 1);
            lanes.push(items::Consumer::new(place, self.geometry, owner()).map_err(|_| PlaceError::Damaged)?);
        }
        Ok(Consumer::new(lanes, self.region.clone()))
    }

    /// Returns how many producers there can be at a time.
    #[must_use]
    pub fn lanes(&self) -> usize {
        self.lanes
    }
}

/// Words from one lane to the next. A lane begins at a pair of cache lines.
fn stride(geometry: &Geometry) -> usize {
    geometry.words().next_multiple_of(PAIR)
}

/// Words of the queue.
fn words(lanes: usize, geometry: &Geometry) -> Result<usize, CapacityError> {
    if lanes == 0 {
        return Err(CapacityError::Zero);
    }
    let words = stride(geometry).checked_mul(lanes).and_then(|words| words.checked_add(head::WORDS));
    words.filter(|words| *words <= isize::MAX as usize / 8).ok_or(CapacityError::TooLarge)
}
