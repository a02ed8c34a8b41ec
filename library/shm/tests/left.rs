//! Departure of the other side: the results of waits, in all queues.

#![cfg(target_os = "linux")]

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use aqueduct_shm::{Event, Peer, Place, Region, WaitError, drop_old, items, mpmc, mpsc, nblfq, records};

mod common;
#[path = "common/process.rs"]
mod process;
use common::Random;
use process::{Child, TIMEOUT, alone, kills, pause};

/// A time after which a side that has not returned counts as waiting.
const MOMENT: Duration = Duration::from_millis(30);
const HOUR: Duration = Duration::from_secs(3600);

/// A queue of numbers, as the tests use it. `ROOM` is `None` if producers never wait for room.
trait Numbers: Sized {
    type Producer: Send + 'static;
    type Consumer: Send + 'static;
    const ROOM: Option<u64>;
    const IS_OF_MANY: bool = false;
    fn make(region: &Region) -> Self;
    fn producer(&self) -> Self::Producer;
    fn consumer(&self) -> Self::Consumer;
    fn push(producer: &mut Self::Producer, number: u64, timeout: Duration) -> Result<(), WaitError>;
    fn pop(consumer: &mut Self::Consumer, timeout: Duration) -> Result<u64, WaitError>;
    fn sleep(consumer: &mut Self::Consumer, timeout: Duration);
    fn arm(consumer: &mut Self::Consumer) -> bool;
    fn give(producer: &Self::Producer, event: Event);
    fn peer_of(consumer: &Self::Consumer) -> Peer;
    fn peer_of_producer(producer: &Self::Producer) -> Peer;
}

fn region() -> Region {
    Region::anonymous("aqueduct test", 1 << 16).expect("a region")
}

macro_rules! consumers {
    ($pop:ident) => {
        fn pop(consumer: &mut Self::Consumer, timeout: Duration) -> Result<u64, WaitError> {
            consumer.$pop(timeout).map(u64::from)
        }

        consumers!();
    };
    () => {
        fn producer(&self) -> Self::Producer {
            self.0.take_producer().expect("a place")
        }

        fn sleep(consumer: &mut Self::Consumer, timeout: Duration) {
            consumer.wait_unless_left(timeout);
        }

        fn arm(consumer: &mut Self::Consumer) -> bool {
            consumer.arm()
        }

        fn peer_of(consumer: &Self::Consumer) -> Peer {
            consumer.peer()
        }
    };
}

macro_rules! producers {
    ($set:ident, $event:ident => $given:expr) => {
        fn consumer(&self) -> Self::Consumer {
            self.0.take_consumer().expect("a place")
        }

        fn give(producer: &Self::Producer, $event: Event) {
            producer.$set($given);
        }

        fn peer_of_producer(producer: &Self::Producer) -> Peer {
            producer.peer()
        }
    };
    ($set:ident, $event:ident => $given:expr, waits) => {
        producers!($set, $event => $given);

        fn push(producer: &mut Self::Producer, number: u64, timeout: Duration) -> Result<(), WaitError> {
            producer.push_wait(number.try_into().expect("a small number"), timeout).map_err(|(why, refused)| {
                assert_eq!(u64::from(refused), number, "it comes back");
                why
            })
        }
    };
}

struct Items(items::Queue<u64, Region>);

impl Numbers for Items {
    type Producer = items::Producer<u64, Place>;
    type Consumer = items::Consumer<u64, Place>;
    const ROOM: Option<u64> = Some(50);

    fn make(region: &Region) -> Self {
        Self(items::Queue::in_region(region.clone(), 5, 0).expect("a queue"))
    }

    consumers!(pop_wait);
    producers!(set_event, event => event, waits);
}

struct Records(records::Queue<Region>);

impl Numbers for Records {
    type Producer = records::Producer<Place>;
    type Consumer = records::Consumer<Place>;
    const ROOM: Option<u64> = Some(50);

    fn make(region: &Region) -> Self {
        Self(records::Queue::in_region(region.clone(), 100, 0).expect("a queue"))
    }

    fn push(producer: &mut Self::Producer, number: u64, timeout: Duration) -> Result<(), WaitError> {
        producer.push_wait(&number.to_ne_bytes(), timeout)
    }

    fn pop(consumer: &mut Self::Consumer, timeout: Duration) -> Result<u64, WaitError> {
        let mut bytes = [0; 8];
        consumer.pop_wait(&mut bytes, timeout).map(|_| u64::from_ne_bytes(bytes))
    }

