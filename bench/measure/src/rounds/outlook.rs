//! The extent of a plan, known before anything is measured, and whether the machine's memory
//! suffices for it.

use std::fmt;
use std::time::Duration;

use super::{Cell, Limit, Pace, check_slice};
use crate::machine::free_memory;

/// The extent of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outlook {
    /// Measurements in each round: one for each workload with each queue.
    pub measurements: usize,
    /// The number of times that everything is measured.
    pub rounds: usize,
    /// The least time of the measurements, without the round that is not counted.
    pub least_time: Duration,
    /// Items of the largest queue.
    pub capacity: usize,
    /// The greatest number of threads that run at the same time.
    pub threads: usize,
}

impl Outlook {
    /// Returns the outlook of cells that are measured at this pace.
    ///
    /// # Errors
    /// A sentence, if there is nothing to measure or no time for it.
    pub fn of(cells: &[Cell<'_>], pace: Pace) -> Result<Self, String> {
        if cells.is_empty() {
            return Err("nothing is left to measure".to_owned());
        }
        check_slice(pace.slice)?;
        let places = || cells.iter().map(|cell| cell.place);
        Ok(Self {
            measurements: cells.len(),
            rounds: pace.rounds.max(1),
            least_time: times(pace.slice, cells.len().saturating_mul(pace.rounds.max(1)))
                .min(pace.limit.map_or(Duration::MAX, Limit::bound)),
            capacity: places().map(|place| place.capacity).max().unwrap_or(0),
            threads: places().map(|place| place.producers + place.consumers).max().unwrap_or(0),
        })
    }
}

/// Returns a multiple of a duration, or the longest duration.
pub fn times(one: Duration, count: usize) -> Duration {
    one.saturating_mul(u32::try_from(count).unwrap_or(u32::MAX))
}

impl fmt::Display for Outlook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { measurements, rounds, least_time, capacity, threads } = self;
        write!(
            f,
            "{measurements} measurements in each of {rounds} rounds: {:.1} s at least; queues of up to {capacity} items, up to \
             {threads} threads",
            least_time.as_secs_f64()
        )
    }
}

/// The greatest number of bytes of any queue under test per item of its capacity: seven words for
/// each slot, where the number of slots is rounded up to a power of two. `cli/tests/memory.rs`
/// weighs all queues but those of C++.
pub const BYTES_PER_ITEM: usize = 144;

/// Checks that the machine's memory suffices for a queue of `items` items; `option` is the
/// program's option for them.
///
/// # Errors
/// A sentence that names the possible number of items.
pub fn check_memory(option: &str, items: usize) -> Result<(), String> {
    check_memory_of(option, items, BYTES_PER_ITEM)
}

/// Checks that the machine's memory suffices for `items` items of `bytes_per_item` bytes each.
pub fn check_memory_of(option: &str, items: usize, bytes_per_item: usize) -> Result<(), String> {
    let free = free_memory();
    let needed = items as u128 * bytes_per_item as u128;
    if needed <= u128::from(free) {
        return Ok(());
    }
    Err(format!(
        "--{option}: {items} items may take {}, and {} of memory are free; at most {} items are possible here",
        in_words(needed),
        in_words(free.into()),
        free / bytes_per_item.max(1) as u64
    ))
}

/// Returns an amount of memory as text.
fn in_words(bytes: u128) -> String {
    const MIB: u128 = 1 << 20;
    if bytes < MIB << 10 { format!("{} MiB", bytes / MIB) } else { format!("{} GiB", bytes / (MIB << 10)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_refused_with_what_does() {
        assert_eq!(check_memory("capacity", 4096), Ok(()));
        for items in [1 << 40, usize::MAX] {
            let refused = check_memory("capacity", items).unwrap_err();
            assert!(refused.starts_with(&format!("--capacity: {items} items may take ")), "{refused}");
            let most = refused.split("at most ").nth(1).and_then(|rest| rest.split(' ').next());
            let most: usize = most.and_then(|most| most.parse().ok()).expect("it says how many are possible");
            assert_eq!(check_memory_of("capacity", most / 2, BYTES_PER_ITEM), Ok(()));
        }
    }
}
