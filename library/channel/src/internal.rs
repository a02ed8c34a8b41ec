//! For packages of this workspace that have channels of their own. Not part of the interface.

pub use crate::channel::rendezvous_of_threads;
pub use crate::event::Miss;
pub use crate::select::{Case, Meeting, Progress, Selectable, Stay, Token};
pub use crate::sync::RawLock;
pub use crate::wake::Caller;
