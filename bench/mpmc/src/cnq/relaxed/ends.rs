//! Queues that have an end for each thread, as the benchmarks open and use them.

use super::block_fifo::{self, BlockFifo};
use super::random_dequeue::{self, Rdq};
use super::segment_queue::{self, Sq};
use super::segments::{self, Bsq};
use super::time_stamped::{self, Rtsq};
use super::unbounded_segments::{self, Usq};
use super::words::{ITEM_BITS, ITEMS};
use crate::mpmc::stream::Opened;
use crate::mpmc::{Item, Receiver, Sender, Threads};

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

/// Divides the ends of all threads among producers and consumers.
fn divide<E>(mut senders: Vec<E>, threads: Threads) -> (Vec<E>, Vec<E>) {
    let receivers = senders.split_off(threads.producers);
    (senders, receivers)
}

fn all(threads: Threads) -> usize {
    threads.producers + threads.consumers
}

pub(super) fn bsq(k: usize, capacity: usize, threads: Threads) -> Opened<Bsq, Bsq> {
    Ok(divide(segments::new(k, capacity, all(threads))?, threads))
}

pub(super) fn usq(k: usize, threads: Threads) -> Opened<Usq, Usq> {
    Ok(divide(unbounded_segments::new(k, all(threads)), threads))
}

pub(super) fn sq(k: usize, threads: Threads) -> Opened<Sq, Sq> {
    Ok(divide(segment_queue::new(k, all(threads)), threads))
}

pub(super) fn rdq(k: usize, threads: Threads) -> Opened<Rdq, Rdq> {
    Ok(divide(random_dequeue::new(k, all(threads)), threads))
}

pub(super) fn rtsq(_capacity: usize, threads: Threads) -> Opened<Rtsq, Rtsq> {
    Ok(divide(time_stamped::new(all(threads)), threads))
}

pub(super) fn block_fifo(capacity: usize, threads: Threads) -> Opened<Blocks, Blocks> {
    let blocks = BLOCKS_PER_THREAD * threads.producers.max(threads.consumers);
    let blocks = blocks.clamp(FEWEST_BLOCKS, block_fifo::MOST_BLOCKS);
    Ok(divide(block_fifo::new(blocks, capacity, all(threads)), threads))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cnq::order::least_k;
    use crate::cnq::relaxed::dice::Dice;

    const THREADS: Threads = Threads::new(2, 2);

    /// Returns the order of the pops of a run in which four threads take turns, so that none is in the middle of an
    /// operation, and the greatest of it.
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
