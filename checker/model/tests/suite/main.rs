//! Tests of the checker through its public interface.

mod aftermath;
mod attribute;
mod auto_traits;
mod boxes;
mod buffering;
mod channels;
mod classics;
mod divided;
mod equal;
mod estimates;
mod failed_races;
mod failures;
mod faults;
mod futures;
mod giving_up;
mod interface;
mod limits;
mod linearizability;
mod locks;
mod memory;
mod minimal;
mod objects;
mod once;
mod owners;
mod pages;
mod pictures;
mod polling;
mod preemptions;
mod published;
mod random;
mod real_threads;
mod relinche;
mod reports;
mod resume;
mod rooms;
mod rounds;
mod safety;
mod spurious;
mod steps;
mod stray;
mod support;
mod sync_channels;
mod tokens;
mod waiting;
mod weak;

/// The addresses of freed boxes are not reused within an execution: see `boxes`.
#[global_allocator]
static ADDRESSES: aqueduct_model::allocator::DistinctAddresses = aqueduct_model::allocator::DistinctAddresses;
