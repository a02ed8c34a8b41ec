//! The clients: small programs on a queue, each explored exhaustively.

use std::num::NonZeroU64;
use std::sync::Arc;

use aqueduct_model::{Config, Report};
use aqueduct_under_model::spsc::NonZeroWord;

use crate::item::{Boxed, Item, Wide};
use crate::queue::{BatchConsumer, BatchProducer, Queue, RunConsumer, SliceConsumer, SliceProducer};
use crate::script::{End, Script, *};
use crate::seven::{
    BatchedImprovedFastForward, BatchedLamport, FastForward, ImprovedFastForward, Lamport, LazyLamport, Setup,
    StampedLine,
};

/// A program on one queue, with a name.
#[derive(Clone)]
pub struct Client {
    /// `QUEUE/PROGRAM`.
    pub name: String,
    /// Whether it takes too long for every test run.
    pub big: bool,
    leaks: bool,
    program: Arc<dyn Fn() + Send + Sync>,
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Client {
    /// Explores its executions.
    pub fn check(&self, config: &Config) -> Report {
        let program = Arc::clone(&self.program);
        config.clone().finds_leaks(!self.leaks).check(move || program())
    }
}

/// All clients of the seven queues.
pub fn all() -> Vec<Client> {
    let mut list = List::default();
    list.family("lamport", 2, Lamport::<Boxed>::new);
    list.family("lazy_lamport", 2, LazyLamport::<Boxed>::new);
    list.family("batched_lamport", 2, BatchedLamport::<Boxed>::new);
    list.family("fast_forward", 2, FastForward::<Boxed>::new);
    list.family("improved_fast_forward", 3, ImprovedFastForward::<Boxed>::new);
    list.family("batched_improved_fast_forward", 3, BatchedImprovedFastForward::<Boxed>::new);
    list.family("stamped_line", 4, StampedLine::<Wide<5>>::new);
    list.0
}

/// Clients being listed.
#[derive(Default)]
struct List(Vec<Client>);

impl List {
    fn add<Q: Queue>(&mut self, name: &str, program: &str, queue: Q, script: Script<Q>) {
        let program: (String, Arc<dyn Fn() + Send + Sync>) =
            (format!("{name}/{program}"), Arc::new(move || script.run(queue)));
        self.0.push(Client { name: program.0, big: false, leaks: script.gaps, program: program.1 });
    }

    /// What every queue has to do.
    fn family<Q: Queue>(&mut self, name: &str, lap: usize, make: impl Fn(Setup) -> Q) {
        let plain = Script::<Q>::EMPTY;
        let one = make(Setup::wrapping(1, 0));
        let two = make(Setup::wrapping(2, 0));
        let three = make(Setup::wrapping(3, 0));
        let later = make(Setup::wrapping(1, lap));
        self.add(name, "one", one, plain.does(&[push, push], &[pop, pop, pop]));
        self.add(name, "two", two, plain.does(&[push, push, push], &[pop, pop, pop]));
        self.add(name, "three", three, plain.does(&[push, push, push, push], &[pop, pop, pop, pop]));
        self.add(name, "lap", later, plain.before(lap).does(&[push, push, push], &[pop, pop, pop]));
        self.add(name, "full", one, plain.filled(99).does(&[push, push, push], &[pop, pop, pop]));
        self.add(name, "full-two", two, plain.filled(99).does(&[push, push, push], &[pop, pop, pop]));
        self.add(name, "wait", one, plain.does(&[push_waiting, push_waiting, push_waiting], &[pop_waiting, pop_waiting, pop_waiting]));
        self.add(name, "wait-full", two, plain.filled(99).does(&[push_waiting, push_waiting], &[pop_waiting, pop_waiting, pop_waiting]));
        self.add(name, "counts", one, plain.does(&[push_into_room, push_into_room], &[pop_counted, pop_counted]));
        let drops = plain.ending(End::Drop);
        self.add(name, "drop", two, drops.filled(1).does(&[push, push], &[pop]));
        self.add(name, "drop-full", one, drops.filled(99).does(&[push, push], &[pop, pop]));
        self.add(name, "last", two, drops.does(&[push_accepted, push_accepted], &[pop, pop_last::<Q, 2>]));
        self.add(name, "gone", two, drops.does(&[push_if_abandoned, push_if_abandoned], &[pop]));
    }
}
