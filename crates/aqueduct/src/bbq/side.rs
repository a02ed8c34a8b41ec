//! The sides of a queue, as type parameters, and why an operation of a side fails.

use crate::error::PopError;
pub use crate::sides::{Multi, Single};

/// Any number of consumers, which take entries of a filled block by fetch-and-add.
///
/// (Producers that allocate entries in this way are measured beside the others, and not offered.)
#[derive(Clone, Copy, Debug)]
pub struct Adding;

/// Any number of producers that can give up an entry: consumers skip it.
#[derive(Clone, Copy, Debug)]
pub struct Skipped;

/// Any number of readers, which producers overtake: items not read in time are overwritten.
#[derive(Clone, Copy, Debug)]
pub struct Overwritten;

/// Why nothing was pushed or popped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// `Full` or `Empty`.
    Exhausted,
    /// Another thread is in the middle of an operation.
    Busy,
}

impl From<Reason> for PopError {
    fn from(reason: Reason) -> Self {
        match reason {
            Reason::Exhausted => Self::Empty,
            Reason::Busy => Self::Busy,
        }
    }
}

/// The private supertrait of all traits of sides.
pub trait Sealed {}

impl Sealed for Single {}
impl Sealed for Multi {}
impl Sealed for Adding {}
impl Sealed for Skipped {}
impl Sealed for Overwritten {}
