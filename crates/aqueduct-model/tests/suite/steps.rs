//! Threads that stop in the middle, interrupt handlers, and addresses that come back.

use std::sync::{Arc, Mutex as Native};

use aqueduct_model::FailureKind::{Leak, Liveness, Panic, Race, UseAfterFree};
use aqueduct_model::alloc::{Layout, alloc, dealloc};
use aqueduct_model::cell::UnsafeCell;
use aqueduct_model::interrupt::{self, Nesting};
use aqueduct_model::sync::Mutex;
use aqueduct_model::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use aqueduct_model::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};
use aqueduct_model::{Config, Report, await_until, cell, thread};

use crate::support::SCHEDULERS;

/// What programs saw, over all executions.
#[derive(Clone, Default)]
struct Seen(Arc<Native<Vec<usize>>>);

impl Seen {
    fn note(&self, value: usize) {
        let mut seen = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Err(at) = seen.binary_search(&value) {
            seen.insert(at, value);
        }
    }

    fn all(&self) -> Vec<usize> {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
    }
}

fn passed(report: Report) -> Report {
    assert!(report.failure.is_none(), "{}", report.failure.unwrap());
    assert!(report.exhaustive);
    report
}

/// Thread 1 stores 1 and 2; main reads once and waits for 2.
fn two_stores(seen: &Seen) -> impl Fn() + Clone + Send + Sync + 'static {
    let seen = seen.clone();
    move || {
        let x = Arc::new(AtomicUsize::new(0));
        let y = Arc::clone(&x);
        thread::spawn(move || {
            y.store(1, Relaxed);
            y.store(2, Relaxed);
        });
        seen.note(x.load(Relaxed));
        await_until(|| x.load(Relaxed) == 2);
    }
}

#[test]
fn a_suspended_thread_does_its_first_steps_and_no_more() {
    for (steps, values) in [(0, vec![0]), (1, vec![0, 1]), (2, vec![0, 1, 2])] {
        for scheduler in SCHEDULERS {
            let seen = Seen::default();
            let report = passed(Config::new().scheduler(scheduler).suspend(1, steps).check(two_stores(&seen)));
            assert_eq!(seen.all(), values, "{scheduler:?}");
            let [main, other] = &report.threads[..] else { panic!("{report}") };
            assert_eq!((other.ended, other.waiting, other.halted), (0, 0, report.executions), "{report}");
            // Main reads 0, and so on up to the last value that comes, once each; then it waits.
            assert_eq!(report.executions, values.len() as u64, "{scheduler:?} {report}");
            assert_eq!(main.always_ends(), steps == 2, "{report}");
            assert_eq!(main.waiting, if steps == 2 { 0 } else { report.executions }, "{report}");
            assert_eq!(other.halted_after.len(), usize::from(steps > 0));
        }
    }
    let report = passed(Config::new().suspend(1, 4).check(two_stores(&Seen::default())));
    assert!(report.threads.iter().all(|thread| thread.always_ends()), "nobody takes four steps: {report}");
}

#[test]
fn two_workers_tell_the_same_of_threads() {
    let (one, two) = (Seen::default(), Seen::default());
    let one = passed(Config::new().suspend(1, 1).check(two_stores(&one)));
    let two = passed(Config::new().suspend(1, 1).jobs(2).check(two_stores(&two)));
    assert_eq!(one.threads, two.threads);
}

/// The threads that wait are waiting for nobody who stops: that remains a failure.
#[test]
fn waits_are_failures_where_no_thread_has_stopped() {
    let program = || {
        let x = Arc::new(AtomicUsize::new(0));
        let y = Arc::clone(&x);
        thread::spawn(move || y.store(1, Relaxed));
        await_until(|| x.load(Relaxed) == 2);
    };
    let report = Config::new().suspend(1, 9).check(program);
    assert_eq!(report.failure.expect("nobody stores 2").kind, Liveness);
    assert!(!passed(Config::new().suspend(1, 1).check(program)).threads[0].always_ends());
    let report = passed(Config::new().waits_fail(false).check(program));
    assert_eq!((report.threads[0].waiting, report.threads[1].ended), (report.executions, report.executions));
}

#[test]
fn a_read_modify_write_is_one_step() {
    let seen = Seen::default();
    let noted = seen.clone();
    passed(Config::new().suspend(1, 1).check(move || {
        let x = Arc::new(AtomicUsize::new(0));
        let y = Arc::clone(&x);
        thread::spawn(move || {
            y.fetch_add(1, Relaxed);
            y.fetch_add(1, Relaxed);
        });
        noted.note(x.swap(5, Relaxed));
    }));
    assert_eq!(seen.all(), [0, 1]);
}

