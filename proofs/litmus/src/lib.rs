//! C litmus tests in herd7's format: parser, brute-force oracle, random programs, and runner.
//!
//! | module | content |
//! | --- | --- |
//! | [`ast`] | a litmus program as data, and its printing as litmus text |
//! | [`parse`] | litmus text to [`ast::Program`], or an error with line and column |
//! | [`machine`] | a program lowered to instructions, and one thread of it stepping from access to access |
//! | [`oracle`] | every execution by brute force, filtered by the axioms of RC11 or SC as they stand in the paper |
//! | [`random`] | random programs, and shrinking of those that show a difference |
//! | [`run`] | a program on the model checker `aqueduct-model` |
//! | [`command`] | `aqueduct litmus`: arguments, JSON lines, tables, witnesses |
//!
//! The oracle never imports the model checker, and the model checker never imports this crate: the
//! two ways to count executions share only the program text and the machine that steps its threads.

pub mod ast;
pub mod command;
pub mod machine;
pub mod oracle;
pub mod outcome;
pub mod parse;
mod print;
pub mod random;
pub mod run;

/// The number of times that the body of a `while` runs before its thread counts as blocked, by
/// default.
pub const DEFAULT_LOOP_BOUND: u32 = 8;
