//! Channels between tasks of a tokio runtime.

mod broadcast;
mod dropped;
mod graph;
pub(crate) mod kinds;
mod latest;
mod open_loop;
mod pingpong;
mod runtime;
mod select;
mod stream;

use std::future::Future;
use std::sync::Arc;

use aqueduct_measure::record::Role;
use aqueduct_measure::rounds::{Cell, Threads};

use crate::kind::{About, Room};
use crate::plan::{Experiment, Plan};
use runtime::Workers;

/// The handle of a sending task.
pub(crate) trait Tx: Send + 'static {
    /// Sends a message; waits while the channel is full. Returns whether that succeeded.
    fn send(&mut self, message: u64) -> impl Future<Output = bool> + Send;
}

/// The handle of a receiving task.
pub(crate) trait Rx: Send + 'static {
    /// Receives a message; waits while there is none. Returns `None` after the end of the channel.
    fn recv(&mut self) -> impl Future<Output = Option<u64>> + Send;
}

/// A channel for tasks.
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
    struct Adding<'a>(&'a Plan, &'a Arc<Workers>, Vec<Cell<'static>>);

    impl Visit for Adding<'_> {
        fn visit<K: Kind>(&mut self) {
            let Self(plan, workers, cells) = self;
            if K::ABOUT.role == Role::Peer && !plan.peers {
                return;
            }
            if plan.wants(Experiment::Tasks) {
                stream::add::<K>(cells, plan, workers);
            }
            if plan.wants(Experiment::OneCore) {
                stream::add_on_one_core::<K>(cells, workers);
            }
            if plan.wants(Experiment::PingPong) {
                pingpong::add::<K>(cells, workers);
            }
            if plan.wants(Experiment::Pinball) {
                graph::add_pinball::<K>(cells, workers);
            }
            if plan.wants(Experiment::Funnel) {
                graph::add_funnel::<K>(cells, workers);
            }
            if plan.wants(Experiment::OpenLoop) {
                open_loop::add::<K>(cells, workers);
            }
            if plan.wants(Experiment::Dropped) {
                dropped::add::<K>(cells, workers);
            }
            if plan.wants(Experiment::Select) {
                select::add::<K>(cells, workers);
            }
        }
    }

    let workers = Workers::new(cores);
    let mut adding = Adding(plan, &workers, Vec::new());
    kinds::visit(&mut adding);
    let Adding(.., mut cells) = adding;
    if plan.wants(Experiment::Dropped) {
        dropped::add_oneshot(&mut cells, plan, &workers);
    }
    if plan.wants(Experiment::Broadcast) {
        broadcast::add(&mut cells, plan, &workers);
    }
    if plan.wants(Experiment::Latest) {
        latest::add(&mut cells, plan, &workers);
    }
    cells
}

#[cfg(test)]
mod tests {
    use aqueduct_measure::rounds::Pace;

    use super::*;

    struct Checking(Arc<Workers>);

    impl Visit for Checking {
        fn visit<K: Kind>(&mut self) {
            for threads in [Threads::PAIR, Threads::new(3, 1), Threads::new(1, 3), Threads::new(2, 2)] {
                for room in [Room::Of(0), Room::Of(1), Room::Of(64), Room::Any] {
                    if !K::ABOUT.serves(threads) || K::open(room, threads).is_none() {
                        continue;
                    }
                    let (done, _) = stream::run::<K>(&self.0, room, threads, 3_000)
                        .unwrap_or_else(|fault| panic!("{} {threads} {room:?}: {fault}", K::ABOUT.name));
                    assert!((3_000..3_003).contains(&done), "{}: {done}", K::ABOUT.name);
                }
            }
        }
    }

    #[test]
    fn every_channel_gives_each_message_once() {
        kinds::visit(&mut Checking(Workers::new(&[])));
    }

    #[test]
    fn channels_for_one_message_lose_none() {
        let plan = Plan {
            experiments: vec![Experiment::Dropped],
            queues: Vec::new(),
            peers: true,
            threads: vec![Threads::PAIR],
            capacities: Vec::new(),
            unbounded: false,
            cores: Vec::new(),
            pace: Pace::new(1, std::time::Duration::from_millis(1)),
        };
        let all = cells(&plan, &[]);
        let oneshots: Vec<_> = all.iter().filter(|cell| cell.queue.ends_with("/oneshot")).collect();
        assert_eq!(oneshots.len(), 2);
        for cell in oneshots {
            let measured = (cell.run)(2_000).unwrap_or_else(|fault| panic!("{}: {fault}", cell.queue));
            assert_eq!(measured.done, 2_000, "{}", cell.queue);
        }
    }
}
