//! Permits: slots that are reserved before the item is there.

use std::mem::forget;

use aqueduct::error::{PopError, PushError};
use aqueduct::exact::Permit;

use crate::items::Ledger;
use crate::{CAPACITIES, near_the_end, queue};

#[test]
fn permits_and_items_take_all_slots_together() {
    for &capacity in CAPACITIES {
        for (left, queue) in near_the_end(capacity) {
            for reserved in 0..=capacity {
                let permits: Vec<_> = (0..reserved).map(|_| queue.reserve().expect("a slot is free")).collect();
                for number in 0..capacity - reserved {
                    assert!(!queue.is_full());
                    assert_eq!(queue.push(number), Ok(()), "{capacity} slots, {left} laps left");
                }
                assert!(queue.is_full() && queue.len() == capacity - reserved && !queue.has_room_for(1));
                assert_eq!(queue.push(9), Err(PushError::Full(9)), "{capacity} slots, {left} laps left");
                assert_eq!(queue.reserve().map(drop), Err(PushError::Full(())), "{capacity} slots, {left} laps left");
                let numbers = capacity - reserved..capacity;
                permits.into_iter().zip(numbers).for_each(|(permit, number)| permit.push(number));
                assert!(queue.drain().eq(0..capacity), "{capacity} slots, {left} laps left");
            }
        }
    }
}

/// A permit takes no place in the order, and holds up no consumer, for however many laps.
#[test]
fn items_pass_a_permit_for_many_laps() {
    for &capacity in &CAPACITIES[1..] {
        for (_, queue) in near_the_end(capacity) {
            let permit = queue.reserve().expect("a slot is free");
            for number in 0..5 * capacity {
                assert_eq!((queue.push(number), queue.pop()), (Ok(()), Ok(number)), "{capacity} slots");
            }
            assert_eq!(queue.push(1), Ok(()));
            permit.push(2);
            assert!(queue.drain().eq([1, 2]), "{capacity} slots");
        }
    }
}

#[test]
fn a_permit_that_is_dropped_gives_its_slot_back() {
    for &capacity in CAPACITIES {
        let queue = queue(capacity);
        for number in 0..3 * capacity {
            drop(queue.reserve().expect("a slot is free"));
            assert!(queue.has_room_for(capacity), "{capacity} slots");
            assert_eq!((queue.push(number), queue.pop()), (Ok(()), Ok(number)), "{capacity} slots");
        }
    }
}

#[test]
fn a_permit_that_is_forgotten_keeps_its_slot_until_it_is_recalled() {
    let queue = queue(2);
    forget(queue.reserve());
    forget(queue.reserve());
    assert_eq!(queue.push(1), Err(PushError::Full(1)));
    // SAFETY: two permits have been forgotten.
    let [one, other] = [(); 2].map(|()| unsafe { Permit::recall(&queue) });
    one.push(1);
    drop(other);
    assert_eq!((queue.push(2), queue.push(3)), (Ok(()), Err(PushError::Full(3))));
    assert!(queue.drain().eq([1, 2]));
}

/// The count of permits has 16 bits.
#[test]
#[cfg_attr(miri, ignore = "as many permits as a count has take too long")]
fn too_many_permits_are_refused_and_the_order_survives() {
    let queue = queue(70_000);
    let mut permits: Vec<_> = (0..65_535).map(|_| queue.reserve().expect("a slot is free")).collect();
    assert_eq!(queue.reserve().map(drop), Err(PushError::Full(())));
    assert_eq!((queue.push(1), queue.is_full()), (Ok(()), false));
    permits.pop().expect("one of them").push(2);
    permits.push(queue.reserve().expect("one has been used"));
    drop(permits);
    assert!(queue.has_room_for(70_000 - 2) && queue.drain().eq([1, 2]));
    assert_eq!(queue.pop(), Err(PopError::Empty));
}

/// The queue may be dropped while a forgotten permit keeps a slot: the slot has no item.
#[test]
fn a_reserved_slot_has_nothing_to_drop() {
    let ledger = Ledger::new(2);
    let queue = queue(3);
    (0..2).for_each(|number| queue.push(ledger.token(number)).expect("there is room"));
    forget(queue.reserve());
    drop(queue);
    ledger.assert_all_dropped_once();
}
