//! The open-loop workload: an item's time counts from its due time, not from its push.
//!
//! A producer that waits for a slow queue sends later, so a closed loop puts no load on the queue
//! while it is slow, and its worst times go missing (coordinated omission). Here the times at which
//! items are due are drawn in advance from the rate alone.

use std::sync::atomic::{AtomicU64, Ordering};

use aqueduct_measure::run::Run;
use aqueduct_measure::times::{Timed, Times, ticks};
use quanta::Clock;

use super::kind::{Item, Receiver, Sender};
use super::work::{Consuming, Producing, Work};
use super::workload::Offered;

/// A word holds an item's number in its lower bits, and in the others when the item is due.
const NUMBER_BITS: u32 = 28;
/// The lowest bits of a time, which do not fit into a word: a time is exact to a nanosecond or two,
/// and a run may take 90 s.
const LOST_BITS: u32 = 2;

/// Most items of a run.
const MOST_ITEMS: u64 = (1 << NUMBER_BITS) - 1;

/// Returns the item `number`, which is due `due` ticks after the start.
fn due_item(number: u64, due: u64) -> Item {
    // Numbers start with 1.
    Item::new((due >> LOST_BITS) << NUMBER_BITS | number).unwrap_or(Item::MIN)
}

/// Returns an item's number, and when it is due.
fn number_and_due(item: Item) -> (u64, u64) {
    (item.get() & MOST_ITEMS, (item.get() >> NUMBER_BITS) << LOST_BITS)
}

/// [`Workload::OpenLoop`](super::workload::Workload::OpenLoop).
pub(super) struct OpenLoop {
    clock: Clock,
    /// The earliest due time of an item, in the clock's ticks; 0 before the first call of
    /// [`start`](Self::start).
    start: AtomicU64,
    /// Mean ticks from one item, or one burst, of a producer to its next.
    mean_gap: f64,
    at_once: u64,
}

impl OpenLoop {
    /// Returns the load that these producers offer.
    pub(super) fn new(offered: Offered, producers: usize) -> Self {
        let clock = Clock::new();
        let at_once = offered.arrival.at_once();
        let of_producer = offered.per_second.max(1) as f64 / producers as f64;
        let mean_gap = ticks(&clock, 1_000_000_000) as f64 * at_once as f64 / of_producer;
        Self { clock, start: AtomicU64::new(0), mean_gap, at_once }
    }

    /// Returns the earliest due time: soon, but late enough for all threads to have started.
    fn start(&self) -> u64 {
        /// Nanoseconds from the first thread's call.
        const SOON: u64 = 1_000_000;
        let soon = self.clock.raw() + ticks(&self.clock, SOON);
        // Ordering: Relaxed, the time alone is exchanged.
        self.start.compare_exchange(0, soon, Ordering::Relaxed, Ordering::Relaxed).map_or_else(|known| known, |_| soon)
    }
}

/// A producer that pushes items when they are due, or at once if they were due before.
pub(super) struct Sending<'w> {
    work: &'w OpenLoop,
    gaps: Gaps,
    /// The earliest due time of an item; 0 before the first item.
    start: u64,
    /// Ticks from the start to when the next item is due.
    due: u64,
    /// The number of items that are due then and not yet pushed.
    left: u64,
}

/// A consumer that reads how long ago an item was due.
pub(super) struct Timing<'w> {
    work: &'w OpenLoop,
    start: u64,
    since_due: Times,
}

impl Work for OpenLoop {
    const MOST_ITEMS: u64 = MOST_ITEMS;
    type Producing<'r> = Sending<'r>;
    type Consuming<'r> = Timing<'r>;

    fn producing<'r>(&'r self, _run: &'r Run, thread: usize) -> Sending<'r> {
        Sending { work: self, gaps: Gaps::new(thread, self.mean_gap), start: 0, due: 0, left: 0 }
    }

    fn consuming<'r>(&'r self, _run: &'r Run, _thread: usize) -> Timing<'r> {
        Timing { work: self, start: 0, since_due: Times::new(&self.clock) }
    }
}

impl Sending<'_> {
    /// Waits until the next item is due.
    fn wait(&self) {
        /// A wait of at least this number of the clock's ticks, some microseconds, offers the core
        /// to other threads.
        const LONG: u64 = 1 << 14;
        let due = self.start + self.due;
        loop {
            let now = self.work.clock.raw();
            match due.saturating_sub(now) {
                0 => return,
                LONG.. => std::thread::yield_now(),
                _ => std::hint::spin_loop(),
            }
        }
    }
}

impl Producing for Sending<'_> {
    fn make(&mut self, number: u64) -> Item {
        if self.start == 0 {
            self.start = self.work.start();
        }
        if self.left == 0 {
            self.left = self.work.at_once;
            self.due += self.gaps.next();
            self.wait();
        }
        self.left -= 1;
        due_item(number, self.due)
    }

    #[inline]
    fn push(&mut self, sender: &mut impl Sender, item: Item) -> bool {
        sender.push(item)
    }
}

impl Consuming for Timing<'_> {
    #[inline]
    fn pop(&mut self, receiver: &mut impl Receiver) -> Option<Item> {
        let item = receiver.pop()?;
        let now = self.work.clock.raw();
        if self.start == 0 {
            self.start = self.work.start();
        }
        let (_, due) = number_and_due(item);
        self.since_due.add(now.saturating_sub(self.start + due));
        Some(item)
    }

    #[inline]
    fn take(&mut self, item: Item) -> u64 {
        number_and_due(item).0
    }

    fn timed(self) -> Timed {
        Timed { since_due: Some(self.since_due), ..Timed::default() }
    }
}

/// Exponentially distributed gaps, equal in each run for the same thread.
struct Gaps {
    random: fastrand::Rng,
    mean: f64,
}

impl Gaps {
    fn new(thread: usize, mean: f64) -> Self {
        Self { random: fastrand::Rng::with_seed(thread as u64), mean }
    }

    fn next(&mut self) -> u64 {
        // 1 - x is more than 0, so the logarithm is finite.
        (-(1.0 - self.random.f64()).ln() * self.mean) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_carries_its_number_and_when_it_is_due() {
        for (number, due) in [(1, 0), (MOST_ITEMS, 4), (7, 1 << 37)] {
            assert_eq!(number_and_due(due_item(number, due)), (number, due));
        }
        assert_eq!(number_and_due(due_item(5, 1003)), (5, 1000), "rounded down to four ticks");
    }

    #[test]
    fn gaps_are_exponential_with_their_mean_and_alike_in_each_run() {
        const COUNT: usize = 100_000;
        let draw = |thread| {
            let mut gaps = Gaps::new(thread, 1000.0);
            std::iter::repeat_with(move || gaps.next()).take(COUNT).collect::<Vec<u64>>()
        };
        let drawn = draw(0);
        let mean = drawn.iter().sum::<u64>() as f64 / COUNT as f64;
        assert!((980.0..1020.0).contains(&mean), "{mean}");
        // Of an exponential distribution, 63 % lie below the mean and 5 % beyond three times the
        // mean.
        let share = |above: u64| drawn.iter().filter(|&&gap| gap > above).count() as f64 / COUNT as f64;
        assert!((0.36..0.38).contains(&share(1000)) && (0.045..0.055).contains(&share(3000)));
        assert_eq!(drawn, draw(0));
        assert_ne!(drawn, draw(1));
    }
}
