//! One binary for all tests of the crate: the programs of the corpus are in `tests/corpus`.

mod engine;
mod oracle_corpus;
mod parser;
mod random;
mod support;
