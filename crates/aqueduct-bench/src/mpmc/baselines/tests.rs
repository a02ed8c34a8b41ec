//! Every baseline gives back every item once, in order.

use super::super::trial::{exchanges, laps};
use super::bbq::{PopRefused, PublishedBbq, PushRefused};
use super::{BbqByCompareExchange, BbqByFetchAndAdd, LockedCircularBuffer, ScqWithData};

#[test]
fn every_item_comes_once_and_in_order() {
    exchanges::<BbqByFetchAndAdd>();
    exchanges::<BbqByCompareExchange>();
    exchanges::<ScqWithData>();
    exchanges::<LockedCircularBuffer>();
}

#[test]
fn each_holds_what_it_says() {
    assert_eq!(laps::<BbqByFetchAndAdd>(16), [16; 7]);
    assert_eq!(laps::<BbqByCompareExchange>(16), [16; 7]);
    assert_eq!(laps::<ScqWithData>(16), [16; 7]);
    assert_eq!(laps::<LockedCircularBuffer>(16), [31; 7]);
    assert_eq!(laps::<LockedCircularBuffer>(15), [15; 7]);
}

#[test]
fn the_published_queue_wants_a_block_back_as_a_whole() {
    let queue = PublishedBbq::<u64, true>::with_blocks(2, 2);
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
