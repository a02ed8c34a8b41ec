//! Clients with three and four threads on a side.

use std::ops::RangeInclusive;
use std::sync::Arc;

use aqueduct_model::linearizability::QueueResult;
use aqueduct_model::thread;

use crate::clients::threads::calls::{Beginning, Handles, Plan, begin, pop_from, push_to};
use crate::clients::threads::{Form, handles};

/// Runs the plan, and records all calls. In the end one thread has all handles, fills the queue and
/// empties it.
///
/// No room is lost, and `Full` and `Empty` are exact. Some order of the calls must explain them
/// all.
pub(crate) fn run<F: Form>(plan: Plan<F::Shape>, full: RangeInclusive<usize>) {
    run_of(handles::make::<F>(plan.shape, plan.pushes.len(), plan.pops.len()), plan.without_shape(), full);
}

fn run_of(mut handles: Handles, plan: Plan<()>, full: RangeInclusive<usize>) {
    let Beginning { history, mut numbers, has_all } = begin(&mut handles, &plan, full);
    assert!(has_all, "there is room for the plan's items");
    let (producers, mut consumers) = handles;
    let pushing: Vec<_> = (producers.into_iter().zip(plan.pushes))
        .map(|(mut producer, &pushes)| {
            let (history, numbers) = (Arc::clone(&history), numbers.by_ref().take(pushes).collect::<Vec<u64>>());
            thread::spawn(move || {
                numbers.into_iter().for_each(|number| _ = push_to(&history, &mut producer, number));
                producer
            })
        })
        .collect();
    let mut last = consumers.pop().expect("a consumer");
    let popping: Vec<_> = (consumers.into_iter().zip(plan.pops))
        .map(|(mut consumer, &pops)| {
            let history = Arc::clone(&history);
            thread::spawn(move || {
                (0..pops).for_each(|_| _ = pop_from(&history, &mut consumer));
                consumer
            })
        })
        .collect();
    for _ in 0..*plan.pops.last().expect("a consumer") {
        pop_from(&history, &mut last);
    }
    let ends = "a model thread that fails ends the execution";
    let mut producers: Vec<_> = pushing.into_iter().map(|thread| thread.join().expect(ends)).collect();
    let consumers: Vec<_> = popping.into_iter().map(|thread| thread.join().expect(ends)).collect();
    let refused = loop {
        match push_to(&history, &mut producers[0], numbers.next().expect("endless")) {
            QueueResult::Pushed => {}
            refused => break refused,
        }
    };
    assert_eq!(refused, QueueResult::Full, "nobody else is at work");
    let nothing = loop {
        match pop_from(&history, &mut last) {
            QueueResult::Popped(_) => {}
            nothing => break nothing,
        }
    };
    assert_eq!(nothing, QueueResult::Empty, "nobody else is at work");
    history.check();
    drop((consumers, producers, last));
}

/// Returns the scenes of a queue with one ring of `capacity` entries, empty and full, with at least
/// as many threads.
pub(crate) fn of_ring<S: Copy>(shape: S, capacity: usize) -> Vec<(&'static str, Plan<S>)> {
    let plan = Plan { shape, before: 0, filled: 0, pushes: &[1, 1, 1], pops: &[1] };
    vec![
        ("3x1", plan),
        ("3x1-full", Plan { before: 1, filled: capacity - 1, ..plan }),
        // Two producers fill the queue. The third one goes on when an item has been popped.
        ("3x1-slow", Plan { filled: capacity - 1, pushes: &[1, 1, 2], ..plan }),
        ("1x3", Plan { filled: 1, pushes: &[1], pops: &[1, 1, 1], ..plan }),
        ("1x3-full", Plan { before: 1, filled: capacity, pushes: &[1], pops: &[1, 1, 1], ..plan }),
        ("4x1", Plan { pushes: &[1, 1, 1, 1], pops: &[0], ..plan }),
        ("1x4", Plan { filled: capacity, pushes: &[0], pops: &[1, 1, 1, 1], ..plan }),
    ]
}

/// Returns scenes of three and four threads on both sides, each for a lap and more. They have too
/// many executions to explore all.
pub(crate) fn walks<S: Copy>(shape: S, capacity: usize) -> Vec<(&'static str, Plan<S>)> {
    let plan = Plan { shape, before: 1, filled: 0, pushes: &[2, 2, 2], pops: &[2, 2, 2] };
    vec![
        ("3x3", plan),
        ("3x3-full", Plan { filled: capacity, pushes: &[1, 1, 3], pops: &[1, 1, 3], ..plan }),
        ("4x4", Plan { filled: capacity / 2, pushes: &[1, 1, 2, 3], pops: &[1, 1, 2, 3], ..plan }),
    ]
}
