//! Weak references of an `Arc`, and `is_finished` of threads.

use std::sync::Arc as Std;

use aqueduct_model::sync::atomic::AtomicUsize;
use aqueduct_model::sync::atomic::Ordering::Relaxed;
use aqueduct_model::sync::{Arc, Weak};
use aqueduct_model::{Config, FailureKind, Fault, Report, cell, thread};

/// A cell whose races the checker finds.
struct Cell(cell::UnsafeCell<usize>);

// SAFETY: The checker finds races.
unsafe impl Sync for Cell {}

impl Cell {
    fn new(value: usize) -> Self {
        Self(cell::UnsafeCell::new(value))
    }

    fn set(&self, value: usize) {
        // SAFETY: The checker finds races.
        self.0.with_mut(|at| unsafe { *at = value });
    }

    fn get(&self) -> usize {
        // SAFETY: The checker finds races.
        self.0.with(|at| unsafe { *at })
    }
}

fn check(program: impl Fn() + Send + Sync + 'static) -> Report {
    let report = Config::new().check(program);
    if let Some(failure) = &report.failure {
        panic!("{failure}");
    }
    assert!(report.exhaustive && report.blocked == 0, "{report}");
    report
}

fn kind(program: impl Fn() + Send + Sync + 'static) -> Option<FailureKind> {
    Config::new().check(program).failure.map(|failure| failure.kind)
}

#[test]
fn an_upgrade_comes_before_the_last_drop_or_fails() {
    let program = || {
        let first = Arc::new(1);
        let weak = Arc::downgrade(&first);
        thread::spawn(move || weak.upgrade().map(|owner| *owner));
        drop(first);
    };
    // It fails; or it succeeds, and one of both owners is dropped first.
    assert_eq!(check(program).executions, 3);
}

/// The upgrade's owner is one of a family of its own. The clones and drops of the others make no
/// difference, as long as one of them is left.
#[test]
fn an_upgrade_has_no_order_with_drops_that_are_not_the_last() {
    let program = || {
        let first = Arc::new(AtomicUsize::new(0));
        let weak = Arc::downgrade(&first);
        let mut threads: Vec<_> =
            (0..3).map(|_| Arc::clone(&first)).map(|owner| thread::spawn(|| drop(owner))).collect();
        threads.push(thread::spawn(move || assert!(weak.upgrade().is_some(), "there is an owner")));
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        drop(first);
    };
    assert_eq!(check(program).executions, 1);
    let all = Config::new().all_drop_orders(true).check(program);
    assert!(all.exhaustive && all.executions > 100, "{all}");
}

#[test]
fn weak_references_that_come_and_go_have_no_order() {
    let program = || {
        let first = Arc::new(0);
        for _ in 0..4 {
            let weak = Arc::downgrade(&first);
            thread::spawn(move || drop((weak.clone(), weak)));
        }
    };
    assert_eq!(check(program).executions, 1);
}

#[test]
fn a_value_that_refers_to_itself_is_complete_when_an_upgrade_succeeds() {
    let program = || {
        let mut thread = None;
        let first = Arc::new_cyclic(|weak: &Weak<Cell>| {
            assert!(weak.upgrade().is_none(), "there is no owner yet");
            let weak = weak.clone();
            thread = Some(thread::spawn(move || weak.upgrade().map(|owner| owner.get())));
            let value = Cell::new(0);
            value.set(1);
            value
        });
        let seen = thread.expect("there is a thread").join().unwrap();
        assert!(seen.is_none_or(|value| value == 1), "the value is not complete");
        drop(first);
    };
    assert_eq!(check(program).executions, 2);
    let failure = Config::new().fault(Fault::WrongClock).check(program).failure;
    assert_eq!(failure.map(|failure| failure.kind), Some(FailureKind::Race));
}

/// The last owner synchronizes with an owner of another family that was not the last of it.
#[test]
fn the_last_owner_of_a_family_passes_on_what_the_others_did() {
    let program = || {
        let first = Arc::new(Cell::new(0));
        let (weak, second) = (Arc::downgrade(&first), Arc::clone(&first));
        let third = thread::spawn(move || {
            if let Some(owner) = weak.upgrade()
                && let Some(cell) = Arc::into_inner(owner)
            {
                cell.set(3);
            }
        });
        thread::spawn(move || drop(second));
        first.set(1);
        drop(first);
        third.join().unwrap();
    };
    check(program);
    let failure = Config::new().fault(Fault::NothingCarried).check(program).failure;
    assert_eq!(failure.map(|failure| failure.kind), Some(FailureKind::Race));
}

/// An owner that has the value alone synchronizes with owners that upgrades made.
#[test]
fn an_owner_has_the_value_alone_only_without_weak_references() {
    let program = |change: fn(&mut Arc<Cell>) -> bool| {
        move || {
            let mut first = Arc::new(Cell::new(0));
            let weak = Arc::downgrade(&first);
            let thread = thread::spawn(move || {
                if let Some(owner) = weak.upgrade() {
                    owner.set(1);
                }
            });
            let alone = change(&mut first);
            thread.join().unwrap();
            alone || first.get() == 1
        }
    };
    let get = program(|first| Arc::get_mut(first).is_some_and(|cell| cell.0.with_mut(|_| true)));
    check(move || assert!(get(), "an upgrade fails only while `get_mut` has the only reference"));
    let unchecked = program(|first| {
        let is_last = Arc::strong_count(first) == 1;
        if is_last {
            first.set(2);
        }
        is_last
    });
    assert_eq!(kind(move || _ = unchecked()), Some(FailureKind::Race), "a weak reference may be upgraded meanwhile");
}

