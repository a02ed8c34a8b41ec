//! How an operation waits that needs a partner.

use super::Ticket;
use crate::sync::Arc;
use crate::wake::Caller;

/// The case of a select that waits, and the select; `None` outside of a select.
pub type Case<'a> = Option<(&'a Arc<Ticket>, usize)>;

/// Whether a caller waits if it finds no partner.
#[derive(Clone, Copy, Debug)]
pub enum Stay<'a> {
    /// It does not. A receiver passes senders by that have reserved and have no message yet.
    Never,
    /// It comes back to wait. A receiver leaves a sender that has reserved, and those behind it, to that call.
    Soon,
    /// It does not, but waits for the message of a sender that has reserved, which comes at once.
    Briefly,
    /// It is listed, and will be woken.
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
