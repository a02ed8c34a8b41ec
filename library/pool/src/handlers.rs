//! The user's functions that a pool calls.

use std::any::Any;
use std::sync::Arc;

use crate::sync::parked;

type PanicHandler = dyn Fn(Box<dyn Any + Send>) + Send + Sync;
type IndexHandler = dyn Fn(usize) + Send + Sync;

/// The user's functions that a pool calls.
#[derive(Default)]
pub(crate) struct Handlers {
    pub(crate) panic: Option<Box<PanicHandler>>,
    pub(crate) start: Option<Box<IndexHandler>>,
    pub(crate) exit: Option<Box<IndexHandler>>,
    pub(crate) park: Option<Arc<parked::Handler>>,
}
