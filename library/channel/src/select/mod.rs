//! The first of several operations.

mod case;
mod engine;
mod handle;
mod index;
mod signal;
mod stay;
mod ticket;
mod token;

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use crate::event::Wait;
use crate::wake::Caller;

pub use case::SelectCase;
use engine::Engine;
pub(crate) use engine::wait_until;
pub use handle::{Meeting, Selectable};
pub use index::{IndexSelect, SelectedOperation};
pub(crate) use signal::Signal;
pub use stay::{Case, Stay};
pub(crate) use ticket::Ticket;
pub(crate) use token::Grant;
pub use token::Token;

pub(crate) mod sealed {
    pub trait Sealed {}
}

/// Outcome of an attempt at an operation.
#[derive(Debug)]
pub enum Progress<R> {
    /// The operation is complete.
    Done(R),
    /// The operation is not complete. The caller may wait.
    Missed,
    /// A partner has been found that has promised a message. No other operation may be completed
    /// instead.
    Bound,
    /// The partner has withdrawn.
    Broken,
}

impl<R> Progress<R> {
    pub(crate) fn map<S>(self, map: impl FnOnce(R) -> S) -> Progress<S> {
        match self {
            Self::Done(result) => Progress::Done(map(result)),
            Self::Missed => Progress::Missed,
            Self::Bound => Progress::Bound,
            Self::Broken => Progress::Broken,
        }
    }

    /// The result, if there is one.
    pub(crate) fn done(self) -> Option<R> {
        match self {
            Self::Done(result) => Some(result),
            Self::Missed | Self::Bound | Self::Broken => None,
        }
    }
}

impl<R> From<Option<R>> for Progress<R> {
    fn from(result: Option<R>) -> Self {
        result.map_or(Self::Missed, Self::Done)
    }
}

/// An operation that [`Select`] can choose: a future of `recv_async`, `send_async`, `reserve_async`
/// or [`Event::wait_async`](crate::Event::wait_async).
pub trait Operation: sealed::Sealed {
    /// The result of the operation.
    type Output;

    /// Makes an attempt, for a caller that waits if it fails.
    #[doc(hidden)]
    fn attempt(&mut self) -> Progress<Self::Output>;

    /// Makes an attempt for a caller that does not wait. It repeats the attempt while another
    /// thread's operation is in progress, and skips a partner for which it would have to wait.
    #[doc(hidden)]
    fn attempt_now(&mut self) -> Progress<Self::Output> {
        self.attempt()
    }

    /// Makes attempts. If they fail, the caller will be woken. `case` names the select and its case
    /// for which the caller waits, if another thread may choose one.
    #[doc(hidden)]
    fn poll_by(&mut self, caller: Caller<'_>, case: Case<'_>) -> Progress<Self::Output>;

    /// Stops waiting. Makes a last attempt if another thread has woken the caller for one. Returns
    /// `Broken` if the partner has not sent its promised message.
    #[doc(hidden)]
    fn give_up(&mut self) -> Progress<Self::Output>;

    /// Stops waiting. An unused wake-up of the operation goes to another waiter.
    #[doc(hidden)]
    fn leave(&mut self);

    /// Whether other threads choose the operation while it waits.
    #[doc(hidden)]
    fn meets(&self) -> bool {
        false
    }

    /// Time at which the operation can be completed without a wake-up, if there is one.
    #[doc(hidden)]
    fn deadline(&self) -> Option<Instant> {
        None
    }
}

/// Implements [`Operation`] for futures over a field that is `Waiting`.
macro_rules! operations {
    ($([$($of:tt)*] $future:ty => $output:ty;)*) => {$(
        impl<$($of)*> $crate::select::sealed::Sealed for $future {}

        impl<$($of)*> $crate::select::Operation for $future {
            type Output = $output;

            fn attempt(&mut self) -> $crate::select::Progress<$output> {
                self.0.attempt().into()
            }

            fn attempt_now(&mut self) -> $crate::select::Progress<$output> {
                self.0.attempt_now().into()
            }

            fn poll_by(&mut self, caller: $crate::wake::Caller<'_>, _case: $crate::select::Case<'_>) -> $crate::select::Progress<$output> {
                self.0.poll_by(caller).into()
            }

            fn give_up(&mut self) -> $crate::select::Progress<$output> {
                self.0.give_up().into()
            }

            fn leave(&mut self) {
                self.0.leave();
            }
        }
    )*};
}

pub(crate) use operations;

operations! {
    [R, F: FnMut() -> Option<R>] Wait<'_, F> => R;
}

/// An operation, and the function that maps its result.
struct Mapped<O, M> {
    operation: O,
    /// Taken when the result is mapped.
    map: Option<M>,
}

impl<O, M> Mapped<O, M> {
    fn mapped<R, S>(&mut self, progress: Progress<R>) -> Progress<S>
    where
        M: FnOnce(R) -> S,
    {
        match (progress, &mut self.map) {
            (Progress::Done(result), map) => match map.take() {
                Some(map) => Progress::Done(map(result)),
                None => unreachable!("a select chooses once"),
            },
            (Progress::Missed, _) => Progress::Missed,
            (Progress::Bound, _) => Progress::Bound,
            (Progress::Broken, _) => Progress::Broken,
        }
    }
}

impl<O, M> sealed::Sealed for Mapped<O, M> {}

impl<O: Operation, M: FnOnce(O::Output) -> R, R> Operation for Mapped<O, M> {
    type Output = R;

