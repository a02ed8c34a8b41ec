//! Consumes records that a process in another language produces, and answers each with the square
//! of its number.
//!
//!     consumer NAME COUNT
//!
//! `examples/producer.c` is the other process. The first of them makes the regions.

#[cfg(not(target_os = "linux"))]
fn main() {}

#[cfg(target_os = "linux")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    use std::time::Duration;

    use aqueduct_shm::{Region, items, records};

    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, count] = &arguments[..] else { return Err("consumer NAME COUNT".into()) };
    let region = |end: &str| Region::named(&format!("{name}-{end}"), 1 << 16, 0o600);
    let mut consumer = records::Queue::in_region(region("there")?, 4000, 7)?.take_consumer()?;
    let mut producer = items::Queue::<u64, _>::in_region(region("back")?, 100, 0)?.take_producer()?;
    let (long, mut buffer) = (Duration::from_secs(60), [0; 100]);
    for expected in 0..count.parse()? {
        let len = consumer.pop_wait(&mut buffer, long)?;
        let record = std::str::from_utf8(&buffer[..len])?;
        let number: u64 = record.strip_prefix("record ").ok_or("another record")?.parse()?;
        if number != expected {
            return Err(format!("`{record}` came in place of record {expected}").into());
        }
        producer.push_wait(number * number, long).map_err(|(why, _)| why)?;
    }
    println!("{count} answers");
    Ok(())
}
