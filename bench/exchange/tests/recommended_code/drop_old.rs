//! The lines to paste for queues that overwrite.
//! `UPDATE=1 cargo test -p aqueduct-bench-exchange recommended` writes them.

use std::error::Error;

#[test]
fn bbq_drop_old_mpmc_single() -> Result<(), Box<dyn Error>> {
    use aqueduct::bbq::drop_old::mpmc;

    let (mut producer, mut reader) = mpmc::new(4096)?;
    producer.push(7_u64)?;
    assert_eq!(reader.read()?, 7);
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
fn bbq_drop_old_spmc_single() -> Result<(), Box<dyn Error>> {
    use aqueduct::bbq::drop_old::spmc;

    let (mut producer, mut reader) = spmc::new(4096)?;
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
