//! The memory that both ends of a queue share, freed by the last end: an array of slots, and the
//! queue itself.

use core::alloc::Layout;
use core::ops::Deref;
use core::ptr::NonNull;

use crate::error::CapacityError;
use crate::isolated::{Isolated, LINE_PAIR};
use crate::sync::{AtomicUsize, Ordering, alloc, dealloc};

/// Allocates `layout`, or returns an error if there is no memory.
///
/// A size of 0 takes no memory.
pub(crate) fn allocate(layout: Layout) -> Result<NonNull<u8>, CapacityError> {
    if layout.size() == 0 {
        // The address is aligned, and not null, because no alignment is 0.
        return Ok(NonNull::new(core::ptr::without_provenance_mut(layout.align())).unwrap_or(NonNull::dangling()));
    }
    // SAFETY: the size is not 0.
    let memory = unsafe { alloc(layout) };
    NonNull::new(memory).ok_or(CapacityError::OutOfMemory { bytes: layout.size() })
}

/// Frees the memory that [`allocate`] gave for this layout.
///
/// # Safety
/// `memory` came from `allocate(layout)`, and no thread uses it any more.
pub(crate) unsafe fn free(memory: NonNull<u8>, layout: Layout) {
    if layout.size() != 0 {
        // SAFETY: the caller's promise.
        unsafe { dealloc(memory.as_ptr(), layout) }
    }
}

/// Returns the greatest size of one allocation with this alignment.
///
/// That is as many bytes as `isize::MAX` holds whole multiples of the alignment.
pub(crate) const fn most_bytes(align: usize) -> usize {
    isize::MAX as usize & !(align - 1)
}

/// Returns the layout of `len` elements that share no pair of lines with anything else.
pub(crate) fn isolated_array<E>(len: usize) -> Option<Layout> {
    let array = Layout::array::<E>(len).ok()?.align_to(LINE_PAIR).ok()?;
    let size = array.size().checked_next_multiple_of(LINE_PAIR)?;
    Layout::from_size_align(size, array.align()).ok()
}

/// One end's hold on the queue that two ends share. The last end drops and frees the queue.
pub(crate) struct End<Q> {
    shared: NonNull<TwoEnded<Q>>,
}

/// The queue is first: a word at its start is at the address that the handles hold.
#[repr(C)]
struct TwoEnded<Q> {
    queue: Q,
    /// The number of ends that are left: 2, 1, or 0 while the last one frees the queue.
    ends: Isolated<AtomicUsize>,
}

// SAFETY: an end gives out `&Q` only, and the last end drops `Q` on its own thread.
unsafe impl<Q: Send + Sync> Send for End<Q> {}
// SAFETY: the reason for `Send` holds.
unsafe impl<Q: Send + Sync> Sync for End<Q> {}

impl<Q> End<Q> {
    /// Moves `queue` to the heap and returns its two ends.
    pub(crate) fn pair(queue: Q) -> Result<(Self, Self), CapacityError> {
        let shared = allocate(Layout::new::<TwoEnded<Q>>())?.cast::<TwoEnded<Q>>();
        let content = TwoEnded { ends: Isolated(AtomicUsize::new(2)), queue };
        // SAFETY: the memory was just allocated with this type's layout, whose size is not 0.
        unsafe { shared.write(content) };
        Ok((Self { shared }, Self { shared }))
    }

    /// Whether the other end has been dropped. If so, all that it did happens before the caller's
    /// next step.
    #[inline]
    pub(crate) fn is_alone(&self) -> bool {
        // Ordering: Acquire pairs with the release half of the decrement in `drop`; without it, a
        // consumer that observes its producer's drop could still miss the last items.
        self.shared().ends.load(Ordering::Acquire) == 1
    }

    /// Returns another copy of this end.
    ///
    /// # Safety
    /// One copy of an end is dropped, after the last use of all others. The others are never
    /// dropped.
    pub(crate) unsafe fn copy(&self) -> Self {
        Self { shared: self.shared }
    }

    #[inline(always)]
    fn shared(&self) -> &TwoEnded<Q> {
        // SAFETY: `ends` counts this end, so the memory is alive.
        unsafe { self.shared.as_ref() }
    }
}

