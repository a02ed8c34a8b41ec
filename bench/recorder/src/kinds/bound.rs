//! A clock read and nothing else: the least cost of an event with its own time.

use std::hint::black_box;

use aqueduct_measure::record::Role;
use aqueduct_measure::rounds::Fault;
use quanta::Clock as Ticks;

use super::{Handle, Kind};

/// A clock read for each event.
pub(crate) struct Clock;

/// The clock.
pub(crate) struct Reading(Ticks);

impl Kind for Clock {
    const NAME: &'static str = "bound/clock";
    const ROLE: Role = Role::Bound;
    const HAS_SPANS: bool = true;
    type Shared = Ticks;
    type Handle<'s> = Reading;

    fn open() -> Result<Ticks, Fault> {
        Ok(Ticks::new())
    }

    fn enter(clock: &Ticks) -> Reading {
        Reading(clock.clone())
    }

    fn close(_: Ticks, _: u64) -> Result<Option<f64>, Fault> {
        Ok(None)
    }
}

impl Handle for Reading {
    #[inline(always)]
    fn none(&mut self) {
        black_box(self.0.raw());
    }

    #[inline(always)]
    fn one(&mut self, _: u64) {
        self.none();
    }

    #[inline(always)]
    fn four(&mut self, _: [u64; 4]) {
        self.none();
    }

    #[inline(always)]
    fn span(&mut self, _: u64) {
        self.none();
        self.none();
    }
}
