//! The first of several operations.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use crate::channel::{Permit, RecvFuture, ReserveFuture, SendFuture};
use crate::error::{RecvError, SendError};
use crate::event::Wait;
use crate::handles::{self, RecvEnd, SendEnd};
use crate::oneshot;
use crate::sync::{has_passed, park, pick};
use crate::wake::Caller;

mod sealed {
    pub trait Sealed {}
}

/// What [`Select`] chooses from: what `recv_async`, `send_async` and [`Event::wait_async`](crate::Event::wait_async)
/// return.
pub trait Operation: sealed::Sealed {
    /// The result of the operation.
    type Output;

    /// Makes an attempt.
    #[doc(hidden)]
    fn attempt(&mut self) -> Option<Self::Output>;

    /// Makes attempts, and sees to it that the caller is woken if they fail.
    #[doc(hidden)]
    fn poll_by(&mut self, caller: Caller<'_>) -> Option<Self::Output>;

    /// Stops to wait. Makes a last attempt if another thread has woken the caller for one.
    #[doc(hidden)]
    fn give_up(&mut self) -> Option<Self::Output>;
}

macro_rules! operations {
    ($([$($of:tt)*] $future:ty => $output:ty;)*) => {$(
        impl<$($of)*> sealed::Sealed for $future {}

        impl<$($of)*> Operation for $future {
            type Output = $output;

            fn attempt(&mut self) -> Option<$output> {
                self.0.attempt()
            }

            fn poll_by(&mut self, caller: Caller<'_>) -> Option<$output> {
                self.0.poll_by(caller)
            }

            fn give_up(&mut self) -> Option<$output> {
                self.0.give_up()
            }
        }
    )*};
}

operations! {
    [T] RecvFuture<'_, T> => Result<T, RecvError>;
    [T] SendFuture<'_, T> => Result<(), SendError<T>>;
    ['a, T] ReserveFuture<'a, T> => Result<Permit<'a, T>, SendError<()>>;
    [E: RecvEnd, L] handles::RecvFuture<'_, E, L> => Result<E::Message, RecvError>;
    [E: SendEnd] handles::SendFuture<'_, E> => Result<(), SendError<E::Message>>;
    [T] oneshot::RecvFuture<'_, T> => Result<T, RecvError>;
    [R, F: FnMut() -> Option<R>] Wait<'_, F> => R;
}

/// An operation, and what becomes of its result.
struct Case<O, M> {
    operation: O,
    /// Taken with the result.
    map: Option<M>,
}

/// A case whose result is an `R`.
trait Choice<R> {
    fn attempt(&mut self) -> Option<R>;
    fn poll_by(&mut self, caller: Caller<'_>) -> Option<R>;
    fn give_up(&mut self) -> Option<R>;
}

impl<O: Operation, M: FnOnce(O::Output) -> R, R> Case<O, M> {
    fn mapped(&mut self, output: Option<O::Output>) -> Option<R> {
        let output = output?;
        self.map.take().map(|map| map(output))
    }
}

impl<O: Operation, M: FnOnce(O::Output) -> R, R> Choice<R> for Case<O, M> {
    fn attempt(&mut self) -> Option<R> {
        let output = self.operation.attempt();
        self.mapped(output)
    }

    fn poll_by(&mut self, caller: Caller<'_>) -> Option<R> {
        let output = self.operation.poll_by(caller);
        self.mapped(output)
    }

    fn give_up(&mut self) -> Option<R> {
        let output = self.operation.give_up();
        self.mapped(output)
    }
}

/// Chooses the first of several operations that can be completed, and does just that one.
///
/// It mixes channels of all kinds and types, sends, receives and [events](crate::Event). A thread waits with
/// [`wait`](Self::wait); a task awaits the `Select`. If several operations can be completed, one of them is chosen by
/// chance.
///
/// An operation that is not chosen has no effect: its channel keeps its messages, and a wake-up that was meant for it
/// goes to another waiter. The message of a send that is not chosen is dropped with the `Select`.
///
/// The end of a channel completes an operation, too, with an error.
///
/// # Examples
/// ```
/// use std::time::Duration;
/// use aqueduct_channel::{Select, bounded};
///
/// enum Step {
///     Work(u32),
///     Stop,
/// }
///
/// let (jobs, job) = bounded(10)?;
/// let (stop, stopped) = bounded::<()>(1)?;
/// let thread = std::thread::spawn(move || {
///     let mut sum = 0;
///     loop {
///         let step = Select::new()
///             .on(job.recv_async(), |job| job.map_or(Step::Stop, Step::Work))
///             .on(stopped.recv_async(), |_| Step::Stop)
///             .wait_timeout(Duration::from_secs(60));
///         match step {
///             Some(Step::Work(number)) => sum += number,
///             Some(Step::Stop) | None => return sum,
///         }
///     }
/// });
/// for number in 1..=4 {
///     jobs.send(number)?;
/// }
/// drop(jobs);
/// assert_eq!(thread.join().expect("it ends"), 10);
/// drop(stop);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "a select does nothing unless it waits or is awaited"]
pub struct Select<'a, R> {
    cases: Vec<Box<dyn Choice<R> + Send + 'a>>,
}

impl<R> Default for Select<'_, R> {
    fn default() -> Self {
        Self::new()
    }
}

impl<'a, R> Select<'a, R> {
    /// Makes a choice of nothing.
    pub const fn new() -> Self {
        Self { cases: Vec::new() }
    }

