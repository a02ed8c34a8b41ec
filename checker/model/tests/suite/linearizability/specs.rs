//! The ready specifications: the results that each allows and refuses.

use aqueduct_model::linearizability::DequeOp::{Pop as Take, Push as Put, Steal};
use aqueduct_model::linearizability::QueueOp::{Pop, Push};
use aqueduct_model::linearizability::QueueResult::{Busy, Empty, Full, Popped, Pushed};
use aqueduct_model::linearizability::RegisterOp::{CompareExchange, Read, Swap, Write};
use aqueduct_model::linearizability::RegisterResult::{Failed, Value, Written};
use aqueduct_model::linearizability::{Deque, DropOld, Fifo, KFifo, Record, Register, Spec, Stack};

/// Whether one thread may see these results. If not, the last call is the one that is refused.
fn one_by_one<S: Spec>(spec: S, calls: impl IntoIterator<Item = (S::Input, S::Output)>) -> bool {
    let mut record = Record::new(spec);
    for (input, output) in calls {
        record.add(0, input, output, &[]);
    }
    let found = record.linearization();
    if let Err(error) = &found {
        assert_eq!(error.longest.len(), record.len() - 1, "{error}");
    }
    found.is_ok()
}

/// Whether threads that are not ordered may see these results.
fn at_once<S: Spec>(spec: S, calls: impl IntoIterator<Item = (S::Input, S::Output)>) -> bool {
    let mut record = Record::new(spec);
    for (thread, (input, output)) in calls.into_iter().enumerate() {
        record.add(thread, input, output, &[]);
    }
    record.linearization().is_ok()
}

fn pushed<T>(items: impl IntoIterator<Item = T>) -> Vec<(aqueduct_model::linearizability::QueueOp<T>, Result<T>)> {
    items.into_iter().map(|item| (Push(item), Pushed)).collect()
}

type Result<T> = aqueduct_model::linearizability::QueueResult<T>;

#[test]
fn fifo() {
    assert!(one_by_one(Fifo::new(), [(Pop, Empty), (Push(1), Pushed), (Push(2), Pushed), (Pop, Popped(1))]));
    assert!(one_by_one(Fifo::new(), [(Push(1), Pushed), (Push(2), Pushed), (Pop, Popped(1)), (Pop, Popped(2))]));
    assert!(!one_by_one(Fifo::new(), [(Push(1), Pushed), (Push(2), Pushed), (Pop, Popped(2))]));
    assert!(!one_by_one(Fifo::new(), [(Push(1), Pushed), (Pop, Popped(1)), (Pop, Popped(1))]));
    assert!(!one_by_one(Fifo::new(), [(Push(1), Pushed), (Pop, Empty)]));
    assert!(!one_by_one(Fifo::new(), [(Push(1), Full)]));
    assert!(!one_by_one(Fifo::new(), [(Push(1), Popped(1))]));
    assert!(!one_by_one(Fifo::<i32>::new(), [(Pop, Pushed)]));
    assert!(!one_by_one(Fifo::<i32>::new(), [(Pop, Busy)]));
    assert!(at_once(Fifo::new(), [(Pop, Popped(2)), (Push(1), Pushed), (Push(2), Pushed), (Pop, Popped(1))]));
    assert!(!at_once(Fifo::new(), [(Pop, Popped(1)), (Push(1), Pushed), (Pop, Popped(1))]));
    assert!(at_once(Fifo::<i32>::new(), [(Pop, Busy), (Pop, Empty)]));
}

