//! The queues take no more memory for an item than the checks of plans assume.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use aqueduct_bench_mpmc::cnq;
use aqueduct_bench_mpmc::mpmc::{self, Act, Threads};
use aqueduct_bench_spsc::{self as spsc, Quiet};
use aqueduct_bench_steal as steal;
use aqueduct_measure::machine::Cores;
use aqueduct_measure::rounds::{BYTES_PER_ITEM, Pace};

/// The system's allocator, with counts of the bytes in use, now and at most.
struct Weighing;

static IN_USE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call goes to the system's allocator.
unsafe impl GlobalAlloc for Weighing {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // Ordering: Relaxed, because the numbers carry no data.
        let in_use = IN_USE.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(in_use, Ordering::Relaxed);
        // SAFETY: the caller's promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        IN_USE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promises.
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Weighing = Weighing;

/// One more than a power of two, so that most queues have room for the next one.
const CAPACITY: usize = (1 << 16) + 1;

/// Runs `work`, which has a queue of [`CAPACITY`] items, and returns how many bytes were in use for
/// each of them.
fn weigh(work: impl FnOnce()) -> usize {
    /// The bytes that a run takes with any queue: threads, samples, names.
    const BESIDE: usize = 1 << 20;
    let before = IN_USE.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    work();
    PEAK.load(Ordering::Relaxed).saturating_sub(before + BESIDE).div_ceil(CAPACITY)
}

/// All memory in use is weighed, so there is one test. A queue that cannot hold that number returns
/// an error, and takes no memory.
#[test]
fn no_queue_takes_more_for_an_item_than_is_reckoned_with() {
    let mut taken = Vec::new();
    for subject in mpmc::subjects() {
        let alone = mpmc::Alone { act: Act::PushToFull, capacity: CAPACITY, warm_up: 0, times: 1, core: None };
        taken.push((subject.name().to_owned(), weigh(|| drop(subject.alone(&alone)))));
    }
    for subject in spsc::subjects() {
        let cores = Cores { producer: None, consumer: None };
        let alone = spsc::Alone { capacity: CAPACITY, warm_up: 0, pairs: 1, cores };
        taken.push((subject.name().to_owned(), weigh(|| drop(subject.alone(&alone)))));
    }
    for subject in steal::subjects() {
        let alone = steal::Alone { capacity: CAPACITY, blocks: None, times: 1, core: None };
        taken.push((subject.name().to_owned(), weigh(|| drop(subject.alone(&alone)))));
    }
    for contestant in cnq::contestants(&[1000, CAPACITY]) {
        let plan = cnq::Plan {
            experiments: vec![cnq::Experiment::Throughput],
            queues: Vec::new(),
            peers: true,
            threads: vec![Threads::new(2, 2)],
            batches: vec![1],
            capacity: CAPACITY,
            orders: Vec::new(),
            p99: None,
            sweep: Vec::new(),
            cores: Vec::new(),
            pace: Pace::new(1, Duration::from_micros(1)),
        };
        let name = contestant.queue.to_string();
        let bytes = weigh(|| drop(cnq::measure(&plan, &[contestant], &AtomicBool::new(false), &mut Quiet)));
        taken.push((name, bytes));
    }
    let too_much: Vec<_> = taken.iter().filter(|(_, bytes)| *bytes > BYTES_PER_ITEM).collect();
    assert!(too_much.is_empty(), "more than {BYTES_PER_ITEM} bytes for an item: {too_much:?}");
    assert!(taken.iter().any(|(_, bytes)| *bytes > BYTES_PER_ITEM / 2), "far too much is reckoned with: {taken:?}");
}
