//! The library in the model world, with faults: the clients that prove the library right have to find each of them.
//!
//! The source is the library's. The build script copies it and puts in, at the places that `faults.rs` names, code that
//! does the wrong thing if the fault is [switched on](with), and what the library does if not. So nothing of the
//! library is written twice, and a fault whose place is no longer there stops the build.

extern crate alloc;

use std::cell::Cell;

include!("place.rs");
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
