//! The lines to paste for one producer and one consumer.
//! `UPDATE=1 cargo test -p aqueduct-bench-spsc recommended` writes them.

use std::error::Error;

#[test]
fn ring_single() -> Result<(), Box<dyn Error>> {
    use aqueduct::spsc;

    let (mut producer, mut consumer) = spsc::ring::new(4096)?;
    producer.push(7_u64)?;
    assert_eq!(consumer.pop()?, 7);
    Ok(())
}

#[test]
fn lamport_single() -> Result<(), Box<dyn Error>> {
    use aqueduct::spsc::lamport;

    let (mut producer, mut consumer) = lamport::new(4096)?;
    producer.push(7_u64)?;
    assert_eq!(consumer.pop()?, 7);
    Ok(())
}

#[test]
fn lazy_lamport_single() -> Result<(), Box<dyn Error>> {
    use aqueduct::spsc::lazy_lamport;

    let (mut producer, mut consumer) = lazy_lamport::new(4096)?;
    producer.push(7_u64)?;
    assert_eq!(consumer.pop()?, 7);
    Ok(())
}

#[test]
fn batched_lamport_single() -> Result<(), Box<dyn Error>> {
    use aqueduct::spsc::batched_lamport;

    let (mut producer, mut consumer) = batched_lamport::new(4096)?;
    producer.push(7_u64)?;
    assert_eq!(consumer.pop()?, 7);
    Ok(())
}

#[test]
fn fast_forward_single() -> Result<(), Box<dyn Error>> {
    use aqueduct::spsc::fast_forward;
    use std::num::NonZeroU64;

    let (mut producer, mut consumer) = fast_forward::new(4096)?;
    producer.push(NonZeroU64::MIN)?;
    assert_eq!(consumer.pop()?, NonZeroU64::MIN);
    Ok(())
}

#[test]
fn improved_fast_forward_single() -> Result<(), Box<dyn Error>> {
    use aqueduct::spsc::improved_fast_forward;
    use std::num::NonZeroU64;

    let (mut producer, mut consumer) = improved_fast_forward::new(4096)?;
    producer.push(NonZeroU64::MIN)?;
    assert_eq!(consumer.pop()?, NonZeroU64::MIN);
    Ok(())
}

#[test]
fn batched_improved_fast_forward_single() -> Result<(), Box<dyn Error>> {
    use aqueduct::spsc::batched_improved_fast_forward;
    use std::num::NonZeroU64;

    let (mut producer, mut consumer) =
        batched_improved_fast_forward::new(4096)?;
    producer.push(NonZeroU64::MIN)?;
    assert_eq!(consumer.pop()?, NonZeroU64::MIN);
    Ok(())
}

#[test]
fn bbq_spsc_single() -> Result<(), Box<dyn Error>> {
    use aqueduct::bbq;

    let (mut producer, mut consumer) = bbq::spsc::new(4096)?;
    producer.push(7_u64)?;
    assert_eq!(consumer.pop()?, 7);
    Ok(())
}

#[test]
fn ring_batch() -> Result<(), Box<dyn Error>> {
    use aqueduct::spsc;

    let (mut producer, mut consumer) = spsc::ring::new(4096)?;
    assert_eq!(producer.batch(32).fill(0..32_u64), 32);
    assert_eq!(consumer.batch(32).sum::<u64>(), 496);
    Ok(())
}

#[test]
fn batched_lamport_batch() -> Result<(), Box<dyn Error>> {
    use aqueduct::spsc::batched_lamport;

    let (mut producer, mut consumer) = batched_lamport::new(4096)?;
    assert_eq!(producer.batch(32).fill(0..32_u64), 32);
    assert_eq!(consumer.batch(32).sum::<u64>(), 496);
    Ok(())
}

