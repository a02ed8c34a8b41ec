//! The relaxed queues of `aqueduct-bench-published`, as contestants.

use aqueduct_bench_published::relaxed::block_fifo::{self, BlockFifo};
use aqueduct_bench_published::relaxed::distributed::{self, Balancer};
use aqueduct_bench_published::relaxed::random_dequeue::{self, Rdq};
use aqueduct_bench_published::relaxed::segment_queue::{self, Sq};
use aqueduct_bench_published::relaxed::segments::{self, Bsq};
use aqueduct_bench_published::relaxed::time_stamped::{self, Rtsq};
use aqueduct_bench_published::relaxed::unbounded_segments::{self, Usq};
use aqueduct_bench_published::relaxed::{ITEM_BITS, ITEMS, multi_fifo};

use super::contestant::{Contestant, Promise, opened};
use crate::mpmc::stream::Opened;
use crate::mpmc::{Item, Receiver, Sender, Threads};

/// Returns all of them, with these orders if they have one.
pub(super) fn all(orders: &[usize]) -> Vec<Contestant> {
    let mut all = vec![
        opened("relaxed/round_robin", true, Promise::Attempt, distributed::<distributed::Round>),
        opened("relaxed/two_choices", true, Promise::Attempt, distributed::<distributed::Choices>),
        opened("relaxed/least_recently_used", true, Promise::Attempt, distributed::<distributed::LeastRecent>),
        opened("relaxed/balanced_operations", true, Promise::Attempt, distributed::<distributed::Balanced>),
        opened("relaxed/multi_fifo", true, Promise::Attempt, multi_fifo),
        opened("relaxed/own_queues", true, Promise::Attempt, distributed::<distributed::Own>),
    ];
    all.push(opened("relaxed/time_stamped", true, Promise::PerProducer, rtsq));
    all.push(opened("relaxed/block_fifo", true, Promise::Attempt, block_fifo));
    for &k in orders {
        let promise = Promise::Order(k);
        all.extend([
            opened("relaxed/k_segment", true, promise, move |capacity, threads| bsq(k, capacity, threads)),
            opened("relaxed/k_segment_unbounded", true, promise, move |_, threads| usq(k, threads)),
            opened("relaxed/segment_queue", true, promise, move |_, threads| sq(k, threads)),
            opened("relaxed/random_dequeue", true, promise, move |_, threads| rdq(k, threads)),
        ]);
    }
    all
}

macro_rules! ends {
    ($($end:ty),+) => { $(
        impl Sender for $end {
            #[inline]
            fn push(&mut self, item: Item) -> bool {
                assert!(item.get() <= ITEMS, "items of {ITEM_BITS} bits");
                <$end>::push(self, item.get())
            }
        }

        impl Receiver for $end {
            #[inline]
            fn pop(&mut self) -> Option<Item> {
                <$end>::pop(self).and_then(Item::new)
            }
        }
    )+ };
}

/// Cells of a block, as the authors have them: a cache line with the header.
const CELLS: usize = 7;
/// Blocks of a window for each thread of the larger side.
const BLOCKS_PER_THREAD: usize = 2;
/// Fewest blocks of a window, as the authors have them.
const FEWEST_BLOCKS: usize = 8;

type Blocks = BlockFifo<CELLS>;

ends!(Bsq, Usq, Sq, Rdq, Rtsq, Blocks);

impl<B: Balancer> Sender for distributed::End<B> {
    #[inline(always)]
    fn push(&mut self, item: Item) -> bool {
        distributed::End::push(self, item)
    }
}

impl<B: Balancer> Receiver for distributed::End<B> {
    #[inline(always)]
    fn pop(&mut self) -> Option<Item> {
        distributed::End::pop(self)
    }
}

impl Sender for multi_fifo::End {
    #[inline(always)]
    fn push(&mut self, item: Item) -> bool {
        multi_fifo::End::push(self, item)
    }
}

impl Receiver for multi_fifo::End {
    #[inline(always)]
    fn pop(&mut self) -> Option<Item> {
        multi_fifo::End::pop(self)
    }
}

fn distributed<B: Balancer>(capacity: usize, threads: Threads) -> Opened<distributed::End<B>, distributed::End<B>> {
    Ok(distributed::open(capacity, threads))
}

fn multi_fifo(capacity: usize, threads: Threads) -> Opened<multi_fifo::End, multi_fifo::End> {
    Ok(multi_fifo::open(capacity, threads))
}

/// Divides the ends of all threads among producers and consumers.
fn divide<E>(mut senders: Vec<E>, threads: Threads) -> (Vec<E>, Vec<E>) {
    let receivers = senders.split_off(threads.producers);
    (senders, receivers)
}

