//! Only the first event of a place allocates.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use aqueduct_recorder::Builder;
use aqueduct_tracing::RecorderLayer;
use tracing_subscriber::layer::SubscriberExt as _;

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: all calls go to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller keeps the contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn later_events_do_not_allocate() {
    let recorder = Builder::new().install().expect("the first one");
    let subscriber = tracing_subscriber::registry().with(RecorderLayer::new().redact(["password"]));
    let counts: Vec<u64> = tracing::subscriber::with_default(subscriber, || {
        let report = |number: u64| {
            let before = ALLOCATIONS.get();
            tracing::info!(number, text = "some", debug = ?Some(number), password = "secret", "told {number}");
            ALLOCATIONS.get() - before
        };
        (0..100).map(report).collect()
    });
    assert!(counts[0] > 0, "the first event makes its place");
    assert_eq!(counts[1..], [0; 99]);
    assert_eq!(recorder.trace().events().len(), 100);
}
