//! Queues in a region that overwrite the oldest items or records: the places of producers. Readers
//! need no places.

use super::places::{Place, open, owner, take_first};
use super::{OpenError, PlaceError, Region, byte};
use crate::drop_old::{Geometry, Producer, Queue, Reader, records};
use crate::error::ClaimError;
use crate::layout::Expected;
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
    /// use aqueduct_shm::{Region, drop_old};
    ///
    /// // At most two producers at a time. Each handle may be in another process.
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

    /// Takes a producer's place that is free, or whose process has ended.
    ///
    /// # Errors
    /// [`PlaceError::Held`] if live processes have all places that are not damaged;
    /// [`PlaceError::Damaged`] if all places are.
    pub fn take_producer(&self) -> Result<Producer<T, Place>, PlaceError> {
        // Readers have no places: no handle locks the consumer's.
        let others = byte::CONSUMER..byte::CONSUMER + 1;
        take_first(self.memory(), byte::MANY, &others, 0..self.geometry().producers(), |place, number| {
            self.producer_in(place, number, owner())
        })
    }

    /// Makes a reader that asks the kernel whether [producers](Reader::peer) live.
    ///
    /// # Errors
    /// [`PlaceError::System`] if the system refuses, and [`PlaceError::Damaged`] if some process
    /// has overwritten the memory.
    ///
    /// # Examples
    /// ```
    /// use aqueduct_shm::{Peer, Region, drop_old};
    ///
    /// let geometry = drop_old::Geometry::new::<u64>(2, 4)?;
    /// let region = Region::anonymous("example", geometry.bytes())?;
    /// let queue = drop_old::Queue::<u64, _>::in_region(region, geometry, 0)?;
    /// let (producer, reader) = (queue.take_producer()?, queue.take_reader()?);
    /// assert_eq!(reader.peer(), Peer::Alive);
    /// drop(producer);
    /// assert_eq!(reader.peer(), Peer::Left);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn take_reader(&self) -> Result<Reader<T, Place>, PlaceError> {
        let producers = byte::MANY..byte::MANY + self.geometry().producers() as i64;
        let place = Place::beside_others(self.memory(), producers)?;
        self.reader_in(place).map_err(|_| PlaceError::Damaged)
    }
}

impl records::Queue<Region> {
    /// Finds the queue in the region, or makes it if the region has none. The queue keeps at least
    /// the last `bytes` bytes.
    ///
    /// `tag` identifies the meaning of the records. A process that expects another tag is refused.
    ///
    /// # Errors
    /// [`OpenError`] if the found queue differs, the queue does not fit into the region, or the
    /// system refuses.
    ///
    /// # Examples
    /// ```
    /// use aqueduct_shm::{Peer, Region, drop_old::records};
    ///
    /// let region = Region::anonymous("example", records::Geometry::new(1000)?.bytes())?;
    /// let queue = records::Queue::in_region(region, 1000, 0)?;
    /// // Each handle may be in another process.
    /// let (mut producer, mut reader) = (queue.take_producer()?, queue.take_reader()?);
    /// producer.push(b"the news")?;
    /// drop(producer);
    /// assert_eq!((reader.read_vec()?, reader.peer()), (b"the news".to_vec(), Peer::Left));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn in_region(region: Region, bytes: usize, tag: u64) -> Result<Self, OpenError> {
        let geometry = records::Geometry::new(bytes)?;
        let attach = |expected: &Expected| Self::attach(region.clone(), expected);
        open(&region, Expected::new().tag(tag).capacity(bytes), attach, || Self::create(region.clone(), geometry, tag))
    }

    /// Takes the producer's place if it is free, or its process has ended.
    ///
    /// # Errors
    /// [`PlaceError::Held`] if a live process has it; [`PlaceError::Damaged`] if the positions in
    /// the memory contradict each other.
    pub fn take_producer(&self) -> Result<records::Producer<Place>, PlaceError> {
        let place = Place::take(self.memory(), byte::PRODUCER)?;
        records::Producer::new(place, self.geometry(), owner()).map_err(|_| PlaceError::Damaged)
    }

    /// Makes a reader that asks the kernel whether the [producer](records::Reader::peer) lives.
    ///
    /// # Errors
    /// [`PlaceError::System`] if the system refuses, [`PlaceError::Damaged`] if some process has
    /// overwritten the memory, and [`PlaceError::Contended`] if the producer overtook it in each
    /// attempt.
    pub fn take_reader(&self) -> Result<records::Reader<Place>, PlaceError> {
        let place = Place::beside_others(self.memory(), byte::PRODUCER..byte::PRODUCER + 1)?;
        self.reader_in(place).map_err(|why| match why {
            ClaimError::Contended => PlaceError::Contended,
            _ => PlaceError::Damaged,
        })
    }
}
