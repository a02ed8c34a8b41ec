//! Queues for many producers and many consumers.

pub mod bbq;
pub mod circular;
pub mod cr_turn;
mod hazards;
pub mod scqd;
#[cfg(target_arch = "x86_64")]
pub mod wcq;
#[cfg(target_arch = "x86_64")]
pub mod ymc;

use crate::sync;

/// Whether the machine has the exchange of 16 bytes, without which [`wcq`] must not be used.
#[cfg(target_arch = "x86_64")]
#[must_use]
pub fn has_exchange_of_16_bytes() -> bool {
    sync::Pair::is_available()
}
