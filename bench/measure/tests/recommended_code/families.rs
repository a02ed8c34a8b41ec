//! The lines to paste for each family of queues.
//! `UPDATE=1 cargo test -p aqueduct-measure snippet` writes them anew.

use std::error::Error;

#[test]
fn bbq_spsc_exchange() -> Result<(), Box<dyn Error>> {
    use aqueduct::bbq::spsc;

    let (mut submit, mut take) = spsc::new(4096)?;
    let (mut confirm, mut collect) = spsc::new(8192)?;
    submit.push(7_u64)?;
    confirm.push(take.pop()?)?;
    assert_eq!(collect.pop()?, 7);
    Ok(())
}

#[test]
fn bbq_mpmc_exchange() -> Result<(), Box<dyn Error>> {
    use aqueduct::mpmc;

    let (mut submit, mut take) = mpmc::new(4096)?;
    let (mut confirm, mut collect) = mpmc::new(8192)?;
    submit.push(7_u64)?;
    confirm.push(take.pop()?)?;
    assert_eq!(collect.pop()?, 7);
    Ok(())
}

#[test]
fn bbq_mpmc_single() -> Result<(), Box<dyn Error>> {
    use aqueduct::mpmc;

    let (mut producer, mut consumer) = mpmc::new(4096)?;
    producer.push(7_u64)?;
    assert_eq!(consumer.pop()?, 7);
    Ok(())
}

#[test]
fn bbq_mpmc_batch() -> Result<(), Box<dyn Error>> {
    use aqueduct::mpmc;

    let (mut producer, mut consumer) = mpmc::new(4096)?;
    assert_eq!(producer.push_slice(&[7_u64; 32]), 32);
    let mut items = [0; 32];
    assert_eq!(consumer.pop_slice(&mut items), 32);
    assert_eq!(items, [7; 32]);
    Ok(())
}

#[test]
fn bbq_mpsc_single() -> Result<(), Box<dyn Error>> {
    use aqueduct::mpsc;

    let (mut producer, mut consumer) = mpsc::new(4096)?;
    producer.push(7_u64)?;
    assert_eq!(consumer.pop()?, 7);
    Ok(())
}

#[test]
fn bbq_mpsc_batch() -> Result<(), Box<dyn Error>> {
    use aqueduct::mpsc;

    let (mut producer, mut consumer) = mpsc::new(4096)?;
    assert_eq!(producer.push_slice(&[7_u64; 32]), 32);
    let mut items = [0; 32];
    assert_eq!(consumer.pop_slice(&mut items), 32);
    assert_eq!(items, [7; 32]);
    Ok(())
}

#[test]
fn bbq_spmc_single() -> Result<(), Box<dyn Error>> {
    use aqueduct::spmc;

    let (mut producer, mut consumer) = spmc::new(4096)?;
    producer.push(7_u64)?;
    assert_eq!(consumer.pop()?, 7);
    Ok(())
}

#[test]
fn bbq_spmc_batch() -> Result<(), Box<dyn Error>> {
    use aqueduct::spmc;

    let (mut producer, mut consumer) = spmc::new(4096)?;
    assert_eq!(producer.push_slice(&[7_u64; 32]), 32);
    let mut items = [0; 32];
    assert_eq!(consumer.pop_slice(&mut items), 32);
    assert_eq!(items, [7; 32]);
    Ok(())
}

#[test]
fn faaq_single() -> Result<(), Box<dyn Error>> {
    use aqueduct::faaq;

    let (mut producer, mut consumer) = faaq::new(4096)?;
    producer.push(7_u64)?;
    assert_eq!(consumer.pop()?, 7);
    Ok(())
}

#[test]
fn faaq_batch() -> Result<(), Box<dyn Error>> {
    use aqueduct::faaq;

    let (mut producer, mut consumer) = faaq::new(4096)?;
    assert_eq!(producer.push_slice(&[7_u64; 32]), 32);
    let mut items = [0; 32];
    assert_eq!(consumer.pop_slice(&mut items), 32);
    assert_eq!(items, [7; 32]);
    Ok(())
}

