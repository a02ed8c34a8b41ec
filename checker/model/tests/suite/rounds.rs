//! Failed rounds of waits that leave nothing behind.

use std::alloc::Layout;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use aqueduct_model::sync::atomic::AtomicUsize;
use aqueduct_model::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use aqueduct_model::{Config, FailureKind, Report, alloc, await_until, thread};

use crate::support::{SCHEDULERS, passed, random};

/// A node in memory that the model watches.
struct Node {
    value: AtomicUsize,
    next: AtomicUsize,
}

/// Returns the address of a new node of zeros, which is never freed.
fn node() -> usize {
    // SAFETY: The layout has a size, and the memory becomes a node.
    unsafe {
        let memory = alloc::alloc(Layout::new::<Node>()).cast::<Node>();
        memory.write(Node { value: AtomicUsize::new(0), next: AtomicUsize::new(0) });
        memory as usize
    }
}

/// Returns the node at an address.
fn at(address: usize) -> &'static Node {
    // SAFETY: A node is never freed, and its memory lasts as long as the run.
    unsafe { &*(address as *const Node) }
}

/// A stack of nodes, and a word beside it.
struct Stack {
    top: AtomicUsize,
    word: AtomicUsize,
}

fn check(config: &Config, threads: &[fn(&Stack)]) -> Report {
    let threads = threads.to_vec();
    config.clone().finds_leaks(false).check(move || {
        let stack = Arc::new(Stack { top: AtomicUsize::new(0), word: AtomicUsize::new(0) });
        for &body in &threads {
            let stack = Arc::clone(&stack);
            thread::spawn(move || body(&stack));
        }
    })
}

#[test]
fn a_push_that_lost_has_written_only_to_its_own_node() {
    let push = |stack: &Stack| {
        let new = node();
        await_until(|| {
            let top = stack.top.load(Acquire);
            at(new).next.store(top, Relaxed);
            stack.top.compare_exchange(top, new, Release, Relaxed).is_ok()
        });
    };
    for scheduler in SCHEDULERS {
        for (pushes, orders) in [(2, 2), (3, 6), (4, 24)] {
            let config = Config::new().scheduler(scheduler);
            assert_eq!(passed(check(&config, &vec![push as fn(&Stack); pushes])).executions, orders);
        }
    }
    let all = passed(check(&Config::new().all_failed_rounds(true), &[push, push]));
    assert_eq!(all.executions, 4, "in each of the two orders, the later push may have lost a round");
}

/// Pushes a node. A round stores something in it only if there is a top: the next one may leave it
/// there.
///
/// Returns whether the last round found no top, and the node.
fn push_leaving(stack: &Stack) -> (bool, usize) {
    let new = node();
    let mut top = 0;
    await_until(|| {
        top = stack.top.load(Acquire);
        if top != 0 {
            at(new).next.store(top, Relaxed);
        }
        stack.top.compare_exchange(top, new, Release, Relaxed).is_ok()
    });
    (top == 0, new)
}

/// Fills and empties the stack, so that a round may fail.
fn fill_and_empty(stack: &Stack) {
    stack.top.store(node(), Release);
    stack.top.store(0, Release);
}

/// Checks that these threads reach a panic, and that its replay does.
fn reach(threads: &[fn(&Stack)]) {
    for config in SCHEDULERS.map(|scheduler| Config::new().scheduler(scheduler).yield_bound(2)) {
        let failure = check(&config, threads).failure.expect("an execution with a failed round panics");
        assert_eq!(failure.kind, FailureKind::Panic);
        let again = check(&config.replay(&failure.replay), threads).failure.expect("the replay fails");
        assert_eq!(again.kind, FailureKind::Panic);
    }
}

#[test]
fn what_a_failed_round_has_left_in_its_own_node_is_found() {
    let push = |stack: &Stack| {
        let (was_empty, new) = push_leaving(stack);
        assert!(!was_empty || at(new).next.load(Relaxed) == 0, "a round on an old top has left it in the node");
    };
    reach(&[push, fill_and_empty]);
}

#[test]
fn what_a_failed_round_has_left_is_found_by_others_before_it_is_written_again() {
    let push = |stack: &Stack| {
        let (was_empty, new) = push_leaving(stack);
        stack.word.store(if was_empty { new } else { 0 }, Release);
        at(new).next.store(1, Relaxed);
    };
    let see = |stack: &Stack| {
        let new = stack.word.load(Acquire);
        assert!(new == 0 || at(new).next.load(Relaxed) <= 1, "a round on an old top has left it in the node");
    };
    reach(&[push, fill_and_empty, see]);
}

/// An addition in a failed round is seen after the wait.
#[test]
fn a_failed_round_that_adds_is_kept() {
    let count = |stack: &Stack| {
        await_until(|| {
            stack.top.fetch_add(1, Relaxed);
            stack.word.load(Relaxed) == 1
        });
        assert_ne!(stack.top.load(Relaxed), 2, "one round has failed");
    };
    reach(&[count, |stack: &Stack| stack.word.store(1, Relaxed)]);
}

