//! Each direction of a duplex as a queue of its own, beside a direction of other items.

use aqueduct::spsc::duplex;

/// The direction from the first side to the second; bytes come back.
pub(crate) mod duplex_there {
    pub(crate) type Producer<T> = super::duplex::Producer<T, u8>;
    pub(crate) type Consumer<T> = super::duplex::Consumer<T, u8>;
}

/// The direction from the second side to the first; large items go there.
pub(crate) mod duplex_back {
    pub(crate) type Other = [u64; 9];
    pub(crate) type Producer<T> = super::duplex::Producer<T, Other>;
    pub(crate) type Consumer<T> = super::duplex::Consumer<T, Other>;
}
