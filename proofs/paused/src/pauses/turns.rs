//! Threads in turns: coroutines on the calling thread, one of them at a time.
//!
//! Time is counted in points. A thread that stops sleeps until a certain time. The dice choose
//! among the threads that are awake. If all are asleep, time goes on to when the first one wakes.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};

use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult, Yielder};

use super::{Body, CALLS, Dice, End, LEFT, Plan, Ran, message};
use crate::memory::forget_spare;

/// The reason why a coroutine returned control.
#[derive(Clone, Copy)]
enum Signal {
    /// The thread has reached a decision.
    Decision,
    /// The thread has been refused, and can only wait.
    Relax,
}

type Channel = Yielder<(), Signal>;
type Task = Coroutine<(), Signal, Result<(), String>>;

std::thread_local! {
    /// The channel of the coroutine that runs now, or null.
    static CHANNEL: Cell<*const Channel> = const { Cell::new(std::ptr::null()) };
    /// Stacks for reuse.
    static STACKS: RefCell<Vec<DefaultStack>> = const { RefCell::new(Vec::new()) };
}

/// A stack's size, enough for a panic with a backtrace.
const STACK: usize = 1 << 20;

/// The time after which a round without a successful call is stuck: much longer than any stop.
const PATIENCE: u64 = 400_000;

/// The points after which a call counts as waiting for a thread that stands still, if no call of
/// any thread has succeeded meanwhile: more than any call takes, and fewer than a long stop.
const LONGEST_CALL: u64 = 2_000;

/// The most points that a thread sleeps after a refusal.
const REST: u32 = 64;

/// A thread of the round.
struct Turn {
    number: usize,
    task: Task,
    channel: *const Channel,
    asleep_until: u64,
    /// The number of points in the present call.
    in_call: u64,
}

/// Passes a decision to the scheduler. Returns whether there is one.
pub(super) fn decide() -> bool {
    suspend(Signal::Decision)
}

/// Yields to the other threads. Returns whether the threads take turns.
pub(super) fn relax() -> bool {
    suspend(Signal::Relax)
}

/// Whether this thread takes turns with others, in a round.
pub(super) fn takes_turns() -> bool {
    !CHANNEL.get().is_null()
}

fn suspend(signal: Signal) -> bool {
    let channel = CHANNEL.get();
    // SAFETY: set by the scheduler while that coroutine runs, on whose stack the channel lies.
    let Some(channel) = (unsafe { channel.as_ref() }) else { return false };
    channel.suspend(signal);
    true
}

fn task(body: Body) -> Task {
    let stack = STACKS.with_borrow_mut(Vec::pop);
    let stack = stack.unwrap_or_else(|| DefaultStack::new(STACK).expect("there is memory for a stack"));
    Coroutine::with_stack(stack, |channel: &Channel, ()| {
        CHANNEL.set(channel);
        catch_unwind(AssertUnwindSafe(body)).map_err(|panic| message(&*panic))
    })
}

/// Abandons a thread at its point. The values on its stack are never used again, and not dropped.
fn abandon(turn: Turn) {
    let mut task = turn.task;
    // SAFETY: a body is `'static` and shares through `Arc`s only, which are leaked: nothing borrows
    // from the stack.
    unsafe { task.force_reset() };
}

pub(super) fn run(bodies: Vec<Body>, plan: &Plan, dice: &mut Dice) -> Ran {
    let turn =
        |(number, body)| Turn { number, task: task(body), channel: std::ptr::null(), asleep_until: 0, in_call: 0 };
    let mut turns: Vec<Turn> = bodies.into_iter().enumerate().map(turn).collect();
    let (mut now, mut points) = (0_u64, 0_u64);
    // The time, and the number of points.
    let mut last_success = (0, 0);
    let mut end = End::Done;
    CALLS.take();
    forget_spare();
    while !turns.is_empty() {
        if now - last_success.0 > PATIENCE {
            end = End::Stuck;
            break;
        }
        let at = choose(&turns, &mut now, dice);
        let turn = &mut turns[at];
        let gap = plan.gap(dice);
        LEFT.set(gap);
        CHANNEL.set(turn.channel);
        let came = turn.task.resume(());
        turn.channel = CHANNEL.replace(std::ptr::null());
        // At a decision no points are left, and that point counts.
        let passed = match came {
            CoroutineResult::Yield(Signal::Decision) => gap + 1,
            _ => gap.wrapping_sub(LEFT.get()),
        };
        now += u64::from(passed);
        points += u64::from(passed);
        let calls = CALLS.take();
        turn.in_call = if calls.returned { 0 } else { turn.in_call + u64::from(passed) };
        if calls.succeeded {
            last_success = (now, points);
        }
        if turn.in_call.min(points - last_success.1) > LONGEST_CALL {
            end = End::Waiting;
            break;
        }
        match came {
            CoroutineResult::Yield(Signal::Decision) => {
                turn.asleep_until = now + plan.stop(dice, turn.number).map_or(0, u64::from);
            }
            CoroutineResult::Yield(Signal::Relax) => turn.asleep_until = now + u64::from(dice.magnitude(REST)),
            CoroutineResult::Return(Ok(())) => {
                let turn = turns.swap_remove(at);
                STACKS.with_borrow_mut(|stacks| stacks.push(turn.task.into_stack()));
                last_success = (now, points);
            }
            CoroutineResult::Return(Err(panic)) => {
                end = End::Panicked(panic);
                turns.swap_remove(at);
                break;
            }
        }
    }
    LEFT.set(u32::MAX);
    turns.into_iter().for_each(abandon);
    Ran { end, points }
}

/// Returns a thread that is awake, or the first to wake if none is.
fn choose(turns: &[Turn], now: &mut u64, dice: &mut Dice) -> usize {
    let awake = |turn: &Turn, now| turn.asleep_until <= now;
    let mut count = turns.iter().filter(|turn| awake(turn, *now)).count();
    if count == 0 {
        *now = turns.iter().map(|turn| turn.asleep_until).min().expect("there is one");
        count = turns.iter().filter(|turn| awake(turn, *now)).count();
    }
    let chosen = if count == 1 { 0 } else { dice.below(count) };
    let mut awake = turns.iter().enumerate().filter(|(_, turn)| awake(turn, *now));
    awake.nth(chosen).expect("a thread with that number is awake").0
}
