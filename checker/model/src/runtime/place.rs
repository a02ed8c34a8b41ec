//! From the program's objects to the graph's locations.
//!
//! Every atomic and cell carries a tag: the run in which it was last seen, and its location there.
//! A tag of an older run means "not seen yet". Objects that outlive runs, or that runs on other
//! operating system threads share, are found again by their address.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::graph::event::{LocId, Site};

use super::outside::{self, Outside};

const LOC_BITS: u32 = 20;

/// An object's memory of its location.
#[derive(Debug)]
pub(crate) struct Tag(AtomicU64);

impl Tag {
    pub(crate) const fn new() -> Self {
        Self(AtomicU64::new(0))
    }

    /// Notes an operation on the object by a thread outside of models.
    #[cold]
    pub(super) fn note_outside(&self, site: Site) {
        outside::note(&self.0, |tag| tag >> LOC_BITS, site);
    }
}

impl Clone for Tag {
    /// Returns another name of this location, valid during this run.
    fn clone(&self) -> Self {
        Self(AtomicU64::new(self.0.load(Ordering::Relaxed)))
    }
}

/// An object as an operation sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'a> {
    pub(crate) tag: &'a Tag,
    /// The value in the object's memory: the initial one, as long as the engine keeps the others.
    pub(crate) memory: u64,
    pub(crate) bits: u8,
}

impl Place<'_> {
    /// Returns the object's address.
    pub(crate) fn address(&self) -> usize {
        std::ptr::from_ref(self.tag) as usize
    }
}

/// A zero for which threads of the program race, as on an atomic of their own: see `driver::take`.
#[derive(Debug)]
pub(crate) struct Zero(Tag);

impl Zero {
    pub(crate) const fn new() -> Self {
        Self(Tag::new())
    }

    pub(super) fn place(&self) -> Place<'_> {
        Place { tag: &self.0, memory: 0, bits: 64 }
    }
}

/// The objects seen so far in this run.
#[derive(Debug, Default)]
pub(crate) struct Bindings {
    run: u64,
    /// The first run number that is not this engine's.
    reserved: u64,
    addresses: Vec<(usize, LocId)>,
    /// For each location, the run in which it was bound.
    bound: Vec<u64>,
    outside: Outside,
}

/// Runs are numbered through the whole process, so that no two share a tag.
static RUNS: AtomicU64 = AtomicU64::new(1);

/// The number of run numbers that are taken at a time, so that operating system threads seldom
/// contend.
const BLOCK: u64 = 1024;

impl Bindings {
    /// Forgets all objects for a new run.
    pub(crate) fn begin_run(&mut self) {
        self.run += 1;
        if self.run >= self.reserved {
            self.run = RUNS.fetch_add(BLOCK, Ordering::Relaxed);
            self.reserved = self.run + BLOCK;
        }
        self.addresses.clear();
        self.outside.begin_run(self.run);
    }

    /// Ends the run. Returns the site of an operation on one of its objects by a thread that no
    /// check runs, if there was one.
    pub(crate) fn end_run(&self) -> Option<Site> {
        self.outside.end_run();
        self.outside.told()
    }

    /// Returns the location of an object, if it has been seen in this run.
    #[inline]
    pub(crate) fn find(&self, place: &Place<'_>) -> Option<LocId> {
        let tag = place.tag.0.load(Ordering::Relaxed);
        if tag >> LOC_BITS == self.run {
            Some((tag & ((1 << LOC_BITS) - 1)) as LocId)
        } else if tag == 0 {
            None
        } else {
            let address = place.address();
            (self.addresses.iter().rev()).find(|(at, _)| *at == address).map(|&(_, loc)| loc)
        }
    }

    /// Returns the address of the object at this location, if it has been seen in this run.
    pub(crate) fn address(&self, loc: LocId) -> Option<usize> {
        self.addresses.iter().rev().find(|&&(_, bound)| bound == loc).map(|&(address, _)| address)
    }

    /// Whether an object has already been found at this location in this run.
    pub(crate) fn is_bound(&self, loc: LocId) -> bool {
        self.bound.get(loc as usize) == Some(&self.run)
    }

    /// Binds the object at `place` to this location.
    pub(crate) fn bind(&mut self, place: &Place<'_>, loc: LocId) {
        self.outside.meet(place.tag.0.load(Ordering::Relaxed));
        let tag = self.run << LOC_BITS | u64::from(loc);
        place.tag.0.store(tag, Ordering::Relaxed);
        self.addresses.push((place.address(), loc));
        if self.bound.len() <= loc as usize {
            self.bound.resize(loc as usize + 1, 0);
        }
        self.bound[loc as usize] = self.run;
    }
}
