//! The recorder's ring on the model checker's atomics, with faults: its clients have to find each of them.
//!
//! The build script copies the source and puts in, at the places that `faults.rs` names, code that does the wrong
//! thing if the fault is [switched on](with).

use std::cell::Cell;

#[path = "../../aqueduct-recorder-under-model/src/sync.rs"]
mod sync;

include!("../../aqueduct-broken/src/place.rs");
include!("faults.rs");
include!(concat!(env!("OUT_DIR"), "/modules.rs"));

std::thread_local! {
    static PRESENT: Cell<Option<Fault>> = const { Cell::new(None) };
}

/// Runs `body`, one execution of a client, with this fault, or with none.
pub fn with<R>(fault: Option<Fault>, body: impl FnOnce() -> R) -> R {
    PRESENT.set(fault);
    body()
}

/// Whether this fault is switched on.
pub(crate) fn has(fault: Fault) -> bool {
    PRESENT.get() == Some(fault)
}
