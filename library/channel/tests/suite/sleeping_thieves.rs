//! Thieves of work-stealing queues sleep on an event while there are no tasks, and a push wakes
//! one.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use aqueduct::bwos::{self, Steal};
use aqueduct_channel::Event;

/// Long enough for a thief to fall asleep; nothing depends on it.
const A_WHILE: Duration = Duration::from_millis(2);

/// Steals until a task comes, or none is left.
fn steal<T>(mut attempt: impl FnMut() -> Steal<T>) -> Option<T> {
    loop {
        match attempt() {
            Steal::Success(item) => return Some(item),
            Steal::Empty => return None,
            Steal::Retry => thread::yield_now(),
        }
    }
}

macro_rules! scenarios {
    ($order:ident) => {
        mod $order {
            use super::*;

            /// The owner only pushes its tasks and notifies the event.
            #[test]
            fn each_task_of_an_owner_that_is_busy_elsewhere_is_done_by_thieves_that_slept() {
                const TASKS: usize = 50;
                let (mut owner, stealer) = bwos::$order::new(100).expect("a small queue");
                let (pushed, done, stopped) = (Event::new(), AtomicUsize::new(0), AtomicBool::new(false));
                thread::scope(|scope| {
                    for _ in 0..2 {
                        scope.spawn(|| {
                            let next = || match steal(|| stealer.steal()) {
                                None if !stopped.load(Ordering::Acquire) => None,
                                task => Some(task),
                            };
                            while pushed.wait(next).is_some() {
                                done.fetch_add(1, Ordering::Release);
                            }
                        });
                    }
                    for task in 0..TASKS {
                        if task % 10 == 0 {
                            thread::sleep(A_WHILE);
                        }
                        owner.push(task).expect("there is room");
                        pushed.notify();
                        while task % 5 == 0 && done.load(Ordering::Acquire) <= task {
                            thread::yield_now();
                        }
                    }
                    while done.load(Ordering::Acquire) < TASKS {
                        thread::yield_now();
                    }
                    stopped.store(true, Ordering::Release);
                    pushed.notify_all();
                });
                assert_eq!(owner.len(), 0);
            }

            /// A batch that a thief moves to its own queue can be stolen, too: the thief notifies
            /// the event.
            #[test]
            fn what_a_thief_takes_over_is_told_to_the_next_one() {
                const TASKS: usize = 64;
                let (mut owner, stealer) = bwos::$order::new(100).expect("a small queue");
                let (mut own, from_own) = bwos::$order::new(100).expect("a small queue");
                (0..TASKS).for_each(|task| owner.push(task).expect("there is room"));
                let (pushed, done) = (Event::new(), AtomicUsize::new(0));
                thread::scope(|scope| {
                    scope.spawn(|| {
                        // This thief finds tasks only in the first thief's queue.
                        while done.load(Ordering::Acquire) < TASKS {
                            let task = pushed.wait(|| match steal(|| from_own.steal()) {
                                None if done.load(Ordering::Acquire) < TASKS => None,
                                task => Some(task),
                            });
                            if task.is_some() && done.fetch_add(1, Ordering::AcqRel) + 1 == TASKS {
                                pushed.notify_all();
                            }
                        }
                    });
                    while steal(|| stealer.steal_into(&mut own, 8)).is_some_and(|count| count > 0) {
                        pushed.notify();
                        thread::sleep(A_WHILE);
                    }
                });
                assert_eq!((owner.len(), own.len()), (0, 0));
            }
        }
    };
}

scenarios!(lifo);
scenarios!(fifo);
