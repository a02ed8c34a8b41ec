//! Exact checks: each reported error is one in every order of the calls that their intervals allow.
//!
//! For FIFO queues these are conditions of Henzinger, Sezgin and Vafeiadis ("Aspect-Oriented
//! Linearizability Proofs", CONCUR 2013): each item comes once, was pushed before, and overtakes no
//! item that is certainly older; an `Empty` is wrong while an item is certainly in the queue all
//! the time (their condition on `Empty` is stronger: several items can cover the call together). If
//! `k` items may be out of order, a pair becomes a count. Each check takes O(n log n).

use std::collections::HashMap;

use super::log::{Event, Item, Log, What, producer_of};

/// The guarantees of a queue.
#[derive(Clone, Copy, Debug)]
pub struct Promise {
    /// Each popped item is one of the `k` oldest, and the oldest is one of the next `k` pops.
    pub k: usize,
    /// A pop may return `Empty` with up to this number of items in the queue.
    pub most_when_empty: usize,
    /// A push may return `Full` with this number of items in the queue, and not with fewer.
    pub least_when_full: usize,
}

impl Promise {
    /// Returns the guarantees of an exact FIFO queue.
    #[must_use]
    pub const fn fifo(capacity: usize) -> Self {
        Self { k: 1, most_when_empty: 0, least_when_full: capacity }
    }
}

/// The times when an item was pushed and popped.
#[derive(Clone, Copy, Debug)]
struct Stay {
    item: Item,
    pushed: (u64, u64),
    /// The interval of its pop; `NEVER` for items that were left.
    popped: (u64, u64),
}

/// The interval of a call that was never made.
const NEVER: (u64, u64) = (u64::MAX, u64::MAX);

/// The findings about a round without an error.
#[derive(Clone, Copy, Default, Debug)]
pub struct Found {
    /// The least `k` that is consistent with the round.
    pub least_k: usize,
    /// The number of popped items.
    pub items: usize,
}

/// A round's calls, put together.
#[derive(Debug)]
pub struct History {
    /// The stays, by the beginnings of their pushes.
    stays: Vec<Stay>,
    /// The index of each item's stay.
    places: HashMap<Item, usize>,
    refusals: Vec<Event>,
    /// Whether the round ran to its end.
    is_complete: bool,
}

impl History {
    /// Makes a history of a round's logs. In a round that was broken off, an item without a logged
    /// pop may have been popped.
    ///
    /// # Errors
    /// An item that was popped without a push, or twice; or, in a complete round, was not popped.
    pub fn new(logs: &[Log], is_complete: bool) -> Result<Self, String> {
        let mut stays: HashMap<Item, Stay> = HashMap::new();
        let pending = logs.iter().flat_map(|log| &log.pending).flat_map(|(began, items)| {
            items.iter().map(|&item| Event { began: *began, ended: u64::MAX, what: What::Pushed(item) })
        });
        let mut refusals = Vec::new();
        for event in logs.iter().flat_map(|log| &log.events).copied().chain(pending) {
            match event.what {
                What::Pushed(item) => {
                    stays.insert(item, Stay { item, pushed: (event.began, event.ended), popped: NEVER });
                }
                What::Full | What::Empty => refusals.push(event),
                What::Popped(_) => {}
            }
        }
        for event in logs.iter().flat_map(|log| &log.events) {
            let What::Popped(item) = event.what else { continue };
            let Some(stay) = stays.get_mut(&item) else {
                return Err(format!("{} came, which nobody pushed", name(item)));
            };
            if stay.popped != NEVER {
                return Err(format!("{} came twice", name(item)));
            }
            stay.popped = (event.began, event.ended);
            if event.ended < stay.pushed.0 {
                return Err(format!("{} came before it was pushed", name(item)));
            }
        }
        let mut stays: Vec<Stay> = stays.into_values().collect();
        // The order of a map differs from run to run.
        stays.sort_unstable_by_key(|stay| (stay.pushed.0, stay.item));
        if is_complete && let Some(lost) = stays.iter().find(|stay| stay.popped == NEVER) {
            return Err(format!("{} did not come", name(lost.item)));
        }
        let places = stays.iter().enumerate().map(|(at, stay)| (stay.item, at)).collect();
        Ok(Self { stays, places, refusals, is_complete })
    }

