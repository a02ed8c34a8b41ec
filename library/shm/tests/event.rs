//! Events: two processes that wait for each other in `poll`; signals and their absence; refusals.

#![cfg(target_os = "linux")]

use std::fs::File;
use std::io::{ErrorKind, Write, stdin};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use std::{env, io, thread};

use aqueduct_shm::{
    Event, Peer, Place, PopError, PushError, RecordError, Region, drop_old, items, mpmc, mpsc, records,
};

mod common;
use common::amount;

const SIZE: usize = 1 << 16;

/// Waits for the event, up to `milliseconds`. Returns whether it was signalled.
fn is_signalled(event: &Event, milliseconds: i32) -> bool {
    let mut file = libc::pollfd { fd: event.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    // SAFETY: the call reads and writes one entry.
    unsafe { libc::poll(&raw mut file, 1, milliseconds) == 1 }
}

/// Repeats the attempt until it succeeds, and waits for the event in between. If a signal is
/// missing, the test fails.
fn eventually<S, T>(
    event: &Event,
    side: &mut S,
    mut attempt: impl FnMut(&mut S) -> Option<T>,
    arm: impl Fn(&mut S) -> bool,
) -> T {
    loop {
        if let Some(found) = attempt(side) {
            return found;
        }
        event.clear().expect("an event");
        if arm(side) {
            assert!(is_signalled(event, 20_000), "a signal is missing");
        }
    }
}

/// The region and events of both processes, which are sent over the socket.
struct Shared {
    region: Region,
    there: Event,
    back: Event,
}

impl Shared {
    fn new() -> io::Result<Self> {
        Ok(Self { region: Region::anonymous("aqueduct test", SIZE)?, there: Event::new()?, back: Event::new()? })
    }

    fn send(&self, socket: &UnixStream) -> io::Result<()> {
        self.region.send(socket)?;
        self.there.send(socket)?;
        self.back.send(socket)
    }

    fn receive(socket: &UnixStream) -> io::Result<Self> {
        let (region, there) = (Region::receive(socket)?, Event::receive(socket)?);
        Ok(Self { region, there, back: Event::receive(socket)? })
    }

    fn queue(&self) -> items::Queue<u64, Region> {
        // A small capacity, so that the producer waits, too.
        items::Queue::in_region(self.region.clone(), 8, 0).expect("a queue")
    }
}

fn count() -> u64 {
    amount("AQUEDUCT_EVENTS", 20_000, 200_000)
}

/// Pauses at some numbers, so that the other side has to wait.
fn pause(number: u64) {
    if number % 1000 == 999 {
        thread::sleep(Duration::from_millis(2));
    }
}

/// The producing process: this program, running this test only.
#[test]
#[ignore = "it is started by another test"]
fn other() {
    let socket = UnixStream::from(stdin().as_fd().try_clone_to_owned().expect("a standard input"));
    let shared = Shared::receive(&socket).expect("a region and its events");
    let mut producer = shared.queue().take_producer().expect("a place");
    let Shared { there, back, .. } = shared;
    producer.set_event(there);
    for number in 0..count() {
        pause(number + 500);
        let push = |producer: &mut items::Producer<u64, Place>| producer.push(number).ok();
        eventually(&back, &mut producer, push, items::Producer::arm);
        producer.wake();
    }
}

fn start(socket: UnixStream) -> Child {
    let mut command = Command::new(env::current_exe().expect("a program has a path"));
    command.args(["other", "--exact", "--ignored"]).stdin(OwnedFd::from(socket)).stdout(Stdio::null());
    command.spawn().expect("a process")
}

#[test]
fn two_processes_wait_for_each_other() {
    let (ours, theirs) = UnixStream::pair().unwrap();
    let mut child = start(theirs);
    let shared = Shared::new().unwrap();
    shared.send(&ours).unwrap();
    let mut consumer = shared.queue().take_consumer().unwrap();
    let Shared { there, back, .. } = shared;
    consumer.set_event(back);
    let pop = |consumer: &mut items::Consumer<u64, Place>| match consumer.pop() {
        Err(PopError::Empty) => None,
        item => Some(item.expect("a sound queue")),
    };
    for number in 0..count() {
        pause(number);
        assert_eq!(eventually(&there, &mut consumer, pop, items::Consumer::arm), number);
        consumer.wake();
    }
    assert!(child.wait().unwrap().success());
    assert!(matches!(consumer.peer(), Peer::Left | Peer::Died));
}

#[test]
fn only_a_side_that_is_armed_is_signalled_and_once() {
    let shared = Shared::new().unwrap();
    let queue = shared.queue();
    let (mut producer, mut consumer) = (queue.take_producer().unwrap(), queue.take_consumer().unwrap());
    producer.set_event(shared.there.try_clone().unwrap());
    producer.push(1).unwrap();
    producer.wake();
    assert!(!is_signalled(&shared.there, 0) && !shared.there.clear().unwrap(), "nobody waits");
    assert!(!consumer.arm(), "an item is there");
    assert_eq!(consumer.pop(), Ok(1));
    assert!(consumer.arm());
    producer.push(2).unwrap();
    assert!(!is_signalled(&shared.there, 0), "it comes with the wake");
    producer.wake();
    assert!(is_signalled(&shared.there, 0) && shared.there.clear().unwrap() && !shared.there.clear().unwrap());
    producer.push(3).unwrap();
    producer.wake();
    assert!(!is_signalled(&shared.there, 0), "it is armed for one signal");
    // `push_wait` wakes, too.
    assert_eq!((consumer.pop(), consumer.pop()), (Ok(2), Ok(3)));
    assert!(consumer.arm());
    producer.push_wait(4, Duration::from_secs(1)).unwrap();
    assert!(is_signalled(&shared.there, 0));
    // Without an event, a wake does nothing.
    drop(producer);
    let mut producer = queue.take_producer().unwrap();
    assert_eq!(consumer.pop(), Ok(4));
    assert!(consumer.arm());
    producer.push(5).unwrap();
    producer.wake();
    assert_eq!(consumer.pop(), Ok(5));
}

#[test]
fn records_and_lanes_have_events() {
    let [region, lanes] = [(); 2].map(|()| Region::anonymous("aqueduct test", SIZE).unwrap());
    let [there, back] = [(); 2].map(|()| Event::new().unwrap());
    let queue = records::Queue::in_region(region, 64, 0).unwrap();
    let (mut producer, mut consumer) = (queue.take_producer().unwrap(), queue.take_consumer().unwrap());
    producer.set_event(there.try_clone().unwrap());
    consumer.set_event(back.try_clone().unwrap());
    assert!(consumer.arm());
    producer.push(b"one").unwrap();
    producer.wake();
    assert!(is_signalled(&there, 0));
    while producer.push(b"more").is_ok() {}
    assert_eq!(producer.push(b"more"), Err(RecordError::Full));
    assert!(producer.arm());
    while consumer.pop_vec().is_ok() {}
    consumer.wake();
    assert!(is_signalled(&back, 0));
    producer.push(b"more").unwrap();

    let queue = mpsc::Queue::<u64>::in_region(lanes, 2, 10, 0).unwrap();
    let mut producers = [(); 2].map(|()| queue.take_producer().unwrap());
    let mut consumer = queue.take_consumer().unwrap();
    producers.iter().for_each(|producer| producer.set_event(there.try_clone().unwrap()));
    for producer in &mut producers {
        there.clear().unwrap();
        assert!(consumer.arm());
        producer.push(7).unwrap();
        producer.wake();
        assert!(is_signalled(&there, 0) && !consumer.arm());
        assert_eq!(consumer.pop(), Ok(7));
    }
}

/// `N` events, and `lists` lists of all of them.
fn events<const N: usize>(lists: usize) -> ([Event; N], Vec<Vec<Event>>) {
    let events = [(); N].map(|()| Event::new().unwrap());
    let list = || events.iter().map(|event| event.try_clone().unwrap()).collect();
    let lists = (0..lists).map(|_| list()).collect();
    (events, lists)
}

/// Two producers and two consumers, which all wait for events: no signal is missing, and each
/// number is popped once.
#[test]
fn many_wait_for_each_other() {
    let geometry = mpmc::Geometry::new::<u64>(2, 2, 4).unwrap();
    let region = Region::anonymous("aqueduct test", geometry.bytes()).unwrap();
    let queue = mpmc::Queue::<u64, _>::in_region(region, geometry, 0).unwrap();
    let (there, for_producers) = events::<2>(2);
    let (back, for_consumers) = events::<2>(2);
    let producing = for_producers.into_iter().zip(&back).map(|(events, event)| {
        let mut producer = queue.take_producer().unwrap();
        producer.set_events(events);
        move || {
            for number in 1..=count() {
                pause(number);
                eventually(event, &mut producer, |producer| producer.push(number).ok(), mpmc::Producer::arm);
                producer.wake();
            }
        }
    });
    let consuming = for_consumers.into_iter().zip(&there).map(|(events, event)| {
        let mut consumer = queue.take_consumer().unwrap();
        consumer.set_events(events);
        move || {
            (0..count())
                .map(|_| {
                    let popped = eventually(event, &mut consumer, |consumer| consumer.pop().ok(), mpmc::Consumer::arm);
                    consumer.wake();
                    popped
                })
                .sum::<u64>()
        }
    });
    thread::scope(|scope| {
        producing.for_each(|work| drop(scope.spawn(work)));
        let consuming: Vec<_> = consuming.map(|work| scope.spawn(work)).collect();
        let sum: u64 = consuming.into_iter().map(|consumer| consumer.join().unwrap()).sum();
        assert_eq!(sum, count() * (count() + 1));
    });
}

#[test]
fn readers_have_events() {
    let geometry = drop_old::Geometry::new::<u64>(1, 4).unwrap();
    let region = Region::anonymous("aqueduct test", geometry.bytes()).unwrap();
    let queue = drop_old::Queue::<u64, _>::in_region(region, geometry, 0).unwrap();
    let (there, mut lists) = events::<2>(1);
    let mut producer = queue.take_producer().unwrap();
    let mut readers = [(); 2].map(|()| queue.reader().unwrap());
    producer.set_events(lists.remove(0));
    assert!(readers.iter_mut().all(drop_old::Reader::arm));
    producer.push(7).unwrap();
    assert!(!is_signalled(&there[0], 0), "it comes with the wake");
    producer.wake();
    for (reader, event) in readers.iter_mut().zip(&there) {
        assert!(is_signalled(event, 0) && event.clear().unwrap() && !reader.arm());
        assert_eq!(reader.read(), Ok(7));
    }
    producer.wake();
    assert!(!is_signalled(&there[0], 0), "they are armed for one signal");
}

#[test]
fn readers_of_records_have_events() {
    let queue = drop_old::records::Queue::in_region(Region::anonymous("aqueduct test", SIZE).unwrap(), 400, 0).unwrap();
    let (there, mut lists) = events::<2>(1);
    let mut producer = queue.take_producer().unwrap();
    let mut readers = [(); 2].map(|()| queue.take_reader().unwrap());
    producer.set_events(lists.remove(0));
    assert!(readers.iter_mut().all(drop_old::records::Reader::arm));
    producer.push(b"seven").unwrap();
    producer.wake();
    for (reader, event) in readers.iter_mut().zip(&there) {
        assert!(is_signalled(event, 0) && event.clear().unwrap() && !reader.arm());
        assert_eq!((reader.read_vec(), reader.peer()), (Ok(b"seven".to_vec()), Peer::Alive));
    }
}

#[test]
fn a_producer_that_finds_no_room_is_signalled() {
    let shared = Shared::new().unwrap();
    let queue = shared.queue();
    let (mut producer, mut consumer) = (queue.take_producer().unwrap(), queue.take_consumer().unwrap());
    consumer.set_event(shared.back.try_clone().unwrap());
    assert!(!producer.arm(), "there is room");
    let mut pushed = 0;
    while !matches!(producer.push(pushed), Err(PushError::Full(_))) {
        pushed += 1;
    }
    assert!(producer.arm());
    (0..pushed).for_each(|number| assert_eq!(consumer.pop(), Ok(number)));
    consumer.wake();
    assert!(is_signalled(&shared.back, 0) && !producer.arm());
    producer.push(0).unwrap();
}

#[test]
fn only_events_are_received() {
    let (ours, theirs) = UnixStream::pair().unwrap();
    Region::anonymous("aqueduct test", SIZE).unwrap().send(&ours).unwrap();
    assert_eq!(Event::receive(&theirs).unwrap_err().kind(), ErrorKind::InvalidData);
    (&ours).write_all(b"x").unwrap();
    assert_eq!(Event::receive(&theirs).unwrap_err().kind(), ErrorKind::InvalidData);
    let null = File::open("/dev/null").unwrap();
    assert_eq!(Event::from_fd(null.into()).unwrap_err().kind(), ErrorKind::InvalidData);
    // A call on this file would block.
    let event = Event::new().unwrap();
    // SAFETY: a plain system call.
    assert_eq!(unsafe { libc::fcntl(event.as_raw_fd(), libc::F_SETFL, 0) }, 0);
    assert_eq!(Event::from_fd(event.into()).unwrap_err().kind(), ErrorKind::InvalidData);
    // A region is not an event, and an event is not a region.
    Event::new().unwrap().send(&ours).unwrap();
    assert_eq!(Region::receive(&theirs).unwrap_err().kind(), ErrorKind::InvalidData);
}
