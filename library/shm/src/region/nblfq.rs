//! Lock-free queues of small items in a region. Handles have no places in them, so the kernel keeps
//! none.

use std::io;

use super::places::{Place, open};
use super::{OpenError, Region, byte};
use crate::layout::Expected;
use crate::nblfq::{Consumer, Geometry, Producer, Queue};
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
    /// use aqueduct_shm::{Region, nblfq};
    ///
    /// let geometry = nblfq::Geometry::new(100)?;
    /// let region = Region::anonymous("example", geometry.bytes())?;
    /// let queue = nblfq::Queue::<u32, _>::in_region(region, geometry, 0)?;
    /// // A process may have any number of handles.
    /// let (first, second, consumer) = (queue.producer(), queue.producer(), queue.consumer());
    /// first.push(1)?;
    /// second.push(2)?;
    /// assert_eq!((consumer.pop()?, consumer.pop()?), (1, 2));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn in_region(region: Region, geometry: Geometry, tag: u64) -> Result<Self, OpenError> {
        let attach = |expected: &Expected| Self::attach(region.clone(), expected);
        let expected = Expected::new().tag(tag).places(0, 0).capacity(geometry.capacity());
        open(&region, expected, attach, || Self::create(region.clone(), geometry, tag))
    }

    /// Makes a producer's handle that signals [events](Producer::set_events). The other side
    /// [observes](Consumer::peer) if its process dies.
    ///
    /// # Errors
    /// The system's error; [`io::ErrorKind::TimedOut`] if a process that does not keep to the
    /// protocol holds the side's lock.
    pub fn take_producer(&self) -> io::Result<Producer<T, Place>> {
        Ok(self.producer_in(Place::among_others(self.memory(), byte::PRODUCER)?, true))
    }

    /// Makes a consumer's handle that signals [events](Consumer::set_events). The other side
    /// [observes](Producer::peer) if its process dies.
    ///
    /// # Errors
    /// Those of [`take_producer`](Self::take_producer).
    pub fn take_consumer(&self) -> io::Result<Consumer<T, Place>> {
        Ok(self.consumer_in(Place::among_others(self.memory(), byte::CONSUMER)?, true))
    }
}
