//! Tests of the checker through its public interface.

mod classics;
mod failures;
mod faults;
mod memory;
mod objects;
mod reports;
mod steps;
mod support;
mod waiting;
