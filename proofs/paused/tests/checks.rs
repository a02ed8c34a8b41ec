//! The checks report errors, count by the definitions, and accept right runs.

use aqueduct_paused::pauses::Dice;
use aqueduct_paused::workouts::checks::{History, Promise, order_of_producers};
use aqueduct_paused::workouts::log::{Event, Item, Log, What, item};

/// Makes the log of one thread: the beginning, the end, and the result of each call.
fn log(events: &[(u64, u64, What)]) -> Log {
    let events = events.iter().map(|&(began, ended, what)| Event { began, ended, what }).collect();
    Log { events, pending: None }
}

fn pushed(began: u64, ended: u64, number: usize) -> (u64, u64, What) {
    (began, ended, What::Pushed(item(0, number)))
}

fn popped(began: u64, ended: u64, number: usize) -> (u64, u64, What) {
    (began, ended, What::Popped(item(0, number)))
}

fn history(calls: &[(u64, u64, What)]) -> Result<History, String> {
    History::new(&[log(calls)], true)
}

#[track_caller]
fn is_wrong<T>(result: Result<T, String>, says: &str) {
    let what = result.err().expect("it is wrong");
    assert!(what.contains(says), "{what}");
}

#[test]
fn items_come_once_after_they_were_pushed() {
    is_wrong(history(&[pushed(1, 2, 0)]), "did not come");
    is_wrong(history(&[popped(1, 2, 0)]), "which nobody pushed");
    is_wrong(history(&[pushed(1, 2, 0), popped(3, 4, 0), popped(5, 6, 0)]), "came twice");
    is_wrong(history(&[popped(1, 2, 0), pushed(3, 4, 0)]), "before it was pushed");
    assert!(history(&[pushed(1, 4, 0), popped(2, 3, 0)]).is_ok(), "a push can end after the pop");
}

#[test]
fn an_item_of_a_push_that_was_broken_off_may_come() {
    let broken_off = Log { pending: Some((1, vec![item(0, 0)])), ..log(&[popped(2, 3, 0)]) };
    assert!(History::new(&[broken_off], false).is_ok());
}

#[test]
fn an_item_must_not_come_before_one_that_is_certainly_older() {
    let calls = [pushed(1, 2, 0), pushed(3, 4, 1), popped(5, 6, 1), popped(7, 8, 0)];
    is_wrong(history(&calls).expect("each once").check(Promise::fifo(2)), "1 older items were in the queue: k = 1");
    let overlapping_pushes = [pushed(1, 3, 0), pushed(2, 4, 1), popped(5, 6, 1), popped(7, 8, 0)];
    assert!(history(&overlapping_pushes).expect("each once").check(Promise::fifo(2)).is_ok());
    let overlapping_pops = [pushed(1, 2, 0), pushed(3, 4, 1), popped(5, 7, 1), popped(6, 8, 0)];
    assert!(history(&overlapping_pops).expect("each once").check(Promise::fifo(2)).is_ok());
}

/// With `k` = 3 two older items may be left behind, and not three; and the oldest may be overtaken
/// twice.
#[test]
fn k_bounds_both_how_many_are_left_behind_and_how_often_the_oldest_is_overtaken() {
    let four = [pushed(1, 2, 0), pushed(3, 4, 1), pushed(5, 6, 2), pushed(7, 8, 3)];
    let popping = |order: [usize; 4]| {
        let pops =
            order.into_iter().enumerate().map(|(at, number)| popped(10 + 2 * at as u64, 11 + 2 * at as u64, number));
        history(&four.into_iter().chain(pops).collect::<Vec<_>>()).expect("each once")
    };
    assert_eq!(popping([2, 1, 0, 3]).rank(3), Ok(3));
    is_wrong(popping([3, 0, 1, 2]).rank(3), "3 older items were in the queue: k = 3 is broken");
    assert_eq!(popping([1, 2, 0, 3]).lateness(3), Ok(3));
    is_wrong(popping([1, 2, 3, 0]).lateness(3), "3 younger items came while item 1 of producer 0 was the oldest");
    assert_eq!(popping([0, 1, 2, 3]).rank(1).and(popping([0, 1, 2, 3]).lateness(1)), Ok(1));
}

