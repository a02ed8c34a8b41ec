//! Linearizability: the search on partial orders made by hand, the ready specifications, and
//! clients in the model.

mod clients;
mod every_client;
mod order;
mod specs;

use aqueduct_model::linearizability::QueueOp::{self, Pop, Push};
use aqueduct_model::linearizability::QueueResult::{self, Busy, Empty, Full, Popped, Pushed};
use aqueduct_model::linearizability::{Fifo, MAX_CALLS, Record, Spec, Spurious};

/// A sequence of numbers that look random, and do not change between runs.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

type Queue = Fifo<usize>;

/// The calls of a record of a queue, kept beside it.
type Calls = Vec<(QueueOp<usize>, QueueResult<usize>)>;

fn random_history(dice: &mut Dice) -> (Record<Queue>, Calls) {
    let mut record = Record::new(Fifo::new().bounded(2));
    let mut calls = Calls::new();
    for number in 0..3 + dice.below(4) {
        let (input, output) = match dice.below(8) {
            0..4 => (Push(number), if dice.below(6) == 0 { Full } else { Pushed }),
            4..6 => (Pop, Popped(dice.below(number + 1))),
            6 => (Pop, Empty),
            _ => (Pop, Busy),
        };
        let after: Vec<usize> = (0..number).filter(|_| dice.below(6) == 0).collect();
        assert_eq!(record.add(dice.below(4), input, output, &after), number);
        calls.push((input, output));
    }
    (record, calls)
}

/// Whether the calls can come in this order.
fn explains(record: &Record<Queue>, calls: &Calls, order: &[usize]) -> bool {
    let mut queue = Fifo::new().bounded(2);
    order.iter().enumerate().all(|(place, &call)| {
        let (input, output) = &calls[call];
        let in_order = order[place + 1..].iter().all(|&later| !record.precedes(later, call));
        let overlapped = (0..calls.len()).any(|other| record.overlap(call, other));
        in_order && if *output == Busy { overlapped } else { queue.apply(input, output) }
    })
}

fn permutations(length: usize) -> Vec<Vec<usize>> {
    if length == 0 {
        return vec![Vec::new()];
    }
    let shorter = permutations(length - 1);
    let insert = |order: &Vec<usize>, at: usize| {
        let mut order = order.clone();
        order.insert(at, length - 1);
        order
    };
    shorter.iter().flat_map(|order| (0..length).map(move |at| insert(order, at))).collect()
}

#[test]
fn the_search_agrees_with_trying_every_order() {
    let orders: Vec<_> = (0..7).map(permutations).collect();
    let mut dice = Dice(7);
    let mut found = [0, 0];
    for _ in 0..3_000 {
        let (record, calls) = random_history(&mut dice);
        let expected = orders[calls.len()].iter().any(|order| explains(&record, &calls, order));
        match record.linearization() {
            Ok(order) => assert!(expected && explains(&record, &calls, &order), "{record}: {order:?}"),
            Err(error) => assert!(!expected, "{error}"),
        }
        found[usize::from(expected)] += 1;
    }
    assert!(found[0] > 300 && found[1] > 300, "both occur: {found:?}");
}

/// Without memory, the search would try all orders of the pushes: 24 factorial.
#[test]
fn the_search_remembers_what_leads_nowhere() {
    let mut record = Record::new(Fifo::new());
    for thread in 0..12 {
        record.add(thread, Push(1), Pushed, &[]);
        record.add(thread, Pop, Popped(1), &[]);
    }
    assert!(record.linearization().is_ok());
    record.add(12, Pop, Popped(2), &[]);
    let error = record.linearization().unwrap_err();
    assert_eq!(error.longest.len(), 24);
}