/// A lock that is taken by an exchange. A round that finds it taken writes the value that it has
/// read.
#[test]
fn exchanges_of_equal_values_are_waits() {
    let run = |stack: &Stack| {
        await_until(|| stack.word.swap(1, AcqRel) == 0);
        stack.top.store(stack.top.load(Relaxed) + 1, Relaxed);
        stack.word.store(0, Release);
    };
    for scheduler in SCHEDULERS {
        for (threads, orders) in [(2, 2), (3, 6), (4, 24)] {
            let report = passed(check(&Config::new().scheduler(scheduler), &vec![run as fn(&Stack); threads]));
            assert_eq!(report.executions, orders, "{report}");
        }
    }
}

/// A lock that is never given back is a wait that nothing ends, although exchanges still write.
#[test]
fn exchanges_of_equal_values_wait_forever() {
    let run = |stack: &Stack| await_until(|| stack.word.swap(1, AcqRel) == 0);
    for scheduler in SCHEDULERS {
        let report = check(&Config::new().scheduler(scheduler), &[run, run, run]);
        assert_eq!(report.failure.expect("two threads wait forever").kind, FailureKind::Liveness);
    }
}

/// Memory that another thread can reach is not the thread's own: a store of a failed round
/// is seen after the wait.
#[test]
fn a_published_node_is_not_its_threads_own() {
    let publish = |stack: &Stack| {
        let new = node();
        stack.top.store(new, Release);
        await_until(|| {
            let word = stack.word.load(Relaxed);
            at(new).next.store(word + 1, Relaxed);
            word == 1
        });
        stack.word.store(2, Relaxed);
    };
    let see = |stack: &Stack| {
        stack.word.store(1, Relaxed);
        let top = stack.top.load(Acquire);
        if top != 0 && stack.word.load(Relaxed) == 2 {
            assert_ne!(at(top).next.load(Relaxed), 1, "the store of a failed round");
        }
    };
    reach(&[publish, see]);
}

/// One step of a random round.
type Step = u64;

/// Does a step of a round of a thread with this node.
fn step(stack: &Stack, own: &Node, step: Step) {
    match step {
        0 => own.next.store(stack.word.load(Relaxed), Relaxed),
        1 => own.next.store(1, Relaxed),
        2 if stack.word.load(Acquire) == 1 => own.value.store(2, Relaxed),
        3 => own.value.store(own.next.load(Relaxed) + 1, Relaxed),
        4 if stack.top.load(Relaxed) == 0 => own.next.store(3, Relaxed),
        5 => _ = stack.word.fetch_or(0, AcqRel),
        6 => _ = stack.word.swap(1, Relaxed),
        7 => own.value.store(7, Relaxed),
        _ => {}
    }
}

/// Returns the final states of the executions of random rounds, and the report.
fn states(config: &Config, rounds: &[Vec<Step>]) -> (BTreeSet<Vec<usize>>, Report) {
    let states = Arc::new(Mutex::new(BTreeSet::new()));
    let seen = Arc::clone(&states);
    let rounds = rounds.to_vec();
    let report = config.clone().finds_leaks(false).waits_fail(false).check(move || {
        let stack = Arc::new(Stack { top: AtomicUsize::new(0), word: AtomicUsize::new(0) });
        let pushers: Vec<_> = (rounds.iter().cloned())
            .map(|round| {
                let stack = Arc::clone(&stack);
                thread::spawn(move || {
                    let new = node();
                    if round.len() % 2 == 0 {
                        at(new).value.store(5, Relaxed);
                    }
                    await_until(|| {
                        let top = stack.top.load(Acquire);
                        round.iter().for_each(|&what| step(&stack, at(new), what));
                        top == 0 && stack.top.compare_exchange(0, new, Release, Relaxed).is_ok()
                    });
                })
            })
            .collect();
        // Rounds on this top fail. Then the stack is empty, until a thread pushes its node.
        stack.top.store(node(), Relaxed);
        stack.word.store(1, Relaxed);
        stack.top.store(0, Release);
        let top = stack.top.load(Acquire);
        let mut found = vec![stack.word.load(Relaxed)];
        if top != 0 {
            found.extend([at(top).value.load(Relaxed), at(top).next.load(Relaxed)]);
        }
        drop(pushers);
        seen.lock().unwrap().insert(found);
    });
    assert!(report.failure.is_none(), "{}", report.failure.unwrap());
    (states.lock().unwrap().clone(), report)
}

/// With some failed rounds explored like all others, no program has a final state that it does not
/// have otherwise.
#[test]
fn random_rounds_have_all_their_final_states() {
    let mut random = random(30);
    let is_thorough = std::env::var_os("AQUEDUCT_THOROUGH").is_some();
    let programs = if is_thorough { 200 } else { 60 };
    let (mut compared, mut fewer) = (0, 0);
    for number in 0..programs {
        let rounds: Vec<Vec<Step>> = vec![(0..1 + random(3)).map(|_| random(8)).collect()];
        let scheduler = SCHEDULERS[number % SCHEDULERS.len()];
        let config = Config::new().scheduler(scheduler).yield_bound(1).max_executions(500);
        let (found, report) = states(&config, &rounds);
        if report.limited {
            continue;
        }
        let (some, all) = states(&config.clone().all_failed_rounds(true), &rounds);
        assert!(some.is_subset(&found), "{rounds:?}: {some:?} {found:?}");
        compared += 1;
        fewer += usize::from(report.executions < all.executions);
    }
    assert!(compared * 2 > programs && fewer * 4 > compared, "{compared} compared, {fewer} have fewer executions");
}
