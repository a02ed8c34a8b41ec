//! `len`, `is_empty` and `is_full` of owners and stealers, batches that are stolen and popped, and
//! the injector.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};

use aqueduct::deque::{Geometry, Injector, Steal};
use aqueduct::error::PushError;

use crate::common::{Dice, LAPS, SHAPES};

macro_rules! of_either {
    ($($module:ident)*) => {$(
        mod $module {
            use aqueduct::bwos::$module;

            use super::*;

            /// One thread does what owner and thief do; both handles count the items left.
            #[test]
            fn handles_count_exactly_while_nobody_is_at_work() {
                let mut dice = Dice(7);
                for (blocks, size) in SHAPES {
                    for lap in LAPS {
                        let geometry = Geometry::new(blocks, size).expect("possible");
                        let (mut owner, stealer) = $module::starting_at(geometry, lap).expect("there is memory");
                        let (mut len, context) = (0, format!("{geometry:?} from {lap} on"));
                        for _ in 0..if cfg!(miri) { 20 } else { 300 } {
                            match dice.below(4) {
                                0 | 1 => {
                                    for _ in 0..=dice.below(2 * size) {
                                        let is_full = owner.is_full();
                                        let pushed = owner.push(len);
                                        assert_eq!(is_full, pushed.is_err(), "{context}");
                                        len += usize::from(pushed.is_ok());
                                    }
                                }
                                2 => {
                                    for _ in 0..=dice.below(2 * size) {
                                        let is_empty = owner.is_empty();
                                        let popped = owner.pop();
                                        assert_eq!(is_empty, popped.is_err(), "{context}");
                                        len -= usize::from(popped.is_ok());
                                    }
                                }
                                _ => {
                                    let mut stolen = Vec::new();
                                    if dice.below(2) == 0 {
                                        stealer.request();
                                        stolen.extend(stealer.steal_granted().success());
                                    } else {
                                        stolen.extend(stealer.seize().success());
                                        assert_eq!(stolen.is_empty(), len == 0, "{context}");
                                    }
                                    len -= stolen.len();
                                }
                            }
                            assert_eq!(owner.len(), len, "{context}");
                            assert_eq!((stealer.len(), stealer.is_empty()), (len, len == 0), "{context}");
                        }
                        drop(owner);
                        // A FIFO owner keeps what it had not lent of a block that was stolen from.
                        assert!(stealer.len() <= len, "{context}");
                    }
                }
            }

            #[test]
            fn a_batch_that_is_stolen_and_popped_comes_whole_and_in_order() {
                for (most, room) in [(1, 100), (3, 100), (100, 100), (5, 1), (0, 100)] {
                    let geometry = Geometry::new(4, 8).expect("possible");
                    let (mut victim, stealer) = $module::with_geometry(geometry).expect("there is memory");
                    let (mut own, own_stealer) =
                        $module::with_geometry(Geometry::new(2, room).expect("possible")).expect("there is memory");
                    while victim.push(victim.len()).is_ok() {}
                    // With a room of one, the own queue is full.
                    while room == 1 && own.push(1000).is_ok() {}
                    let (before, all) = (own.len(), victim.len());
                    let Steal::Success(first) = stealer.steal_batch_and_pop(&mut own, most) else {
                        panic!("there is something")
                    };
                    let added = own.len() - before;
                    assert_eq!(added + 1, if room == 1 { 1 } else { most.clamp(1, 8) });
                    assert_eq!(victim.len() + added + 1, all);
                    if room > 1 {
                        let mut rest: Vec<_> = core::iter::from_fn(|| own.pop().ok()).collect();
                        rest.sort_unstable();
                        assert!(rest.iter().copied().eq(first + 1..=first + added), "{first} {rest:?}");
                    }
                    drop(own_stealer);
                }
                let (_victim, stealer) = $module::new::<u8>(10).expect("there is memory");
                let (mut own, _stealer) = $module::new(10).expect("there is memory");
                assert_eq!(stealer.steal_batch_and_pop(&mut own, 3), Steal::Empty);
            }

            #[test]
            fn tasks_come_from_the_injector_to_an_owner() {
                let injector = Injector::new(64).expect("there is memory");
                let (mut own, _stealer) = $module::new(1000).expect("there is memory");
                assert_eq!(injector.steal(), Steal::<usize>::Empty);
                assert_eq!(injector.steal_batch(&mut own, 10), Steal::Empty);
                assert_eq!(injector.steal_batch_and_pop(&mut own, 10), Steal::Empty);
                let mut left: VecDeque<usize> = (0..64).collect();
                for &task in &left {
                    injector.push(task).expect("there is room");
                }
                assert_eq!((injector.len(), injector.is_empty(), injector.capacity()), (64, false, 64));
                assert_eq!(injector.steal(), Steal::Success(left.pop_front().expect("the first")));
                assert_eq!(injector.steal_batch(&mut own, 0), Steal::Success(0));
                let mut dice = Dice(5);
                while !left.is_empty() {
                    let most = 1 + dice.below(10);
                    let mut came = Vec::new();
                    let count = if dice.below(2) == 0 {
                        injector.steal_batch(&mut own, most).success().expect("there are tasks")
                    } else {
                        came.push(injector.steal_batch_and_pop(&mut own, most).success().expect("there is a task"));
                        1 + own.len()
                    };
                    assert!((1..=most).contains(&count));
                    came.extend(core::iter::from_fn(|| own.pop().ok()));
                    came.sort_unstable();
                    assert!(came.iter().copied().eq(left.drain(..count)), "{came:?}");
                }
                assert!(injector.is_empty() && !injector.is_full());
                while injector.push(1).is_ok() {}
                assert!(injector.is_full() && injector.push(2) == Err(PushError::Full(2)));
            }
        }
    )*};
}

of_either!(lifo fifo);

/// Threads that push and threads with queues of their own: each task is done once.
#[test]
fn each_task_that_is_injected_is_done_once() {
    const TASKS: usize = if cfg!(miri) { 200 } else { 20_000 };
    let injector = Injector::new(100).expect("there is memory");
    let left = AtomicUsize::new(TASKS);
    let mut done = std::thread::scope(|scope| {
        scope.spawn(|| {
            for number in 0..TASKS {
                let mut task = number;
                while let Err(error) = injector.push(task) {
                    task = error.into_inner();
                    std::thread::yield_now();
                }
            }
        });
        let workers = [0, 1].map(|_| {
            scope.spawn(|| {
                let (mut own, _stealer) = aqueduct::bwos::lifo::new(50).expect("there is memory");
                let mut done = Vec::new();
                while left.load(Ordering::Relaxed) > 0 {
                    let task = own.pop().ok().or_else(|| injector.steal_batch_and_pop(&mut own, 8).success());
                    match task {
                        Some(task) => {
                            done.push(task);
                            left.fetch_sub(1, Ordering::Relaxed);
                        }
                        None => std::thread::yield_now(),
                    }
                }
                done
            })
        });
        workers.map(|worker| worker.join().expect("it does not panic")).concat()
    });
    done.sort_unstable();
    assert!(done.iter().copied().eq(0..TASKS));
}
