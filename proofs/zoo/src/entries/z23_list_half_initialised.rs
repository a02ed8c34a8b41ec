//! Z23: crossbeam #971, rust #110001 (2023). The receiver sees the first block too late.
//!
//! The first sender publishes the first block to the other senders before it publishes it to the
//! receiver. A second sender sends in between; a receiver that is dropped then counts a message,
//! and follows a null pointer to it. The repaired form waits for the block.

use super::list_channel::{Take, client};

pub(crate) fn broken() {
    client(2, Take::AtOnce);
}

pub(crate) fn repaired() {
    client(2, Take::Swap);
}