#[test]
fn bounded_fifo() {
    let queue = || Fifo::new().bounded(2);
    assert!(one_by_one(queue(), [pushed([1, 2]), vec![(Push(3), Full), (Pop, Popped(1)), (Push(3), Pushed)]].concat()));
    assert!(!one_by_one(queue(), [(Push(1), Pushed), (Push(2), Full)]));
    assert!(!one_by_one(queue(), pushed([1, 2, 3])));
    assert!(at_once(queue(), [pushed([1, 2]), vec![(Push(3), Full)]].concat()));
    assert!(!at_once(queue(), pushed([1, 2, 3])));
    // Two items fit for sure, four perhaps.
    let elastic = || Fifo::new().bounded_between(2, 4);
    for fit in 2..=4 {
        assert!(one_by_one(elastic(), [pushed(0..fit), vec![(Push(9), Full)]].concat()));
    }
    assert!(!one_by_one(elastic(), [(Push(1), Pushed), (Push(2), Full)]));
    assert!(!one_by_one(elastic(), pushed(0..5)));
}

#[test]
#[should_panic(expected = "a capacity between 2 and 1 does not exist")]
fn a_capacity_that_does_not_exist() {
    let _ = Fifo::<u8>::new().bounded_between(2, 1);
}

#[test]
fn stack() {
    assert!(one_by_one(
        Stack::new(),
        [pushed([1, 2]), vec![(Pop, Popped(2)), (Pop, Popped(1)), (Pop, Empty)]].concat()
    ));
    assert!(!one_by_one(Stack::new(), [pushed([1, 2]), vec![(Pop, Popped(1))]].concat()));
    assert!(!one_by_one(Stack::new(), [pushed([1]), vec![(Pop, Empty)]].concat()));
    assert!(!one_by_one(Stack::<i32>::new(), [(Pop, Popped(1))]));
    assert!(!one_by_one(Stack::new(), [(Push(1), Full)]));
    assert!(one_by_one(Stack::new().bounded(1), [(Push(1), Pushed), (Push(2), Full), (Pop, Popped(1))]));
    assert!(!one_by_one(Stack::new().bounded(1), pushed([1, 2])));
    assert!(at_once(Stack::new(), [pushed([1, 2]), vec![(Pop, Popped(1)), (Pop, Popped(2))]].concat()));
    assert!(at_once(Stack::<i32>::new(), [(Pop, Busy), (Pop, Empty)]));
}

#[test]
fn k_fifo_by_rank() {
    let takes = |k, items: &[i32]| {
        let pops = items.iter().map(|&item| (Pop, Popped(item))).collect();
        one_by_one(KFifo::by_rank(k), [pushed([1, 2, 3, 4]), pops].concat())
    };
    assert!(takes(1, &[1, 2, 3, 4]));
    assert!(!takes(1, &[2]));
    assert!(takes(2, &[2, 3, 4, 1]));
    assert!(!takes(2, &[3]));
    assert!(takes(3, &[3, 4, 2, 1]));
    assert!(!takes(3, &[4]));
    assert!(!takes(2, &[1, 1]));
    assert!(!one_by_one(KFifo::by_rank(2), [(Push(1), Pushed), (Pop, Empty)]));
    assert!(one_by_one(KFifo::<i32>::by_rank(2), [(Pop, Empty)]));
    assert!(one_by_one(KFifo::by_rank(2).bounded(1), [(Push(1), Pushed), (Push(2), Full)]));
    assert!(!one_by_one(KFifo::by_rank(2).bounded(1), pushed([1, 2])));
}

#[test]
fn k_fifo_by_lateness() {
    let takes = |spec: KFifo<i32>, items: &[i32]| {
        let pops = items.iter().map(|&item| (Pop, Popped(item))).collect();
        one_by_one(spec, [pushed([1, 2, 3, 4]), pops].concat())
    };
    // The oldest is among the next two.
    assert!(takes(KFifo::by_lateness(2), &[4, 1, 3, 2]));
    assert!(!takes(KFifo::by_lateness(2), &[4, 3]));
    assert!(takes(KFifo::by_lateness(3), &[4, 3, 1, 2]));
    assert!(!takes(KFifo::by_lateness(1), &[2]));
    // These orders are within both bounds.
    assert!(takes(KFifo::new(2), &[2, 1, 4, 3]));
    assert!(!takes(KFifo::new(2), &[3]));
    assert!(!takes(KFifo::new(2), &[2, 3]));
    assert!(takes(KFifo::new(3), &[2, 3, 1, 4]));
    assert!(!takes(KFifo::new(3), &[2, 3, 4]));
    assert!(at_once(KFifo::<i32>::new(2), [(Pop, Busy), (Pop, Empty)]));
    assert!(!one_by_one(KFifo::<i32>::new(2), [(Pop, Busy)]));
}

