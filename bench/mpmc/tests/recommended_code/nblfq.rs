//! The lines to paste for lock-free queues.
//! `UPDATE=1 cargo test -p aqueduct-bench-mpmc recommended` writes them.

use std::error::Error;

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
