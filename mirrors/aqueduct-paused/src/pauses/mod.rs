//! Points at which a thread may be stopped, and two ways to run threads that are.
//!
//! A round's threads run in *turns* or *free*. In turns they are coroutines of one operating system thread, and a
//! generator decides at which point which of them goes on: a round is the same each time it is run from its number.
//! Free, they are operating system threads that stop themselves, and no two runs are the same.

mod dice;
mod free;
mod plan;
mod turns;

use std::cell::Cell;

pub use dice::Dice;
pub use plan::Plan;

/// What one thread of a round does.
pub type Body = Box<dyn FnOnce() + Send>;

/// How the threads of a round are run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// One at a time, as the round's number says.
    Turns,
    /// All at once, as the machine can.
    Free,
}

/// How a round ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// All threads came to their ends.
    Done,
    /// For a long time no call did anything but refuse.
    Stuck,
    /// A call did not return for a long time in which no call succeeded. Seen in turns only.
    Waiting,
    /// A thread panicked, with this message.
    Panicked(String),
}

/// A round that was run.
#[derive(Clone, Debug)]
pub struct Ran {
    /// How it ended.
    pub end: End,
    /// How many points the threads came to, about.
    pub points: u64,
}

/// Runs the threads, which stop as the plan says and the dice fall.
#[must_use]
pub fn run(mode: Mode, bodies: Vec<Body>, plan: &Plan, dice: &mut Dice) -> Ran {
    match mode {
        Mode::Turns => turns::run(bodies, plan, dice),
        Mode::Free => free::run(bodies, plan, dice),
    }
}

std::thread_local! {
    /// Points that this thread passes before its next decision. Outside of a round nobody decides.
    static LEFT: Cell<u32> = const { Cell::new(u32::MAX) };
    /// What calls have come to since the driver last looked.
    static CALLS: Cell<Calls> = const { Cell::new(Calls { returned: false, succeeded: false }) };
}

/// Whether a call has returned, and whether one has done something.
#[derive(Clone, Copy, Default)]
struct Calls {
    returned: bool,
    succeeded: bool,
}

/// The thread is about to access what others may access: it may be stopped here.
#[inline(always)]
pub(crate) fn point() {
    let left = LEFT.get();
    if left == 0 {
        decide();
    } else {
        LEFT.set(left - 1);
    }
}

/// Lets the driver of this thread decide which thread goes on.
#[cold]
#[inline(never)]
fn decide() {
    LEFT.set(u32::MAX);
    // A thread that unwinds is not stopped: its panic is the round's end.
    if !std::thread::panicking() && !turns::decide() {
        free::decide();
    }
}

/// The thread has been refused and can only try again: others go on first.
pub fn relax() {
    CALLS.set(Calls { returned: true, ..CALLS.get() });
    if !turns::relax() {
        free::relax();
    }
}

/// The thread has done something: the round is not stuck.
pub fn succeeded() {
    CALLS.set(Calls { returned: true, succeeded: true });
}

/// Returns what a panic said.
fn message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("a panic without a message").to_owned()
}
