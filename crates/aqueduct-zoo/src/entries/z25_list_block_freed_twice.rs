//! Z25: crossbeam-channel, RUSTSEC-2025-0024 (2025), left by the repair of Z24. The receiver that goes swaps null in
//! where it first looks for the first block, but where it has to wait for the block it only loads the pointer. It frees
//! the block, and the channel's own end frees it once more. Repaired by swapping null in on both paths.

use super::list_channel::{Take, client};

pub(crate) fn broken() {
    client(2, Take::SwapOrWait);
}

pub(crate) fn repaired() {
    client(2, Take::Swap);
}