#[test]
fn who_joins_a_suspended_thread_waits_for_ever() {
    let program = || {
        let x = Arc::new(AtomicUsize::new(0));
        let y = Arc::clone(&x);
        let other = thread::spawn(move || y.store(1, Relaxed));
        other.join().unwrap();
    };
    for steps in [0, 1] {
        let report = passed(Config::new().suspend(1, steps).check(program));
        assert_eq!((report.threads[0].waiting, report.executions), (1, 1), "{report}");
    }
}

/// A lock is taken in step 1 and given back in step 3. Suspended in between, its owner keeps it; dead, it gives it back.
#[test]
fn a_lock_held_by_a_suspended_thread_stays_closed_and_that_of_a_dead_one_opens() {
    let program = || {
        let lock = Arc::new(Mutex::new(AtomicUsize::new(0)));
        let theirs = Arc::clone(&lock);
        thread::spawn(move || {
            let guard = theirs.lock().unwrap();
            guard.store(1, Relaxed);
        });
        drop(lock.lock().unwrap());
    };
    for scheduler in SCHEDULERS {
        let waits: Vec<bool> = (0..5)
            .map(|steps| {
                let report = passed(Config::new().scheduler(scheduler).suspend(1, steps).check(program));
                report.threads[0].waiting > 0
            })
            .collect();
        assert_eq!(waits, [false, true, true, false, false], "{scheduler:?}");
        for steps in 0..5 {
            let report = passed(Config::new().scheduler(scheduler).kill(1, steps).check(program));
            assert!(report.threads[0].always_ends(), "{scheduler:?} {steps}: {report}");
            // It opens the lock at once after its second step, and ends.
            assert_eq!(report.threads[1].halted > 0, steps < 2, "{steps}: {report}");
        }
    }
}

/// A flag that is set by a destructor.
struct Sets(Arc<AtomicBool>);

impl Drop for Sets {
    fn drop(&mut self) {
        assert!(thread::panicking(), "it is killed before its end");
        self.0.store(true, Release);
    }
}

#[test]
fn a_killed_threads_destructors_are_steps_and_its_joiner_gets_an_error() {
    for scheduler in SCHEDULERS {
        let report = passed(Config::new().scheduler(scheduler).kill(1, 1).check(|| {
            let (x, gone) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
            let (y, sets) = (Arc::clone(&x), Sets(Arc::clone(&gone)));
            let other = thread::spawn(move || {
                let _sets = sets;
                y.store(1, Relaxed);
                y.store(2, Relaxed);
            });
            await_until(|| gone.load(Acquire));
            assert!(!thread::panicking(), "another thread unwinds");
            assert_eq!(x.load(Relaxed), 1);
            assert!(other.join().is_err());
        }));
        assert_eq!((report.threads[0].ended, report.threads[1].halted), (report.executions, report.executions));
    }
}

#[test]
fn a_wrong_program_fails_with_a_dead_thread_too() {
    let report = Config::new().kill(1, 1).check(|| {
        let x = Arc::new(AtomicUsize::new(0));
        let y = Arc::clone(&x);
        thread::spawn(move || {
            y.store(1, Relaxed);
            y.store(2, Relaxed);
        });
        assert_eq!(x.load(Relaxed), 0, "main sees the first step");
    });
    let failure = report.failure.expect("it can be 1");
    assert!(failure.kind == Panic && failure.message.contains("main sees"), "{failure}");
}

#[test]
fn a_scope_waits_for_its_threads_when_its_creator_or_one_of_them_dies() {
    let scoped = |noted: Seen| {
        move || {
            let creator = thread::spawn({
                let noted = noted.clone();
                move || {
                    let x = AtomicUsize::new(0);
                    thread::scope(|scope| {
                        scope.spawn(|| x.fetch_add(1, Relaxed));
                        x.fetch_add(1, Relaxed);
                    });
                    noted.note(x.load(Relaxed));
                }
            });
            let _ = creator.join();
        }
    };
    for steps in 0..5 {
        let seen = Seen::default();
        let report = passed(Config::new().kill(1, steps).check(scoped(seen.clone())));
        assert!(report.threads[0].always_ends(), "{report}");
        assert_eq!(seen.all(), if steps < 4 { vec![] } else { vec![2] }, "after {steps} steps");
    }
    // The panic of the scope, as that of `std`, is one of the program.
    let report = Config::new().kill(2, 0).check(scoped(Seen::default()));
    let failure = report.failure.expect("the scope panics");
    assert!(failure.message.contains("a scoped thread panicked"), "{failure}");
}