#[test]
fn order_is_transitive() {
    let mut record = Record::new(Fifo::new());
    let a = record.add(1, Push(1), Pushed, &[]);
    let b = record.add(2, Push(2), Pushed, &[a]);
    let c = record.add(3, Pop, Popped(1), &[b]);
    let d = record.add(1, Pop, Popped(2), &[]);
    assert!(record.precedes(a, b) && record.precedes(b, c) && record.precedes(a, c) && record.precedes(a, d));
    assert!(!record.precedes(c, a) && !record.overlap(a, c) && !record.overlap(c, c));
    assert!(record.overlap(d, c) && record.overlap(b, d));
    assert_eq!((record.len(), record.is_empty()), (4, false));
}

#[test]
fn busy_needs_a_call_that_overlaps() {
    let history = |after: &[usize]| {
        let mut record = Record::new(Fifo::new());
        record.add(1, Push(1), Pushed, &[]);
        record.add(2, Pop, Busy, after);
        record.linearization()
    };
    assert!(history(&[]).is_ok());
    let error = history(&[0]).unwrap_err();
    assert!(error.to_string().contains("Pop -> Busy (no other call overlaps, which could excuse it)"), "{error}");
}

#[test]
fn declared_results_are_allowed_by_the_state_or_by_overlap() {
    let lenient = || Spurious::new(Fifo::new().bounded(1), |_, result| *result == Full);
    let history = |spec, calls: &[(usize, QueueOp<usize>, QueueResult<usize>)]| {
        let mut record = Record::new(spec);
        for &(thread, input, output) in calls {
            record.add(thread, input, output, &[]);
        }
        record.linearization().is_ok()
    };
    // The queue is full, so no call has to overlap.
    assert!(history(lenient(), &[(0, Push(1), Pushed), (0, Push(2), Full)]));
    // The queue is not full, and another call overlaps.
    assert!(history(lenient(), &[(0, Push(1), Full), (1, Pop, Empty)]));
    // The queue is not full, and no call overlaps.
    assert!(!history(lenient(), &[(0, Push(1), Full), (0, Pop, Empty)]));
    // A result that was excused has no effect.
    assert!(!history(lenient(), &[(0, Push(1), Full), (1, Pop, Popped(1))]));
    // The specification's own declarations remain, and other results are not declared.
    assert!(history(lenient(), &[(0, Push(1), Busy), (1, Pop, Empty)]));
    assert!(!history(lenient(), &[(0, Push(1), Pushed), (0, Pop, Empty), (1, Push(2), Full)]));
    assert_eq!(format!("{:?}", lenient()), "Fifo { items: [] of 1 }");
}

#[test]
fn an_error_shows_the_calls_and_how_far_it_goes() {
    let mut record = Record::new(Fifo::new());
    record.add(0, Push(1), Pushed, &[]);
    record.add(1, Push(2), Pushed, &[0]);
    record.add(2, Pop, Popped(2), &[1]);
    let error = record.linearization().unwrap_err();
    assert_eq!(error.longest, [0, 1]);
    let expected = "\
the history is not linearizable: no order of these calls explains the results

  #  thread    call     result     after
  0  main      Push(1)  Pushed     -
  1  thread 1  Push(2)  Pushed     0
  2  thread 2  Pop      Popped(2)  1

the longest order that goes well: 0, 1
it leads to: Fifo { items: [1, 2] }
";
    let text = error.to_string();
    assert!(text.starts_with(expected), "{text}");
    assert!(text.ends_with("there the specification refuses each call that may come next:\n  2  Pop -> Popped(2)"));
}

#[test]
#[should_panic(expected = "at most 64 calls")]
fn too_many_calls() {
    let mut record = Record::new(Fifo::new());
    for call in 0..=MAX_CALLS {
        record.add(0, Push(call), Pushed, &[]);
        assert!(record.linearization().is_ok());
    }
}

#[test]
#[should_panic(expected = "only after calls that were added: [3]")]
fn a_call_after_one_that_does_not_exist() {
    Record::new(Fifo::new()).add(0, Push(1), Pushed, &[3]);
}