    consumers!();
    producers!(set_event, event => event);
}

struct Lanes(mpsc::Queue<u64>);

impl Numbers for Lanes {
    type Producer = mpsc::Producer<u64, Place, Region>;
    type Consumer = mpsc::Consumer<u64, Place, Region>;
    const ROOM: Option<u64> = Some(50);
    const IS_OF_MANY: bool = true;

    fn make(region: &Region) -> Self {
        Self(mpsc::Queue::in_region(region.clone(), 3, 5, 0).expect("a queue"))
    }

    consumers!(pop_wait);
    producers!(set_event, event => event, waits);
}

struct Mpmc(mpmc::Queue<u64, Region>);

impl Numbers for Mpmc {
    type Producer = mpmc::Producer<u64, Place>;
    type Consumer = mpmc::Consumer<u64, Place>;
    const ROOM: Option<u64> = Some(8);
    const IS_OF_MANY: bool = true;

    fn make(region: &Region) -> Self {
        let geometry = mpmc::Geometry::new::<u64>(3, 2, 5).expect("a small queue");
        Self(mpmc::Queue::in_region(region.clone(), geometry, 0).expect("a queue"))
    }

    consumers!(pop_wait);
    producers!(set_events, event => [event], waits);
}

struct Nblfq(nblfq::Queue<u32, Region>);

impl Numbers for Nblfq {
    type Producer = nblfq::Producer<u32, Place>;
    type Consumer = nblfq::Consumer<u32, Place>;
    const ROOM: Option<u64> = Some(5);
    const IS_OF_MANY: bool = true;

    fn make(region: &Region) -> Self {
        let geometry = nblfq::Geometry::new(5).expect("a small queue");
        Self(nblfq::Queue::in_region(region.clone(), geometry, 0).expect("a queue"))
    }

    consumers!(pop_wait);
    producers!(set_events, event => [event], waits);
}

/// A queue whose producers do not wait for readers.
macro_rules! overwritten {
    () => {
        const ROOM: Option<u64> = None;

        fn consumer(&self) -> Self::Consumer {
            self.0.take_reader().expect("a reader")
        }

        fn give(producer: &Self::Producer, event: Event) {
            producer.set_events([event]);
        }

        fn peer_of_producer(_: &Self::Producer) -> Peer {
            unreachable!("producers do not know of readers")
        }
    };
}

struct DropOld(drop_old::Queue<u64, Region>);

impl Numbers for DropOld {
    type Producer = drop_old::Producer<u64, Place>;
    type Consumer = drop_old::Reader<u64, Place>;
    const IS_OF_MANY: bool = true;

    fn make(region: &Region) -> Self {
        let geometry = drop_old::Geometry::new::<u64>(3, 50).expect("a small queue");
        Self(drop_old::Queue::in_region(region.clone(), geometry, 0).expect("a queue"))
    }

    fn push(producer: &mut Self::Producer, number: u64, _: Duration) -> Result<(), WaitError> {
        producer.push(number).expect("there is always room");
        producer.wake();
        Ok(())
    }

    consumers!(read_wait);
    overwritten!();
}

struct DropOldRecords(drop_old::records::Queue<Region>);

impl Numbers for DropOldRecords {
    type Producer = drop_old::records::Producer<Place>;
    type Consumer = drop_old::records::Reader<Place>;

    fn make(region: &Region) -> Self {
        Self(drop_old::records::Queue::in_region(region.clone(), 2000, 0).expect("a queue"))
    }

    fn push(producer: &mut Self::Producer, number: u64, _: Duration) -> Result<(), WaitError> {
        producer.push(&number.to_ne_bytes()).expect("there is always room");
        producer.wake();
        Ok(())
    }

    fn pop(consumer: &mut Self::Consumer, timeout: Duration) -> Result<u64, WaitError> {
        let mut bytes = [0; 8];
        consumer.read_wait(&mut bytes, timeout).map(|_| u64::from_ne_bytes(bytes))
    }

    consumers!();
    overwritten!();
}

/// Takes one producer, or two if the queue has several.
fn two_at_a_time<Q: Numbers>(queue: &Q) -> Vec<Q::Producer> {
    (0..if Q::IS_OF_MANY { 2 } else { 1 }).map(|_| queue.producer()).collect()
}

