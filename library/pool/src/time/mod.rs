//! Timers for futures: they work in tasks, in [`block_on`](crate::task::block_on()), and in any
//! other executor.
//!
//! One thread of the process serves all timers. The first timer starts it, and it sleeps until the
//! next timer is due. A waker that panics stops [no other timer](crate::task#wakers-that-panic).
//!
//! # Examples
//! ```
//! use std::time::Duration;
//!
//! use aqueduct_pool::{task, time};
//!
//! let result = task::block_on(time::timeout(Duration::from_millis(5), std::future::pending::<()>()));
//! assert!(result.is_err());
//! ```

pub(crate) mod clock;
pub(crate) mod timers;

use std::error::Error;
use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use timers::Number;

/// Longer than any program runs.
const FAR: Duration = Duration::from_secs(60 * 60 * 24 * 365 * 30);

fn after(start: Instant, duration: Duration) -> Instant {
    start.checked_add(duration).unwrap_or_else(|| start + FAR)
}

/// Waits for `duration`.
///
/// # Panics
/// When it is polled, if the system has no thread for the timers.
///
/// # Examples
/// ```
/// use std::time::{Duration, Instant};
///
/// use aqueduct_pool::{task, time};
///
/// let end = Instant::now() + Duration::from_millis(2);
/// task::block_on(time::sleep(Duration::from_millis(2)));
/// assert!(Instant::now() >= end);
/// ```
pub fn sleep(duration: Duration) -> Sleep {
    sleep_until(after(Instant::now(), duration))
}

/// Waits until `deadline`.
///
/// # Panics
/// When it is polled, if the system has no thread for the timers.
pub fn sleep_until(deadline: Instant) -> Sleep {
    Sleep { deadline, number: None }
}

/// The future of [`sleep`].
#[derive(Debug)]
#[must_use = "a future does nothing unless it is awaited"]
pub struct Sleep {
    deadline: Instant,
    /// The timer, once it is set.
    number: Option<Number>,
}

impl Sleep {
    /// Returns the time at which the wait ends.
    #[must_use]
    pub fn deadline(&self) -> Instant {
        self.deadline
    }

    /// Replaces the time at which the wait ends.
    pub fn reset(&mut self, deadline: Instant) {
        self.cancel();
        self.deadline = deadline;
    }

    fn cancel(&mut self) {
        if let Some(number) = self.number.take() {
            clock::cancel(self.deadline, number);
        }
    }
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if Instant::now() >= self.deadline {
            self.cancel();
            return Poll::Ready(());
        }
        let deadline = self.deadline;
        if !self.number.is_some_and(|number| clock::replace(deadline, number, context.waker())) {
            self.number = Some(clock::set(deadline, context.waker()));
        }
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        self.cancel();
    }
}

/// Waits for a future, at most for `duration` from this call on.
///
/// # Errors
/// [`Elapsed`] if the time is over first; the future is dropped then.
///
/// # Examples
/// ```
/// use std::time::Duration;
///
/// use aqueduct_pool::{task, time};
///
/// assert_eq!(task::block_on(time::timeout(Duration::from_secs(9), async { 7 })), Ok(7));
/// ```
pub fn timeout<F: Future>(limit: Duration, future: F) -> impl Future<Output = Result<F::Output, Elapsed>> {
    let mut sleep = self::sleep(limit);
    async move {
        let mut future = pin!(future);
        poll_fn(move |context| match future.as_mut().poll(context) {
            Poll::Ready(result) => Poll::Ready(Ok(result)),
            Poll::Pending => Pin::new(&mut sleep).poll(context).map(|()| Err(Elapsed)),
        })
        .await
    }
}

/// The time of a [`timeout`] is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Elapsed;

impl fmt::Display for Elapsed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the time is over")
    }
}

impl Error for Elapsed {}

/// Makes ticks at a distance of `period`, the first one after `period`.
///
/// A missed tick comes at once, and further missed ticks are left out; later ticks keep their
/// times.
///
/// # Panics
/// If `period` is zero.
///
/// # Examples
/// ```
/// use std::time::Duration;
///
/// use aqueduct_pool::{task, time};
///
/// task::block_on(async {
///     let mut ticks = time::interval(Duration::from_millis(1));
///     let first = ticks.tick().await;
///     assert!(ticks.tick().await >= first + Duration::from_millis(1));
/// });
/// ```
#[must_use]
pub fn interval(period: Duration) -> Interval {
    assert!(!period.is_zero(), "ticks have time between them");
    Interval { sleep: sleep(period), period }
}

/// The ticks of [`interval`].
#[derive(Debug)]
pub struct Interval {
    sleep: Sleep,
    period: Duration,
}

impl Interval {
    /// Waits for the next tick. Returns the time at which it was due.
    pub async fn tick(&mut self) -> Instant {
        poll_fn(|context| Pin::new(&mut self.sleep).poll(context)).await;
        let due = self.sleep.deadline();
        let late = due.elapsed().as_nanos() / self.period.as_nanos();
        let periods = u32::try_from(late).map_or(u32::MAX, |late| late.saturating_add(1));
        self.sleep.reset(after(due, self.period.saturating_mul(periods)));
        due
    }
}