#[test]
fn bbq_queue_single() -> Result<(), Box<dyn Error>> {
    use aqueduct::mpmc::Queue;

    let queue = Queue::new(4096)?;
    queue.push(7_u64)?;
    assert_eq!(queue.pop()?, 7);
    Ok(())
}

#[test]
fn bbq_queue_batch() -> Result<(), Box<dyn Error>> {
    use aqueduct::mpmc::Queue;

    let queue = Queue::new(4096)?;
    assert_eq!(queue.push_slice(&[7_u64; 32]), 32);
    let mut items = [0; 32];
    assert_eq!(queue.pop_slice(&mut items), 32);
    assert_eq!(items, [7; 32]);
    Ok(())
}

#[test]
fn faaq_queue_single() -> Result<(), Box<dyn Error>> {
    use aqueduct::faaq::Queue;

    let queue = Queue::new(4096)?;
    queue.push(7_u64)?;
    assert_eq!(queue.pop()?, 7);
    Ok(())
}

#[test]
fn exact_single() -> Result<(), Box<dyn Error>> {
    use aqueduct::exact::Queue;

    let queue = Queue::new(4096)?;
    queue.push(7_u64)?;
    assert_eq!(queue.pop()?, 7);
    Ok(())
}

#[test]
fn bbq_drop_old_spmc_single() -> Result<(), Box<dyn Error>> {
    use aqueduct::bbq::drop_old::spmc;

    let (mut producer, mut reader) = spmc::new(4096)?;
    producer.push(7_u64)?;
    assert_eq!(reader.read()?, 7);
    Ok(())
}

#[test]
fn bbq_drop_old_mpmc_single() -> Result<(), Box<dyn Error>> {
    use aqueduct::bbq::drop_old::mpmc;

    let (mut producer, mut reader) = mpmc::new(4096)?;
    producer.push(7_u64)?;
    assert_eq!(reader.read()?, 7);
    Ok(())
}

#[test]
fn bbq_drop_old_spsc_single() -> Result<(), Box<dyn Error>> {
    use aqueduct::bbq::drop_old::spsc;

    let (mut producer, mut reader) = spsc::new(4096)?;
    producer.push(7_u64)?;
    assert_eq!(reader.read()?, 7);
    Ok(())
}

#[test]
fn bbq_drop_old_spsc_batch() -> Result<(), Box<dyn Error>> {
    use aqueduct::bbq::drop_old::spsc;

    let (mut producer, mut reader) = spsc::new(4096)?;
    producer.push(7_u64)?;
    assert_eq!(reader.read_slice(&mut [0; 32]), 1);
    Ok(())
}

#[test]
fn bbq_drop_old_mpsc_single() -> Result<(), Box<dyn Error>> {
    use aqueduct::bbq::drop_old::mpsc;

    let (mut producer, mut reader) = mpsc::new(4096)?;
    producer.push(7_u64)?;
    assert_eq!(reader.read()?, 7);
    Ok(())
}

#[test]
fn bbq_drop_old_mpsc_batch() -> Result<(), Box<dyn Error>> {
    use aqueduct::bbq::drop_old::mpsc;

    let (mut producer, mut reader) = mpsc::new(4096)?;
    producer.push(7_u64)?;
    assert_eq!(reader.read_slice(&mut [0; 32]), 1);
    Ok(())
}

#[test]
fn records_spsc_single() -> Result<(), Box<dyn Error>> {
    use aqueduct::bbq::records::{Space, spsc};

    let (mut producer, mut consumer) = spsc::new(Space::for_bytes(4096)?)?;
    producer.push(b"any length")?;
    assert_eq!(*consumer.read()?, *b"any length");
    Ok(())
}

#[test]
fn records_mpmc_single() -> Result<(), Box<dyn Error>> {
    use aqueduct::bbq::records::{Space, mpmc};

    let (mut producer, mut consumer) = mpmc::new(Space::for_bytes(4096)?)?;
    producer.push(b"any length")?;
    assert_eq!(*consumer.read()?, *b"any length");
    Ok(())
}

#[test]
fn bwos_lifo_single() -> Result<(), Box<dyn Error>> {
    use aqueduct::bwos::lifo;

    let (mut owner, stealer) = lifo::new(4096)?;
    owner.push(7_u64)?;
    assert_eq!(stealer.steal().success().or(owner.pop().ok()), Some(7));
    Ok(())
}

