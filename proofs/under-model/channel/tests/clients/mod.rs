//! The clients, and the programs that are explored at random.

use crate::{common, library};

pub(crate) mod channel;
pub(crate) mod event;
pub(crate) mod exact;
pub(crate) mod feed;
pub(crate) mod found;
pub(crate) mod handles;
pub(crate) mod linear;
pub(crate) mod linear_handles;
pub(crate) mod lock;
pub(crate) mod offer;
pub(crate) mod oneshot;
pub(crate) mod records;
pub(crate) mod relaxed;
pub(crate) mod rendezvous;
pub(crate) mod reservations;
pub(crate) mod select;
pub(crate) mod stream;
pub(crate) mod unbounded;
pub(crate) mod weak;
