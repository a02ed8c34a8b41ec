//! Every baseline gives back every item once, in order.

use super::super::Threads;
use super::super::kind::Kind;
use super::super::trial::{exchanges, laps};
use super::bbq::{BY_ADDITION, PopRefused, PublishedBbq, PushRefused};
use super::{BbqByCompareExchange, BbqByFetchAndAdd, BbqSingle, LockedCircularBuffer, MOST_ITEMS, ScqWithData, ends};

#[test]
fn every_item_comes_once_and_in_order() {
    exchanges::<BbqByFetchAndAdd>();
    exchanges::<BbqByCompareExchange>();
    exchanges::<BbqSingle>();
    exchanges::<ScqWithData>();
    exchanges::<ends::Looping>();
    exchanges::<ends::Turn>();
    #[cfg(target_arch = "x86_64")]
    {
        exchanges::<ends::Wcq>();
        exchanges::<ends::Ymc>();
    }
    exchanges::<LockedCircularBuffer>();
}

#[test]
fn each_holds_what_it_says() {
    assert_eq!(laps::<BbqByFetchAndAdd>(16), [16; 7]);
    assert_eq!(laps::<BbqByCompareExchange>(16), [16; 7]);
    assert_eq!(laps::<BbqSingle>(16), [16; 7]);
    assert_eq!(laps::<ScqWithData>(16), [16; 7]);
    #[cfg(target_arch = "x86_64")]
    assert_eq!(laps::<ends::Wcq>(16), [16; 7]);
    assert_eq!(laps::<LockedCircularBuffer>(16), [31; 7]);
    assert_eq!(laps::<LockedCircularBuffer>(15), [15; 7]);
}

#[test]
fn more_items_than_are_possible_are_refused() {
    fn refuses<K: Kind>() {
        for capacity in [MOST_ITEMS + 1, usize::MAX] {
            let Err(refused) = K::open(capacity, Threads::PAIR) else { panic!("{} holds {capacity}", K::NAME) };
            assert!(refused.contains(&format!("{capacity} items: up to {MOST_ITEMS}")), "{refused}");
        }
    }
    refuses::<BbqByFetchAndAdd>();
    refuses::<BbqByCompareExchange>();
    refuses::<ScqWithData>();
    refuses::<LockedCircularBuffer>();
}

#[test]
fn the_largest_published_queue_has_blocks_that_their_offsets_can_count() {
    let blocks = |capacity: usize| PublishedBbq::<u64, BY_ADDITION>::division(capacity);
    assert_eq!(blocks(MOST_ITEMS), (1 << 7, 1 << 22));
    assert_eq!(blocks(MOST_ITEMS * 2), (1 << 7, 1 << 23), "one more bit is too many");
}

#[test]
fn the_published_queue_wants_a_block_back_as_a_whole() {
    let queue = PublishedBbq::<u64, BY_ADDITION>::with_blocks(2, 2);
    assert_eq!(queue.pop(), Err(PopRefused::Empty));
    for number in 0..4 {
        assert_eq!(queue.push(number), Ok(()));
    }
    assert_eq!(queue.push(4), Err(PushRefused::Full));
    assert_eq!(queue.pop(), Ok(0));
    assert_eq!(queue.push(4), Err(PushRefused::Full), "half of the first block is still to be read");
    assert_eq!(queue.pop(), Ok(1));
    assert_eq!(queue.push(4), Ok(()));
    assert_eq!([2, 3, 4].map(|_| queue.pop()), [Ok(2), Ok(3), Ok(4)]);
}
