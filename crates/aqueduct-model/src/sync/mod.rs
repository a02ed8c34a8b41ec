//! Synchronization, as in `std::sync`.

pub mod atomic;
