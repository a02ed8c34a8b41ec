//! A side that leaves, in memory without a system: only the words record it.

use std::thread;
use std::time::Duration;

use aqueduct_shm::{Peer, WaitError, drop_old, items, mpmc, mpsc, nblfq, records};

const LONG: Duration = Duration::from_secs(60);

/// The producer pushes three numbers, and leaves; the consumer gets them, and then `Left`.
macro_rules! leaves {
    ($producer:expr, $consumer:expr, $push:expr, $pop:expr) => {
        let (mut producer, mut consumer) = ($producer, $consumer);
        assert_eq!(consumer.peer(), Peer::Unknown, "one is there, and no system knows of it");
        thread::scope(|scope| {
            scope.spawn(move || (0..3).for_each(|number| $push(&mut producer, number)));
            let mut next = 0;
            let why = loop {
                match $pop(&mut consumer) {
                    Ok(number) => {
                        assert_eq!(number, next);
                        next += 1;
                    }
                    Err(why) => break why,
                }
            };
            assert_eq!((why, next), (WaitError::Left, 3));
        });
        assert_eq!(consumer.peer(), Peer::Left);
    };
}

#[test]
fn all_queues_tell_that_the_producer_has_left() {
    let queue = items::Queue::<u64, _>::on_heap(1, 0).unwrap();
    leaves!(
        queue.producer().unwrap(),
        queue.consumer().unwrap(),
        |producer: &mut items::Producer<u64, _>, number| producer.push_wait(number, LONG).unwrap(),
        |consumer: &mut items::Consumer<u64, _>| consumer.pop_wait(LONG)
    );
    let queue = records::Queue::on_heap(16, 0).unwrap();
    leaves!(
        queue.producer().unwrap(),
        queue.consumer().unwrap(),
        |producer: &mut records::Producer<_>, number: u8| producer.push_wait(&[number], LONG).unwrap(),
        |consumer: &mut records::Consumer<_>| {
            let mut byte = [0];
            consumer.pop_wait(&mut byte, LONG).map(|_| byte[0])
        }
    );
    let bell = items::Queue::<u64, _>::on_heap(1, 0).unwrap().into_memory();
    let lane = items::Queue::<u64, _>::on_heap(1, 0).unwrap();
    leaves!(
        mpsc::Producer::new(lane.producer().unwrap(), bell.clone()),
        mpsc::Consumer::new([lane.consumer().unwrap()], bell.clone()),
        |producer: &mut mpsc::Producer<u64, _, _>, number| producer.push_wait(number, LONG).unwrap(),
        |consumer: &mut mpsc::Consumer<u64, _, _>| consumer.pop_wait(LONG)
    );
    let queue = mpmc::Queue::<u64, _>::on_heap(2, 1, 1, 0).unwrap();
    leaves!(
        queue.producer().unwrap(),
        queue.consumer().unwrap(),
        |producer: &mut mpmc::Producer<u64, _>, number| producer.push_wait(number, LONG).unwrap(),
        |consumer: &mut mpmc::Consumer<u64, _>| consumer.pop_wait(LONG)
    );
    let queue = nblfq::Queue::<u32, _>::on_heap(2, 0).unwrap();
    leaves!(
        queue.producer(),
        queue.consumer(),
        |producer: &mut nblfq::Producer<u32, _>, number| producer.push_wait(number, LONG).unwrap(),
        |consumer: &mut nblfq::Consumer<u32, _>| consumer.pop_wait(LONG)
    );
    let queue = drop_old::Queue::<u64, _>::on_heap(2, 4, 0).unwrap();
    leaves!(
        queue.producer().unwrap(),
        queue.reader().unwrap(),
        |producer: &mut drop_old::Producer<u64, _>, number| producer.push(number).unwrap(),
        |reader: &mut drop_old::Reader<u64, _>| reader.read_wait(LONG)
    );
    let queue = drop_old::records::Queue::on_heap(200, 0).unwrap();
    leaves!(
        queue.producer().unwrap(),
        queue.reader().unwrap(),
        |producer: &mut drop_old::records::Producer<_>, number: u8| producer.push(&[number]).unwrap(),
        |reader: &mut drop_old::records::Reader<_>| {
            let mut byte = [0];
            reader.read_wait(&mut byte, LONG).map(|_| byte[0])
        }
    );
}

/// A clone of a handle without a place counts as a handle: the side has left when all are dropped.
#[test]
fn all_clones_of_a_handle_have_to_leave() {
    let queue = nblfq::Queue::<u32, _>::on_heap(2, 0).unwrap();
    let (mut consumer, producer) = (queue.consumer(), queue.producer());
    let clone = producer.clone();
    drop(producer);
    assert_eq!((consumer.peer(), clone.peer()), (Peer::Unknown, Peer::Unknown));
    drop(clone);
    assert_eq!(consumer.peer(), Peer::Left);
    assert_eq!(consumer.pop_wait(LONG), Err(WaitError::Left));
    let again = queue.producer();
    assert_eq!(consumer.peer(), Peer::Unknown);
    again.push(7).unwrap();
    drop(again);
    assert_eq!((consumer.pop_wait(LONG), consumer.pop_wait(LONG)), (Ok(7), Err(WaitError::Left)));
}