#[test]
fn bwos_fifo_single() -> Result<(), Box<dyn Error>> {
    use aqueduct::bwos::fifo;

    let (mut owner, stealer) = fifo::new(4096)?;
    owner.push(7_u64)?;
    assert_eq!(stealer.steal().success().or(owner.pop().ok()), Some(7));
    Ok(())
}

#[test]
fn cnq_sequenced_single() -> Result<(), Box<dyn Error>> {
    use aqueduct::cnq::{Geometry, Queue};
    use aqueduct::tube::SequencedRing;

    // The order, the capacity, producers, consumers.
    let geometry = Geometry::for_order(1000, 4096, 4, 4)?;
    let queue = Queue::<u64, SequencedRing>::with_tube(geometry)?;
    let (mut producer, mut consumer) = (queue.producer()?, queue.consumer()?);
    producer.push(7)?;
    assert_eq!(consumer.pop()?, 7);
    Ok(())
}

#[test]
fn cnq_bbq_single() -> Result<(), Box<dyn Error>> {
    use aqueduct::cnq::{Geometry, Queue};
    use aqueduct::tube::Blocks;

    // The order, the capacity, producers, consumers.
    let geometry = Geometry::for_order(1000, 4096, 4, 4)?;
    let queue = Queue::<u64, Blocks>::with_tube(geometry)?;
    let (mut producer, mut consumer) = (queue.producer()?, queue.consumer()?);
    producer.push(7)?;
    assert_eq!(consumer.pop()?, 7);
    Ok(())
}

#[test]
fn cnq_faaq_single() -> Result<(), Box<dyn Error>> {
    use aqueduct::cnq::{Geometry, Queue};
    use aqueduct::tube::FetchAddBlocks;

    // The order, the capacity, producers, consumers.
    let geometry = Geometry::for_order(1000, 4096, 4, 4)?;
    let queue = Queue::<u64, FetchAddBlocks>::with_tube(geometry)?;
    let (mut producer, mut consumer) = (queue.producer()?, queue.consumer()?);
    producer.push(7)?;
    assert_eq!(consumer.pop()?, 7);
    Ok(())
}

#[test]
fn cnq_indices_single() -> Result<(), Box<dyn Error>> {
    use aqueduct::cnq::{Geometry, Queue};
    use aqueduct::tube::IndexQueues;

    // The order, the capacity, producers, consumers.
    let geometry = Geometry::for_order(1000, 4096, 4, 4)?;
    let queue = Queue::<u64, IndexQueues>::with_tube(geometry)?;
    let (mut producer, mut consumer) = (queue.producer()?, queue.consumer()?);
    producer.push(7)?;
    assert_eq!(consumer.pop()?, 7);
    Ok(())
}

#[test]
fn nblfq_single() -> Result<(), Box<dyn Error>> {
    use aqueduct::nblfq::Queue;
    use std::num::NonZeroU64;

    static QUEUE: Queue<NonZeroU64, 4096> = Queue::new();
    QUEUE.push(NonZeroU64::MIN)?;
    assert_eq!(QUEUE.pop()?, NonZeroU64::MIN);
    Ok(())
}

#[test]
fn nblfq_wide_single() -> Result<(), Box<dyn Error>> {
    use aqueduct::nblfq::wide::Queue;

    static QUEUE: Queue<u64, 4096> = Queue::new();
    let queue = QUEUE.open()?;
    queue.push(7)?;
    assert_eq!(queue.pop()?, 7);
    Ok(())
}

#[test]
fn nblfq_dynamic_single() -> Result<(), Box<dyn Error>> {
    use aqueduct::nblfq::DynamicQueue;

    let queue = DynamicQueue::<Box<u64>>::new(4096)?;
    queue.push(Box::new(7))?;
    assert_eq!(*queue.pop()?, 7);
    Ok(())
}

#[test]
fn nblfq_wide_dynamic_single() -> Result<(), Box<dyn Error>> {
    use aqueduct::nblfq::wide::DynamicQueue;

    let queue = DynamicQueue::<u64>::new(4096)?;
    let queue = queue.open()?;
    queue.push(7)?;
    assert_eq!(queue.pop()?, 7);
    Ok(())
}
