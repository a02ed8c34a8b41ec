//! Pushed items can be stolen while the owner is busy elsewhere, as fork-join programs need it.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use aqueduct::bwos::Steal;

use crate::common::{Dice, Form, Ledger, Owns, SHAPES, Steals, Token, both};
use aqueduct::queue::{Len, Pop, Push};

/// The time that a test waits for an event that must follow at once, before it fails.
const PATIENCE: Duration = Duration::from_secs(60);

/// Steals until the result is `Empty`, and tries again on `Retry`.
fn rob<T: Send, S: Steals<T>>(stealer: &S) -> Vec<T> {
    let mut came = Vec::new();
    loop {
        match stealer.steal() {
            Steal::Success(item) => came.push(item),
            Steal::Retry => thread::yield_now(),
            Steal::Empty => return came,
        }
    }
}

fn a_thief_gets_all_that_a_busy_owner_has_pushed<F: Form<u64>>() {
    for items in [1, 2, 3, 60, 64, 65, 100, 128] {
        for popped in [0, 1] {
            let (mut owner, stealer) = F::make(3, 64);
            owner.fill(0..items + popped);
            (0..popped).for_each(|_| assert!(owner.pop().is_ok()));
            let mut came = thread::spawn(move || rob(&stealer)).join().expect("a thief does not panic");
            came.sort_unstable();
            let oldest = if F::NEWEST { 0 } else { popped };
            assert!(came.into_iter().eq(oldest..oldest + items), "{items} were pushed and {popped} popped");
            assert!(owner.pop().is_err() && owner.push(7).is_ok() && owner.pop() == Ok(7), "the owner is back");
        }
    }
}
both!(busy: a_thief_gets_all_that_a_busy_owner_has_pushed);

fn what_is_seized_comes_oldest_first<F: Form<u64>>() {
    let (mut owner, stealer) = F::make(2, 64);
    owner.fill(0..60);
    for number in 0..10 {
        assert_eq!(stealer.seize(), Steal::Success(number));
    }
    let mut batch = Vec::new();
    assert_eq!(stealer.steal_to_vec(&mut batch, 20).success().unwrap_or(0), 20);
    assert!(batch.into_iter().eq(10..30), "a batch of what is seized");
    assert_eq!(owner.pop(), Ok(if F::NEWEST { 59 } else { 30 }), "the owner takes back what nobody has claimed");
    assert_eq!(owner.len(), 29);
}
both!(seized: what_is_seized_comes_oldest_first);

fn seizing_in_any_mix_agrees_with_a_list<F: Form<u64>>() {
    for (blocks, size) in SHAPES {
        let mut dice = Dice(0x5EED_1234);
        let (mut owner, stealer) = F::starting_at(blocks, size, usize::MAX - 1);
        let (mut items, mut next) = (Vec::<u64>::new(), 0);
        for _ in 0..if cfg!(miri) { 200 } else { 20_000 } {
            match dice.below(8) {
                0 => {
                    let stolen = stealer.seize();
                    assert_eq!(stolen.is_success(), !items.is_empty());
                    if let Steal::Success(item) = stolen {
                        let at = items.iter().position(|&other| other == item).expect("it is in there");
                        assert!(!F::NEWEST || at == 0, "thieves take the oldest");
                        items.remove(at);
                    }
                }
                1 => stealer.request(),
                2 => {
                    if let Steal::Success(item) = stealer.steal_granted() {
                        items.retain(|&other| other != item);
                    }
                }
                3..6 => {
                    if owner.push(next).is_ok() {
                        items.push(next);
                        next += 1;
                    }
                }
                _ => {
                    let expected = if F::NEWEST { items.pop() } else { (!items.is_empty()).then(|| items.remove(0)) };
                    assert_eq!(owner.pop().ok(), expected);
                }
            }
            assert_eq!(owner.len(), items.len());
        }
    }
}
both!(mixed: seizing_in_any_mix_agrees_with_a_list);

