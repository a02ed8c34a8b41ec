//! Queues of many producers and consumers in a region: the places of both sides.

use core::ops::Range;

use super::places::{Place, open, owner, take_first};
use super::{OpenError, PlaceError, Region, byte};
use crate::error::ClaimError;
use crate::layout::Expected;
use crate::mpmc::{Consumer, Geometry, Producer, Queue};
use crate::pod::Pod;

impl<T: Pod> Queue<T, Region> {
    /// Finds the queue in the region, or makes it if the region has none.
    ///
    /// `tag` identifies the meaning of the items. A process that expects another tag is refused.
    ///
    /// # Errors
    /// [`OpenError`] if the found queue differs, the queue does not fit into the region, or the
    /// system refuses.
    ///
    /// # Examples
    /// ```
    /// use aqueduct_shm::{Region, mpmc};
    ///
    /// // At most two producers and three consumers, each possibly in another process.
    /// let geometry = mpmc::Geometry::new::<u64>(2, 3, 100)?;
    /// let region = Region::anonymous("example", geometry.bytes())?;
    /// let queue = mpmc::Queue::<u64, _>::in_region(region, geometry, 0)?;
    /// let (mut first, mut second) = (queue.take_producer()?, queue.take_producer()?);
    /// let (mut third, mut fourth) = (queue.take_consumer()?, queue.take_consumer()?);
    /// first.push(1)?;
    /// second.push(2)?;
    /// assert_eq!((third.pop()?, fourth.pop()?), (1, 2));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn in_region(region: Region, geometry: Geometry, tag: u64) -> Result<Self, OpenError> {
        let places = Expected::new().places(geometry.producers(), geometry.consumers());
        let attach = |expected: &Expected| Self::attach(region.clone(), expected);
        let create = || Self::create(region.clone(), geometry, tag);
        open(&region, places.tag(tag).capacity(geometry.capacity()), attach, create)
    }

    /// Takes a producer's place that is free, or whose process has ended.
    ///
    /// # Errors
    /// [`PlaceError::Held`] if live processes have all places that are not damaged;
    /// [`PlaceError::Damaged`] if all places are.
    pub fn take_producer(&self) -> Result<Producer<T, Place>, PlaceError> {
        self.take_first(0..self.geometry().producers(), |place, number| self.producer_in(place, number, owner()))
    }

    /// Takes a consumer's place that is free, or whose process has ended.
    ///
    /// If that process held an item, the new consumer [holds](Consumer::holds) it.
    ///
    /// # Errors
    /// [`PlaceError::Held`] if live processes have all places that are not damaged;
    /// [`PlaceError::Damaged`] if all places are.
    pub fn take_consumer(&self) -> Result<Consumer<T, Place>, PlaceError> {
        self.take_first(0..self.geometry().consumers(), |place, number| self.consumer_in(place, number, owner()))
    }

    /// Takes the place of a dead or dropped consumer that held an item, if there is one.
    ///
    /// A process with a consumer of its own calls this to finish the work of dead ones: it pops the
    /// item, and drops the handle.
    ///
    /// # Errors
    /// [`PlaceError::System`] if the system refuses.
    pub fn take_abandoned(&self) -> Result<Option<Consumer<T, Place>>, PlaceError> {
        for number in (0..self.geometry().consumers()).filter(|number| self.may_hold(*number)) {
            match self.take_first(number..number + 1, |place, number| self.consumer_in(place, number, owner())) {
                Ok(consumer) if consumer.holds() => return Ok(Some(consumer)),
                Err(PlaceError::System(error)) => return Err(error.into()),
                // No item is held there, a live process has the place, or it is damaged.
                _ => {}
            }
        }
        Ok(None)
    }

    /// Takes the first of these places of a side that can be taken.
    fn take_first<H: HasSide>(
        &self,
        places: Range<usize>,
        take: impl Fn(Place, usize) -> Result<H, ClaimError>,
    ) -> Result<H, PlaceError> {
        let geometry = self.geometry();
        let producers = byte::MANY..byte::MANY + geometry.producers() as i64;
        let consumers = producers.end..producers.end + geometry.consumers() as i64;
        let (ours, others) = if H::PRODUCES { (producers, consumers) } else { (consumers, producers) };
        take_first(self.memory(), ours.start, &others, places, take)
    }
}

/// A handle of a side.
trait HasSide {
    const PRODUCES: bool;
}

impl<T> HasSide for Producer<T, Place> {
    const PRODUCES: bool = true;
}

impl<T> HasSide for Consumer<T, Place> {
    const PRODUCES: bool = false;
}
