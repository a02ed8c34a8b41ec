//! The clients of the seven queues and of the duplex, by queue.

use std::num::NonZeroU64;

use super::duplex::{Duplex, answer, take_answer};
use super::history;
use super::queue::{BatchConsumer, BatchProducer, Queue, RunConsumer, SliceConsumer, SliceProducer};
use super::script::{End, Script, *};
use super::{
    BatchedImprovedFastForward, BatchedLamport, FastForward, ImprovedFastForward, Lamport, LazyLamport, Setup,
    StampedLine,
};
use crate::clients::Client;
use crate::clients::item::{Boxed, Item, Wide};

/// Returns the clients, in the order of the list.
///
/// Items are so large that slots are used again after few of them: a line's worth of slots stays
/// unused in the lazy Lamport queues, and a stamped line has one slot, or two (`stamped_line-2`,
/// `duplex-2`). An improved FastForward queue has partitions of one slot, or two if `-2` follows
/// its name.
pub(crate) fn clients() -> Vec<Client> {
    let mut list = List::default();
    list.family("lamport", 2, Lamport::<Boxed>::new);
    list.family("lazy_lamport", 2, LazyLamport::<Wide<7>>::new);
    list.family("batched_lamport", 2, BatchedLamport::<Wide<7>>::new);
    list.family("fast_forward", 2, FastForward::<Boxed>::new);
    list.family("improved_fast_forward", 3, ImprovedFastForward::<Boxed>::new);
    list.family("improved_fast_forward-2", 6, |s| ImprovedFastForward::<Boxed>::new(s.stretch(2)));
    list.family("batched_improved_fast_forward", 3, BatchedImprovedFastForward::<Boxed>::new);
    list.family("batched_improved_fast_forward-2", 6, |s| BatchedImprovedFastForward::<Boxed>::new(s.stretch(2)));
    list.family("stamped_line", 4, StampedLine::<Wide<5>>::new);
    list.family("stamped_line-2", 8, StampedLine::<Wide<2>>::new);
    list.family("stamped_line-late", 5, |s| StampedLine::<Wide<5>>::new(s.stretch(2)));
    list.family("duplex", 4, Duplex::<Wide<1>>::new);
    list.family("duplex-2", 8, Duplex::<Boxed>::new);
    list.answers("duplex", 4, Duplex::<Wide<1>>::new);
    list.answers("duplex-2", 8, Duplex::<Boxed>::new);

    list.push_batches("batched_lamport", 2, BatchedLamport::<Wide<7>>::new);
    list.push_batches("batched_improved_fast_forward-2", 6, |s| BatchedImprovedFastForward::<Boxed>::new(s.stretch(2)));
    list.push_batches("stamped_line", 4, StampedLine::<Wide<5>>::new);
    list.push_batches("stamped_line-2", 8, StampedLine::<Wide<2>>::new);

    list.pop_batches("batched_lamport", 2, BatchedLamport::<Wide<7>>::new);
    list.pop_batches("improved_fast_forward", 3, ImprovedFastForward::<Boxed>::new);
    list.pop_batches("improved_fast_forward-2", 6, |s| ImprovedFastForward::<Boxed>::new(s.stretch(2)));
    list.pop_batches("stamped_line", 4, StampedLine::<Wide<5>>::new);
    list.pop_batches("stamped_line-2", 8, StampedLine::<Wide<2>>::new);

    list.runs("batched_lamport", 2, BatchedLamport::<Wide<7>>::new);
    list.runs("stamped_line", 4, StampedLine::<Wide<5>>::new);
    list.runs("stamped_line-2", 8, StampedLine::<Wide<2>>::new);

    list.slices("lamport", 2, Lamport::<NonZeroU64>::new);
    list.slices("lazy_lamport", 2, LazyLamport::<NonZeroU64>::new);
    list.slices("batched_lamport", 2, BatchedLamport::<NonZeroU64>::new);
    list.slices("fast_forward", 2, FastForward::<NonZeroU64>::new);
    list.slices("improved_fast_forward-2", 6, |s| ImprovedFastForward::<NonZeroU64>::new(s.stretch(2)));
    list.slices("batched_improved_fast_forward-2", 6, |s| BatchedImprovedFastForward::<NonZeroU64>::new(s.stretch(2)));
    list.slices("stamped_line", 7, StampedLine::<NonZeroU64>::new);
    list.0
}

