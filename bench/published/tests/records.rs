//! The published BBQ with entries of any size as the benchmarks run it, compiled against the model
//! checker's atomics.

use std::sync::Arc;

use aqueduct_model::Config;
use aqueduct_model::minimal::{Client, Minimizer};
use aqueduct_model::thread;

/// The package's module of that name, with the checker's types.
mod sync {
    pub(super) use aqueduct_model::sync::atomic::{AtomicU64, Ordering};
}

#[path = "../src/records.rs"]
#[allow(dead_code, unreachable_pub, reason = "it is public in its package, and the geometry is given here")]
mod published;

use published::PublishedRecords;

/// Most bytes of a record here: two words.
const LONGEST: usize = 16;

/// Returns the record of a number: it is as long as its push asks for, and has the number in each
/// byte.
fn record(number: u8, is_long: bool) -> Vec<u8> {
    vec![number; if is_long { LONGEST } else { 3 }]
}

/// Pushes a short record for each `+` and a long one for each `*`, pops for each `-`; returns the
/// pushed and the popped records.
fn act<const AS_PRINTED: bool>(
    queue: &PublishedRecords<AS_PRINTED>,
    thread: u8,
    part: &str,
) -> (Vec<Vec<u8>>, Vec<Vec<u8>>) {
    let (mut pushed, mut popped) = (Vec::new(), Vec::new());
    for (call, number) in part.chars().zip(10 * thread + 1..) {
        if call == '-' {
            let mut bytes = [0; LONGEST];
            popped.extend(queue.pop(&mut bytes).map(|length| bytes[..length].to_vec()));
        } else {
            let record = record(number, call == '*');
            if queue.push(&record).is_ok() {
                pushed.push(record);
            }
        }
    }
    (pushed, popped)
}

/// Runs each part on a thread of its own, the last one on this, and then empties the queue: each
/// record comes once and whole, and each producer's in order.
fn client<const AS_PRINTED: bool>(block_size: usize, before: &'static str, parts: &[&'static str]) {
    let queue = Arc::new(PublishedRecords::<AS_PRINTED>::with_blocks(2, block_size));
    let mut all = vec![act(&queue, 0, before)];
    let (last, others) = parts.split_last().expect("a part");
    let threads: Vec<_> = (others.iter().zip(1..))
        .map(|(&part, number)| {
            let queue = Arc::clone(&queue);
            thread::spawn(move || act(&queue, number, part))
        })
        .collect();
    all.push(act(&queue, parts.len() as u8, last));
    all.extend(threads.into_iter().map(|thread| thread.join().unwrap()));
    all.push(act(&queue, 9, "----------"));
    let (mut pushed, mut popped) = (Vec::new(), Vec::new());
    for (theirs, taken) in all {
        let of = |producer| taken.iter().filter(move |record| record[0] / 10 == producer);
        assert!((0..9).all(|producer| of(producer).is_sorted()), "{taken:?}");
        pushed.extend(theirs);
        popped.extend(taken);
    }
    pushed.sort_unstable();
    popped.sort_unstable();
    assert_eq!(popped, pushed);
}

/// Words of a block, and the operations of threads, with the number of executions. Blocks of three
/// words have a dummy entry after each short record, and none after a long one.
const SMALL: &[(usize, &str, &[&str], u64)] = &[
    (3, "", &["+*", "--"], 15),
    (3, "", &["++", "--"], 15),
    (3, "+", &["+", "--"], 11),
    (4, "", &["+", "*", "-"], 28),
    (5, "+", &["*", "--"], 5),
    (3, "", &["+", "+"], 8),
    (3, "+", &["--", "-"], 4),
    (5, "+*", &["-", "-"], 8),
];

/// Programs with many executions: some are picked by chance, equal ones each time.
const LARGE: &[(usize, &str, &[&str])] = &[
    (3, "+", &["+*+", "--", "--"]),
    (3, "+-+", &["+*", "*+", "---"]),
    (5, "+*", &["*+", "+-+", "---"]),
    (7, "+*-", &["+*+", "*+-", "--"]),
];

#[test]
fn small_programs_are_right_in_every_execution() {
    let explore = |&(size, before, parts, _): &(usize, &'static str, &'static [&'static str], u64)| {
        let report = Config::new().check(move || client::<false>(size, before, parts));
        assert!(report.exhaustive && report.failure.is_none(), "{size} {before} {parts:?}: {report:?}");
        (size, before, parts, report.executions)
    };
    let found: Vec<_> = SMALL.iter().map(explore).collect();
    assert_eq!(found, SMALL);
}

#[test]
fn large_programs_are_right() {
    for &(size, before, parts) in LARGE {
        let report = Config::new().random(4000, 7).check(move || client::<false>(size, before, parts));
        assert!(report.failure.is_none(), "{size} {before} {parts:?}: {report:?}");
    }
}

/// A consumer of a dummy entry publishes that the whole block is consumed, while another one reads
/// an entry of it.
#[test]
fn a_dummy_entry_consumed_as_printed_is_found() {
    let printed = |size, before, parts: &'static [&'static str]| {
        Config::new().random(12_000, 7).check(move || client::<true>(size, before, parts)).failure
    };
    assert!(printed(3, "+", &["+*+", "--", "--"]).is_some());
}

/// Without the environment variable `AQUEDUCT_THOROUGH=1`, it is left out: each ordering takes many
/// executions.
#[test]
fn all_orderings_but_one_pair_are_needed() {
    if std::env::var_os("AQUEDUCT_THOROUGH").is_none() {
        println!("left out: AQUEDUCT_THOROUGH=1 weakens each ordering of the published BBQ with entries of any size");
        return;
    }
    let clients = (LARGE.iter())
        .map(|&(size, before, parts)| {
            Client::new(format!("{size} {before} {parts:?}"), move || client::<false>(size, before, parts))
        })
        .collect();
    let table = Minimizer::new(Config::new().random(12_000, 7).jobs(2), clients).table().expect("the clients pass");
    let too_strong: Vec<_> = table.too_strong().map(|row| row.site.to_string()).collect();
    let kinds: Vec<&str> = too_strong.iter().filter_map(|site| Some(site.split_once(' ')?.1)).collect();
    // A pair, with which a block is opened to consumers. In these programs, all come there by the
    // head's pair, too.
    assert_eq!(kinds, ["load Acquire", "compare_exchange, load Release"], "{too_strong:?}");
}

#[test]
fn one_thread_gets_whole_records_and_the_room_is_used() {
    let queue = PublishedRecords::<false>::new(1 << 12).expect("a small queue");
    let of = |number: usize| vec![number as u8; 1 + number % 200];
    let mut next = 0;
    for first in (0..2000).step_by(10) {
        for number in first..first + 10 {
            assert_eq!(queue.push(&of(number)), Ok(()));
        }
        while next < first + 10 {
            let mut bytes = [0; 200];
            let length = queue.pop(&mut bytes).expect("it was pushed");
            assert_eq!(bytes[..length], of(next));
            next += 1;
        }
        assert!(queue.pop(&mut [0; 200]).is_err());
    }
    assert!(queue.push(&[]).is_err() && queue.push(&[0; 1 << 12]).is_err(), "they fit into no block");
}
