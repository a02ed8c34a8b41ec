//! The lines to paste for owners and thieves.
//! `UPDATE=1 cargo test -p aqueduct-bench-steal recommended` writes them.

use std::error::Error;

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
