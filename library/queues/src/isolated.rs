//! Memory that shares no cache line with its neighbours.

use core::ops::Deref;

/// The size of a cache line, in bytes, that these layouts assume.
pub(crate) const LINE: usize = 64;

/// The size of the unit that hardware moves, in bytes.
///
/// The adjacent-line prefetcher of x86-64 moves pairs of lines. Arm's big cores have lines or
/// prefetch units of 128 bytes.
pub(crate) const LINE_PAIR: usize = 128;

/// Content that is aligned to a pair of lines, so that its neighbours lie in other pairs.
#[derive(Debug)]
#[repr(align(128))]
pub(crate) struct Isolated<T>(pub(crate) T);

impl<T> Deref for Isolated<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        &self.0
    }
}

const _: () = assert!(align_of::<Isolated<u8>>() == LINE_PAIR && LINE_PAIR.is_multiple_of(LINE));

/// Asserts that fields at these offsets each begin a pair of lines.
///
/// `align` is the alignment of the type that has the fields.
#[cfg(test)]
pub(crate) fn assert_line_pairs(align: usize, offsets: &[usize]) {
    assert!(align >= LINE_PAIR, "the type is aligned to {align} bytes");
    for (i, offset) in offsets.iter().enumerate() {
        assert!(offset.is_multiple_of(LINE_PAIR), "a field at {offset} begins no pair of lines");
        assert!(!offsets[..i].contains(offset), "two fields at {offset}");
    }
}
