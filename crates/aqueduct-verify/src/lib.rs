//! The queues of aqueduct under the model checker.
pub mod clients;
pub mod item;
pub mod queue;
pub mod script;
pub mod seven;
pub mod sites;
