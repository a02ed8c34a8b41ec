//! Packets of different lengths go through a queue of records: the receiver of the packets reserves
//! the largest length, writes the packet where it lies and commits what it has; the other thread
//! reads it in place. No packet is copied.
//!
//! cargo run -p aqueduct --example packets

use std::error::Error;
use std::thread;

use aqueduct::bbq::records::{Space, spsc};
use aqueduct::error::{PopError, ReserveError};

const PACKETS: u32 = 20_000;
const LARGEST: usize = 1500;
const HEADER: usize = 8;

/// Writes a packet to `buffer`, as a network card would, and returns its length.
fn receive(number: u32, buffer: &mut [u8]) -> usize {
    let payload = (number as usize * 7919) % (buffer.len() - HEADER);
    let (header, rest) = buffer.split_at_mut(HEADER);
    rest[..payload].fill(number as u8);
    header[..4].copy_from_slice(&number.to_le_bytes());
    header[4..].copy_from_slice(&checksum(&rest[..payload]).to_le_bytes());
    HEADER + payload
}

fn checksum(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |sum, &byte| sum.rotate_left(5) ^ u32::from(byte))
}

fn word(bytes: &[u8]) -> Result<u32, Box<dyn Error + Send + Sync>> {
    Ok(u32::from_le_bytes(bytes.try_into()?))
}

fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let (mut producer, mut consumer) = spsc::new(Space::for_bytes(64 * 1024)?)?;

    let reader = thread::spawn(move || -> Result<_, Box<dyn Error + Send + Sync>> {
        let (mut packets, mut bytes, mut longest) = (0, 0, 0);
        loop {
            // `is_closed` comes before the record: otherwise a record could come between the two.
            let is_closed = consumer.is_closed();
            match consumer.read() {
                Ok(packet) => {
                    let (header, payload) = packet.split_at(HEADER);
                    assert_eq!(word(&header[..4])?, packets, "packets keep their order");
                    assert_eq!(word(&header[4..])?, checksum(payload), "packet {packets} is damaged");
                    packets += 1;
                    bytes += packet.len();
                    longest = longest.max(packet.len());
                }
                Err(PopError::Empty) if is_closed => return Ok((packets, bytes, longest)),
                Err(PopError::Empty | PopError::Busy) => thread::yield_now(),
            }
        }
    });

    // A block of a queue on a machine of 32 bits has no room for more.
    let largest = LARGEST.min(producer.longest());
    let mut full = 0;
    for number in 0..PACKETS {
        loop {
            match producer.reserve(largest) {
                Ok(mut grant) => {
                    let len = receive(number, &mut grant);
                    grant.commit(len);
                    break;
                }
                Err(ReserveError::Full | ReserveError::Busy) => {
                    full += 1;
                    thread::yield_now();
                }
                Err(error @ ReserveError::TooLong { .. }) => return Err(error.into()),
            }
        }
    }
    drop(producer);
    let (packets, bytes, longest) = reader.join().map_err(|_| "the reader panicked")??;
    println!("{packets} packets, {bytes} bytes, the longest with {longest}; all checksums are right");
    println!("the queue was full {full} times");
    assert_eq!(packets, PACKETS);
    Ok(())
}
