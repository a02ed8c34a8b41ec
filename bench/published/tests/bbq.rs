//! The published BBQ as the benchmarks run it, compiled against the model checker's atomics: every
//! execution of small programs.

use std::sync::Arc;

use aqueduct_model::Config;
use aqueduct_model::minimal::{Client, Minimizer};
use aqueduct_model::thread;

/// The package's module of that name, with the checker's types.
mod sync {
    pub(super) use crate::slot::Slot;
    pub(super) use aqueduct_model::sync::atomic::{AtomicU64, Ordering};
}

#[path = "common/slot.rs"]
mod slot;

#[path = "../src/mpmc/bbq.rs"]
#[allow(dead_code, unreachable_pub, reason = "it is public in its package, and the geometry is given here")]
mod bbq;

use bbq::{BY_ADDITION, BY_EXCHANGE, Form, PublishedBbq, SINGLE};

/// Two blocks.
type Queue<const FORM: Form> = Arc<PublishedBbq<u32, FORM>>;

/// Runs each part on a thread of its own, the last one on this, and then empties the queue: each
/// item came once, and each producer's items in order.
fn client<const FORM: Form>(block_size: usize, before: &str, parts: &[&'static str]) {
    let queue: Queue<FORM> = Arc::new(PublishedBbq::with_blocks(2, block_size));
    let mut pushed = Vec::new();
    let mut popped = Vec::new();
    let mut all = vec![act(&queue, 0, before)];
    let (last, others) = parts.split_last().expect("a part");
    let threads: Vec<_> = (others.iter().zip(1..))
        .map(|(&part, number)| {
            let queue = Arc::clone(&queue);
            thread::spawn(move || act(&queue, number, part))
        })
        .collect();
    all.push(act(&queue, parts.len() as u32, last));
    all.extend(threads.into_iter().map(|thread| thread.join().unwrap()));
    all.push(act(&queue, 9, "----------"));
    for (theirs, taken) in all {
        pushed.extend(theirs);
        assert!(
            taken.iter().all(|item| taken.iter().filter(|other| *other / 10 == item / 10).is_sorted()),
            "{taken:?}"
        );
        popped.extend(taken);
    }
    popped.sort_unstable();
    pushed.sort_unstable();
    assert_eq!(pushed, popped);
}

/// Pushes for each `+`, pops for each `-`; returns the items pushed and the items popped.
fn act<const FORM: Form>(queue: &Queue<FORM>, number: u32, part: &str) -> (Vec<u32>, Vec<u32>) {
    let (mut pushed, mut popped) = (Vec::new(), Vec::new());
    for (call, place) in part.chars().zip(10 * number..) {
        if call == '-' {
            popped.extend(queue.pop());
        } else if queue.push(place).is_ok() {
            pushed.push(place);
        }
    }
    (pushed, popped)
}

#[test]
fn small_programs_are_right_in_every_execution() {
    let executions = |program: fn()| {
        let report = Config::new().check(program);
        assert!(report.exhaustive && report.failure.is_none(), "{report:?}");
        report.executions
    };
    assert_eq!(executions(|| client::<BY_ADDITION>(1, "", &["++", "--"])), 384);
    assert_eq!(executions(|| client::<BY_EXCHANGE>(1, "", &["++", "--"])), 1536);
    assert_eq!(executions(|| client::<BY_ADDITION>(2, "", &["+", "+", "--"])), 60);
    assert_eq!(executions(|| client::<BY_EXCHANGE>(2, "", &["+", "+", "--"])), 360);
    assert_eq!(executions(|| client::<SINGLE>(1, "", &["++", "--"])), 6);
    assert_eq!(executions(|| client::<SINGLE>(1, "", &["+++", "---"])), 46);
    assert_eq!(executions(|| client::<SINGLE>(2, "", &["+++", "---"])), 22);
}

/// The other seven are those with which threads of one side hand each other blocks.
#[test]
fn with_one_thread_on_either_side_four_orderings_are_needed() {
    let clients = vec![
        Client::new("a lap", || client::<SINGLE>(1, "", &["++++", "---"])),
        Client::new("blocks of two", || client::<SINGLE>(2, "", &["+++++", "----"])),
    ];
    let table = Minimizer::new(Config::new(), clients).table().expect("the clients pass");
    let not_relaxed = table.rows.iter().filter(|row| !row.weaker.is_empty()).count();
    assert_eq!((not_relaxed, table.too_strong().count()), (11, 7));
}

/// Without the environment variable `AQUEDUCT_THOROUGH=1`, it is left out: each ordering takes many
/// executions.
#[test]
fn every_ordering_is_needed() {
    if std::env::var_os("AQUEDUCT_THOROUGH").is_none() {
        println!("left out: AQUEDUCT_THOROUGH=1 weakens each ordering of the published BBQ");
        return;
    }
    let clients = vec![
        Client::new("three threads, lap after lap", || client::<BY_ADDITION>(1, "+-+-", &["++--", "+-", "+-"])),
        Client::new("late for an advance", || client::<BY_ADDITION>(1, "+-", &["+", "+", "--"])),
        Client::new("two consumers", || client::<BY_ADDITION>(1, "++", &["+", "--", "--"])),
        Client::new("by compare-exchange", || client::<BY_EXCHANGE>(1, "++", &["++", "+", "---"])),
    ];
    // There are too many executions to explore all: these are picked by chance, equal ones each
    // time.
    let table = Minimizer::new(Config::new().random(30_000, 7).jobs(2), clients).table().expect("the clients pass");
    let too_strong: Vec<_> = table.too_strong().map(|row| row.site.to_string()).collect();
    assert_eq!(too_strong, [""; 0]);
    let not_relaxed = table.rows.iter().filter(|row| !row.weaker.is_empty()).count();
    assert_eq!(not_relaxed, 13, "six and six, and an allocation by compare-exchange");
}