#[test]
#[should_panic(expected = "a k of 1")]
fn a_k_of_zero() {
    let _ = KFifo::<u8>::new(0);
}

#[test]
fn drop_old() {
    let after = |spec: DropOld<i32>, pushes: i32, pops: &[(i32, usize)]| {
        let mut calls: Vec<_> = (0..pushes).map(|item| (Push(item), Pushed)).collect();
        calls.extend(pops.iter().map(|&pop| (Pop, Popped(pop))));
        one_by_one(spec, calls)
    };
    let two = || DropOld::new(2);
    assert!(after(two(), 2, &[(0, 0), (1, 0)]));
    assert!(after(two(), 3, &[(1, 1), (2, 0)]));
    assert!(after(two(), 5, &[(3, 3), (4, 0)]));
    assert!(!after(two(), 3, &[(0, 0)]));
    assert!(!after(two(), 3, &[(1, 0)]));
    assert!(!after(two(), 3, &[(1, 1), (2, 1)]));
    assert!(!after(two(), 2, &[(1, 1)]));
    let again = [(Push(1), Pushed), (Pop, Popped((1, 0))), (Pop, Empty)];
    assert!(one_by_one(two(), again));
    // A popped item does not count as lost.
    let mut more = again[..2].to_vec();
    more.extend([(Push(2), Pushed), (Push(3), Pushed), (Pop, Popped((2, 0)))]);
    assert!(one_by_one(two(), more));
    assert!(!one_by_one(two(), [(Push(1), Pushed), (Pop, Empty)]));
    assert!(!one_by_one(two(), [(Push(1), Full)]));
    // There are two blocks of two: the fifth item takes the place of the first two.
    let blocks = || DropOld::in_blocks(2, 2);
    assert!(after(blocks(), 4, &[(0, 0), (1, 0), (2, 0), (3, 0)]));
    assert!(after(blocks(), 5, &[(2, 2), (3, 0), (4, 0)]));
    assert!(after(blocks(), 6, &[(2, 2), (3, 0), (4, 0), (5, 0)]));
    assert!(after(blocks(), 7, &[(4, 4)]));
    assert!(!after(blocks(), 5, &[(1, 1)]));
    assert!(!after(blocks(), 6, &[(4, 4)]));
    // One of the two dropped items was popped before.
    let popped = [(Push(0), Pushed), (Pop, Popped((0, 0)))];
    let mut rest: Vec<_> = popped.to_vec();
    rest.extend((1..5).map(|item| (Push(item), Pushed)));
    rest.push((Pop, Popped((2, 1))));
    assert!(one_by_one(blocks(), rest));
    assert!(at_once(two(), [(Push(1), Busy), (Pop, Empty)]));
    assert!(!one_by_one(two(), [(Push(1), Busy)]));
    // There are three blocks of two, one of them spare: from the fifth item on, the first two may
    // be skipped.
    let spare = || DropOld::in_blocks(3, 2).with_spare(1);
    assert!(!after(spare(), 4, &[(2, 2)]));
    assert!(after(spare(), 5, &[(0, 0), (1, 0), (2, 0)]));
    assert!(after(spare(), 5, &[(2, 2), (3, 0)]));
    assert!(!after(spare(), 5, &[(2, 0)]));
    assert!(!after(spare(), 5, &[(3, 3)]));
    assert!(after(spare(), 7, &[(2, 2), (3, 0)]));
    assert!(after(spare(), 7, &[(4, 4)]));
    assert!(!after(spare(), 7, &[(6, 6)]));
}

