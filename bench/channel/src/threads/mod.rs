//! Channels between threads.

mod alone;
mod bursts;
pub(crate) mod kinds;
mod oneshot;
mod open_loop;
mod pingpong;
mod select;
mod stream;

use aqueduct_measure::record::Role;
use aqueduct_measure::rounds::{Cell, Threads};

use crate::kind::{About, Room};
use crate::plan::{Experiment, Plan};

/// The handle of a sending thread.
pub(crate) trait Tx: Send + 'static {
    /// Sends a message; waits while the channel is full. Returns whether that succeeded.
    fn send(&mut self, message: u64) -> bool;
}

/// The handle of a receiving thread.
pub(crate) trait Rx: Send + 'static {
    /// Receives a message; waits while there is none. Returns `None` after the end of the channel.
    fn recv(&mut self) -> Option<u64>;
}

/// A channel for threads.
pub(crate) trait Kind: 'static {
    const ABOUT: About;
    type Tx: Tx;
    type Rx: Rx;

    /// Makes a channel with a handle for each thread; `None` if there is none of that capacity.
    fn open(room: Room, threads: Threads) -> Option<Ends<Self>>;
}

/// The handles of a channel.
type Ends<K> = (Vec<<K as Kind>::Tx>, Vec<<K as Kind>::Rx>);

/// An action on each channel.
pub(crate) trait Visit {
    fn visit<K: Kind>(&mut self);
}

/// Returns a cell for each workload with each channel.
pub(crate) fn cells(plan: &Plan, cores: &[usize]) -> Vec<Cell<'static>> {
    struct Adding<'a>(&'a Plan, &'a [usize], Vec<Cell<'static>>);

    impl Visit for Adding<'_> {
        fn visit<K: Kind>(&mut self) {
            let Self(plan, cores, cells) = self;
            if K::ABOUT.role == Role::Peer && !plan.peers {
                return;
            }
            if plan.wants(Experiment::Blocking) {
                stream::add::<K>(cells, plan, cores);
            }
            if plan.wants(Experiment::OneCore) {
                stream::add_on_one_core::<K>(cells, cores);
            }
            if plan.wants(Experiment::PingPong) {
                pingpong::add::<K>(cells, cores);
            }
            if plan.wants(Experiment::Bursts) {
                bursts::add::<K>(cells, cores);
            }
            if plan.wants(Experiment::OpenLoop) {
                open_loop::add::<K>(cells, cores);
            }
            if plan.wants(Experiment::Alone) {
                alone::add::<K>(cells);
            }
        }
    }

    let mut adding = Adding(plan, cores, Vec::new());
    kinds::visit(&mut adding);
    let Adding(.., mut cells) = adding;
    if plan.wants(Experiment::Alone) {
        alone::add_bound(&mut cells);
    }
    if plan.wants(Experiment::Select) {
        select::add(&mut cells, plan, cores);
    }
    if plan.wants(Experiment::Oneshot) {
        oneshot::add(&mut cells, plan);
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Checking;

    impl Visit for Checking {
        fn visit<K: Kind>(&mut self) {
            for threads in [Threads::PAIR, Threads::new(3, 1), Threads::new(1, 3), Threads::new(2, 2)] {
                for room in [Room::Of(0), Room::Of(1), Room::Of(64), Room::Any] {
                    if !K::ABOUT.serves(threads) || K::open(room, threads).is_none() {
                        continue;
                    }
                    let (done, _) = stream::run::<K>(room, threads, &[], 3_000)
                        .unwrap_or_else(|fault| panic!("{} {threads} {room:?}: {fault}", K::ABOUT.name));
                    assert!((3_000..3_003).contains(&done), "{}: {done}", K::ABOUT.name);
                }
            }
        }
    }

    #[test]
    fn every_channel_gives_each_message_once() {
        kinds::visit(&mut Checking);
    }
}
