//! The result of a checker's exploration of a program.

use std::any::Any;

/// One exploration of one program.
#[derive(Clone, Debug, PartialEq)]
pub struct Explored {
    /// The number of runs of the program, as the checker counts them.
    pub executions: u64,
    /// The number of executions that were left waiting, if the checker reports it.
    pub blocked: Option<u64>,
    /// The number of atomic and plain accesses, thread and fence events of all executions, if the
    /// checker reports it.
    pub events: Option<u64>,
    /// The wall-clock time, in seconds.
    pub seconds: f64,
    /// Whether all executions were explored.
    pub exhausted: bool,
    /// The error that the checker reported, in a line.
    pub fault: Option<String>,
}

/// Returns the first line of a panic's text.
pub(crate) fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    text.and_then(|text| text.lines().next()).unwrap_or("it panicked without a text").to_owned()
}
