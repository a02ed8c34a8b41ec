//! Queues of records: each is an item's number and a pattern that follows from it, of any length.
//!
//! Handles hold grants while other threads go on, and cancel or forget some, or make them longer
//! than the record.

use super::checks::Promise;
use super::ends::{Ends, Pop, Push, Refusal, Refused};
use super::exchange::Subject;
use super::log::Item;
use super::queues::{another, consumers, handles, lap, producers};
use crate::bbq::records::{self, Consumer, Producer, Space};
use crate::bbq::{Multi, Single};
use crate::error::ReserveError;
use crate::pauses::{Dice, point};

/// The bytes of an item's number.
const NUMBER: usize = size_of::<Item>();

/// The item of a record that was never pushed.
pub(super) const DAMAGED: Item = u64::MAX;

impl Refusal for ReserveError {
    fn why(self) -> Refused {
        match self {
            Self::Full => Refused::Full,
            Self::Busy => Refused::Busy,
            Self::TooLong { .. } => unreachable!("records are as long as can be, and no longer"),
        }
    }
}

/// Returns the record of this item in a queue for records of up to `longest` bytes.
pub(super) fn encode(item: Item, longest: usize) -> Vec<u8> {
    let mut record = item.to_ne_bytes().to_vec();
    record.extend(pattern(item).take(rest_of(item, longest)));
    record
}

/// Returns the item of a record, or [`DAMAGED`].
pub(super) fn decode(record: &[u8], longest: usize) -> Item {
    let Some((number, rest)) = record.split_first_chunk::<NUMBER>() else { return DAMAGED };
    let item = Item::from_ne_bytes(*number);
    // A reader may be slow, too.
    point();
    let is_whole = rest.len() == rest_of(item, longest);
    if is_whole && pattern(item).zip(rest).all(|(right, &here)| right == here) { item } else { DAMAGED }
}

/// Returns the number of bytes behind an item's number.
fn rest_of(item: Item, longest: usize) -> usize {
    (item as usize).wrapping_mul(7) % (longest - NUMBER + 1)
}

fn pattern(item: Item) -> impl Iterator<Item = u8> {
    (1..).map(move |at: u64| (item.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_mul(at) >> 56) as u8)
}

/// Returns a small space.
pub(super) fn space(dice: &mut Dice) -> Space {
    Space::new(dice.between(2, 4), dice.between(3, 16) * size_of::<usize>()).expect("a small queue")
}

/// A handle, and the greatest length of its records.
struct End<H> {
    handle: H,
    longest: usize,
    /// The item for which space was reserved last. It is cancelled at most once, so that the queue
    /// does not hold cancelled records alone.
    reserved: Item,
}

macro_rules! forms {
    ($($name:ident: $make:path, $producers:ident, $consumers:ident;)*) => {$(
        impl Push for End<Producer<$producers, $consumers>> {
            fn push(&mut self, item: Item) -> Result<(), Refused> {
                let record = encode(item, self.longest);
                if std::mem::replace(&mut self.reserved, item) != item && item % 8 < 2 {
                    let grant = self.handle.reserve(record.len()).map_err(Refusal::why)?;
                    if item % 8 == 0 { grant.cancel() } else { std::mem::forget(grant) }
                }
                let asked = if item % 8 == 2 { self.longest } else { record.len() };
                let mut grant = self.handle.reserve(asked).map_err(Refusal::why)?;
                for (place, bytes) in grant.chunks_mut(NUMBER).zip(record.chunks(NUMBER)) {
                    // A producer may be slow while it holds the grant.
                    point();
                    place[..bytes.len()].copy_from_slice(bytes);
                }
                grant.commit(record.len());
                Ok(())
            }
        }

        impl Pop for End<Consumer<$producers, $consumers>> {
            fn pop(&mut self) -> Result<Item, Refused> {
                let longest = self.longest;
                self.handle.read().map(|record| decode(&record, longest)).map_err(Refusal::why)
            }
        }

        pub(super) const $name: Subject = Subject {
            keeps_order: true,
            make: |dice, producing, consuming| {
                let (producer, consumer) = $make(space(dice), lap(dice)).expect("a small queue");
                let longest = producer.longest();
                let producing = handles(producer, producing, another!($producers));
                let consuming = handles(consumer, consuming, another!($consumers));
                Ends {
                    // The lengths of the records determine how few of them fill the queue.
                    promise: Promise { least_when_full: 0, ..Promise::fifo(0) },
                    producers: producers(producing.into_iter().map(|handle| End { handle, longest, reserved: 0 }).collect()),
                    consumers: consumers(consuming.into_iter().map(|handle| End { handle, longest, reserved: 0 }).collect()),
                }
            },
        };
    )*};
}

forms! {
    SPSC: records::spsc::starting_at, Single, Single;
    MPSC: records::mpsc::starting_at, Multi, Single;
    SPMC: records::spmc::starting_at, Single, Multi;
    MPMC: records::mpmc::starting_at, Multi, Multi;
}
