//! Points at which a thread may be stopped, and two ways to run threads.
//!
//! A round's threads run in *turns* or *free*. In turns they are coroutines of one operating system
//! thread, and a generator decides at each point which of them goes on: a round's number determines
//! it. Free, they are operating system threads that stop themselves, and two runs differ.

mod dice;
mod free;
mod plan;
mod turns;

use std::cell::Cell;

pub use dice::Dice;
pub use plan::Plan;

/// The body of one thread of a round.
pub type Body = Box<dyn FnOnce() + Send>;

/// The way in which the threads of a round run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// One at a time, in the order that the round's number determines.
    Turns,
    /// All at once, as far as the machine can.
    Free,
}

/// The end of a round.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// All threads came to their ends.
    Done,
    /// For a long time no call succeeded.
    Stuck,
    /// A call did not return for a long time in which no call succeeded. Only turns can show it.
    Waiting,
    /// A thread panicked, with this message.
    Panicked(String),
}

/// The result of a round.
#[derive(Clone, Debug)]
pub struct Ran {
    /// The end of the round.
    pub end: End,
    /// The approximate number of points that the threads reached.
    pub points: u64,
}

/// Runs the threads, which stop as the plan and the dice decide.
#[must_use]
pub fn run(mode: Mode, bodies: Vec<Body>, plan: &Plan, dice: &mut Dice) -> Ran {
    match mode {
        Mode::Turns => turns::run(bodies, plan, dice),
        Mode::Free => free::run(bodies, plan, dice),
    }
}

std::thread_local! {
    /// The points that this thread passes before its next decision. Outside of a round there are no
    /// decisions.
    static LEFT: Cell<u32> = const { Cell::new(u32::MAX) };
    /// The results of calls since the driver last looked.
    static CALLS: Cell<Calls> = const { Cell::new(Calls { returned: false, succeeded: false }) };
}

/// Whether a call has returned, and whether one has succeeded.
#[derive(Clone, Copy, Default)]
struct Calls {
    returned: bool,
    succeeded: bool,
}

/// Marks that the thread is about to access shared memory: it may be stopped here.
#[inline(always)]
pub(crate) fn point() {
    let left = LEFT.get();
    if left == 0 {
        decide();
    } else {
        LEFT.set(left - 1);
    }
}

/// Whether this thread takes turns with others, in a round.
pub(crate) fn takes_turns() -> bool {
    turns::takes_turns()
}

/// Lets the driver of this thread decide which thread goes on.
#[cold]
#[inline(never)]
fn decide() {
    LEFT.set(u32::MAX);
    // A thread that unwinds is not stopped: its panic ends the round.
    if !std::thread::panicking() && !turns::decide() {
        free::decide();
    }
}

/// Yields: the thread has been refused and can only try again, so others go on first.
pub fn relax() {
    CALLS.set(Calls { returned: true, ..CALLS.get() });
    if !turns::relax() {
        free::relax();
    }
}

/// Records that a call has succeeded, so the round is not stuck.
pub fn succeeded() {
    CALLS.set(Calls { returned: true, succeeded: true });
}

/// Returns a panic's text.
fn message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("a panic without a message").to_owned()
}
