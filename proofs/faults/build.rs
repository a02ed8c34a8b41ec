//! Copies each product's source into a module and puts the faults in; selects the model backend.

#![allow(dead_code, unreachable_pub, reason = "the lists of faults are written for the mirrors")]

#[macro_use]
#[path = "build/mirror.rs"]
mod mirror;

use mirror::{Mirror, Place};

mod queues {
    include!("src/queues/faults/all.rs");
}

mod channel {
    include!("src/channel/faults/all.rs");
}

mod pool {
    include!("src/pool/faults.rs");
}

mod recorder {
    include!("src/recorder/faults.rs");
}

mod shm {
    include!("src/shm/faults.rs");
}

fn main() {
    println!("cargo::rustc-cfg=aqueduct_model");
    if cfg!(feature = "queues") {
        let mirror = Mirror { product: "queues", root: "crate::queues", features: &[], has: |_| true };
        mirror.write("src/queues/faults", queues::PLACES);
    }
    if cfg!(feature = "channel") {
        // Exported macros are at the root of a crate, and these call each other there.
        let has = |module: &str| module != "select_macro";
        let mirror = Mirror { product: "channel", root: "crate::channel", features: &["futures"], has };
        mirror.write("src/channel/faults", channel::PLACES);
    }
    if cfg!(feature = "pool") {
        let mirror = Mirror { product: "pool", root: "crate::pool", features: &[], has: |_| true };
        mirror.write("src/pool/faults.rs", pool::PLACES);
    }
    if cfg!(feature = "recorder") {
        // Files, clocks and dumps are not modelled.
        let has = |module: &str| ["pending", "ring"].contains(&module);
        let mirror = Mirror { product: "recorder", root: "crate::recorder", features: &["std"], has };
        mirror.write("src/recorder/faults.rs", recorder::PLACES);
    }
    if cfg!(feature = "shm") {
        let mirror = Mirror { product: "shm", root: "crate::shm", features: &[], has: |module| module != "sync" };
        mirror.write("src/shm/faults.rs", shm::PLACES);
    }
}
