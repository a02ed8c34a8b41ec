//! Queues in a region whose oldest items are overwritten: the places of producers. Readers need none.

use super::places::{Place, open, owner, take_first};
use super::{OpenError, PlaceError, Region, byte};
use crate::drop_old::{Geometry, Producer, Queue};
use crate::layout::Expected;
use crate::pod::Pod;

impl<T: Pod> Queue<T, Region> {
    /// Finds the queue in the region, or makes it if the region has none.
    ///
    /// `tag` is a number by which the queue's users know what its items mean.
    ///
    /// # Errors
    /// [`OpenError`] says how the found queue differs.
    ///
    /// # Examples
    /// ```
    /// use aqueduct_shm::{Region, drop_old};
    ///
    /// // At most two producers at a time, each of which may be another process, as any reader may.
    /// let geometry = drop_old::Geometry::new::<u64>(2, 4)?;
    /// let region = Region::anonymous("example", geometry.bytes())?;
    /// let queue = drop_old::Queue::<u64, _>::in_region(region, geometry, 0)?;
    /// let (mut producer, mut reader) = (queue.take_producer()?, queue.reader()?);
    /// (0..5).for_each(|number| producer.push(number).expect("there is always room"));
    /// assert_eq!((reader.read()?, reader.lost()), (1, 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn in_region(region: Region, geometry: Geometry, tag: u64) -> Result<Self, OpenError> {
        let expected = Expected::new().tag(tag).places(geometry.producers(), 0).capacity(geometry.capacity());
        let attach = |expected: &Expected| Self::attach(region.clone(), expected);
        open(&region, expected, attach, || Self::create(region.clone(), geometry, tag))
    }

    /// Takes a producer's place: any that is free, or that a process had which has ended.
    ///
    /// # Errors
    /// [`PlaceError::Held`] if processes that have not ended have all of them; [`PlaceError::Damaged`] if something has
    /// overwritten all of them.
    pub fn take_producer(&self) -> Result<Producer<T, Place>, PlaceError> {
        // Readers have no places: nobody has the consumer's.
        let others = byte::CONSUMER..byte::CONSUMER + 1;
        take_first(self.memory(), byte::MANY, &others, 0..self.geometry().producers(), |place, number| {
            self.producer_in(place, number, owner())
        })
    }
}
