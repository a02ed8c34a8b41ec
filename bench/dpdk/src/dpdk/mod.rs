//! The modules that need DPDK.

mod bench;
mod calls;
mod client;
mod eal;
mod ffi;
mod memory;
#[cfg(has_event_device)]
mod pipeline;
mod process;
mod queue;
mod setup;
mod stop;

pub use bench::{Experiment, Plan, run};
pub use memory::Memory;

/// Runs the tests that DPDK's software event device brings, with aqueduct's queue in place of its
/// ring.
///
/// # Errors
/// DPDK's error, that a test has failed, or that this program was built without the device.
pub fn self_test(more: &[String]) -> Result<(), String> {
    if !cfg!(has_event_device) {
        return Err("this program was built without AQUEDUCT_DPDK_SOURCE".to_owned());
    }
    let prefix = format!("aqueduct{}", std::process::id());
    // Some of the tests need three threads.
    eal::start(&eal::Start { lcores: "0@0,1@1,2@1".to_owned(), prefix: &prefix, joins: false, more })?;
    #[cfg(has_event_device)]
    pipeline::self_test()?;
    Ok(())
}

/// Runs a client of the bench of that prefix, on that core.
///
/// # Errors
/// DPDK's error, or that there is no such bench.
pub fn follow(number: usize, core: usize, prefix: &str, more: &[String]) -> Result<(), String> {
    client::work(number, core, prefix, more)
}
