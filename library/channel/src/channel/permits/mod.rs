//! Room that is reserved before the message is there.

mod shared;
mod sole;

pub use shared::Permit;
pub(super) use shared::Reserving;
pub(super) use sole::Finding;
pub use sole::Permit as SolePermit;
