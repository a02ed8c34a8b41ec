//! A producer is killed in the middle of its work. The consumer learns it from the kernel, and a
//! successor continues where the dead process stopped.

#[cfg(not(target_os = "linux"))]
fn main() {}

#[cfg(target_os = "linux")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    use std::time::Duration;
    use std::{env, process};

    use aqueduct_shm::{Peer, Region, WaitError, items};

    if let Some(name) = env::args().nth(1) {
        // The child pushes numbers until it is killed.
        let queue = items::Queue::<u64, _>::in_region(Region::open(&name)?, 1000, 1)?;
        let mut producer = queue.take_producer()?;
        loop {
            let next = producer.pushed();
            producer.push_wait(next, Duration::from_secs(10)).map_err(|(why, _)| why)?;
        }
    }

    let name = format!("/aqueduct-successor-{}", process::id());
    let queue = items::Queue::<u64, _>::in_region(Region::named(&name, 1 << 16, 0o600)?, 1000, 1)?;
    let mut consumer = queue.take_consumer()?;
    let start = || process::Command::new(env::current_exe()?).arg(&name).spawn();

    let mut child = start()?;
    for expected in 0..10_000 {
        assert_eq!(consumer.pop_wait(Duration::from_secs(10))?, expected);
    }
    child.kill()?;
    child.wait()?;
    // The numbers that the dead process had pushed are still in the queue.
    let mut expected = 10_000;
    let why = loop {
        match consumer.pop_wait(Duration::from_secs(10)) {
            Ok(item) => assert_eq!(item, expected),
            Err(why) => break why,
        }
        expected += 1;
    };
    assert_eq!((why, consumer.peer()), (WaitError::Died, Peer::Died));

    let mut child = start()?;
    for expected in expected..expected + 10_000 {
        let item = loop {
            // Until the successor has taken the place, the result is `Died`.
            match consumer.pop_wait(Duration::from_secs(10)) {
                Err(WaitError::Died) => std::thread::sleep(Duration::from_millis(1)),
                item => break item?,
            }
        };
        assert_eq!(item, expected);
    }
    child.kill()?;
    child.wait()?;
    Region::unlink(&name)?;
    println!("{} items from two processes, none lost and none twice", consumer.popped());
    Ok(())
}
