//! Tests of the checker through its public interface.

mod auto_traits;
mod channels;
mod classics;
mod estimates;
mod failures;
mod faults;
mod linearizability;
mod memory;
mod minimal;
mod objects;
mod pictures;
mod random;
mod reports;
mod resume;
mod safety;
mod steps;
mod support;
mod waiting;