    /// Checks that the queue kept its guarantees.
    ///
    /// # Errors
    /// A description of the violation.
    pub fn check(&self, promise: Promise) -> Result<Found, String> {
        let least_k = self.rank(promise.k)?.max(self.lateness(promise.k)?);
        self.empties(self.refusals.iter(), promise.most_when_empty)?;
        self.fulls(self.refusals.iter(), promise.least_when_full)?;
        Ok(Found { least_k, items: self.stays.len() })
    }

    /// Returns the end of each item's push and the beginning of its pop: in between it was
    /// certainly in the queue.
    fn certain(&self) -> Points {
        let leaves = |stay: &Stay| if stay.popped == NEVER && !self.is_complete { 0 } else { stay.popped.0 };
        Points::new(self.stays.iter().map(|stay| (stay.pushed.1, leaves(stay))))
    }

    /// Returns the number of popped items.
    #[must_use]
    pub fn items(&self) -> usize {
        self.came().count()
    }

    /// Returns the interval of the item's pop, if it was popped.
    #[must_use]
    pub fn popped(&self, item: Item) -> Option<(u64, u64)> {
        let at = *self.places.get(&item)?;
        Some(self.stays[at].popped).filter(|&popped| popped != NEVER)
    }

    fn came(&self) -> impl Iterator<Item = &Stay> {
        self.stays.iter().filter(|stay| stay.popped != NEVER)
    }

    /// Returns the greatest number of items that were certainly older than a popped one, and still
    /// in the queue after its pop; and that item.
    ///
    /// # Errors
    /// If that is more than `k`.
    pub fn rank(&self, k: usize) -> Result<usize, String> {
        self.rank_of(k, |_| true)
    }

    /// Computes [`rank`](Self::rank) over those popped items that are `asked`.
    ///
    /// # Errors
    /// The errors of [`rank`](Self::rank).
    pub fn rank_of(&self, k: usize, asked: impl Fn(Item) -> bool) -> Result<usize, String> {
        let came: Vec<&Stay> = self.came().filter(|stay| asked(stay.item)).collect();
        let older = self.certain().count(came.iter().map(|stay| (stay.pushed.0, stay.popped.1)));
        worst(k, &came, &older, |item, older| format!("{item} came while {older} older items were in the queue"))
    }

    /// Returns the greatest number of items that were popped while an item was certainly the
    /// oldest; and that item.
    ///
    /// # Errors
    /// If that is more than `k`.
    pub fn lateness(&self, k: usize) -> Result<usize, String> {
        // By the beginnings of their pushes: of the items so far, the two whose pops ended last.
        let mut latest = Vec::with_capacity(self.stays.len());
        let mut two = [(0, usize::MAX); 2];
        for (at, stay) in self.stays.iter().enumerate() {
            let this = (stay.popped.1, at);
            if this.0 >= two[0].0 {
                two = [this, two[0]];
            } else if this.0 > two[1].0 {
                two[1] = this;
            }
            latest.push(two);
        }
        let since = |at: usize, stay: &Stay| {
            // The stays are sorted by the beginnings of their pushes.
            let count = self.stays.partition_point(|other| other.pushed.0 <= stay.pushed.1);
            let [last, before] = latest[count - 1];
            if last.1 == at { before.0 } else { last.0 }.max(stay.pushed.1)
        };
        let came: Vec<&Stay> = self.came().collect();
        let queries = came.iter().map(|stay| (stay.popped.0, since(self.places[&stay.item], stay)));
        let pops = Points::new(came.iter().map(|stay| (stay.popped.1, stay.popped.0)));
        let younger = pops.count(queries);
        worst(k, &came, &younger, |item, younger| format!("{younger} younger items came while {item} was the oldest"))
    }

