//! One binary for all tests of the crate: the programs of the corpus are in `tests/corpus`.

mod buffering;
mod command;
mod engine;
mod families;
mod oracle_corpus;
mod parser;
mod preemptions;
mod random;
mod support;
mod walks;
