//! Queues between processes.

#![no_std]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod bell;
#[cfg(feature = "std")]
mod blocking;
mod error;
pub mod items;
mod layout;
mod pod;
pub mod records;
#[cfg(all(feature = "std", target_os = "linux"))]
pub mod region;
mod sync;

#[cfg(feature = "std")]
pub use blocking::WaitError;
pub use error::{AttachError, CapacityError, ClaimError, Mismatch, PopError, PushError, RecordError};
pub use layout::{Expected, Memory, Peer};
pub use pod::Pod;
#[cfg(all(feature = "std", target_os = "linux"))]
pub use region::{OpenError, Place, PlaceError, Region};
pub use sync::Word;