fn producers_leave<Q: Numbers>() {
    let queue = Q::make(&region());
    let mut consumer = queue.consumer();
    assert_eq!(Q::pop(&mut consumer, MOMENT), Err(WaitError::TimedOut), "nobody has come yet");
    assert_eq!(Q::peer_of(&consumer), Peer::Absent);
    // In the second round, producers are taken again.
    for _ in 0..2 {
        let mut producers = two_at_a_time(&queue);
        for number in 0..3 {
            Q::push(&mut producers[0], number, TIMEOUT).expect("room");
        }
        while producers.len() > 1 {
            producers.pop();
            assert_eq!(Q::peer_of(&consumer), Peer::Alive, "one is there still");
        }
        drop(producers);
        assert_eq!(Q::peer_of(&consumer), Peer::Left);
        for number in 0..3 {
            assert_eq!(Q::pop(&mut consumer, TIMEOUT), Ok(number), "what it had pushed comes first");
        }
        assert_eq!(Q::pop(&mut consumer, TIMEOUT), Err(WaitError::Left));
        assert_eq!(Q::pop(&mut consumer, Duration::ZERO), Err(WaitError::Left), "also to one that does not wait");
        let producer = queue.producer();
        assert_eq!(Q::pop(&mut consumer, MOMENT), Err(WaitError::TimedOut), "another one has come");
        drop(producer);
    }
    // A later consumer observes the same.
    drop(consumer);
    let mut late = queue.consumer();
    let told = std::iter::repeat_with(|| Q::pop(&mut late, TIMEOUT)).find(Result::is_err);
    assert_eq!(told, Some(Err(WaitError::Left)), "a reader gets what is there still");
}

fn consumers_leave<Q: Numbers>() {
    let queue = Q::make(&region());
    let mut producer = queue.producer();
    let mut full = Ok(());
    let mut number = 0;
    while full.is_ok() {
        full = Q::push(&mut producer, number, Duration::ZERO);
        number += 1;
        assert!(number < 10 * Q::ROOM.expect("it has an end"), "it is full in the end");
    }
    assert_eq!((full, Q::peer_of_producer(&producer)), (Err(WaitError::TimedOut), Peer::Absent));
    let consumer = queue.consumer();
    assert_eq!(Q::peer_of_producer(&producer), Peer::Alive);
    assert_eq!(Q::push(&mut producer, number, MOMENT), Err(WaitError::TimedOut));
    drop(consumer);
    assert_eq!(Q::push(&mut producer, number, TIMEOUT), Err(WaitError::Left));
    assert_eq!(Q::peer_of_producer(&producer), Peer::Left);
    let mut consumer = queue.consumer();
    for _ in 0..Q::ROOM.expect("it has an end") {
        let _ = Q::pop(&mut consumer, Duration::ZERO);
    }
    assert_eq!(Q::push(&mut producer, number, TIMEOUT), Ok(()), "another one has come");
}

/// Without a wake, the sleep of this test lasts for an hour.
fn a_sleeper_is_woken<Q: Numbers>() {
    let queue = Q::make(&region());
    let (mut consumer, producer) = (queue.consumer(), queue.producer());
    let (say, hear) = channel();
    let sleeper = thread::spawn(move || {
        while Q::peer_of(&consumer) != Peer::Left {
            Q::sleep(&mut consumer, HOUR);
        }
        say.send(()).expect("the test waits");
        consumer
    });
    thread::sleep(MOMENT);
    drop(producer);
    hear.recv_timeout(TIMEOUT).expect("the one that leaves wakes it");
    let mut consumer = sleeper.join().expect("its end");
    // The event of a consumer that waits in a reactor is signalled, too.
    let (producer, event) = (queue.producer(), Event::new().expect("an event"));
    Q::give(&producer, event.try_clone().expect("a file"));
    assert!(Q::arm(&mut consumer) && !event.clear().expect("an event"));
    drop(producer);
    assert!(event.clear().expect("an event"), "it has left");
    assert!(Q::arm(&mut consumer), "there is nothing to pop");
    assert_eq!(Q::peer_of(&consumer), Peer::Left, "what was missed is found behind the arm");
}

