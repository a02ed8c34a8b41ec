//! The order in which items came.

use super::logged::{Event, Log};

/// Returns, for each pop, the least `k` for which it was in order: 1 plus the number of items in
/// the queue that had been pushed before the popped one. The results are in the order of the pops.
/// Each item has its own number; items that were not popped stayed in the queue to the end.
///
/// # Panics
/// If an item was popped that was not pushed.
#[must_use]
pub fn least_k(pushed: &[u64], popped: &[u64]) -> Vec<u32> {
    let mut places: Vec<(u64, usize)> = pushed.iter().copied().zip(0..).collect();
    places.sort_unstable();
    let mut popped_places = PoppedPlaces::new(pushed.len());
    let one = |item: &u64| {
        let at = places.binary_search_by_key(item, |place| place.0).expect("an item that was pushed");
        let place = places[at].1;
        let older = place - popped_places.before(place);
        popped_places.add(place);
        u32::try_from(older).map_or(u32::MAX, |older| older.saturating_add(1))
    };
    popped.iter().map(one).collect()
}

/// Returns the [`least_k`] of each pop of a run.
pub(super) fn of_log(log: &mut Log) -> Vec<u32> {
    let items = |events: &mut Vec<Event>| {
        events.sort_unstable();
        events.iter().map(|event| event.1.get()).collect::<Vec<u64>>()
    };
    least_k(&items(&mut log.pushed), &items(&mut log.popped))
}

/// Returns the time that each item of a run spent in the queue, in ticks of the clock. It is 0 if
/// the cores' counters differ by more.
pub(super) fn stays(log: &mut Log) -> impl Iterator<Item = u64> {
    log.pushed.sort_unstable_by_key(|event| event.1);
    log.popped.sort_unstable_by_key(|event| event.1);
    log.popped.iter().zip(&log.pushed).map(|(popped, pushed)| popped.0.saturating_sub(pushed.0))
}

/// The popped places, as a tree of sums (Fenwick's).
struct PoppedPlaces(Vec<u32>);

impl PoppedPlaces {
    fn new(places: usize) -> Self {
        Self(vec![0; places + 1])
    }

    fn add(&mut self, place: usize) {
        let mut at = place + 1;
        while at < self.0.len() {
            self.0[at] += 1;
            at += at & at.wrapping_neg();
        }
    }

    /// Returns the number of popped places before that place.
    fn before(&self, place: usize) -> usize {
        let (mut at, mut sum) = (place, 0);
        while at > 0 {
            sum += self.0[at] as usize;
            at &= at - 1;
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mpmc::Item;

    #[test]
    fn a_pop_is_as_far_out_of_order_as_there_are_older_items() {
        assert_eq!(least_k(&[7, 8, 9, 3], &[7, 8, 9, 3]), [1, 1, 1, 1]);
        assert_eq!(least_k(&[7, 8, 9, 3], &[3, 9, 8, 7]), [4, 3, 2, 1]);
        assert_eq!(least_k(&[7, 8, 9, 3], &[8, 9, 7, 3]), [2, 2, 1, 1]);
        assert_eq!(least_k(&[1, 2, 3, 4, 5], &[5, 1]), [5, 1]);
        let many: Vec<u64> = (0..1000).collect();
        let by_swaps: Vec<u64> = many.chunks(10).flat_map(|ten| ten.iter().rev().copied()).collect();
        assert_eq!(least_k(&many, &by_swaps).iter().max(), Some(&10));
    }

    #[test]
    fn a_log_is_put_in_order_by_its_times() {
        let event = |time, item| (time, Item::new(item).expect("not 0"));
        let mut log = Log {
            pushed: vec![event(10, 2), event(5, 1), event(20, 3)],
            popped: vec![event(40, 1), event(30, 2), event(45, 3)],
        };
        assert_eq!(of_log(&mut log), [2, 1, 1]);
        assert_eq!(stays(&mut log).collect::<Vec<_>>(), [35, 20, 25]);
    }
}