/// Items that an owner steals from another queue can be stolen from its own, whatever thieves did
/// to that before.
fn what_an_owner_takes_over_can_be_stolen<F: Form<u64>>() {
    for (most, times) in [(1, 7), (8, 1), (8, 7), (64, 2)] {
        let (mut other, from_other) = F::make(4, 64);
        let (mut own, from_own) = F::make(4, 16);
        assert_eq!(other.fill(0..100), 100);
        let mut came = Vec::new();
        for stolen_between in [true, false] {
            for _ in 0..times {
                while from_other.steal_into(&mut own, most).is_retry() {}
            }
            if stolen_between {
                came.extend(rob(&from_own));
                assert_eq!(own.len(), 0);
            }
        }
        assert!(own.len() > 0);
        came.extend(rob(&from_own));
        while let Steal::Success(item) = from_other.seize() {
            came.push(item);
        }
        came.sort_unstable();
        assert!(came.into_iter().eq(0..100), "batches of {most}, {times} of them");
    }
}
both!(taken_over: what_an_owner_takes_over_can_be_stolen);

/// An owner that steals into its own queue answers the requests of thieves that steal from it.
fn an_owner_that_steals_gives<F: Form<u64>>() {
    let (mut other, from_other) = F::make(2, 64);
    let (mut own, from_own) = F::make(2, 64);
    other.fill(0..64);
    own.fill(100..102);
    from_own.request();
    assert!(from_own.steal_granted().is_empty());
    while from_other.steal_into(&mut own, 1).is_retry() {}
    assert!(from_own.steal_granted().is_success());
}
both!(gives: an_owner_that_steals_gives);

/// An owner that tries to push into a full queue again and again does not keep thieves from its
/// items.
fn an_owner_that_waits_for_room_is_stolen_from<F: Form<u64>>() {
    for (blocks, size) in SHAPES {
        let (mut owner, stealer) = F::make(blocks, size);
        let full = (0..).take_while(|&number| owner.push(number).is_ok()).count() as u64;
        let (mut came, mut attempts) = (Vec::new(), 0);
        for number in full..full + 10 {
            while owner.push(number).is_err() {
                attempts += 1;
                assert!(attempts <= 20 * (came.len() + 1), "{attempts} attempts for {} items", came.len());
                came.extend(stealer.steal().success());
            }
        }
        came.extend(rob(&stealer));
        came.sort_unstable();
        assert!(came.into_iter().eq(0..full + 10), "{blocks} blocks of {size}");
    }
}
both!(waiting: an_owner_that_waits_for_room_is_stolen_from);

/// Thieves of a queue that no thread uses get `Empty` at once, also after thefts.
fn a_robbed_queue_is_empty<F: Form<u64>>() {
    let (mut owner, stealer) = F::make(2, 64);
    owner.fill(0..60);
    assert_eq!(rob(&stealer).len(), 60);
    for _ in 0..100 {
        assert!(stealer.steal().is_empty());
    }
    for _ in 0..3 {
        assert!(owner.pop().is_err() && stealer.steal().is_empty());
    }
}
both!(robbed: a_robbed_queue_is_empty);

/// Thieves get all items of an owner that goes, also if it had lent some of them, and those were
/// stolen.
fn what_an_owner_leaves_can_be_stolen<F: Form<u64>>() {
    for stolen in 0..4 {
        for more in [0, 3, 60] {
            let (mut owner, stealer) = F::make(3, 64);
            owner.fill(0..7);
            stealer.request();
            assert!(owner.push(7).is_ok());
            let mut came: Vec<_> = (0..stolen).filter_map(|_| stealer.steal_granted().success()).collect();
            assert_eq!(came.len(), stolen);
            owner.fill(8..8 + more);
            drop(owner);
            came.extend(rob(&stealer));
            came.sort_unstable();
            assert!(came.into_iter().eq(0..8 + more), "{stolen} were stolen, {more} pushed");
        }
    }
}
both!(left: what_an_owner_leaves_can_be_stolen);

/// What an owner leaves of a block that is lent is dropped once.
fn what_is_lent_and_left_is_dropped_once<F: Form<Token>>() {
    for stolen in 0..4 {
        let ledger = Ledger::new(8);
        let (mut owner, stealer) = F::make(2, 16);
        for number in 0..8 {
            stealer.request();
            assert!(owner.push(ledger.token(number)).is_ok());
        }
        drop(owner);
        (0..stolen).for_each(|_| drop(stealer.steal()));
        drop(stealer);
        ledger.assert_all_dropped_once("after some were stolen");
    }
}
both!(lent: what_is_lent_and_left_is_dropped_once);

