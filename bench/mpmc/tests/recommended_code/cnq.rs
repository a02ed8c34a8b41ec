//! The lines to paste for queues with less order.
//! `UPDATE=1 cargo test -p aqueduct-bench-mpmc recommended` writes them.

use std::error::Error;

#[test]
fn cnq_sequenced_single() -> Result<(), Box<dyn Error>> {
    use aqueduct::cnq::{Geometry, Queue};
    use aqueduct::tube::SequencedRing;

    let order = Geometry::at_most(1000).capacity(4096);
    let geometry = order.producers(4).consumers(4).geometry()?;
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

    let order = Geometry::at_most(1000).capacity(4096);
    let geometry = order.producers(4).consumers(4).geometry()?;
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

    let order = Geometry::at_most(1000).capacity(4096);
    let geometry = order.producers(4).consumers(4).geometry()?;
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

    let order = Geometry::at_most(1000).capacity(4096);
    let geometry = order.producers(4).consumers(4).geometry()?;
    let queue = Queue::<u64, IndexQueues>::with_tube(geometry)?;
    let (mut producer, mut consumer) = (queue.producer()?, queue.consumer()?);
    producer.push(7)?;
    assert_eq!(consumer.pop()?, 7);
    Ok(())
}
