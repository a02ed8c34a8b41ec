//! Tests within modules that need few others. Beside all queues, they would compile them once more.

#![allow(dead_code, unreachable_pub, unused_imports, reason = "the library uses all of it")]

#[path = "../src/analysis.rs"]
mod analysis;
#[path = "../src/kind.rs"]
mod kind;
#[path = "../src/payload.rs"]
mod payload;
#[path = "../src/plan.rs"]
mod plan;
#[path = "../src/table1.rs"]
mod table1;
