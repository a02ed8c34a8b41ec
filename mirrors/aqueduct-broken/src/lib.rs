//! The library in the model world, with faults: the clients that prove the library right have to find each of them.
//!
//! The source is the library's. The build script copies it and puts in, at the places that `faults.rs` names, code that
//! does the wrong thing if the fault is [switched on](with), and what the library does if not. So nothing of the
//! library is written twice, and a fault whose place is no longer there stops the build.

extern crate alloc;

include!("place.rs");
include!("present.rs");
include!("faults.rs");
include!(concat!(env!("OUT_DIR"), "/modules.rs"));