#[test]
fn batched_improved_fast_forward_batch() -> Result<(), Box<dyn Error>> {
    use aqueduct::spsc::batched_improved_fast_forward;
    use std::num::NonZeroU64;

    let (mut producer, mut consumer) =
        batched_improved_fast_forward::new(4096)?;
    producer.batch(32).fill((1..=32).filter_map(NonZeroU64::new));
    assert_eq!(consumer.batch(32).map(u64::from).sum::<u64>(), 528);
    Ok(())
}

#[test]
fn bbq_spsc_batch() -> Result<(), Box<dyn Error>> {
    use aqueduct::bbq;

    let (mut producer, mut consumer) = bbq::spsc::new(4096)?;
    assert_eq!(producer.push_slice(&[7_u64; 32]), 32);
    let mut items = [0; 32];
    assert_eq!(consumer.pop_slice(&mut items), 32);
    assert_eq!(items, [7; 32]);
    Ok(())
}

#[test]
fn ring_pointer() -> Result<(), Box<dyn Error>> {
    use aqueduct::spsc;

    let (mut producer, mut consumer) = spsc::ring::new(4096)?;
    producer.push(Box::new([7; 64]))?;
    assert_eq!(consumer.pop()?[0], 7);
    Ok(())
}

#[test]
fn lamport_pointer() -> Result<(), Box<dyn Error>> {
    use aqueduct::spsc::lamport;

    let (mut producer, mut consumer) = lamport::new(4096)?;
    producer.push(Box::new([7; 64]))?;
    assert_eq!(consumer.pop()?[0], 7);
    Ok(())
}

#[test]
fn lazy_lamport_pointer() -> Result<(), Box<dyn Error>> {
    use aqueduct::spsc::lazy_lamport;

    let (mut producer, mut consumer) = lazy_lamport::new(4096)?;
    producer.push(Box::new([7; 64]))?;
    assert_eq!(consumer.pop()?[0], 7);
    Ok(())
}

#[test]
fn batched_lamport_pointer() -> Result<(), Box<dyn Error>> {
    use aqueduct::spsc::batched_lamport;

    let (mut producer, mut consumer) = batched_lamport::new(4096)?;
    producer.push(Box::new([7; 64]))?;
    assert_eq!(consumer.pop()?[0], 7);
    Ok(())
}

#[test]
fn fast_forward_pointer() -> Result<(), Box<dyn Error>> {
    use aqueduct::spsc::fast_forward;

    let (mut producer, mut consumer) = fast_forward::new(4096)?;
    producer.push(Box::new([7; 64]))?;
    assert_eq!(consumer.pop()?[0], 7);
    Ok(())
}

#[test]
fn improved_fast_forward_pointer() -> Result<(), Box<dyn Error>> {
    use aqueduct::spsc::improved_fast_forward;

    let (mut producer, mut consumer) = improved_fast_forward::new(4096)?;
    producer.push(Box::new([7; 64]))?;
    assert_eq!(consumer.pop()?[0], 7);
    Ok(())
}

#[test]
fn batched_improved_fast_forward_pointer() -> Result<(), Box<dyn Error>> {
    use aqueduct::spsc::batched_improved_fast_forward;

    let (mut producer, mut consumer) =
        batched_improved_fast_forward::new(4096)?;
    producer.push(Box::new([7; 64]))?;
    assert_eq!(consumer.pop()?[0], 7);
    Ok(())
}

#[test]
fn bbq_spsc_pointer() -> Result<(), Box<dyn Error>> {
    use aqueduct::bbq;

    let (mut producer, mut consumer) = bbq::spsc::new(4096)?;
    producer.push(Box::new([7; 64]))?;
    assert_eq!(consumer.pop()?[0], 7);
    Ok(())
}

#[test]
fn duplex_single() -> Result<(), Box<dyn Error>> {
    use aqueduct::spsc;

    let (mut client, mut server) = spsc::duplex::new::<_, u64>(4096)?;
    client.producer.push(7_u64)?;
    assert_eq!(server.consumer.pop()?, 7);
    Ok(())
}