/// Returns the clients that any queue has. `lap` items fill one lap of a queue of capacity 1.
pub fn of_any<Q: Queue>(name: &str, lap: usize, make: impl Fn(Setup) -> Q) -> Vec<Client> {
    let mut list = List::default();
    list.family(name, lap, make);
    list.0
}

/// A number of items that no client's queue can hold.
const ALL: usize = 64;

/// A list of clients.
#[derive(Default)]
struct List(Vec<Client>);

impl List {
    fn add<Q: Queue>(&mut self, name: &str, program: &str, queue: Q, script: Script<Q>) {
        let client = Client::new(format!("{name}/{program}"), move || script.run(queue));
        self.0.push(client.leaking(script.gaps));
    }

    fn add_big<Q: Queue>(&mut self, name: &str, program: &str, queue: Q, script: Script<Q>) {
        self.add(name, program, queue, script);
        if let Some(client) = self.0.last_mut() {
            client.big = true;
        }
    }

    /// Adds the clients that every queue has. `lap` items fill one lap of a queue of capacity 1.
    fn family<Q: Queue>(&mut self, name: &str, lap: usize, make: impl Fn(Setup) -> Q) {
        let [one, two, three] = [1, 2, 3].map(|capacity| make(Setup::wrapping(capacity, 0)));
        let lapped = make(Setup::wrapping(1, lap));
        let settled = Script::<Q>::EMPTY;
        self.add(name, "capacity-1", one, settled.does(&[push, push, push], &[pop, pop, pop]));
        self.add(name, "capacity-2", two, settled.does(&[push, push, push], &[pop, pop, pop]));
        self.add(name, "capacity-3", three, settled.does(&[push, push, push, push], &[pop, pop, pop]));
        self.add(name, "lap", lapped, settled.before(lap).does(&[push, push, push], &[pop, pop, pop]));
        self.add(name, "full-1", one, settled.filled(ALL).does(&[push, push, push], &[pop, pop, pop]));
        self.add(name, "full-2", two, settled.filled(ALL).does(&[push, push, push], &[pop, pop, pop]));
        self.add(name, "full-3", three, settled.filled(ALL).does(&[push, push, push], &[pop, pop, pop, pop]));
        // The threads do not begin at the start of a line or partition. The queue is full, so the
        // producer is as close behind the consumer as it can be.
        self.add(
            name,
            "middle",
            make(Setup::wrapping(2, lap + 1)),
            settled.before(lap + 1).filled(ALL).does(&[push, push], &[pop, pop, pop, pop]),
        );
        self.add(
            name,
            "wait",
            one,
            settled.does(&[push_waiting, push_waiting, push_waiting], &[pop_waiting, pop_waiting, pop_waiting]),
        );
        self.add(
            name,
            "wait-full",
            two,
            settled.filled(ALL).does(&[push_waiting, push_waiting], &[pop_waiting, pop_waiting, pop_waiting]),
        );
        self.add(
            name,
            "retry",
            one,
            settled.does(&[push_retrying, push_retrying, push_retrying], &[pop_retrying, pop_retrying, pop_retrying]),
        );
        self.add(name, "room", one, settled.does(&[push_into_room, push_into_room], &[pop_seen, pop_seen]));
        self.add(
            name,
            "room-full",
            lapped,
            settled.before(lap).filled(ALL).does(&[push_into_room, push_into_room], &[pop_seen, pop_seen]),
        );
        self.add(
            name,
            "count",
            two,
            settled.does(
                &[push_counting, push_counting, push_counting],
                &[pop_counted::<Q, 3>, pop_counted::<Q, 3>, pop_counted::<Q, 3>],
            ),
        );
        let dropped = settled.ending(End::Drop);
        self.add(name, "drop", two, dropped.filled(1).does(&[push, push], &[pop]));
        self.add(name, "drop-full", one, dropped.filled(ALL).does(&[push, push], &[pop, pop]));
        self.add(name, "drop-lap", lapped, dropped.before(lap).does(&[push, push, push], &[pop, pop]));
        self.add(name, "last", two, dropped.does(&[push_accepted, push_accepted], &[pop, pop_last::<Q, 2>]));
        self.add(name, "gone", two, dropped.does(&[push_if_abandoned, push_if_abandoned], &[pop]));
        self.add(
            name,
            "long-2",
            make(Setup::wrapping(2, lap)),
            settled.before(lap).does(&[push, push, push, push, push, push], &[pop, pop, pop, pop, pop, pop]),
        );
        self.add(
            name,
            "long-full-3",
            three,
            settled.filled(ALL).does(&[push, push, push, push, push], &[pop, pop, pop, pop, pop, pop]),
        );
        let eight =
            settled.does(&[push, push, push, push, push, push, push, push], &[pop, pop, pop, pop, pop, pop, pop, pop]);
        self.add_big(name, "longer-1", lapped, eight.before(lap));
        self.add_big(name, "longer-3", three, eight);
        self.add_big(name, "longer-full-2", two, eight.filled(ALL));
        self.histories(name, make);
    }