impl<Q> Deref for End<Q> {
    type Target = Q;

    #[inline(always)]
    fn deref(&self) -> &Q {
        &self.shared().queue
    }
}

impl<Q> Drop for End<Q> {
    /// Passes the hold to a function by value: a handle whose address never escapes stays in
    /// registers.
    #[inline(always)]
    fn drop(&mut self) {
        // SAFETY: `ends` counts this end, which is not used after this.
        unsafe { let_go(self.shared) }
    }
}

/// Gives up one end's hold; the last one drops the queue and frees the memory.
///
/// # Safety
/// The caller holds an end of `shared`, and does not use it afterwards.
#[inline(never)]
unsafe fn let_go<Q>(shared: NonNull<TwoEnded<Q>>) {
    /// Frees the memory even if an item's destructor panics.
    struct Free<Q>(NonNull<TwoEnded<Q>>);
    impl<Q> Drop for Free<Q> {
        fn drop(&mut self) {
            // SAFETY: `pair` allocated it with this layout, and the last end is its only user.
            unsafe { free(self.0.cast(), Layout::new::<TwoEnded<Q>>()) }
        }
    }
    // Ordering: Release and Acquire let all that both ends did happen before the free. Without
    // either, the free races with the other end's last access.
    // SAFETY: the caller's end keeps the memory alive up to here.
    if unsafe { shared.as_ref() }.ends.fetch_sub(1, Ordering::AcqRel) == 1 {
        let memory = Free(shared);
        // SAFETY: the last end is the only user, and drops the content once.
        unsafe { memory.0.drop_in_place() };
    }
}

/// Calls `drop_next` until it returns that nothing is left, even when a destructor panics.
///
/// The first panic reaches the caller after all other items have been dropped. A second one aborts
/// the program, as everywhere in Rust. `drop_next` counts an item as dropped before it drops it.
pub(crate) fn drop_all(drop_next: &mut dyn FnMut() -> bool) {
    struct Resume<'a>(&'a mut dyn FnMut() -> bool);
    impl Drop for Resume<'_> {
        fn drop(&mut self) {
            drop_all(self.0);
        }
    }
    loop {
        let resume = Resume(drop_next);
        let more = (resume.0)();
        core::mem::forget(resume);
        if !more {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isolated::assert_line_pairs;
    use core::mem::offset_of;

    #[test]
    fn the_count_of_ends_lies_apart_from_the_queue() {
        type Aligned = TwoEnded<Isolated<u8>>;
        assert_line_pairs(align_of::<Aligned>(), &[offset_of!(Aligned, ends), offset_of!(Aligned, queue)]);
    }

    #[test]
    fn arrays_take_whole_pairs_of_lines() {
        fn check<E>(len: usize) {
            let layout = isolated_array::<E>(len).expect("a small array");
            assert!(layout.align() >= LINE_PAIR && layout.align() >= align_of::<E>());
            assert!(layout.size() >= len * size_of::<E>() && layout.size() < len * size_of::<E>() + LINE_PAIR);
            assert!(layout.size().is_multiple_of(LINE_PAIR));
        }
        for len in [1, 2, 15, 16, 17, 1000] {
            check::<u8>(len);
            check::<[u8; 3]>(len);
            check::<u64>(len);
            check::<[u64; 9]>(len);
            check::<()>(len);
            check::<crate::isolated::Isolated<u8>>(len);
        }
    }

    #[test]
    fn most_bytes_is_the_most_that_a_layout_takes() {
        for align in [1, 64, LINE_PAIR, 4096, 1 << (usize::BITS * 5 / 8)] {
            assert!(Layout::from_size_align(most_bytes(align), align).is_ok());
            assert!(Layout::from_size_align(most_bytes(align) + 1, align).is_err());
        }
    }

    #[test]
    fn drop_all_goes_on_after_a_panic() {
        let mut left = 5;
        let outcome = std::panic::catch_unwind(core::panic::AssertUnwindSafe(|| {
            drop_all(&mut || {
                left -= 1;
                assert!(left != 3, "a destructor panics, as the test wants");
                left != 0
            });
        }));
        assert!(outcome.is_err() && left == 0, "{left} pieces were not dropped");
    }
}