#[test]
fn nothing_leaks_by_a_thread_that_stops() {
    let program = || {
        thread::spawn(|| {
            // SAFETY: The size is not 0.
            let memory = unsafe { alloc(Layout::new::<u64>()) };
            // SAFETY: Allocated above.
            unsafe { dealloc(memory, Layout::new::<u64>()) };
        });
    };
    passed(Config::new().suspend(1, 1).check(program));
    passed(Config::new().kill(1, 1).check(program));
    let leaks = || {
        // SAFETY: The size is not 0.
        let _ = unsafe { alloc(Layout::new::<u64>()) };
    };
    assert_eq!(Config::new().suspend(1, 1).check(leaks).failure.map(|f| f.kind), Some(Leak));
}

// Interrupts

/// Where a handler comes: the order of what it and its body do.
fn orders(nesting: Nesting, body_steps: usize) -> (u64, Vec<usize>) {
    let seen = Seen::default();
    let noted = seen.clone();
    let report = passed(Config::new().check(move || {
        let x = AtomicUsize::new(0);
        let order = std::cell::Cell::new(0);
        let step = |digit| {
            x.store(digit, Relaxed);
            order.set(order.get() * 10 + digit);
        };
        interrupt::with_nesting(nesting, || step(9), || (1..=body_steps).for_each(step));
        noted.note(order.get());
    }));
    (report.executions, seen.all())
}

#[test]
fn a_handler_runs_at_each_place_once_or_not_at_all() {
    let (executions, orders) = orders(Nesting::Never, 3);
    assert_eq!(orders, [123, 1239, 1293, 1923, 9123]);
    assert_eq!(executions, 5);
}

#[test]
fn a_handler_that_nests_runs_once_more_within_itself() {
    let (executions, orders) = orders(Nesting::Once, 1);
    // Not at all; before or after the body, and there not again, or again before or after its one step.
    assert_eq!(executions, 1 + 2 * 3);
    assert_eq!(orders, [1, 19, 91, 199, 991]);
}

#[test]
fn a_handler_that_takes_the_lock_of_its_body_waits_for_ever() {
    let program = |masks: bool| {
        move || {
            let lock = Mutex::new(());
            let body = || drop(lock.lock().unwrap());
            interrupt::with_handler(body, || if masks { interrupt::masked(body) } else { body() });
        }
    };
    assert_eq!(Config::new().check(program(false)).failure.map(|f| f.kind), Some(Liveness));
    let report = passed(Config::new().check(program(true)));
    assert_eq!(report.executions, 2, "not at all, or after the body");
}

#[test]
fn a_handler_may_end_the_wait_of_its_body() {
    let report = passed(Config::new().check(|| {
        let flag = AtomicBool::new(false);
        interrupt::with_handler(|| flag.store(true, Relaxed), || await_until(|| flag.load(Relaxed)));
        assert!(flag.load(Relaxed));
    }));
    assert!(report.executions > 0);
}

/// A counter that a handler counts too: right with a read-modify-write, wrong with a load and a store.
#[test]
fn a_handler_in_the_middle_of_an_update_is_lost() {
    let program = |split: bool| {
        move || {
            let (x, came) = (Arc::new(AtomicUsize::new(0)), std::cell::Cell::new(0));
            let y = Arc::clone(&x);
            let other = thread::spawn(move || y.fetch_add(1, AcqRel));
            interrupt::with_handler(
                || {
                    x.fetch_add(1, Relaxed);
                    came.set(1);
                },
                || {
                    if split {
                        x.store(x.load(Relaxed) + 1, Relaxed);
                    } else {
                        x.fetch_add(1, Relaxed);
                    }
                },
            );
            other.join().unwrap();
            assert_eq!(x.load(Relaxed), 2 + came.get());
        }
    };
    assert_eq!(Config::new().check(program(true)).failure.map(|f| f.kind), Some(Panic));
    let report = passed(Config::new().check(program(false)));
    // The other's update stands before, between or behind those of main: 2 places if the handler does not come, else 3;
    // the handler comes before or after the body's.
    assert_eq!(report.executions, 2 + 2 * 3);
}