#[test]
fn refusals_have_to_be_true_at_a_time_during_the_call() {
    let check = |calls: &[(u64, u64, What)]| history(calls).expect("each once").check(Promise::fifo(1));
    let there = [pushed(1, 2, 0), popped(7, 8, 0)];
    is_wrong(check(&[there[0], (3, 4, What::Empty), there[1]]), "Empty was said with 1 items");
    assert!(check(&[there[0], (3, 7, What::Empty), popped(6, 8, 0)]).is_ok(), "it may have gone meanwhile");
    is_wrong(check(&[(1, 2, What::Full), pushed(3, 4, 0), popped(5, 6, 0)]), "Full was said with 0 items");
    assert!(check(&[(1, 4, What::Full), pushed(3, 5, 0), popped(6, 7, 0)]).is_ok(), "it may have come meanwhile");
}

#[test]
fn a_consumer_gets_a_producers_items_in_order() {
    is_wrong(order_of_producers(&[log(&[popped(1, 2, 1), popped(3, 4, 0)])]), "came to a consumer after");
    assert!(order_of_producers(&[log(&[popped(1, 2, 1)]), log(&[popped(3, 4, 0)])]).is_ok(), "two consumers");
}

/// Makes a run of a queue that takes one of its `k` oldest items, and its oldest after it was
/// overtaken `k - 1` times.
///
/// Each call takes effect at a time of its own, and its interval reaches up to `width` to either
/// side of that.
fn right_run(dice: &mut Dice, k: usize, width: usize) -> Vec<(u64, u64, What)> {
    let (mut there, mut calls, mut next, mut passed): (Vec<Item>, _, _, _) = (Vec::new(), Vec::new(), 0, 0);
    for time in 1..=400_u64 {
        let effect = 1000 * time;
        let what = if next < 150 && dice.one_in(2) {
            next += 1;
            there.push(item(0, next));
            What::Pushed(item(0, next))
        } else if there.is_empty() {
            What::Empty
        } else {
            let at = if passed + 1 == k { 0 } else { dice.below(k.min(there.len())) };
            passed = if at == 0 { 0 } else { passed + 1 };
            What::Popped(there.remove(at))
        };
        let mut reach = || dice.below(1000 * width + 1) as u64;
        calls.push((effect.saturating_sub(reach()), effect + 1 + reach(), what));
    }
    calls.extend(there.iter().zip(500_u64..).map(|(&item, time)| (1000 * time, 1000 * time + 1, What::Popped(item))));
    calls
}

/// Returns the number of certainly older items that were certainly in the queue at an item's pop,
/// by the definition.
fn rank_by_definition(calls: &[(u64, u64, What)]) -> usize {
    let push = |item| *calls.iter().find(|call| call.2 == What::Pushed(item)).expect("it was pushed");
    let pops: Vec<_> = calls.iter().filter_map(|&(began, ended, what)| Some((began, ended, what.popped()?))).collect();
    let older = |&(_, ended, item): &(u64, u64, Item)| {
        pops.iter().filter(|other| push(other.2).1 < push(item).0 && other.0 > ended).count()
    };
    pops.iter().map(older).max().unwrap_or(0) + 1
}

/// Returns the number of younger items that were popped while an item was certainly the oldest, by
/// the definition.
fn lateness_by_definition(calls: &[(u64, u64, What)]) -> usize {
    let push = |item| *calls.iter().find(|call| call.2 == What::Pushed(item)).expect("it was pushed");
    let pops: Vec<_> = calls.iter().filter_map(|&(began, ended, what)| Some((began, ended, what.popped()?))).collect();
    let younger = |&(began, _, item): &(u64, u64, Item)| {
        let perhaps_older = pops.iter().filter(|other| other.2 != item && push(other.2).0 <= push(item).1);
        let since = perhaps_older.map(|other| other.1).max().unwrap_or(0).max(push(item).1);
        pops.iter().filter(|other| other.0 > since && other.1 < began).count()
    };
    pops.iter().map(younger).max().unwrap_or(0) + 1
}

#[test]
fn what_is_right_is_accepted_and_counted_as_the_definitions_say() {
    let mut dice = Dice::new(1);
    for round in 0..120 {
        let (k, width) = (1 + round % 5, round % 7);
        let calls = right_run(&mut dice, k, width);
        let promise = Promise { k, most_when_empty: 0, least_when_full: 0 };
        let history = history(&calls).expect("each item came once");
        let found = history.check(promise).unwrap_or_else(|what| panic!("round {round}: {what}"));
        assert_eq!(history.rank(usize::MAX), Ok(rank_by_definition(&calls)), "round {round}");
        assert_eq!(history.lateness(usize::MAX), Ok(lateness_by_definition(&calls)), "round {round}");
        assert!(width > 0 || k == 1 || found.least_k == k, "round {round}: without overlap, k shows: {found:?}");
    }
}
