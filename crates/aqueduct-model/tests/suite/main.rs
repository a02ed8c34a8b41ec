//! Tests of the checker through its public interface.

mod classics;
mod failures;
mod faults;
mod memory;
mod objects;
mod pictures;
mod random;
mod reports;
mod support;
mod waiting;
