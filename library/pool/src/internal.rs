//! Items for the model checker's clients.

pub use crate::latch::CoreLatch;
pub use crate::sleep::Sleep;
pub use crate::task::handle::new as new_task;
pub use crate::task::next::Next;
pub use crate::task::raw::{Host, Place, Runnable};
pub use crate::task::watch::Watch;
pub use crate::time::timers::Timers;