    /// Adds the clients whose recorded calls a sequential queue explains.
    fn histories<Q: Queue>(&mut self, name: &str, make: impl Fn(Setup) -> Q) {
        for (program, capacity, filled) in [("history-1", 1, 0), ("history-2", 2, 0), ("history-full", 1, 12)] {
            let queue = make(Setup::wrapping(capacity, 0));
            let name = format!("{name}/{program}");
            self.0.push(Client::new(name, move || history::program(queue, filled, 3)));
        }
    }

    /// Adds the clients of requests and answers.
    fn answers<T: Item>(&mut self, name: &str, lap: usize, make: impl Fn(Setup) -> Duplex<T>) {
        let [one, two] = [1, 2].map(|capacity| make(Setup::wrapping(capacity, 0)));
        let lapped = make(Setup::wrapping(1, lap));
        let settled = Script::<Duplex<T>>::EMPTY;
        let dropped = settled.ending(End::Drop);
        self.add(name, "answer", one, settled.does(&[push, take_answer, push, take_answer], &[answer, answer, answer]));
        self.add(
            name,
            "answer-lap",
            lapped,
            settled.before(lap).does(&[push, take_answer, take_answer], &[answer, answer]),
        );
        self.add(name, "answer-drop", two, dropped.does(&[push, push, take_answer], &[answer, answer]));
    }

    /// Adds the clients of the producer's batches.
    fn push_batches<Q: Queue<Producer: BatchProducer>>(&mut self, name: &str, lap: usize, make: impl Fn(Setup) -> Q) {
        let [two, three] = [2, 3].map(|capacity| make(Setup::wrapping(capacity, 0)));
        let lapped = make(Setup::wrapping(2, lap));
        let settled = Script::<Q>::EMPTY;
        self.add(name, "push-batch", two, settled.does(&[push_batch::<Q, 2>, push_batch::<Q, 2>], &[pop, pop, pop]));
        self.add(
            name,
            "push-batch-lap",
            lapped,
            settled.before(lap).does(&[push_batch::<Q, 2>, push, push_batch::<Q, 2>], &[pop, pop, pop]),
        );
        self.add(
            name,
            "push-batch-full",
            three,
            settled.filled(ALL).does(&[push_batch::<Q, 3>, push_batch::<Q, 2>], &[pop, pop, pop]),
        );
        self.add(name, "push-runs", three, settled.does(&[push_runs::<Q, 3>, push_runs::<Q, 2>], &[pop, pop, pop]));
        self.add(
            name,
            "push-forgotten",
            three,
            settled.gaps().does(&[push_forgotten_batch::<Q, 2>, push, push_batch::<Q, 2>], &[pop, pop, pop]),
        );
        let dropped = settled.ending(End::Drop);
        self.add(name, "push-batch-drop", two, dropped.does(&[push_batch::<Q, 2>, push_batch::<Q, 2>], &[pop, pop]));
    }