    /// Adds an operation. If it is chosen, `map` makes the result of its own.
    pub fn on<O, M>(mut self, operation: O, map: M) -> Self
    where
        O: Operation + Send + 'a,
        M: FnOnce(O::Output) -> R + Send + 'a,
        R: 'a,
    {
        self.cases.push(Box::new(Case { operation, map: Some(map) }));
        self
    }

    /// Goes once around all cases, from one that is picked by chance.
    fn around(&mut self, mut try_case: impl FnMut(&mut dyn Choice<R>) -> Option<R>) -> Option<R> {
        let count = self.cases.len();
        if count == 0 {
            return None;
        }
        let (before, from) = self.cases.split_at_mut(pick(count));
        from.iter_mut().chain(before).find_map(|case| try_case(&mut **case))
    }

    /// Completes an operation if one can be completed at once.
    pub fn try_now(mut self) -> Option<R> {
        self.around(|case| case.attempt())
    }

    /// Waits until an operation can be completed, and completes it.
    ///
    /// # Panics
    /// If there is no operation.
    pub fn wait(self) -> R {
        assert!(!self.cases.is_empty(), "a select over nothing would wait forever");
        match self.wait_until(None) {
            Some(result) => result,
            None => unreachable!("there is no deadline"),
        }
    }

    /// Works as [`wait`](Self::wait), at most for that long. Returns nothing if the time is over.
    ///
    /// Without an operation, it waits for the time to be over.
    pub fn wait_timeout(self, timeout: Duration) -> Option<R> {
        self.wait_until(Instant::now().checked_add(timeout))
    }

    /// Works as [`wait`](Self::wait), at most until `deadline`. Returns nothing if the time is over.
    ///
    /// Without an operation, it waits for the time to be over. If the deadline has passed, it tries each operation
    /// once.
    pub fn wait_deadline(self, deadline: Instant) -> Option<R> {
        self.wait_until(Some(deadline))
    }

    fn wait_until(mut self, deadline: Option<Instant>) -> Option<R> {
        if let Some(result) = self.around(|case| case.attempt()) {
            return Some(result);
        }
        if has_passed(deadline) {
            return None;
        }
        loop {
            if let Some(result) = self.around(|case| case.poll_by(Caller::Thread)) {
                return Some(result);
            }
            if park(deadline) {
                return self.around(|case| case.give_up());
            }
        }
    }
}

/// A task that awaits a choice of nothing waits forever.
impl<R> Future for Select<'_, R> {
    type Output = R;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<R> {
        let caller = Caller::Task(context.waker());
        self.get_mut().around(|case| case.poll_by(caller)).map_or(Poll::Pending, Poll::Ready)
    }
}

impl<R> fmt::Debug for Select<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Select").field("cases", &self.cases.len()).finish()
    }
}
