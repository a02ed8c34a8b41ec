//! The forms of the queue, and the macro that runs a scenario over them.

use std::sync::Arc;

use aqueduct::bbq::{self, Consumer, Geometry, Multi, Producer, Queue, Single};
use aqueduct::error::CapacityError;

use super::ends::{PopEnd, PushEnd};

/// A form of the queue for items of type `T`.
pub(crate) trait Form<T>: 'static {
    type Producer: PushEnd<T>;
    type Consumer: PopEnd<T>;
    fn new(capacity: usize) -> Result<(Self::Producer, Self::Consumer), CapacityError>;
    fn divided(geometry: Geometry) -> Result<(Self::Producer, Self::Consumer), CapacityError>;
    fn starting_at(geometry: Geometry, version: usize) -> Result<(Self::Producer, Self::Consumer), CapacityError>;
}

macro_rules! form {
    ($name:ident: $producers:ident, $consumers:ident, $new:ident, $divided:ident, $starting_at:ident) => {
        #[derive(Debug)]
        pub(crate) struct $name;

        impl<T: Send + 'static> Form<T> for $name {
            type Producer = Producer<T, $producers, $consumers>;
            type Consumer = Consumer<T, $producers, $consumers>;
            fn new(capacity: usize) -> Result<(Self::Producer, Self::Consumer), CapacityError> {
                bbq::$new(capacity)
            }
            fn divided(geometry: Geometry) -> Result<(Self::Producer, Self::Consumer), CapacityError> {
                bbq::$divided(geometry)
            }
            fn starting_at(
                geometry: Geometry,
                version: usize,
            ) -> Result<(Self::Producer, Self::Consumer), CapacityError> {
                bbq::$starting_at(geometry, version)
            }
        }
    };
}
form!(Spsc: Single, Single, spsc, spsc_with, spsc_starting_at);
form!(Mpsc: Multi, Single, mpsc, mpsc_with, mpsc_starting_at);
form!(Spmc: Single, Multi, spmc, spmc_with, spmc_starting_at);
form!(Mpmc: Multi, Multi, mpmc, mpmc_with, mpmc_starting_at);

/// The queue that is shared as a whole: both ends are the queue.
#[derive(Debug)]
pub(crate) struct Whole;

fn both<T>(queue: Queue<T>) -> (Arc<Queue<T>>, Arc<Queue<T>>) {
    let queue = Arc::new(queue);
    (queue.clone(), queue)
}

impl<T: Send + 'static> Form<T> for Whole {
    type Producer = Arc<Queue<T>>;
    type Consumer = Arc<Queue<T>>;
    fn new(capacity: usize) -> Result<(Self::Producer, Self::Consumer), CapacityError> {
        Queue::new(capacity).map(both)
    }
    fn divided(geometry: Geometry) -> Result<(Self::Producer, Self::Consumer), CapacityError> {
        Queue::with_geometry(geometry).map(both)
    }
    fn starting_at(geometry: Geometry, version: usize) -> Result<(Self::Producer, Self::Consumer), CapacityError> {
        Queue::starting_at(geometry, version).map(both)
    }
}

/// Tests of a scenario, `fn name<T, F: Form<T>>()`, for each form.
macro_rules! every_form {
    ($module:ident: $scenario:ident $(::<$item:ty>)?) => {
        mod $module {
            use super::*;
            use crate::common;

            #[test]
            fn spsc() {
                $scenario::<$($item,)? common::Spsc>();
            }

            #[test]
            fn mpsc() {
                $scenario::<$($item,)? common::Mpsc>();
            }

            #[test]
            fn spmc() {
                $scenario::<$($item,)? common::Spmc>();
            }

            #[test]
            fn mpmc() {
                $scenario::<$($item,)? common::Mpmc>();
            }

            #[test]
            fn queue() {
                $scenario::<$($item,)? common::Whole>();
            }
        }
    };
}

pub(crate) use every_form;
