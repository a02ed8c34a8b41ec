//! Z24: crossbeam #1084 (2024). The receiver that goes loads the pointer to the first block, finds none and no
//! messages, and stores null at the end: that erases a block which a sender installed in between, and nobody frees it.
//! Repaired by swapping null in at once, so that what comes later stays for the channel's own end to free.

use super::list_channel::{Take, client};

pub(crate) fn broken() {
    client(1, Take::LoadAndStore);
}

pub(crate) fn repaired() {
    client(1, Take::Swap);
}
