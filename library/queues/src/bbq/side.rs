//! The sides of a queue, as type parameters.

pub use crate::sides::{Multi, Single};

/// Any number of consumers, which take entries of a filled block by fetch-and-add.
#[derive(Clone, Copy, Debug)]
pub struct Adding;

/// Any number of producers that can give up an entry: consumers skip it.
#[derive(Clone, Copy, Debug)]
pub struct Skipped;

/// Any number of readers, which producers overtake: items not read in time are overwritten.
#[derive(Clone, Copy, Debug)]
pub struct Overwritten;

/// The private supertrait of all traits of sides.
pub trait Sealed {}

impl Sealed for Single {}
impl Sealed for Multi {}
impl Sealed for Adding {}
impl Sealed for Skipped {}
impl Sealed for Overwritten {}
