//! The queues return every item once, in order.

use super::ours::{Dynamic, Fixed, Tagged, Wide};
use crate::mpmc::trial::{exchanges, laps};
use crate::nblfq::concurrent::Of;

#[test]
fn every_item_comes_once_and_in_order() {
    exchanges::<Of<Tagged<Fixed<16>>>>();
    exchanges::<Of<Wide<Fixed<16>>>>();
    exchanges::<Of<Tagged<Dynamic>>>();
    exchanges::<Of<Wide<Dynamic>>>();
    exchanges::<Of<super::ncq::Ncq>>();
    exchanges::<Of<super::looping::Looping>>();
    #[cfg(target_arch = "x86_64")]
    exchanges::<Of<super::scqp::Scqp>>();
    #[cfg(all(feature = "peers", target_arch = "x86_64"))]
    exchanges::<Of<super::lcrq::Lcrq>>();
    #[cfg(feature = "peers")]
    {
        exchanges::<Of<super::michael_scott::MichaelScott>>();
        exchanges::<Of<crate::nblfq::peers::SegQueue>>();
    }
}

#[test]
fn those_with_bounds_hold_what_they_say() {
    assert_eq!(laps::<Of<Tagged<Fixed<16>>>>(16), [16; 7]);
    assert_eq!(laps::<Of<Wide<Fixed<16>>>>(16), [16; 7]);
    assert_eq!(laps::<Of<Tagged<Dynamic>>>(5), [5; 7]);
    assert_eq!(laps::<Of<Wide<Dynamic>>>(5), [5; 7]);
    assert_eq!(laps::<Of<super::ncq::Ncq>>(16), [16; 7]);
    assert_eq!(laps::<Of<super::ncq::Ncq>>(5), [8; 7], "the next power of two");
    #[cfg(target_arch = "x86_64")]
    {
        assert_eq!(laps::<Of<super::scqp::Scqp>>(16), [16; 7]);
        assert_eq!(laps::<Of<super::scqp::Scqp>>(5), [8; 7], "the next power of two");
    }
}

/// Checks that lists hold more items than a ring has cells, and free items and nodes when they are
/// dropped.
#[cfg(feature = "peers")]
#[test]
fn lists_have_as_much_room_as_is_wanted() {
    use crate::nblfq::concurrent::Concurrent;

    fn check<C: Concurrent>() {
        let list = C::open(16).expect("memory");
        let item = |number| crate::mpmc::Item::new(number).expect("not 0");
        assert!((1..=5000).all(|number| list.push(item(number))));
        assert!((1..=4000).all(|number| list.pop() == Some(item(number))));
        assert!((5001..=5100).all(|number| list.push(item(number))));
        assert!((4001..=5050).all(|number| list.pop() == Some(item(number))));
    }
    check::<super::michael_scott::MichaelScott>();
    check::<crate::nblfq::peers::SegQueue>();
    #[cfg(target_arch = "x86_64")]
    check::<super::lcrq::Lcrq>();
}