/// A pair in a cell, of which a handler sees half only where the access is in two parts.
#[test]
fn a_handler_sees_half_of_an_update_only_where_it_is_split() {
    let program = |split: bool| {
        move || {
            let pair = UnsafeCell::new((0, 0));
            let write = |change: fn(&mut (i32, i32))| {
                // SAFETY: One thread, and no reference outlives its closure.
                pair.with_mut(|pair| change(unsafe { &mut *pair }));
            };
            interrupt::with_handler(
                || {
                    // SAFETY: As above.
                    let (a, b) = pair.with(|pair| unsafe { *pair });
                    assert_eq!(a, b);
                },
                || {
                    if split {
                        write(|pair| pair.0 = 1);
                        write(|pair| pair.1 = 1);
                    } else {
                        write(|pair| *pair = (1, 1));
                    }
                },
            );
        }
    };
    assert_eq!(Config::new().check(program(true)).failure.map(|f| f.kind), Some(Panic));
    assert_eq!(passed(Config::new().check(program(false))).executions, 3);
}

#[test]
fn a_handler_races_with_other_threads_as_its_thread_does() {
    struct Shared(UnsafeCell<i32>);
    // SAFETY: The model finds races.
    unsafe impl Sync for Shared {}
    // SAFETY: As above.
    unsafe impl Send for Shared {}
    let report = Config::new().check(|| {
        let shared = Arc::new(Shared(UnsafeCell::new(0)));
        let theirs = Arc::clone(&shared);
        // SAFETY: The model finds races before the accesses.
        thread::spawn(move || theirs.0.with_mut(|p| unsafe { *p = 1 }));
        // SAFETY: As above.
        interrupt::with_handler(|| shared.0.with(|p| assert!(unsafe { *p } < 2)), || ());
    });
    assert_eq!(report.failure.map(|f| f.kind), Some(Race));
}

// Addresses

const NODE: Layout = Layout::new::<Node>();

/// A node of a stack: the one below.
struct Node {
    below: AtomicU64,
}

/// Treiber's stack. The upper bits of its word are a tag, which each pop and push counts where `tagged`.
struct Stack {
    top: AtomicU64,
    tagged: bool,
}

const ADDRESS: u64 = (1 << 48) - 1;

impl Stack {
    fn node(word: u64) -> *mut Node {
        std::ptr::with_exposed_provenance_mut((word & ADDRESS) as usize)
    }

    fn next(&self, top: u64, node: u64) -> u64 {
        let tag = if self.tagged { (top >> 48) + 1 } else { 0 };
        tag << 48 | node & ADDRESS
    }

    fn push(&self) {
        // SAFETY: The size is not 0.
        let node = unsafe { alloc(NODE) }.cast::<Node>();
        let top = self.top.load(Relaxed);
        // SAFETY: Just allocated.
        unsafe { node.write(Node { below: AtomicU64::new(0) }) };
        // SAFETY: As above.
        unsafe { &*node }.below.store(top & ADDRESS, Relaxed);
        let next = self.next(top, node.expose_provenance() as u64);
        // Only one thread pushes or pops at a time but for the one attempt under test.
        self.top.compare_exchange(top, next, Release, Relaxed).unwrap();
    }

    /// Pops, with a pause between the reads and the exchange. The node is the caller's; `None` if something came between.
    fn try_pop(&self, pause: impl FnOnce()) -> Option<*mut Node> {
        let top = self.top.load(Acquire);
        let node = Self::node(top);
        if node.is_null() {
            pause();
            return None;
        }
        // SAFETY: The model finds uses after free.
        let below = unsafe { &*node }.below.load(Relaxed);
        pause();
        self.top.compare_exchange(top, self.next(top, below), Acquire, Relaxed).ok().map(|_| node)
    }

    fn free(node: *mut Node) {
        // SAFETY: It was popped; the model finds it if it was popped twice.
        unsafe { dealloc(node.cast(), NODE) };
    }

    fn empty(&self) {
        while let Some(node) = self.try_pop(|| ()) {
            Self::free(node);
        }
    }
}

/// One thread is about to pop; another one pops two nodes and pushes one meanwhile.
fn aba(tagged: bool) -> impl Fn() + Clone + Send + Sync + 'static {
    move || {
        let stack = Arc::new(Stack { top: AtomicU64::new(0), tagged });
        stack.push();
        stack.push();
        let (theirs, ready) = (Arc::clone(&stack), Arc::new(AtomicBool::new(false)));
        let go = Arc::clone(&ready);
        let other = thread::spawn(move || {
            await_until(|| go.load(Acquire));
            for _ in 0..2 {
                if let Some(node) = theirs.try_pop(|| ()) {
                    Stack::free(node);
                }
            }
            if theirs.top.load(Acquire) & ADDRESS == 0 {
                theirs.push();
            }
        });
        let popped = stack.try_pop(|| ready.store(true, Release));
        other.join().unwrap();
        if let Some(node) = popped {
            Stack::free(node);
        }
        stack.empty();
    }
}