    /// Checks that `Empty` was true at a time during each of these calls.
    ///
    /// # Errors
    /// A call during which there were certainly more than `most` items all the time.
    pub fn empties<'a>(&self, calls: impl Iterator<Item = &'a Event>, most: usize) -> Result<(), String> {
        let calls = calls.filter(|event| event.what == What::Empty);
        let there = self.certain().count(calls.map(|event| (event.began, event.ended)));
        match there.into_iter().find(|&count| count > most) {
            Some(count) => Err(format!("Empty was said with {count} items in the queue all the time")),
            None => Ok(()),
        }
    }

    /// Checks that `Full` was true at a time during each of these calls.
    ///
    /// # Errors
    /// A call during which there were certainly less than `least` items all the time.
    pub fn fulls<'a>(&self, calls: impl Iterator<Item = &'a Event>, least: usize) -> Result<(), String> {
        // These items may have been in the queue at some time of the call.
        let possible = Points::new(self.stays.iter().map(|stay| (stay.pushed.0, stay.popped.1)));
        let calls = calls.filter(|event| event.what == What::Full);
        let there = possible.count(calls.map(|event| (event.ended, event.began)));
        match there.into_iter().find(|&count| count < least) {
            Some(count) => Err(format!("Full was said with {count} items in the queue at most")),
            None => Ok(()),
        }
    }
}

/// Returns the greatest count and its item, or an error if the count is more than `k`.
fn worst(k: usize, came: &[&Stay], counts: &[usize], say: impl Fn(String, usize) -> String) -> Result<usize, String> {
    match counts.iter().zip(came).max_by_key(|&(count, _)| count) {
        Some((&count, stay)) if count >= k => Err(format!("{}: k = {k} is broken", say(name(stay.item), count))),
        worst => Ok(worst.map_or(1, |(count, _)| count + 1)),
    }
}

/// Checks that each thread got each producer's items in the order of their pushes.
///
/// # Errors
/// The item that came to a thread after a younger one of its producer.
pub fn order_of_producers(logs: &[Log]) -> Result<(), String> {
    for log in logs {
        let mut last: HashMap<usize, Item> = HashMap::new();
        for event in &log.events {
            let What::Popped(item) = event.what else { continue };
            if let Some(younger) = last.insert(producer_of(item), item).filter(|&last| last > item) {
                return Err(format!("{} came to a consumer after {}", name(item), name(younger)));
            }
        }
    }
    Ok(())
}

/// Returns an item's name in messages.
pub(super) fn name(item: Item) -> String {
    format!("item {} of producer {}", item & 0xffff_ffff, producer_of(item))
}

/// Points in the plane, to be counted.
#[derive(Debug)]
struct Points(Vec<(u64, u64)>);

impl Points {
    fn new(points: impl Iterator<Item = (u64, u64)>) -> Self {
        let mut points: Vec<_> = points.collect();
        points.sort_unstable();
        Self(points)
    }

    /// Returns, for each query, how many points have a lesser first number and a greater second
    /// one.
    fn count(&self, queries: impl Iterator<Item = (u64, u64)>) -> Vec<usize> {
        let mut seconds: Vec<u64> = self.0.iter().map(|point| point.1).collect();
        seconds.sort_unstable();
        let queries: Vec<_> = queries.collect();
        let mut by_first: Vec<usize> = (0..queries.len()).collect();
        by_first.sort_unstable_by_key(|&query| queries[query].0);
        let (mut counts, mut added, mut sums) = (vec![0; queries.len()], 0, Sums::new(seconds.len()));
        for query in by_first {
            let (first, second) = queries[query];
            while let Some(point) = self.0.get(added).filter(|point| point.0 < first) {
                sums.add(seconds.partition_point(|&other| other < point.1));
                added += 1;
            }
            counts[query] = added - sums.before(seconds.partition_point(|&other| other <= second));
        }
        counts
    }
}

/// Prefix sums: how many have been added below each place (Fenwick's tree).
struct Sums(Vec<usize>);

impl Sums {
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

    fn before(&self, place: usize) -> usize {
        let (mut at, mut sum) = (place, 0);
        while at > 0 {
            sum += self.0[at];
            at &= at - 1;
        }
        sum
    }
}
