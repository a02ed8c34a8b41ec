//! Tests within modules that import no other one. Beside the whole library, they would compile it
//! once more.

#![allow(dead_code, unreachable_pub, unused_imports, reason = "the library uses all of it")]

#[path = "../src/runtime/coroutine.rs"]
mod coroutine;
#[path = "../src/graph/mod.rs"]
mod graph;
#[path = "../src/report/progress.rs"]
mod progress;
