//! The queues of schedulers: an owner pushes and pops, and thieves steal. Items go straight to the
//! thief, not through a queue of its own.

pub mod chase_lev;
pub mod go;
pub mod steal;
pub mod tokio;

use crate::sync;
