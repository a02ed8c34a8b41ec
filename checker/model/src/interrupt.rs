//! Interrupts: a handler that may run at any point of a thread, on its core, to completion.
//!
//! # The model
//!
//! The handler runs between two operations of the body that it interrupts, or before the first, or
//! after the last, or not at all: each is an execution of its own. It runs at most once for each
//! body. Its operations belong to the interrupted thread, in program order, as those of an
//! interrupt on one core do: other threads see a thread with more operations.
//!
//! So there is no race between a handler and the code that it interrupts. An access to an
//! [`UnsafeCell`](crate::cell::UnsafeCell) is one operation, and a handler sees it done or not
//! begun. If its closure has operations of its own, the handler may run between those, and finds in
//! the cell the values that the closure has written so far. One effect is not modelled: the
//! compiler may reorder plain accesses around a handler that it does not see. A program needs
//! [`compiler_fence`](crate::sync::atomic::compiler_fence) against that.
//!
//! A loop of the body that waits ([`await_until`](crate::await_until),
//! [`hint::spin_loop`](crate::hint::spin_loop)) may be interrupted in each round. A loop that waits
//! forever unless the handler runs is not a failure; a handler that waits forever is a failure.
//!
//! # Cost
//!
//! A body of `n` operations has `n + 2` times the executions, as long as others see each of them.

use std::panic::Location;

use crate::runtime::driver;
use crate::runtime::place::Zero;
use crate::runtime::state::{Frame, Handler};

/// The depth to which a handler may be interrupted by itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Nesting {
    /// The handler runs undisturbed.
    #[default]
    Never,
    /// The handler may be interrupted once, at any point, by another run of itself, which is
    /// undisturbed.
    Once,
}

/// Runs `body`, in which `handler` may run once at any point; see [the module](self).
///
/// A body within a body, or within a handler, has only the innermost handler. Outside of a model
/// the handler never runs.
///
/// # Examples
///
/// ```
/// use aqueduct_model::sync::atomic::{AtomicUsize, Ordering::Relaxed};
/// use aqueduct_model::{Config, interrupt};
///
/// // A handler between the load and the store is forgotten; a `fetch_add` would count it.
/// let report = Config::new().check(|| {
///     let (count, came) = (AtomicUsize::new(0), AtomicUsize::new(0));
///     interrupt::with_handler(
///         || {
///             count.fetch_add(1, Relaxed);
///             came.store(1, Relaxed);
///         },
///         || count.store(count.load(Relaxed) + 1, Relaxed),
///     );
///     assert_eq!(count.load(Relaxed), 1 + came.load(Relaxed));
/// });
/// assert!(report.failure.is_some());
/// ```
pub fn with_handler<R>(handler: impl Fn(), body: impl FnOnce() -> R) -> R {
    with_nesting(Nesting::Never, handler, body)
}

/// Runs `body` as [`with_handler`] does, with a handler that may be interrupted itself.
pub fn with_nesting<R>(nesting: Nesting, handler: impl Fn(), body: impl FnOnce() -> R) -> R {
    if !driver::inside() {
        return body();
    }
    let handler: &dyn Fn() = &handler;
    // SAFETY: Only the lifetime changes. The frame ends before the handler does: `_frame` is
    // dropped before this function returns or has unwound.
    let handler: Handler =
        unsafe { std::mem::transmute::<*const (dyn Fn() + '_), Handler>(std::ptr::from_ref(handler)) };
    let coin = Zero::new();
    let _frame = Entered::new(Frame { handler: Some((handler, &raw const coin)), nests: nesting == Nesting::Once });
    let result = body();
    may_interrupt();
    result
}

/// Runs `body` with interrupts switched off.
pub fn masked<R>(body: impl FnOnce() -> R) -> R {
    if !driver::inside() {
        return body();
    }
    let _frame = Entered::new(Frame { handler: None, nests: false });
    body()
}

/// Lets the handler run here, if it may.
fn may_interrupt() {
    let Some(coin) = driver::with_engine(|engine| engine.begin_decision()) else {
        return;
    };
    // Each attempt writes another value: otherwise it would count as a repeated one, which would
    // not fail spuriously.
    let attempt = driver::with_engine(|engine| engine.position()) as u64 + 1;
    // SAFETY: It lies beside its frame, further down on this stack.
    let comes = driver::take(unsafe { &*coin }, attempt, Location::caller());
    let Some((handler, nests)) = driver::with_engine(|engine| engine.decide(comes)) else {
        return;
    };
    let coin = Zero::new();
    let _frame = Entered::new(Frame { handler: nests.then_some((handler, &raw const coin)), nests: false });
    // SAFETY: `with_nesting`, further down on this stack, keeps it until its frame has ended.
    unsafe { (*handler)() };
    may_interrupt();
}

/// A body that has begun. Its drop ends it.
struct Entered(usize);

impl Entered {
    fn new(frame: Frame) -> Self {
        Self(driver::with_engine(|engine| engine.enter_frame(frame, may_interrupt)))
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        driver::with_engine(|engine| engine.leave_frame(self.0));
    }
}
