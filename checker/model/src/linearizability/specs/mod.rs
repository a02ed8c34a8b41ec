//! Ready specifications.

pub(super) mod deque;
pub(super) mod drop_old;
pub(super) mod fifo;
pub(super) mod k_fifo;
pub(super) mod queue;
pub(super) mod register;
pub(super) mod stack;

use std::fmt::Debug;
use std::hash::Hash;

/// A type of items: anything that can be compared, hashed and printed.
pub trait Item: Clone + Eq + Hash + Debug {}

impl<T: Clone + Eq + Hash + Debug> Item for T {}
