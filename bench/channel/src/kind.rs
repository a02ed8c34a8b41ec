//! The parameters of channels, for threads and for tasks.

use std::time::Duration;

use aqueduct_measure::record::{Placement, Role};
use aqueduct_measure::rounds::{Cell, Fault, Figure, Measured, Place, Threads};
use aqueduct_measure::unit::Unit;

/// The capacity of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Room {
    /// This number of messages.
    Of(usize),
    /// Unbounded.
    Any,
}

impl Room {
    /// Returns the capacity that records hold: 0 for an unbounded channel.
    pub(crate) fn in_records(self) -> usize {
        match self {
            Self::Of(capacity) => capacity,
            Self::Any => 0,
        }
    }

    /// Returns the bench of channels of this capacity.
    pub(crate) fn bench(self, bench: &str) -> String {
        match self {
            Self::Of(_) => bench.to_owned(),
            Self::Any => format!("{bench}.unbounded"),
        }
    }
}

/// A channel's name, and the numbers of handles that it can have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct About {
    pub(crate) name: &'static str,
    pub(crate) role: Role,
    pub(crate) many_senders: bool,
    pub(crate) many_receivers: bool,
}

impl About {
    pub(crate) fn serves(self, threads: Threads) -> bool {
        (self.many_senders || threads.producers == 1) && (self.many_receivers || threads.consumers == 1)
    }

    /// Returns the cell of a bench with one figure. `run` does a number of operations.
    pub(crate) fn cell(
        self,
        bench: impl Into<String>,
        (threads, capacity): (Threads, usize),
        figure: fn(u64, Duration) -> (Unit, f64),
        run: impl Fn(u64) -> Result<(u64, Duration), Fault> + 'static,
    ) -> Cell<'static> {
        let bench = bench.into();
        let place = place(threads, capacity);
        Cell::new(place.words(&bench), self.name, self.role, place, move |amount| {
            let (done, elapsed) = run(amount)?;
            let (unit, value) = figure(done, elapsed);
            Ok(Measured { figures: vec![Figure::new(bench.clone(), unit, value)], done, elapsed })
        })
    }
}

pub(crate) fn place(threads: Threads, capacity: usize) -> Place {
    Place { producers: threads.producers, consumers: threads.consumers, capacity, batch: 1 }
}

/// Returns the rate in millions per second.
pub(crate) fn rate(done: u64, elapsed: Duration) -> (Unit, f64) {
    (Unit::Mitems, done as f64 / elapsed.as_secs_f64().max(1e-9) / 1e6)
}

/// Returns the nanoseconds of each operation.
pub(crate) fn each(done: u64, elapsed: Duration) -> (Unit, f64) {
    (Unit::Ns, elapsed.as_nanos() as f64 / done.max(1) as f64)
}

/// Returns the placement of both threads on the first core.
pub(crate) fn on_one(cores: &[usize]) -> Placement {
    let first: Vec<usize> = cores.iter().take(1).copied().collect();
    Placement { producers: first.clone(), consumers: first }
}

/// Returns a sender's share of `amount` messages. The upper bits of each hold the sender's number.
pub(crate) fn messages(sender: usize, threads: Threads, amount: u64) -> impl Iterator<Item = u64> + Send + use<> {
    let each = amount.div_ceil(threads.producers as u64);
    (1..=each).map(move |number| (sender as u64) << 48 | number)
}

/// Declares channels, and `visit`, which visits all of them.
macro_rules! kinds {
    ($ends:ident, $visit:ident: $(
        $(#[$about:meta])*
        $kind:ident = $name:literal, $role:ident, $senders:tt to $receivers:tt; $tx:ty, $rx:ty; |$room:pat_param| $open:expr;
    )*) => {
        $(
            $(#[$about])*
            pub(crate) struct $kind;

            impl $ends for $kind {
                const ABOUT: About = About {
                    name: $name,
                    role: Role::$role,
                    many_senders: kinds!(@many $senders),
                    many_receivers: kinds!(@many $receivers),
                };
                type Tx = $tx;
                type Rx = $rx;

                fn open(room: Room, threads: Threads) -> Option<(Vec<$tx>, Vec<$rx>)> {
                    let open = |$room: Room| -> Option<($tx, $rx)> { $open };
                    let (sender, receiver) = open(room)?;
                    Some((
                        kinds!(@handles $senders, sender, threads.producers),
                        kinds!(@handles $receivers, receiver, threads.consumers),
                    ))
                }
            }
        )*

        /// Visits all channels.
        pub(crate) fn visit(visitor: &mut impl $visit) {
            $(visitor.visit::<$kind>();)*
        }

        /// Returns the names of all channels.
        pub(crate) fn names() -> Vec<&'static str> {
            vec![$($name),*]
        }
    };
    (@many many) => { true };
    (@many one) => { false };
    (@handles many, $handle:ident, $count:expr) => { vec![$handle; $count] };
    (@handles one, $handle:ident, $count:expr) => { Vec::from_iter(std::iter::once($handle).take($count)) };
}

pub(crate) use kinds;
