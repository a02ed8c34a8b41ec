//! The forms of the queue, and the macro that runs a scenario over them.

use std::sync::Arc;

use aqueduct::bbq::{self, Adding, Consumer, Geometry, Multi, Producer, Single};
use aqueduct::error::CapacityError;
use aqueduct::faaq;
use aqueduct::queue::{PopSlice, PushSlice};

use super::ends::{PopEnd, PushEnd};

/// A form of the queue for items of type `T`.
pub(crate) trait Form<T>: 'static {
    type Producer: PushEnd<T>;
    type Consumer: PopEnd<T>;
    /// The most blocks, and the most entries of one.
    const MOST: usize = (1 << (usize::BITS / 4)) - 1;
    fn new(capacity: usize) -> Result<(Self::Producer, Self::Consumer), CapacityError>;
    fn divided(geometry: Geometry) -> Result<(Self::Producer, Self::Consumer), CapacityError>;
    fn starting_at(geometry: Geometry, lap: usize) -> Result<(Self::Producer, Self::Consumer), CapacityError>;
}

/// A form whose items can be copied, so that it moves slices.
pub(crate) trait SliceForm<T: Copy>:
    Form<T, Producer: PushSlice<Item = T>, Consumer: PopSlice<Item = T>>
{
}

impl<T: Copy, F: Form<T, Producer: PushSlice<Item = T>, Consumer: PopSlice<Item = T>>> SliceForm<T> for F {}

macro_rules! form {
    ($name:ident: $producers:ident, $consumers:ident, $new:path, $divided:path, $starting_at:path $(, $most:expr)?) => {
        #[derive(Debug)]
        pub(crate) struct $name;

        impl<T: Send + 'static> Form<T> for $name {
            type Producer = Producer<T, $producers, $consumers>;
            type Consumer = Consumer<T, $producers, $consumers>;
            $(const MOST: usize = $most;)?
            fn new(capacity: usize) -> Result<(Self::Producer, Self::Consumer), CapacityError> {
                $new(capacity)
            }
            fn divided(geometry: Geometry) -> Result<(Self::Producer, Self::Consumer), CapacityError> {
                $divided(geometry)
            }
            fn starting_at(
                geometry: Geometry,
                lap: usize,
            ) -> Result<(Self::Producer, Self::Consumer), CapacityError> {
                $starting_at(geometry, lap)
            }
        }
    };
}
form!(Spsc: Single, Single, bbq::spsc::new, bbq::spsc::with_geometry, bbq::spsc::starting_at);
form!(Mpsc: Multi, Single, bbq::mpsc::new, bbq::mpsc::with_geometry, bbq::mpsc::starting_at);
form!(Spmc: Single, Multi, bbq::spmc::new, bbq::spmc::with_geometry, bbq::spmc::starting_at);
form!(Mpmc: Multi, Multi, bbq::mpmc::new, bbq::mpmc::with_geometry, bbq::mpmc::starting_at);

form!(Faaq: Multi, Adding, faaq::new, faaq::with_geometry, faaq::starting_at, MOST_OF_FAAQ);

/// One bit less than BBQ's offsets have.
const MOST_OF_FAAQ: usize = (1 << (usize::BITS / 4 - 1)) - 1;

/// The queue that is shared as a whole: both ends are the queue.
#[derive(Debug)]
pub(crate) struct Whole;

/// The shared queue of FAAQ: both ends are the queue.
#[derive(Debug)]
pub(crate) struct FaaqWhole;

fn both<Q>(queue: Q) -> (Arc<Q>, Arc<Q>) {
    let queue = Arc::new(queue);
    (queue.clone(), queue)
}

macro_rules! whole {
    ($name:ident: $queue:ty $(, $most:expr)?) => {
        impl<T: Send + 'static> Form<T> for $name {
            type Producer = Arc<$queue>;
            type Consumer = Arc<$queue>;
            $(const MOST: usize = $most;)?
            fn new(capacity: usize) -> Result<(Self::Producer, Self::Consumer), CapacityError> {
                <$queue>::new(capacity).map(both)
            }
            fn divided(geometry: Geometry) -> Result<(Self::Producer, Self::Consumer), CapacityError> {
                <$queue>::with_geometry(geometry).map(both)
            }
            fn starting_at(
                geometry: Geometry,
                lap: usize,
            ) -> Result<(Self::Producer, Self::Consumer), CapacityError> {
                <$queue>::starting_at(geometry, lap).map(both)
            }
        }
    };
}
whole!(Whole: bbq::Queue<T>);
whole!(FaaqWhole: faaq::Queue<T>, MOST_OF_FAAQ);

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

            #[test]
            fn faaq() {
                $scenario::<$($item,)? common::Faaq>();
            }

            #[test]
            fn faaq_queue() {
                $scenario::<$($item,)? common::FaaqWhole>();
            }
        }
    };
}

pub(crate) use every_form;
