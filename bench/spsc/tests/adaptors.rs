//! Every queue that can be measured passes the checks of a measurement, and a broken one does not.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use aqueduct_bench_spsc::{
    Alone, Bounce, Ends, Fault, Kind, Receiver, Sender, Stream, Subject, Wait, Word, Workload, subject_of, subjects,
};
use aqueduct_measure::machine::Cores;
use aqueduct_measure::record::{Payload, Role};

fn cores() -> Cores {
    Cores::choose(&[]).expect("the first cores are usable")
}

fn stream(batch: usize, payload: Payload) -> Stream {
    Stream {
        capacity: 64,
        batch,
        payload,
        warm_up: 500,
        items: 20_000,
        producer_steps: 0,
        consumer_steps: 0,
        wait: Wait::Retry,
        patience: Duration::from_secs(30),
        cores: cores(),
        count_misses: false,
    }
}

fn each_that_can(workload: Workload, check: impl Fn(&dyn Subject)) -> usize {
    let all = subjects();
    let able: Vec<_> = all.iter().filter(|subject| subject.can(workload)).collect();
    able.iter().for_each(|subject| check(subject.as_ref()));
    able.len()
}

#[test]
fn every_queue_streams_in_order_with_every_payload_and_batch() {
    for payload in [Payload::Embedded, Payload::Indirect] {
        for batch in [1, 32] {
            for loaded in [false, true] {
                let count = each_that_can(Workload::Stream { batch, payload, loaded }, |subject| {
                    let steps = if loaded { 3 } else { 0 };
                    let spec = Stream { producer_steps: steps, consumer_steps: steps, ..stream(batch, payload) };
                    match subject.stream(&spec) {
                        Ok(streamed) => assert!(streamed.mitems_per_second() > 0.0, "{}", subject.name()),
                        Err(fault) => panic!("{} {payload:?} batch {batch}: {fault}", subject.name()),
                    }
                });
                assert!(count >= 3, "only {count} subjects can do {payload:?} batch {batch} loaded {loaded}");
            }
        }
    }
}

#[test]
fn every_queue_bounces_an_item() {
    for payload in [Payload::Embedded, Payload::Indirect] {
        let spec = Bounce {
            capacity: 64,
            payload,
            warm_up_chunks: 2,
            chunks: 20,
            count_misses: false,
            wait: Wait::Retry,
            patience: Duration::from_secs(30),
            cores: cores(),
        };
        each_that_can(Workload::Bounce { payload }, |subject| match subject.bounce(&spec) {
            Ok(bounced) => assert_eq!(bounced.chunks_ns.len(), 20, "{}", subject.name()),
            Err(fault) => panic!("{} {payload:?}: {fault}", subject.name()),
        });
    }
}

#[test]
fn every_queue_works_on_one_thread() {
    each_that_can(Workload::Alone, |subject| {
        let spec = Alone { capacity: 64, warm_up: 100, pairs: 10_000, cores: cores() };
        match subject.alone(&spec) {
            Ok(time) => assert_eq!(time.pairs, 10_000, "{}", subject.name()),
            Err(fault) => panic!("{}: {fault}", subject.name()),
        }
    });
}

#[test]
fn all_of_ours_and_all_bounds_are_there_under_different_names() {
    let all = subjects();
    let count = |role| all.iter().filter(|subject| subject.role() == role).count();
    // The seven queues, the duplex, and the block-based queue.
    assert_eq!(count(Role::Ours), 9);
    assert_eq!(count(Role::Bound), 5);
    let peers = match (cfg!(feature = "peers"), cfg!(feature = "rivals")) {
        (false, _) => 0,
        (true, false) => 10,
        (true, true) => 15,
    };
    assert_eq!(count(Role::Peer), peers);
    let mut names: Vec<_> = all.iter().map(|subject| subject.name()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all.len());
}

/// A queue behind a lock with a fault in every hundredth item.
struct Broken<const FLAW: u8>;

const DROPS: u8 = 0;
const SWAPS: u8 = 1;
const REPEATS: u8 = 2;
const SOUND: u8 = 3;

struct End<T, const FLAW: u8> {
    items: Arc<Mutex<VecDeque<T>>>,
    capacity: usize,
    pushed: usize,
}

impl<const FLAW: u8> Kind for Broken<FLAW> {
    const NAME: &'static str = "test/broken";
    type Sender<T: Word> = End<T, FLAW>;
    type Receiver<T: Word> = End<T, FLAW>;

    fn open<T: Word>(capacity: usize) -> Result<Ends<Self, T>, String> {
        let items = Arc::new(Mutex::new(VecDeque::new()));
        let end = |items| End { items, capacity, pushed: 0 };
        Ok((end(Arc::clone(&items)), end(items)))
    }
}

impl<T: Word, const FLAW: u8> Sender<T> for End<T, FLAW> {
    fn push(&mut self, item: T) -> bool {
        let mut items = self.items.lock().expect("no test panics with the lock");
        if items.len() >= self.capacity {
            return false;
        }
        self.pushed += 1;
        let flawed = self.pushed.is_multiple_of(100);
        match (flawed, FLAW) {
            (true, DROPS) => {}
            (true, SWAPS) => {
                let before = items.pop_back();
                items.push_back(item);
                items.extend(before);
            }
            (true, REPEATS) => items.extend([item, item]),
            _ => items.push_back(item),
        }
        true
    }
}

impl<T: Word, const FLAW: u8> Receiver<T> for End<T, FLAW> {
    fn pop(&mut self, take: &mut impl FnMut(T)) -> usize {
        match self.items.lock().expect("no test panics with the lock").pop_front() {
            Some(item) => {
                take(item);
                1
            }
            None => 0,
        }
    }
}

/// Runs a stream whose consumer starts when the queue is full, so that there are items to swap.
fn flawed_run<const FLAW: u8>(payload: Payload) -> Result<(), Fault> {
    let spec = Stream { patience: Duration::from_millis(300), consumer_steps: 300, ..stream(1, payload) };
    subject_of::<Broken<FLAW>>().stream(&Stream { items: 2_000, ..spec }).map(|_| ())
}

#[test]
fn a_queue_that_loses_swaps_or_repeats_items_is_caught() {
    for payload in [Payload::Embedded, Payload::Indirect] {
        assert_eq!(flawed_run::<SOUND>(payload), Ok(()), "the same queue without a flaw passes");
        let lost = flawed_run::<DROPS>(payload).expect_err("items are lost");
        assert!(matches!(lost, Fault::Stuck { moved: 2475, wanted: 2500, in_order: false }), "{lost}");
        let swapped = flawed_run::<SWAPS>(payload).expect_err("items are swapped");
        assert!(swapped.to_string().contains("out of order"), "{swapped}");
        let repeated = flawed_run::<REPEATS>(payload).expect_err("items are repeated");
        assert!(matches!(repeated, Fault::WrongItems { sum, expected } if sum != expected), "{repeated}");
    }
}
