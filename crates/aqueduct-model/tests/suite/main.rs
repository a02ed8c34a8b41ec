//! Tests of the checker through its public interface.

mod addresses;
mod classics;
mod failures;
mod faults;
mod interrupts;
mod memory;
mod objects;
mod reports;
mod steps;
mod support;
mod waiting;
