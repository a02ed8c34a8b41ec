//! A thief that finds nothing has an item after the owner's next operation, if two are in the
//! queue.

use aqueduct::error::PopError;

use crate::common::{Form, Owns, Steals, both};
use aqueduct::queue::{Pop, Push};

fn one_operation_feeds_a_thief<F: Form<u64>>() {
    for items in 2..=64 {
        for pushes in [true, false] {
            let (mut owner, stealer) = F::make(8, 64);
            owner.fill(0..items - u64::from(pushes));
            assert!(stealer.steal().is_retry(), "less than a block, and nobody has asked yet");
            assert!(stealer.steal().is_retry(), "the owner has done nothing since, and thieves are patient");
            if pushes {
                assert!(owner.push(items).is_ok());
            } else {
                assert!(owner.pop().is_ok());
            }
            assert!(stealer.steal_granted().success().is_some(), "{items} items");
        }
    }
}
both!(fed: one_operation_feeds_a_thief);

/// An only item is made visible, and stays the owner's until a thief takes it; a steal request need
/// not be repeated.
fn an_only_item_is_popped<F: Form<u64>>() {
    let (mut owner, stealer) = F::make(8, 64);
    for round in 0..60 {
        assert!(stealer.steal().is_empty());
        assert!(owner.push(round).is_ok());
        assert_eq!((0..8).map(|block| stealer.granted(block)).sum::<usize>(), 1);
        assert_eq!(owner.pop(), Ok(round));
        assert_eq!(owner.pop(), Err(PopError::Empty));
    }
    assert!(stealer.steal().is_empty());
    assert!(owner.push(1).is_ok());
    assert_eq!(stealer.steal_granted().success(), Some(1));
    assert!(stealer.steal().success().is_none());
    assert!(owner.push(2).is_ok());
    assert!(stealer.steal_granted().success().is_some());
    assert!(owner.pop().is_err());
}
both!(popped: an_only_item_is_popped);

/// A thief that takes the last item requests the next one: the next push makes its item visible.
fn a_thief_of_the_last_item_asks<F: Form<u64>>() {
    let (mut owner, stealer) = F::make(2, 2048);
    assert!(stealer.steal().is_empty());
    for round in 0..1000 {
        assert!(owner.push(round).is_ok());
        assert_eq!(stealer.steal().success(), Some(round));
        assert_eq!(owner.pop(), Err(PopError::Empty));
    }
    assert!(owner.push(1000).is_ok());
    assert_eq!(owner.pop(), Ok(1000));
    assert!(owner.push(1001).is_ok());
    assert_eq!(stealer.steal_granted().success(), None, "nobody has asked since");
    assert_eq!(owner.pop(), Ok(1001));
}
both!(asked: a_thief_of_the_last_item_asks);

/// Thieves that request again and again get all but two items of an owner that takes the newest
/// ones, and at least half of another owner's.
fn thieves_get_half_and_half_again<F: Form<u64>>() {
    let (mut owner, stealer) = F::make(2, 64);
    owner.fill(0..64);
    let mut stolen = 0;
    for _ in 0..200 {
        stolen += usize::from(stealer.steal().success().is_some());
        if let Ok(item) = owner.pop() {
            assert!(owner.push(item).is_ok());
        }
    }
    assert!(stolen >= if F::NEWEST { 62 } else { 32 }, "{stolen} of 64");
}
both!(halves: thieves_get_half_and_half_again);