/// A process that drops its handle has left. One that ends without that has died, also if another
/// one has left.
fn processes_end<Q: Numbers>() {
    let region = region();
    let queue = Q::make(&region);
    let mut consumer = queue.consumer();
    // The child opens the region once more, so that its locks are its own.
    let ends = |drops: bool| {
        let child = Child::new(|| {
            let region = Region::from_fd(&region).expect("the file");
            let mut producer = Q::make(&region).producer();
            Q::push(&mut producer, 7, TIMEOUT).expect("room");
            if !drops {
                std::mem::forget(producer);
            }
        });
        assert_eq!(child.end(), Some(0));
    };
    ends(true);
    assert_eq!((Q::pop(&mut consumer, TIMEOUT), Q::pop(&mut consumer, TIMEOUT)), (Ok(7), Err(WaitError::Left)));
    let other = Q::IS_OF_MANY.then(|| queue.producer());
    ends(false);
    assert_eq!(Q::pop(&mut consumer, TIMEOUT), Ok(7));
    if other.is_some() {
        assert_eq!(Q::pop(&mut consumer, MOMENT), Err(WaitError::TimedOut), "one is there still");
        drop(other);
    }
    assert_eq!(Q::pop(&mut consumer, TIMEOUT), Err(WaitError::Died));
    assert_eq!(Q::peer_of(&consumer), Peer::Died);
}

/// Handles that are made and dropped repeatedly: none of them is taken for a dead one.
fn producers_come_and_go<Q: Numbers>() {
    let region = region();
    let (queue, is_over) = (Q::make(&region), AtomicBool::new(false));
    let consumer = queue.consumer();
    thread::scope(|scope| {
        scope.spawn(|| {
            let queue = Q::make(&region);
            (0..2000).for_each(|_| drop(queue.producer()));
            is_over.store(true, Relaxed);
        });
        let mut wrong = 0;
        while !is_over.load(Relaxed) {
            wrong += u32::from(Q::peer_of(&consumer) == Peer::Died);
        }
        assert_eq!(wrong, 0, "nobody died");
    });
    assert_eq!(Q::peer_of(&consumer), Peer::Left);
}

/// A process that repeatedly takes a place, pushes, and leaves is killed at a random moment. Then
/// it has died or left, and no consumer waits for it.
fn comers_and_goers_are_killed<Q: Numbers>() {
    let mut random = Random(0x5eed);
    for _ in 0..kills() / 4 {
        let region = region();
        let queue = Q::make(&region);
        let mut consumer = queue.consumer();
        let child = Child::new(|| {
            let queue = Q::make(&Region::from_fd(&region).expect("the file"));
            loop {
                let _ = Q::push(&mut queue.producer(), 7, Duration::ZERO);
            }
        });
        while Q::pop(&mut consumer, MOMENT).is_err() {}
        pause(&mut random);
        child.kill();
        let told = std::iter::repeat_with(|| Q::pop(&mut consumer, TIMEOUT)).find(Result::is_err);
        assert!(matches!(told, Some(Err(WaitError::Died | WaitError::Left))), "{told:?}");
    }
}

macro_rules! of_all {
    ($($test:ident: $($queue:ident)*;)*) => {$(
        #[test]
        fn $test() {
            let _alone = alone();
            $(
                println!("{}", stringify!($queue));
                self::cases::$test::<$queue>();
            )*
        }
    )*};
}

/// The tests' bodies under the tests' names.
mod cases {
    pub(crate) use super::{
        a_sleeper_is_woken as one_that_leaves_wakes_who_waits,
        comers_and_goers_are_killed as one_that_is_killed_at_any_moment_died_or_had_left,
        consumers_leave as a_producer_that_waits_for_room_is_told_that_the_consumers_have_left,
        processes_end as a_process_that_drops_its_handle_has_left_and_one_that_does_not_died,
        producers_come_and_go as nobody_who_leaves_is_taken_for_dead,
        producers_leave as a_consumer_gets_everything_and_then_is_told_that_the_producers_have_left,
    };
}

of_all! {
    a_consumer_gets_everything_and_then_is_told_that_the_producers_have_left:
        Items Records Lanes Mpmc Nblfq DropOld DropOldRecords;
    a_producer_that_waits_for_room_is_told_that_the_consumers_have_left: Items Records Lanes Mpmc Nblfq;
    one_that_leaves_wakes_who_waits: Items Records Lanes Mpmc Nblfq DropOld DropOldRecords;
    a_process_that_drops_its_handle_has_left_and_one_that_does_not_died:
        Items Records Lanes Mpmc Nblfq DropOld DropOldRecords;
    nobody_who_leaves_is_taken_for_dead: Items Records Lanes Mpmc Nblfq DropOld DropOldRecords;
    one_that_is_killed_at_any_moment_died_or_had_left: Items Records Lanes Mpmc Nblfq DropOld DropOldRecords;
}
