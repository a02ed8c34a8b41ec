//! The library under the model, with faults: the clients that prove the library right have to find each of
//! them.
//!
//! The source is the library's. The build script copies it. At the places that `faults/` names, it puts in
//! code that does the wrong thing if the fault is [switched on](with), and the right thing otherwise. So
//! nothing of the library is written twice, and a fault whose place is gone stops the build.

extern crate alloc;

include!("place.rs");
include!("present.rs");
include!("faults/all.rs");
include!(concat!(env!("OUT_DIR"), "/modules.rs"));
