//! The entries. Each file is compiled once for each checker: `super::super` is its world. An entry is a core that takes its
//! difference as a parameter (a const generic or a function), a client, and the two functions `broken` and `repaired`.

pub(crate) mod l1_rmw_reads_old;
pub(crate) mod z01_ring_head_then_tail;
