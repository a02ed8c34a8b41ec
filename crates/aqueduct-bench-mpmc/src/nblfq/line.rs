//! Values that share no cache line.

/// A value with two lines of its own, because processors fetch pairs.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(super) struct Line<T>(pub(super) T);