    /// Adds the clients of the consumer's batches.
    fn pop_batches<Q: Queue<Consumer: BatchConsumer>>(&mut self, name: &str, lap: usize, make: impl Fn(Setup) -> Q) {
        let [two, three] = [2, 3].map(|capacity| make(Setup::wrapping(capacity, 0)));
        let lapped = make(Setup::wrapping(2, lap));
        let settled = Script::<Q>::EMPTY;
        self.add(
            name,
            "pop-batch",
            two,
            settled.does(&[push, push, push], &[pop_batch::<Q, 2, 2>, pop_batch::<Q, 2, 2>]),
        );
        self.add(
            name,
            "pop-batch-lap",
            lapped,
            settled
                .before(lap)
                .filled(ALL)
                .does(&[push, push, push], &[pop_batch::<Q, 3, 3>, pop, pop_batch::<Q, 2, 2>]),
        );
        self.add(
            name,
            "pop-batch-part",
            three,
            settled.filled(2).does(&[push, push], &[pop_batch::<Q, 3, 1>, pop_batch::<Q, 2, 1>, pop_batch::<Q, 2, 2>]),
        );
        self.add(
            name,
            "pop-available",
            three,
            settled.does(&[push, push, push], &[pop_available::<Q, 2>, pop_available::<Q, 3>]),
        );
        self.add(
            name,
            "pop-forgotten",
            three,
            settled.filled(2).gaps().does(&[push, push, push], &[pop_forgotten_batch::<Q, 3, 1>, pop, pop]),
        );
        let dropped = settled.ending(End::Drop);
        self.add(name, "pop-batch-drop", three, dropped.filled(2).does(&[push, push], &[pop_batch::<Q, 3, 1>]));
        self.add(
            name,
            "pop-forgotten-drop",
            three,
            dropped.filled(2).gaps().does(&[push, push], &[pop_forgotten_batch::<Q, 3, 1>]),
        );
    }

    /// Adds the clients that access items in place.
    fn runs<Q: Queue<Producer: BatchProducer, Consumer: RunConsumer>>(
        &mut self,
        name: &str,
        lap: usize,
        make: impl Fn(Setup) -> Q,
    ) {
        let two = make(Setup::wrapping(2, 0));
        let lapped = make(Setup::wrapping(3, lap));
        let settled = Script::<Q>::EMPTY;
        self.add(name, "pop-runs", two, settled.does(&[push, push, push], &[pop_runs::<Q, 2>, pop_runs::<Q, 2>]));
        self.add(
            name,
            "runs-lap",
            lapped,
            settled.before(lap).does(&[push_runs::<Q, 2>, push_runs::<Q, 2>], &[pop_runs::<Q, 3>, pop_runs::<Q, 2>]),
        );
        self.add(name, "peek", two, settled.does(&[push, push], &[pop_peeked, pop_peeked, pop_peeked]));
        self.add(
            name,
            "both-batch",
            two,
            settled.does(
                &[push_batch::<Q, 2>, push_batch::<Q, 2>, push_batch::<Q, 1>],
                &[pop_batch::<Q, 2, 2>, pop_batch::<Q, 2, 1>, pop_batch::<Q, 2, 2>],
            ),
        );
    }

    /// Adds the clients of slices of plain items.
    fn slices<Q>(&mut self, name: &str, lap: usize, make: impl Fn(Setup) -> Q)
    where
        Q: Queue<Item: Copy, Producer: SliceProducer, Consumer: SliceConsumer>,
    {
        let two = make(Setup::wrapping(2, 0));
        let lapped = make(Setup::wrapping(2, lap));
        let settled = Script::<Q>::EMPTY;
        self.add(
            name,
            "slices",
            two,
            settled.does(&[push_slice::<Q, 2>, push_slice::<Q, 2>], &[pop_slice::<Q, 3>, pop_slice::<Q, 2>]),
        );
        self.add(
            name,
            "slices-full",
            lapped,
            settled
                .before(lap)
                .filled(ALL)
                .does(&[push_slice::<Q, 2>, push_slice::<Q, 3>], &[pop_slice::<Q, 2>, pop_slice::<Q, 3>]),
        );
    }
}
