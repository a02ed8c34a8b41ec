//! The lines to paste for queues of records.
//! `UPDATE=1 cargo test -p aqueduct-bench-exchange recommended` writes them.

use std::error::Error;

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