fn count(threads: Threads) -> usize {
    threads.producers + threads.consumers
}

fn bsq(k: usize, capacity: usize, threads: Threads) -> Opened<Bsq, Bsq> {
    Ok(divide(segments::new(k, capacity, count(threads))?, threads))
}

fn usq(k: usize, threads: Threads) -> Opened<Usq, Usq> {
    Ok(divide(unbounded_segments::new(k, count(threads)), threads))
}

fn sq(k: usize, threads: Threads) -> Opened<Sq, Sq> {
    Ok(divide(segment_queue::new(k, count(threads)), threads))
}

fn rdq(k: usize, threads: Threads) -> Opened<Rdq, Rdq> {
    Ok(divide(random_dequeue::new(k, count(threads)), threads))
}

fn rtsq(_capacity: usize, threads: Threads) -> Opened<Rtsq, Rtsq> {
    Ok(divide(time_stamped::new(count(threads)), threads))
}

fn block_fifo(capacity: usize, threads: Threads) -> Opened<Blocks, Blocks> {
    let blocks = BLOCKS_PER_THREAD * threads.producers.max(threads.consumers);
    let blocks = blocks.clamp(FEWEST_BLOCKS, block_fifo::MOST_BLOCKS);
    Ok(divide(block_fifo::new(blocks, capacity, count(threads)), threads))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cnq::order::least_k;
    use aqueduct_bench_published::relaxed::dice::Dice;

    const THREADS: Threads = Threads::new(2, 2);

    /// Returns the order of the pops of a run in which four threads take turns, so that none is in
    /// the middle of an operation, and the greatest of it.
    fn order<E: Sender + Receiver>(opened: Opened<E, E>) -> Vec<u32> {
        let (mut senders, mut receivers) = opened.expect("a queue");
        let mut dice = Dice::of(9);
        let (mut pushed, mut popped) = (Vec::new(), Vec::new());
        for (number, lap) in (1..).zip(0..6000) {
            // More pushes at first, more pops then.
            let pushes = if lap % 1000 < 500 { 3 } else { 1 };
            if dice.throw(4) < pushes {
                let end = &mut senders[dice.throw(THREADS.producers)];
                if end.push(Item::new(number).expect("not 0")) {
                    pushed.push(number);
                }
            } else {
                popped.extend(receivers[dice.throw(THREADS.consumers)].pop().map(Item::get));
            }
        }
        popped.extend(std::iter::from_fn(|| receivers[0].pop()).map(Item::get));
        let order = least_k(&pushed, &popped);
        popped.sort_unstable();
        assert_eq!(popped, pushed, "each item comes once");
        order
    }

    fn greatest(order: &[u32]) -> usize {
        order.iter().copied().max().map_or(0, |greatest| greatest as usize)
    }

    #[test]
    fn a_pop_takes_one_of_the_k_oldest_items() {
        for k in [1, 2, 8, 50] {
            let all = [
                ("BSQ", greatest(&order(bsq(k, 1000, THREADS)))),
                ("USQ", greatest(&order(usq(k, THREADS)))),
                ("SQ", greatest(&order(sq(k, THREADS)))),
                ("RDQ", greatest(&order(rdq(k, THREADS)))),
            ];
            for (name, found) in all {
                assert!(found <= k, "{name}: {found} of {k}");
                assert!(found > k / 2, "{name}: {found} of {k}: it is relaxed");
            }
        }
    }

    #[test]
    fn time_stamps_keep_the_order_but_for_numbers_of_pops_that_found_nothing() {
        let found = greatest(&order(rtsq(0, THREADS)));
        assert!(found <= THREADS.consumers, "{found}: each other consumer may have such a number");
    }

    #[test]
    fn an_item_of_a_window_overtakes_those_of_few_windows() {
        let order = order(block_fifo(4096, THREADS));
        let window = FEWEST_BLOCKS * CELLS;
        // The other producer may have filled windows since the item's own took its block.
        assert!(greatest(&order) <= 3 * window, "{}", greatest(&order));
        let mean = order.iter().copied().map(u64::from).sum::<u64>() / order.len() as u64;
        assert!((2..=window as u64).contains(&mean), "{mean}");
    }

    #[test]
    fn queues_with_a_bound_keep_it() {
        let fill = |senders: &mut [Blocks]| (1..).take_while(|&n| senders[0].push(n)).count();
        let (mut senders, mut receivers) = block_fifo(500, Threads::PAIR).expect("a queue");
        for _ in 0..5 {
            let room = fill(&mut senders);
            assert!((500..=700).contains(&room), "{room}");
            assert_eq!(std::iter::from_fn(|| receivers[0].pop()).count(), room);
        }
    }
}
