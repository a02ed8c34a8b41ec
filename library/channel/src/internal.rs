//! For packages of this workspace that have channels of their own. Not part of the interface.

pub use crate::channel::{Case, Stay, rendezvous_of_threads};
pub use crate::event::Miss;
pub use crate::select::{Meeting, Progress, Selectable, Token};
pub use crate::sync::RawLock;
pub use crate::wake::Caller;
