//! The lines to paste for many threads.
//! `UPDATE=1 cargo test -p aqueduct-bench-mpmc recommended` writes them.

use std::error::Error;

#[test]
fn bbq_mpmc_single() -> Result<(), Box<dyn Error>> {
    use aqueduct::mpmc;

    let (mut producer, mut consumer) = mpmc::new(4096)?;
    producer.push(7_u64)?;
    assert_eq!(consumer.pop()?, 7);
    Ok(())
}

#[test]
fn bbq_queue_single() -> Result<(), Box<dyn Error>> {
    use aqueduct::bbq::Queue;

    let queue = Queue::new(4096)?;
    queue.push(7_u64)?;
    assert_eq!(queue.pop()?, 7);
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
fn bbq_spmc_single() -> Result<(), Box<dyn Error>> {
    use aqueduct::spmc;

    let (mut producer, mut consumer) = spmc::new(4096)?;
    producer.push(7_u64)?;
    assert_eq!(consumer.pop()?, 7);
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
fn faaq_queue_single() -> Result<(), Box<dyn Error>> {
    use aqueduct::faaq::Queue;

    let queue = Queue::new(4096)?;
    queue.push(7_u64)?;
    assert_eq!(queue.pop()?, 7);
    Ok(())
}

#[test]
fn slots_mpmc_single() -> Result<(), Box<dyn Error>> {
    use aqueduct::bbq::slots::{Filled, mpmc};

    let (mut producer, mut consumer) = mpmc::new(4096)?;
    let item = producer.reserve()?.fill([7_u8; 64]);
    Filled::commit(item);
    assert_eq!(consumer.read()?[0], 7);
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
fn bbq_queue_batch() -> Result<(), Box<dyn Error>> {
    use aqueduct::bbq::Queue;

    let queue = Queue::new(4096)?;
    assert_eq!(queue.push_slice(&[7_u64; 32]), 32);
    let mut items = [0; 32];
    assert_eq!(queue.pop_slice(&mut items), 32);
    assert_eq!(items, [7; 32]);
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
fn faaq_queue_batch() -> Result<(), Box<dyn Error>> {
    use aqueduct::faaq::Queue;

    let queue = Queue::new(4096)?;
    assert_eq!(queue.push_slice(&[7_u64; 32]), 32);
    let mut items = [0; 32];
    assert_eq!(queue.pop_slice(&mut items), 32);
    assert_eq!(items, [7; 32]);
    Ok(())
}
