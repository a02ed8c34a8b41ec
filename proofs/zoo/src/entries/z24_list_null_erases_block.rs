//! Z24: crossbeam #1084 (2024). The receiver's null erases a block.
//!
//! A dropped receiver loads the pointer to the first block, finds none and no messages, and stores
//! null at the end: that erases a block which a sender installed in between, and which is never
//! freed. The repaired form swaps null in at once, so that the channel's own end frees later
//! blocks.

use super::list_channel::{Take, client};

pub(crate) fn broken() {
    client(1, Take::LoadAndStore);
}

pub(crate) fn repaired() {
    client(1, Take::Swap);
}