/// What a thief seized and left to a busy owner is dropped once, whatever goes first.
fn what_is_seized_and_left_is_dropped_once<F: Form<Token>>() {
    for owner_first in [true, false] {
        let ledger = Ledger::new(5);
        let (mut owner, stealer) = F::make(2, 4);
        (0..5).for_each(|number| assert!(owner.push(ledger.token(number)).is_ok()));
        drop(stealer.seize());
        if owner_first {
            drop(owner);
            drop(stealer);
        } else {
            drop(stealer);
            drop(owner);
        }
        ledger.assert_all_dropped_once(if owner_first { "the owner first" } else { "the stealer first" });
    }
}
both!(dropped: what_is_seized_and_left_is_dropped_once);

/// Of two tasks, the owner pushes one and runs the other, which waits for the first: only a thief
/// can run it.
fn a_task_that_waits_for_a_pushed_one_goes_on<F: Form<usize>>() {
    const TASKS: usize = if cfg!(miri) { 3 } else { 40 };
    let (mut owner, stealer) = F::make(4, 16);
    let (done, finished) = (AtomicUsize::new(0), AtomicBool::new(false));
    thread::scope(|scope| {
        scope.spawn(|| {
            while !finished.load(Ordering::Acquire) {
                match stealer.steal() {
                    Steal::Success(task) => done.store(task, Ordering::Release),
                    Steal::Retry | Steal::Empty => thread::yield_now(),
                }
            }
        });
        for task in 1..=TASKS {
            assert!(owner.push(task).is_ok());
            let since = Instant::now();
            while done.load(Ordering::Acquire) < task {
                assert!(since.elapsed() < PATIENCE, "task {task} stays where it was pushed");
                thread::yield_now();
            }
        }
        finished.store(true, Ordering::Release);
    });
    assert_eq!(owner.len(), 0);
}
both!(forked: a_task_that_waits_for_a_pushed_one_goes_on);

/// A worker of a small pool: `join` pushes a task, runs another, and then pops the first or waits
/// for its thief.
struct Worker<'p, F: Form<usize>> {
    own: F::Owner,
    other: F::Stealer,
    /// Whether each half is done.
    done: &'p [AtomicBool],
    leaves: &'p AtomicUsize,
}

impl<F: Form<usize>> Worker<'_, F> {
    /// Runs the node of a binary tree with that number: nodes below it by `join`, and a leaf by
    /// itself.
    fn run(&mut self, node: usize) {
        let (first, second) = (2 * node, 2 * node + 1);
        if first >= self.done.len() {
            self.leaves.fetch_add(1, Ordering::Relaxed);
        } else {
            let pushed = self.own.push(second).is_ok();
            self.run(first);
            if !pushed {
                self.run(second);
            }
            while pushed && !self.done[second].load(Ordering::Acquire) {
                match self.own.pop().ok().or_else(|| self.other.steal().success()) {
                    Some(task) => self.run(task),
                    None => thread::yield_now(),
                }
            }
        }
        self.done[node].store(true, Ordering::Release);
    }
}

fn joins_on_two_threads_end<F: Form<usize>>() {
    const NODES: usize = if cfg!(miri) { 1 << 4 } else { 1 << 14 };
    for (blocks, size) in [(2, 1), (2, 8), (4, 64)] {
        let done: Vec<_> = (0..NODES).map(|_| AtomicBool::new(false)).collect();
        let leaves = AtomicUsize::new(0);
        let [(own, mine), (others, its)] = [F::make(blocks, size), F::make(blocks, size)];
        thread::scope(|scope| {
            let mut helper = Worker::<F> { own: others, other: mine, done: &done, leaves: &leaves };
            scope.spawn(move || {
                while !helper.done[1].load(Ordering::Acquire) {
                    match helper.other.steal() {
                        Steal::Success(task) => helper.run(task),
                        Steal::Retry | Steal::Empty => thread::yield_now(),
                    }
                }
            });
            Worker::<F> { own, other: its, done: &done, leaves: &leaves }.run(1);
        });
        assert_eq!(leaves.into_inner(), NODES / 2, "each leaf runs once");
    }
}
both!(joined: joins_on_two_threads_end);
