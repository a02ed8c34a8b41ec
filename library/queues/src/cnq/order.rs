//! The builder of a geometry.

use super::geometry::{Geometry, GeometryError};

/// A builder of a [`Geometry`] for an order; made by [`Geometry::at_most`].
///
/// # Examples
/// ```
/// use aqueduct::cnq::{Geometry, Queue};
///
/// let geometry = Geometry::at_most(100).capacity(10_000).producers(4).consumers(2).geometry()?;
/// let queue = Queue::new(geometry)?;
/// queue.producer()?.push("item")?;
/// assert!(queue.k() <= 100 && queue.capacity() >= 10_000);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use = "it makes no geometry before `geometry`"]
pub struct Order {
    k: usize,
    capacity: usize,
    producers: usize,
    consumers: usize,
}

impl Geometry {
    /// Starts the builder of a geometry for an order of at most `k`: a pop returns one of the `k`
    /// oldest items.
    ///
    /// Without further calls, the geometry is for 1024 items, one producer and one consumer.
    pub const fn at_most(k: usize) -> Order {
        Order { k, capacity: 1024, producers: 1, consumers: 1 }
    }
}

impl Order {
    /// Sets how many items fit, at least, if all capsules are filled.
    pub const fn capacity(self, capacity: usize) -> Self {
        Self { capacity, ..self }
    }

    /// Sets how many producers can be registered at a time.
    pub const fn producers(self, producers: usize) -> Self {
        Self { producers, ..self }
    }

    /// Sets how many consumers can be registered at a time.
    pub const fn consumers(self, consumers: usize) -> Self {
        Self { consumers, ..self }
    }

    /// Returns the geometry with the largest possible capsules: [`Geometry::for_order`].
    ///
    /// # Errors
    /// [`GeometryError`] if that order is too strict for that number of threads, or a number is 0
    /// or too large.
    pub fn geometry(self) -> Result<Geometry, GeometryError> {
        Geometry::for_order(self.k, self.capacity, self.producers, self.consumers)
    }
}
