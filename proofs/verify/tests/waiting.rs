//! The channels of the page `aqueduct::waiting` and of the example `async_task`, from the examples'
//! files, under the checker: no thread and no task sleeps forever, and without one of the two
//! fences one does.
//!
//! In this file, `std` is the model, and `aqueduct` the library on the model: the channels' sources
//! need no change.

#![no_std]

extern crate alloc;
extern crate aqueduct_model as std;
extern crate aqueduct_under_model as aqueduct;

#[path = "../../../library/queues/examples/waiting/channel.rs"]
mod channel;
#[path = "../../../library/queues/examples/async_task/receiver.rs"]
mod receiver;

use alloc::borrow::ToOwned;
use alloc::vec::Vec;

use aqueduct::queue::{Pop, Push};
use aqueduct::tube::SequencedRing;
use aqueduct::{bbq, cnq, faaq, mpmc, mpsc, spmc, spsc};
use aqueduct_model::future::block_on;
use aqueduct_model::sync::Arc;
use aqueduct_model::sync::atomic::Ordering;
use aqueduct_model::{Config, FailureKind, Override, Report, thread};
use channel::{Bell, channel};

/// An item so large that few of them fill a queue of `spsc::ring`, whose unit is a cache line.
type Item = [u64; 7];

/// A sender and a receiver, both of which may have to wait. The channel closes with the sender.
fn two_items() {
    let (mut sender, mut receiver) = channel::<u32>(1).unwrap();
    let thread = thread::spawn(move || (0..2).for_each(|item| sender.send(item).unwrap()));
    assert_eq!([(); 3].map(|()| receiver.recv()), [Some(0), Some(1), None]);
    thread.join().unwrap();
}

