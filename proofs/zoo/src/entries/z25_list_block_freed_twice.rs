//! Z25: crossbeam-channel, RUSTSEC-2025-0024 (2025), left by the repair of Z24. A block is freed
//! twice.
//!
//! A dropped receiver swaps null in where it first reads the pointer to the first block. If it has
//! to wait for the block, it only loads the pointer. It frees the block, and the channel's own end
//! frees it once more. The repaired form swaps null in on both paths.

use super::list_channel::{Take, client};

pub(crate) fn broken() {
    client(2, Take::SwapOrWait);
}

pub(crate) fn repaired() {
    client(2, Take::Swap);
}
