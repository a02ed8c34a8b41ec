//! The queues of `aqueduct-shm` for C. `include/aqueduct.h` has the description of each function.
//!
//! No panic unwinds out of a function, which returns `AQ_PANIC` instead. For a null pointer, it
//! returns `AQ_ARGUMENT`. Linux only.

#![cfg(target_os = "linux")]

mod drop_old;
mod drop_old_records;
mod events;
mod mpmc;
mod numbers;
mod records;
mod region;
mod status;

pub use drop_old::*;
pub use drop_old_records::*;
pub use events::*;
pub use mpmc::*;
pub use numbers::*;
pub use records::*;
pub use region::*;
pub use status::aq_status_text;
