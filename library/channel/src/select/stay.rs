//! Waiting of an operation that needs a partner.

use super::Ticket;
use crate::sync::Arc;
use crate::wake::Caller;

/// The case of a select that waits, and the select; `None` outside of a select.
pub type Case<'a> = Option<(&'a Arc<Ticket>, usize)>;

/// What a caller does if it finds no partner.
#[derive(Clone, Copy, Debug)]
pub enum Stay<'a> {
    /// It does not wait. A receiver skips senders that have reserved and have no message yet.
    Never,
    /// It comes back to wait. A receiver leaves a sender that has reserved, and the senders behind
    /// it, to the next call.
    Soon,
    /// It does not wait for a partner. It does wait for the message of a sender that has reserved,
    /// which comes at once.
    Briefly,
    /// It is listed and will be woken.
    Listed(Caller<'a>),
}

impl Stay<'_> {
    pub(crate) fn is_listed(self) -> bool {
        matches!(self, Self::Listed(_))
    }

    pub(crate) fn is_task(self) -> bool {
        matches!(self, Self::Listed(Caller::Task(_)))
    }
}