#[test]
fn a_value_that_is_taken_or_moved_is_gone_for_weak_references() {
    check(|| {
        let (mut one, two, three) = (Arc::new(1), Arc::new(2), Arc::new(3));
        let weak = [&one, &two, &three].map(Arc::downgrade);
        assert_eq!((Weak::strong_count(&weak[0]), Weak::weak_count(&weak[0]), Arc::weak_count(&one)), (1, 1, 1));
        assert!(Arc::get_mut(&mut one).is_none(), "there is a weak reference");
        *Arc::make_mut(&mut one) += 10;
        assert_eq!((*one, Arc::try_unwrap(two), Arc::into_inner(three)), (11, Ok(2), Some(3)));
        assert!(weak.iter().all(|weak| weak.upgrade().is_none() && weak.strong_count() + weak.weak_count() == 0));
        assert!(Arc::get_mut(&mut one).is_some(), "the weak reference is one to the old value");
        let mut other = Arc::clone(&one);
        *Arc::make_mut(&mut other) += 1;
        assert_eq!((*one, *other, Arc::ptr_eq(&one, &other)), (11, 12, false));
    });
    // The exchange of `try_unwrap` comes before the upgrade or after it, and then before the drop
    // of its owner or not.
    let program = || {
        let first = Arc::new(0);
        let weak = Arc::downgrade(&first);
        let thread = thread::spawn(move || weak.upgrade().is_some());
        let taken = Arc::try_unwrap(first).is_ok();
        assert!(taken || thread.join().unwrap(), "only an upgrade is in the way");
    };
    check(program);
}

#[test]
fn an_address_stands_for_a_weak_reference() {
    check(|| {
        let first = Arc::new(1);
        let weak = Arc::downgrade(&first);
        assert!(weak.ptr_eq(&Arc::downgrade(&first)) && std::ptr::eq(weak.as_ptr(), &raw const *first));
        let (one, two) = (weak.clone().into_raw(), weak.into_raw());
        // SAFETY: Each address came from `into_raw` and is used once.
        let (one, two) = unsafe { (Weak::from_raw(one), Weak::from_raw(two)) };
        assert_eq!((one.upgrade().map(|owner| *owner), two.weak_count()), (Some(1), 2));
        drop(first);
        // SAFETY: The address comes from `into_raw` and is used once.
        assert!(unsafe { Weak::from_raw(one.into_raw()) }.upgrade().is_none());
        let none: Weak<usize> = Weak::new();
        assert!(none.upgrade().is_none() && none.strong_count() == 0 && none.clone().ptr_eq(&Weak::default()));
    });
}

/// A number of owners is old as soon as it is read.
#[test]
fn a_value_that_was_alive_a_moment_ago_is_not_upgraded_for_sure() {
    let program = || {
        let first = Arc::new(1);
        let weak = Arc::downgrade(&first);
        thread::spawn(move || {
            if weak.strong_count() > 0 {
                assert!(weak.upgrade().is_some(), "the value was alive");
            }
        });
        drop(first);
    };
    assert_eq!(kind(program), Some(FailureKind::Panic));
}

struct Node {
    parent: cell::UnsafeCell<Option<Weak<Self>>>,
    child: cell::UnsafeCell<Option<Arc<Self>>>,
    owner: cell::UnsafeCell<Option<Arc<Self>>>,
}

/// Makes a parent and a child, which refers to the parent by an owner or a weak reference.
fn family(owns: bool) {
    let new = || Arc::new(Node { parent: Default::default(), child: Default::default(), owner: Default::default() });
    let (parent, child) = (new(), new());
    // SAFETY: There is one thread.
    unsafe {
        if owns {
            child.owner.with_mut(|at| *at = Some(Arc::clone(&parent)));
        } else {
            child.parent.with_mut(|at| *at = Some(Arc::downgrade(&parent)));
        }
        parent.child.with_mut(|at| *at = Some(child));
    }
}

#[test]
fn a_circle_of_owners_leaks_unless_one_of_them_is_weak() {
    check(|| family(false));
    assert_eq!(kind(|| family(true)), Some(FailureKind::Leak));
}

#[test]
fn a_thread_that_has_finished_is_seen_only_after_the_join() {
    let program = |joins: bool| {
        move || {
            let cell = Std::new(Cell::new(0));
            let theirs = Std::clone(&cell);
            let thread = thread::spawn(move || theirs.set(1));
            if thread.is_finished() {
                if joins {
                    thread.join().unwrap();
                }
                assert_eq!(cell.get(), 1);
            }
        }
    };
    assert_eq!(check(program(true)).executions, 2);
    assert_eq!(kind(program(false)), Some(FailureKind::Race));
}

#[test]
fn a_thread_finishes_while_another_one_polls_and_if_it_is_killed() {
    let polls = || {
        let thread = thread::spawn(|| 1);
        while !thread.is_finished() {
            thread::yield_now();
        }
        assert_eq!(thread.join().unwrap(), 1);
    };
    assert!(check(polls).executions > 0);
    let scoped = || {
        thread::scope(|scope| {
            let thread = scope.spawn(|| 1);
            let _ = thread.is_finished();
            assert_eq!(thread.join().unwrap(), 1);
        });
    };
    assert_eq!(check(scoped).executions, 2);
    let killed = || {
        let word = Std::new(AtomicUsize::new(0));
        let theirs = Std::clone(&word);
        let thread = thread::spawn(move || theirs.store(1, Relaxed));
        while !thread.is_finished() {
            thread::yield_now();
        }
        assert!(thread.join().is_err() && word.load(Relaxed) == 0);
    };
    let report = Config::new().kill(1, 0).check(killed);
    assert!(report.exhaustive && report.failure.is_none(), "{report}");
}
