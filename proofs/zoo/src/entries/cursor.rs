//! The packed words of block-based queues: a lap above an offset or an index.

pub(crate) const fn cursor(version: usize, offset: usize) -> usize {
    version << 8 | offset
}

pub(crate) const fn version(cursor: usize) -> usize {
    cursor >> 8
}

pub(crate) const fn offset(cursor: usize) -> usize {
    cursor & 0xff
}
