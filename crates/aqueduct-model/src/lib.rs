//! An exhaustive model checker for concurrent Rust under the RC11 weak memory model.
