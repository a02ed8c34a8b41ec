//! The lines to paste for requests and confirmations.
//! `UPDATE=1 cargo test -p aqueduct-bench-exchange recommended` writes them.

use std::error::Error;

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
fn bbq_spsc_exchange() -> Result<(), Box<dyn Error>> {
    use aqueduct::bbq::spsc;

    let (mut submit, mut take) = spsc::new(4096)?;
    let (mut confirm, mut collect) = spsc::new(8192)?;
    submit.push(7_u64)?;
    confirm.push(take.pop()?)?;
    assert_eq!(collect.pop()?, 7);
    Ok(())
}
