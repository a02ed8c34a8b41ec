//! The last end of a queue frees all its memory.
//!
//! Each test counts its own thread's memory. The queues' memory is known by its alignment: all of
//! it begins with a pair of cache lines.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::common::{Kind, Ledger, Number, Setup, Token, Tracked, every_queue};
use aqueduct::queue::{Pop, Push, PushIter};

thread_local! {
    static BYTES: Cell<isize> = const { Cell::new(0) };
}

const LINE_PAIR: usize = 128;

/// The system's allocator, with a tally for each thread of the bytes that its queues hold.
struct Tally;

impl Tally {
    fn count(layout: Layout, sign: isize) {
        if layout.align() >= LINE_PAIR {
            BYTES.set(BYTES.get() + sign * layout.size() as isize);
        }
    }
}

// SAFETY: all work is the system allocator's; the tally needs no memory and no drop.
unsafe impl GlobalAlloc for Tally {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise.
        let memory = unsafe { System.alloc(layout) };
        if !memory.is_null() {
            Self::count(layout, 1);
        }
        memory
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        Self::count(layout, -1);
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static TALLY: Tally = Tally;

/// Returns how many bytes more than before this thread holds after `work`.
fn kept_by(work: impl FnOnce()) -> isize {
    let before = BYTES.get();
    work();
    BYTES.get() - before
}

fn is_freed_by_the_last_end<K: Kind<NonZeroUsize>>() {
    for producer_first in [true, false] {
        let kept = kept_by(|| {
            let held = BYTES.get();
            let (mut producer, mut consumer) = K::make(Setup::tight(100)).expect("a hundred items");
            assert!(BYTES.get() > held, "the tally sees the queue");
            producer.push_iter(&mut (1..=100).map(NonZeroUsize::of));
            assert!(consumer.pop().is_ok());
            if producer_first {
                drop(producer);
                assert!(consumer.drain().count() == 99, "the memory is still there");
            } else {
                drop(consumer);
                assert!(producer.push(NonZeroUsize::MIN).is_ok(), "the memory is still there");
            }
        });
        assert_eq!(kept, 0, "bytes leaked");
    }
}
every_queue!(freed: is_freed_by_the_last_end);

fn is_freed_although_a_drop_panics<T: Tracked, K: Kind<T>>() {
    let ledger = Ledger::new(9);
    let kept = kept_by(|| {
        let (mut producer, consumer) = K::make(Setup::tight(9)).expect("nine items");
        producer.push_iter(&mut (0..9).map(|n| T::hold(if n == 4 { ledger.bomb(n) } else { ledger.token(n) })));
        drop(consumer);
        catch_unwind(AssertUnwindSafe(|| drop(producer))).expect_err("token 4 panics");
    });
    assert_eq!(kept, 0, "bytes leaked");
}
every_queue!(freed_in_panic: is_freed_although_a_drop_panics::<Box<Token>>);

fn is_not_taken_when_the_queue_is_refused<K: Kind<NonZeroUsize>>() {
    // The last size is more than the machine has, if not more than can be requested: the system
    // often grants half of 2^32 addresses.
    let beyond = if usize::BITS < 64 { usize::MAX / 2 } else { isize::MAX as usize / 8 };
    for capacity in [0, usize::MAX, beyond] {
        let kept = kept_by(|| assert!(K::make(Setup::plain(capacity)).is_err(), "no such queue"));
        assert_eq!(kept, 0, "bytes leaked by a queue of {capacity} that was refused");
    }
}
every_queue!(refused: is_not_taken_when_the_queue_is_refused);
