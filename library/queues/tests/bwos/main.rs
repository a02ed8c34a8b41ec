//! Every scenario is written once and runs over both queues of `aqueduct::bwos`.

mod common;

mod attempts;
mod capacity;
mod drops;
mod handles;
mod hungry;
mod item_types;
mod length;
mod order;
mod panics;
mod policy;
mod seizing;
mod threads;
