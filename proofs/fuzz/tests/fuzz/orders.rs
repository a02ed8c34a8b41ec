//! Both orders of BWoS, as one trait.

use aqueduct::bwos::{self, Fifo, Geometry, Lifo, Order, Owner, Stealer};
use aqueduct::error::CapacityError;

/// The owner of a queue with this order, and its first thief.
pub(crate) type Handles<T, O> = (Owner<T, O>, Stealer<T, O>);

/// An order, with the functions that make a queue.
pub(crate) trait Stealing<T: Send>: Order {
    /// Whether the owner pops its newest item.
    const LIFO: bool;

    fn new(capacity: usize) -> Result<Handles<T, Self>, CapacityError>;
    fn starting_at(geometry: Geometry, lap: usize) -> Result<Handles<T, Self>, CapacityError>;
    fn with_geometry(geometry: Geometry) -> Result<Handles<T, Self>, CapacityError>;
}

impl<T: Send> Stealing<T> for Lifo {
    const LIFO: bool = true;

    fn new(capacity: usize) -> Result<Handles<T, Self>, CapacityError> {
        bwos::lifo::new(capacity)
    }

    fn starting_at(geometry: Geometry, lap: usize) -> Result<Handles<T, Self>, CapacityError> {
        bwos::lifo::starting_at(geometry, lap)
    }

    fn with_geometry(geometry: Geometry) -> Result<Handles<T, Self>, CapacityError> {
        bwos::lifo::with_geometry(geometry)
    }
}

impl<T: Send> Stealing<T> for Fifo {
    const LIFO: bool = false;

    fn new(capacity: usize) -> Result<Handles<T, Self>, CapacityError> {
        bwos::fifo::new(capacity)
    }

    fn starting_at(geometry: Geometry, lap: usize) -> Result<Handles<T, Self>, CapacityError> {
        bwos::fifo::starting_at(geometry, lap)
    }

    fn with_geometry(geometry: Geometry) -> Result<Handles<T, Self>, CapacityError> {
        bwos::fifo::with_geometry(geometry)
    }
}