#[test]
fn deques() {
    let three = || [(Put(1), Pushed), (Put(2), Pushed), (Put(3), Pushed)].to_vec();
    let then = |spec: Deque<i32>, more: &[(_, _)]| one_by_one(spec, [three(), more.to_vec()].concat());
    assert!(then(
        Deque::lifo(),
        &[(Take, Popped(3)), (Steal, Popped(1)), (Take, Popped(2)), (Take, Empty), (Steal, Empty)]
    ));
    assert!(!then(Deque::lifo(), &[(Take, Popped(1))]));
    assert!(!then(Deque::lifo(), &[(Steal, Popped(3))]));
    assert!(!then(Deque::lifo(), &[(Steal, Popped(2))]));
    assert!(then(Deque::fifo(), &[(Take, Popped(1)), (Steal, Popped(2)), (Take, Popped(3)), (Steal, Empty)]));
    assert!(!then(Deque::fifo(), &[(Take, Popped(3))]));
    assert!(!then(Deque::fifo(), &[(Steal, Popped(2))]));
    assert!(!then(Deque::fifo(), &[(Take, Empty)]));
    assert!(then(Deque::fifo().steals_anywhere(), &[(Steal, Popped(2)), (Take, Popped(1)), (Steal, Popped(3))]));
    assert!(!then(Deque::fifo().steals_anywhere(), &[(Take, Popped(2))]));
    assert!(!then(Deque::fifo().steals_anywhere(), &[(Steal, Popped(4))]));
    // The owner hides up to two items from thieves.
    let hides = || Deque::lifo().hides(2);
    assert!(then(hides(), &[(Steal, Popped(1)), (Steal, Empty), (Take, Popped(3))]));
    assert!(!then(hides(), &[(Steal, Empty)]));
    assert!(!then(hides(), &[(Take, Popped(3)), (Take, Empty)]));
    // One item goes to the owner or to the thief.
    assert!(at_once(Deque::lifo(), [(Put(1), Pushed), (Take, Popped(1)), (Steal, Empty)]));
    assert!(at_once(Deque::lifo(), [(Put(1), Pushed), (Take, Empty), (Steal, Popped(1))]));
    assert!(!at_once(Deque::lifo(), [(Put(1), Pushed), (Take, Popped(1)), (Steal, Popped(1))]));
    assert!(at_once(Deque::lifo(), [(Put(1), Pushed), (Take, Popped(1)), (Steal, Busy)]));
    assert!(!one_by_one(Deque::lifo(), [(Put(1), Pushed), (Steal, Busy)]));
    assert!(one_by_one(Deque::fifo().bounded(1), [(Put(1), Pushed), (Put(2), Full)]));
    assert!(!one_by_one(Deque::fifo().bounded(1), [(Put(1), Full)]));
}

#[test]
fn register() {
    let exchange = CompareExchange { expected: 1, new: 2 };
    assert!(one_by_one(
        Register::new(0),
        [(Read, Value(0)), (Write(1), Written), (Swap(5), Value(1)), (Read, Value(5))]
    ));
    assert!(one_by_one(Register::new(1), [(exchange, Value(1)), (Read, Value(2)), (exchange, Failed(2))]));
    assert!(!one_by_one(Register::new(0), [(Read, Value(1))]));
    assert!(!one_by_one(Register::new(0), [(Write(1), Written), (Read, Value(0))]));
    assert!(!one_by_one(Register::new(0), [(Swap(5), Value(5))]));
    assert!(!one_by_one(Register::new(0), [(exchange, Value(0))]));
    assert!(!one_by_one(Register::new(0), [(exchange, Value(1))]));
    assert!(!one_by_one(Register::new(1), [(exchange, Failed(1))]));
    assert!(!one_by_one(Register::new(0), [(exchange, Failed(3))]));
    assert!(!one_by_one(Register::new(0), [(Write(1), Value(1))]));
    assert!(at_once(Register::new(0), [(Read, Value(1)), (Read, Value(0)), (Write(1), Written)]));
    assert!(!at_once(Register::new(0), [(Swap(1), Value(0)), (Swap(2), Value(0))]));
}