/// The channel closes with the last sender, whichever that is.
fn two_senders_go() {
    let (mut sender, mut receiver) = channel::<u32>(1).unwrap();
    let other = sender.clone();
    let threads = [thread::spawn(move || sender.send(7).unwrap()), thread::spawn(move || drop(other))];
    assert_eq!([receiver.recv(), receiver.recv()], [Some(7), None]);
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

/// A sender that waits for room gets its item back when the receiver is dropped.
fn the_receiver_goes() {
    let (mut sender, mut receiver) = channel::<u32>(1).unwrap();
    let thread = thread::spawn(move || (0..4).find_map(|item| sender.send(item).err()));
    let _ = receiver.recv();
    drop(receiver);
    assert!(thread.join().unwrap().is_none_or(|item| item > 0));
}

/// A task receives what a thread sends. The channel closes with the sender.
fn a_task() {
    let (mut sender, mut receiver) = receiver::channel::<u32>(2).unwrap();
    let thread = thread::spawn(move || (0..2).for_each(|item| sender.try_send(item).unwrap()));
    let received = block_on(async { [receiver.recv().await, receiver.recv().await, receiver.recv().await] });
    assert_eq!(received, [Some(0), Some(1), None]);
    thread.join().unwrap();
}

/// The channel of a task closes with the last sender.
fn a_task_of_two() {
    let (mut sender, mut receiver) = receiver::channel::<u32>(1).unwrap();
    let other = sender.clone();
    let threads = [thread::spawn(move || sender.try_send(7).unwrap()), thread::spawn(move || drop(other))];
    assert_eq!(block_on(async { [receiver.recv().await, receiver.recv().await] }), [Some(7), None]);
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

/// A consumer finds its queue empty, and a producer pushes.
fn empty<P, C, E>(handles: Result<(P, C), E>)
where
    P: Push<Item = Item> + Send + 'static,
    C: Pop<Item = Item>,
{
    let Ok((mut producer, mut consumer)) = handles else { panic!("there is memory") };
    let bell = Arc::new(Bell::new());
    let theirs = Arc::clone(&bell);
    let thread = thread::spawn(move || {
        assert!(producer.push([7; 7]).is_ok());
        theirs.ring();
        producer
    });
    assert_eq!(bell.wait(|| consumer.pop().ok()), [7; 7]);
    drop(thread.join().unwrap());
}

/// A producer finds its queue full, and a consumer pops until it is empty.
fn full<P, C, E>(handles: Result<(P, C), E>)
where
    P: Push<Item = Item>,
    C: Pop<Item = Item> + Send + 'static,
{
    let Ok((mut producer, mut consumer)) = handles else { panic!("there is memory") };
    while producer.push([0; 7]).is_ok() {}
    let bell = Arc::new(Bell::new());
    let theirs = Arc::clone(&bell);
    let thread = thread::spawn(move || {
        while consumer.pop().is_ok() {
            theirs.ring();
        }
        consumer
    });
    bell.wait(|| producer.push([7; 7]).ok());
    drop(thread.join().unwrap());
}

/// Makes a CNQ of one producer and one consumer, which is in order.
fn nested() -> (cnq::Producer<Item, SequencedRing>, cnq::Consumer<Item, SequencedRing>) {
    let queue = cnq::Queue::new(cnq::Geometry::new(2, 1, 1, 1).unwrap()).unwrap();
    (queue.producer().unwrap(), queue.consumer().unwrap())
}

const CHANNELS: [(&str, fn()); 5] = [
    ("two_items", two_items),
    ("two_senders_go", two_senders_go),
    ("the_receiver_goes", the_receiver_goes),
    ("a_task", a_task),
    ("a_task_of_two", a_task_of_two),
];

const EMPTY: [(&str, fn()); 10] = [
    ("mpsc", || empty(mpsc::new(1))),
    ("spmc", || empty(spmc::new(1))),
    ("mpmc", || empty(mpmc::new(1))),
    ("bbq::spsc", || empty(bbq::spsc::new(1))),
    ("faaq", || empty(faaq::new(1))),
    ("ring", || empty(spsc::ring::new(1))),
    ("batched_lamport", || empty(spsc::batched_lamport::new(1))),
    ("lamport", || empty(spsc::lamport::new(1))),
    ("lazy_lamport", || empty(spsc::lazy_lamport::new(1))),
    ("cnq", || empty(Ok::<_, ()>(nested()))),
];

const FULL: [(&str, fn()); 9] = [
    ("mpsc", || full(mpsc::new(1))),
    ("spmc", || full(spmc::new(1))),
    ("mpmc", || full(mpmc::new(1))),
    ("bbq::spsc", || full(bbq::spsc::new(1))),
    ("faaq", || full(faaq::new(1))),
    ("ring", || full(spsc::ring::starting_at(1, 1, 0))),
    ("batched_lamport", || full(spsc::batched_lamport::new(1))),
    ("lamport", || full(spsc::lamport::new(1))),
    ("lazy_lamport", || full(spsc::lazy_lamport::new(1))),
];

#[track_caller]
fn passes((name, client): (&str, fn())) -> Report {
    let report = Config::new().check(client);
    assert!(report.failure.is_none() && report.exhaustive, "{name}: {report}");
    report
}

#[test]
fn a_channel_passes_each_item_and_closes() {
    for client in CHANNELS {
        passes(client);
    }
}

#[test]
fn a_consumer_that_sleeps_is_woken() {
    for client in EMPTY {
        passes(client);
    }
}

#[test]
fn a_producer_that_sleeps_is_woken() {
    for client in FULL {
        passes(client);
    }
}

/// Returns each of the channel's fences with a weaker ordering.
fn weaker_fences(report: &Report) -> Vec<Override> {
    let of_ours = |file: &str| ["waiting/channel.rs", "async_task/receiver.rs"].iter().any(|ours| file.ends_with(ours));
    let is_fence = |file: &str, operation| of_ours(file) && operation == "fence";
    let fences = report.sites.iter().filter(|site| is_fence(site.file, site.operation));
    let weaker = |ordering| {
        fences.clone().map(move |site| Override {
            file: site.file.to_owned(),
            line: site.line,
            column: site.column,
            ordering: Some(ordering),
            failure: None,
        })
    };
    weaker(Ordering::Relaxed).chain(weaker(Ordering::AcqRel)).collect()
}

#[test]
fn without_either_fence_a_thread_sleeps_forever() {
    for client in CHANNELS.into_iter().chain(EMPTY).chain(FULL) {
        let overrides = weaker_fences(&passes(client));
        assert_eq!(overrides.len(), 4, "two fences, none or acquire-release");
        for weaker in overrides {
            let report = Config::new().overrides([weaker.clone()]).check(client.1);
            let kind = report.failure.map(|failure| failure.kind);
            assert_eq!(kind, Some(FailureKind::Liveness), "{}: {weaker:?}", client.0);
        }
    }
}