#[test]
fn treibers_stack_fails_only_when_addresses_come_back() {
    for scheduler in SCHEDULERS {
        let config = Config::new().scheduler(scheduler);
        let reuses = config.clone().reuse_addresses(true);
        let fresh = passed(config.check(aba(false)));
        let failure = reuses.check(aba(false)).failure.expect("ABA");
        assert_eq!(failure.kind, UseAfterFree, "{failure}");
        let again = Config::new().reuse_addresses(true).replay(&failure.replay).check(aba(false));
        assert_eq!(again.failure.map(|f| f.kind), Some(UseAfterFree), "{scheduler:?}");
        let tagged = passed(reuses.check(aba(true)));
        assert!(tagged.executions > passed(config.check(aba(true))).executions);
        assert!(fresh.executions > 0);
    }
}

/// Which of two freed blocks three allocations get.
#[test]
fn an_allocation_gets_fresh_memory_or_any_block_freed_before_it() {
    const LARGE: Layout = Layout::new::<[u64; 4]>();
    let blocks = |noted: Seen, reused: Layout| {
        move || {
            // SAFETY: The sizes are not 0.
            let [a, b] = [(); 2].map(|()| unsafe { alloc(NODE) });
            for block in [a, b] {
                // SAFETY: Allocated above.
                unsafe { dealloc(block, NODE) };
            }
            // SAFETY: As above.
            let [c, d] = [(); 2].map(|()| unsafe { alloc(reused) });
            assert_ne!(c, d);
            let name = |block: *mut u8| {
                if block == a {
                    1
                } else if block == b {
                    2
                } else {
                    0
                }
            };
            noted.note(name(c) * 10 + name(d));
            for block in [c, d] {
                // SAFETY: Allocated above.
                unsafe { dealloc(block, reused) };
            }
        }
    };
    let seen = Seen::default();
    let report = passed(Config::new().reuse_addresses(true).check(blocks(seen.clone(), NODE)));
    assert_eq!(seen.all(), [0, 1, 2, 10, 12, 20, 21]);
    assert_eq!(report.executions, 7, "each choice is an execution");
    let seen = Seen::default();
    passed(Config::new().reuse_addresses(true).check(blocks(seen.clone(), LARGE)));
    assert_eq!(seen.all(), [0], "another layout");
    let seen = Seen::default();
    assert_eq!(passed(Config::new().check(blocks(seen.clone(), NODE))).executions, 1);
    assert_eq!(seen.all(), [0], "it was not asked for");
}

/// Two threads that allocate at the same time never get the same block; one that does not know of a free does not get it.
#[test]
fn a_block_comes_back_once_and_only_to_those_who_know_that_it_was_freed() {
    let seen = Seen::default();
    let noted = seen.clone();
    let program = move || {
        // SAFETY: The size is not 0.
        let first = unsafe { alloc(NODE) };
        let address = first.expose_provenance();
        let early = thread::spawn(move || {
            // SAFETY: As above.
            let memory = unsafe { alloc(NODE) };
            assert_ne!(memory.expose_provenance(), address, "nothing tells it that the block was freed");
            // SAFETY: Allocated above.
            unsafe { dealloc(memory, NODE) };
        });
        // SAFETY: Allocated above.
        unsafe { dealloc(first, NODE) };
        let late = [(); 2].map(|()| {
            thread::spawn(move || {
                // SAFETY: As above.
                let memory = unsafe { alloc(NODE) };
                // SAFETY: The memory is large enough and its own.
                unsafe { cell::write(memory.cast::<u64>(), 1) };
                memory
            })
        });
        let got = late.map(|thread| thread.join().unwrap());
        assert_ne!(got[0], got[1]);
        noted.note(got.iter().filter(|memory| memory.addr() == address).count());
        for memory in got {
            // SAFETY: Allocated above.
            unsafe { dealloc(memory, NODE) };
        }
        early.join().unwrap();
    };
    for scheduler in SCHEDULERS {
        passed(Config::new().scheduler(scheduler).reuse_addresses(true).check(program.clone()));
    }
    assert_eq!(seen.all(), [0, 1]);
}
