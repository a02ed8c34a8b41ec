//! Values that share no cache line, and neighbours that do not.

/// A value with two lines of its own, because processors fetch pairs.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(super) struct Line<T>(pub(super) T);

/// Returns the place of a position in a ring of `2^bits` entries: neighbouring positions are `2^by`
/// places apart, in different lines.
#[inline(always)]
pub(super) fn spread(position: u64, bits: u32, by: u32) -> usize {
    let (mask, by) = ((1 << bits) - 1, by.min(bits - 1));
    let place = position & mask;
    ((place << by | place >> (bits - by)) & mask) as usize
}