    fn attempt(&mut self) -> Progress<R> {
        let progress = self.operation.attempt();
        self.mapped(progress)
    }

    fn attempt_now(&mut self) -> Progress<R> {
        let progress = self.operation.attempt_now();
        self.mapped(progress)
    }

    fn poll_by(&mut self, caller: Caller<'_>, case: Case<'_>) -> Progress<R> {
        let progress = self.operation.poll_by(caller, case);
        self.mapped(progress)
    }

    fn give_up(&mut self) -> Progress<R> {
        let progress = self.operation.give_up();
        self.mapped(progress)
    }

    fn leave(&mut self) {
        self.operation.leave();
    }

    fn meets(&self) -> bool {
        self.operation.meets()
    }
}

type Boxed<'a, R> = Box<dyn Operation<Output = R> + Send + 'a>;

impl<R> sealed::Sealed for Boxed<'_, R> {}

impl<R> Operation for Boxed<'_, R> {
    type Output = R;

    fn attempt(&mut self) -> Progress<R> {
        (**self).attempt()
    }

    fn attempt_now(&mut self) -> Progress<R> {
        (**self).attempt_now()
    }

    fn poll_by(&mut self, caller: Caller<'_>, case: Case<'_>) -> Progress<R> {
        (**self).poll_by(caller, case)
    }

    fn give_up(&mut self) -> Progress<R> {
        (**self).give_up()
    }

    fn leave(&mut self) {
        (**self).leave();
    }

    fn meets(&self) -> bool {
        (**self).meets()
    }
}

/// Chooses the first of several operations that can be completed, and does just that one.
///
/// It mixes channels of all kinds and types, sends, receives and [events](crate::Event). A thread
/// waits with [`wait`](Self::wait); a task awaits the `Select`. If several operations can be
/// completed, one of them is chosen at random.
///
/// An operation that is not chosen has no effect: its channel keeps its messages, and a wake-up
/// that was meant for it goes to another waiter. The message of a send that is not chosen is
/// dropped with the `Select`.
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
    engine: Engine<Boxed<'a, R>>,
    /// True if the select has been awaited to its end.
    is_over: bool,
}

impl<R> Default for Select<'_, R> {
    fn default() -> Self {
        Self::new()
    }
}

impl<'a, R> Select<'a, R> {
    /// Makes a select without operations.
    pub const fn new() -> Self {
        Self { engine: Engine::new(false), is_over: false }
    }

    /// Adds an operation. If it is chosen, `map` converts its result.
    pub fn on<O, M>(mut self, operation: O, map: M) -> Self
    where
        O: Operation + Send + 'a,
        M: FnOnce(O::Output) -> R + Send + 'a,
        R: 'a,
    {
        self.engine.cases.push(Box::new(Mapped { operation, map: Some(map) }));
        self
    }

    /// Completes an operation if one can be completed at once.
    ///
    /// It tries all operations twice, in one order. So it finds a message even if another thread
    /// moves that message from a channel that is tried late to one that has been tried already, by
    /// sending to the one before it receives from the other. So it does for room. This is
    /// certain for [`bounded`](crate::bounded), [`unbounded`](crate::unbounded),
    /// [`rendezvous`](crate::rendezvous), and sides that have one handle, because no other thread
    /// takes there what the select looks for. It is not certain for receivers of
    /// [`spmc`](crate::spmc) and [`mpmc`](crate::mpmc) and for senders of [`mpsc`](crate::mpsc) and
    /// `mpmc` on processors that reorder loads, as Arm's do.
    pub fn try_now(mut self) -> Option<R> {
        self.engine.try_now()
    }

    /// Waits until an operation can be completed, and completes it.
    ///
    /// # Panics
    /// If there is no operation.
    pub fn wait(mut self) -> R {
        assert!(!self.engine.cases.is_empty(), "a select over nothing would wait forever");
        match self.engine.wait_until(None) {
            Some(result) => result,
            None => unreachable!("there is no deadline"),
        }
    }

    /// Works as [`wait`](Self::wait), for at most `timeout`. Returns `None` if the time is over.
    ///
    /// Without an operation, it waits for the time to be over.
    pub fn wait_timeout(mut self, timeout: Duration) -> Option<R> {
        self.engine.wait_until(Instant::now().checked_add(timeout))
    }

    /// Works as [`wait`](Self::wait), at most until `deadline`. Returns `None` if the time is over.
    ///
    /// Without an operation, it waits for the time to be over. If the deadline has passed, it tries
    /// each operation once.
    pub fn wait_deadline(mut self, deadline: Instant) -> Option<R> {
        self.engine.wait_until(Some(deadline))
    }
}

/// A task that awaits a select without operations waits forever.
///
/// # Panics
/// A select that is polled after it was ready panics: another operation would be completed, and its
/// result lost.
impl<R> Future for Select<'_, R> {
    type Output = R;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<R> {
        let Self { engine, is_over } = self.get_mut();
        // Also if a result's mapping panics.
        assert!(!std::mem::replace(is_over, true), "a select is not polled after its end");
        let Some(result) = engine.poll(Caller::Task(context.waker())) else {
            *is_over = false;
            return Poll::Pending;
        };
        engine.leave();
        Poll::Ready(result)
    }
}

impl<R> fmt::Debug for Select<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Select").field("cases", &self.engine.cases.len()).finish()
    }
}
