//! The memory that a queue takes and gives back, and its behaviour without memory.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use aqueduct::error::PushError;
use aqueduct::unbounded::Queue;

/// The system's allocator, which counts a thread's memory blocks with the alignment of a queue's,
/// and refuses more than the thread allows.
struct Counting;

thread_local! {
    static BLOCKS: Cell<usize> = const { Cell::new(0) };
    /// The limit of a thread that frees its own blocks only: the number wraps in one that frees
    /// others'.
    static ALLOWED: Cell<Option<usize>> = const { Cell::new(None) };
}

fn is_counted(layout: Layout) -> bool {
    layout.align() == 4096
}

// SAFETY: every call goes to the system's allocator, or is refused.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if is_counted(layout) {
            if ALLOWED.get().is_some_and(|allowed| BLOCKS.get() >= allowed) {
                return std::ptr::null_mut();
            }
            BLOCKS.set(BLOCKS.get() + 1);
        }
        // SAFETY: the caller's promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        if is_counted(layout) {
            BLOCKS.set(BLOCKS.get().wrapping_sub(1));
        }
        // SAFETY: the caller's promises.
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn an_empty_queue_keeps_two_blocks_at_most() {
    for block_size in [1, 2, 10] {
        let queue = Queue::with_block_size(block_size).expect("a possible size");
        assert_eq!((BLOCKS.get(), queue.pop().ok()), (0, None));
        for items in [1, 100, if cfg!(miri) { 10 } else { 1000 }] {
            (0..items).for_each(|item| queue.push(item).expect("there is memory"));
            assert!(BLOCKS.get() >= items / block_size);
            assert!((0..items).all(|item| queue.pop() == Ok(item)) && queue.is_empty());
            assert!((1..=2).contains(&BLOCKS.get()), "{} blocks of {block_size}", BLOCKS.get());
        }
        drop(queue);
        assert_eq!(BLOCKS.get(), 0);
    }
}

/// A queue that stays short allocates no block after the first two.
#[test]
fn blocks_are_used_again() {
    let queue = Queue::with_block_size(3).expect("a possible size");
    (0..3).for_each(|item| queue.push(item).expect("there is memory"));
    let (middle, end) = if cfg!(miri) { (20, 40) } else { (1000, 2000) };
    for item in 3..middle {
        queue.push(item).expect("there is memory");
        assert_eq!(queue.pop(), Ok(item - 3));
        assert!(BLOCKS.get() <= 3);
    }
    ALLOWED.set(Some(BLOCKS.get()));
    for item in middle..end {
        queue.push(item).expect("no block is allocated");
        assert_eq!(queue.pop(), Ok(item - 3));
    }
    ALLOWED.set(None);
}

/// However often a push fails, the queue does not change. Once there is memory, it goes on.
#[test]
fn a_push_without_memory_gives_the_item_back() {
    for blocks in 0..3 {
        const SLOTS: usize = 2;
        let queue = Queue::with_block_size(SLOTS).expect("a possible size");
        ALLOWED.set(Some(blocks));
        for item in 0..blocks * SLOTS {
            assert_eq!(queue.push(item), Ok(()));
        }
        // It fails more often than an index could count.
        for _ in 0..if cfg!(miri) { 10 } else { 1 << 21 } {
            assert!(matches!(queue.push(99), Err(PushError::Full(99))));
        }
        assert_eq!((queue.push_slice(&[7; 9]), queue.len()), (0, blocks * SLOTS));
        assert!(queue.drain().eq(0..blocks * SLOTS));
        ALLOWED.set(Some(3));
        let pushed = queue.push_slice(&[7; 20]);
        assert!((SLOTS..=3 * SLOTS).contains(&pushed), "{pushed}");
        ALLOWED.set(None);
        assert_eq!(queue.push(8), Ok(()));
        assert_eq!(queue.drain().count(), pushed + 1);
    }
    assert_eq!(BLOCKS.get(), 0);
}
