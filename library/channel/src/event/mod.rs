//! Waiting: an event count on which threads and tasks wait side by side.

mod attempt;
mod future;
mod offer;
mod waiter;
mod waiters;

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use aqueduct::fences;

use crate::spin::{BRIEF, OF_TASKS, spin};
use crate::sync::{AtomicBool, AtomicUsize, Mutex, Ordering, fence, has_passed, park};
use crate::wake::{Caller, Woken};

pub use attempt::Miss;
use attempt::Unknown;
pub(crate) use attempt::{Attempt, attempt_now};
pub use future::Wait;
pub(crate) use future::Waiting;
pub(crate) use waiter::Waiter;
use waiters::Waiters;

/// Number of notifications in a row that find no waiter before a notifier disarms the event.
///
/// One fence for each of them costs about as much as the heavy fence that arms the event again.
const PATIENCE: usize = 1024;

/// Number of initial spin rounds in which only cheap attempts are made; less than the shortest
/// spin.
const CHEAP_ROUNDS: usize = BRIEF - 1;

/// Number of initial rounds of a task's spin in which only cheap attempts are made.
const CHEAP_TASK_ROUNDS: usize = OF_TASKS - 1;

/// An event count: threads and tasks wait on it until another thread has changed something.
///
/// A waiter repeats an attempt: a pop from a queue, for example. A notifier makes the change first,
/// and calls [`notify`](Self::notify) afterwards. No wake-up is lost: either the waiter's attempt
/// sees the change, or the notifier sees the waiter. If no thread or task waits, a notification
/// costs a load and no fence.
///
/// # Examples
/// A consumer that sleeps while its queue is empty:
/// ```
/// use aqueduct_channel::Event;
///
/// let queue = aqueduct::mpmc::Queue::new(16)?;
/// let pushed = Event::new();
/// let sum: u32 = std::thread::scope(|scope| {
///     scope.spawn(|| {
///         for number in 1..=10 {
///             queue.push(number).expect("there is room");
///             pushed.notify();
///         }
///     });
///     (0..10).map(|_| pushed.wait(|| queue.pop().ok())).sum()
/// });
/// assert_eq!(sum, 55);
/// # Ok::<(), aqueduct::error::CapacityError>(())
/// ```
///
/// # Guarantees
/// - Each notification wakes one waiter, the one that has waited longest. A waiter whose attempt
///   fails is one of the next two.
/// - A waiter that stops waiting after it was notified (its time is over, its future is dropped,
///   its attempt panics) passes the notification on.
/// - An attempt may fail although a change has been made, as long as a later change that makes it
///   succeed is notified, too: with `Busy`, and in queues that make room for several items at once.
///   So a waiter that succeeds wakes the next one, whose attempt may succeed as well.
/// - Before it parks, a thread spins adaptively: for 0.5, about 5 or some tens of microseconds, by
///   what has paid off recently; on one core, it parks at once. It executes spin hints and then
///   yields, or yields from the beginning if only that has helped it recently.
/// - A task repeats its attempt for a microsecond at most if that has helped tasks of its thread
///   lately; otherwise it waits at once: its worker has other tasks.
///
/// # How it works
/// The event is *armed* while there may be waiters. Then each notifier executes a `SeqCst` fence
/// and looks for a waiter. A waiter that finds the event unarmed arms it and executes a heavy fence
/// ([`fences`](aqueduct::fences)). After that, every notifier observes that the event is armed, so
/// an unarmed event costs notifiers only a light fence. After a number of notifications that found
/// no waiter, a notifier disarms the event. So threads that sleep often do not pay for a heavy
/// fence each time.
#[derive(Debug)]
pub struct Event {
    /// True if notifiers look for waiters. Written under the lock.
    is_armed: AtomicBool,
    /// Number of notifications without a waiter after which the event is disarmed.
    patience: usize,
    /// True if each change is made by an exchange: see [`Event::of_exchanges`].
    is_of_exchanges: bool,
    busy: Busy,
}

/// Words that waiters write, in cache lines of their own: notifiers read the rest of the event all
/// the time.
#[derive(Debug)]
#[repr(align(64))]
struct Busy {
    /// Number of listed waiters. Written under the lock.
    waiting: AtomicUsize,
    /// Number of notifications in a row that have found no waiter; approximate.
    unneeded: AtomicUsize,
    list: Mutex<Waiters>,
}

impl Busy {
    /// Stores the number of listed waiters. Called under the lock.
    #[inline]
    fn count(&self, list: &Waiters) {
        // Ordering: Release only keeps the store behind earlier loads (load buffering): fences tell
        // notifiers.
        self.waiting.store(list.waiting(), Ordering::Release);
    }
}

impl Default for Event {
    fn default() -> Self {
        Self::new()
    }
}

impl Event {
    /// Makes an event without waiters.
    #[must_use]
    pub const fn new() -> Self {
        Self::with_patience(PATIENCE)
    }

    /// Makes an event that is disarmed after `patience` notifications that find no waiter, or never
    /// (`usize::MAX`), for the model checker.
    #[doc(hidden)]
    #[must_use]
    pub const fn with_patience(patience: usize) -> Self {
        Self {
            is_armed: AtomicBool::new(false),
            patience,
            is_of_exchanges: false,
            busy: Busy {
                waiting: AtomicUsize::new(0),
                unneeded: AtomicUsize::new(0),
                list: Mutex::new(Waiters::new()),
            },
        }
    }

    /// Makes an event for changes that begin with a `SeqCst` read-modify-write operation. The
    /// operation is on a word from which a waiter's attempt finds out whether it has failed
    /// exactly.
    ///
    /// The event is always armed, and [`notify_exchanged`](Self::notify_exchanged) has no fence:
    /// the operation is one. A change that is in progress makes an attempt fail inexactly. The
    /// thread that makes the change may have looked for waiters already, so a waiter executes the
    /// heavy fence before it sleeps after an inexact failure.
    pub(crate) fn of_exchanges() -> Self {
        let mut event = Self::with_patience(usize::MAX);
        (event.is_armed, event.is_of_exchanges) = (AtomicBool::new(true), true);
        event
    }

    /// Wakes a waiter, if there is one, after a change that began with an exchange. On an event
    /// for other changes, this works as [`notify`](Self::notify).
    #[inline(always)]
    pub(crate) fn notify_exchanged(&self) {
        if !self.is_of_exchanges {
            return self.notify();
        }
        // Pairs with the heavy fence in `look_again`: this thread sees the waiter, or the waiter's
        // next attempt sees the change.
        fences::light();
        // Ordering: SeqCst pairs with the fence in `list`. Either this thread sees the waiter, or
        // the waiter's attempt sees the exchange.
        if self.busy.waiting.load(Ordering::SeqCst) != 0 {
            self.wake_first();
        }
    }

    /// Wakes a waiter, if there is one. Call it after the change that the waiter may need.
    #[inline]
    pub fn notify(&self) {
        self.notify_many(1);
    }

    /// Wakes up to `count` waiters, after a change that serves `count`.
    #[inline]
    pub fn notify_many(&self, count: usize) {
        // Pairs with the heavy fence in `list`: this thread sees that the event is armed, or the
        // waiter's next attempt sees the change.
        fences::light();
        if self.is_armed.load(Ordering::Relaxed) {
            self.notify_armed(count);
        }
    }

    /// Wakes all waiters, after a change that concerns all of them.
    pub fn notify_all(&self) {
        self.notify_many(usize::MAX);
    }

    #[cold]
    fn notify_armed(&self, count: usize) {
        // Ordering: SeqCst pairs with the fence in `list`. Either this thread sees the waiter, or
        // the waiter's next attempt sees the change.
        fence(Ordering::SeqCst);
        // Ordering: Acquire only keeps later stores behind (load buffering).
        if self.busy.waiting.load(Ordering::Acquire) == 0 {
            return self.count_unneeded();
        }
        self.busy.unneeded.store(0, Ordering::Relaxed);
        if count == 1 { self.wake_first() } else { self.wake_several(count) }
    }

    /// Wakes the first waiter, and further ones while [`wake_one`](Self::wake_one) returns true.
    #[cold]
    fn wake_first(&self) {
        while self.wake_one() {}
    }

    /// Wakes the first waiter, if there is one. Returns whether the next one has to be woken, too.
    fn wake_one(&self) -> bool {
        let first = {
            let mut list = self.busy.list.lock();
            let first = list.take_first();
            self.busy.count(&list);
            first
        };
        let Some((wake, offer)) = first else { return false };
        let Some(offer) = offer else {
            wake.wake();
            return false;
        };
        // The waiter is woken even if the attempt panics.
        let _woken = Woken::one(Some(wake));
        // SAFETY: taken out of the waiter's entry.
        unsafe { offer.serve() && self.must_wake_next() }
    }

    /// Whether a waiter that succeeds has to wake the next one.
    fn must_wake_next(&self) -> bool {
        // Ordering: Relaxed. If the list has been empty since the waiter was taken out, no other
        // waiter has a claim.
        self.busy.waiting.load(Ordering::Relaxed) != 0 && self.busy.list.lock().is_owed()
    }

    /// Wakes the first waiters.
    fn wake_several(&self, count: usize) {
        let woken = {
            let mut list = self.busy.list.lock();
            let woken = list.notify(count);
            self.busy.count(&list);
            woken
        };
        drop(woken);
    }

    /// Counts a notification that has found no waiter. Disarms the event after `patience` of them
    /// in a row.
    fn count_unneeded(&self) {
        if self.patience == usize::MAX {
            return;
        }
        // Additions of several threads may get lost, which only affects the cost.
        // Ordering: Acquire only keeps later stores behind (load buffering).
        let times = self.busy.unneeded.load(Ordering::Acquire) + 1;
        self.busy.unneeded.store(times, Ordering::Relaxed);
        if times >= self.patience
            && let Some(list) = self.busy.list.try_lock()
        {
            self.busy.unneeded.store(0, Ordering::Relaxed);
            if list.waiting() == 0 {
                self.is_armed.store(false, Ordering::Relaxed);
            }
        }
    }

    /// Repeats `attempt` until it returns something, and parks the thread in between.
    #[inline]
    pub fn wait<R>(&self, attempt: impl FnMut() -> Option<R>) -> R {
        match self.wait_until(None, attempt) {
            Some(result) => result,
            None => unreachable!("there is no deadline"),
        }
    }

    /// Works as [`wait`](Self::wait), for at most `timeout`. Returns `None` if the time is over.
    #[inline]
    pub fn wait_timeout<R>(&self, timeout: Duration, attempt: impl FnMut() -> Option<R>) -> Option<R> {
        // A time beyond the clock's range never comes.
        self.wait_until(Instant::now().checked_add(timeout), attempt)
    }

    /// Works as [`wait`](Self::wait), at most until `deadline`. Returns `None` if the time is over.
    ///
    /// Makes at least one attempt, even if the deadline has passed.
    #[inline]
    pub fn wait_deadline<R>(&self, deadline: Instant, attempt: impl FnMut() -> Option<R>) -> Option<R> {
        self.wait_until(Some(deadline), attempt)
    }

    #[inline]
    fn wait_until<R>(&self, deadline: Option<Instant>, attempt: impl FnMut() -> Option<R>) -> Option<R> {
        self.wait_for(deadline, &mut Unknown(attempt))
    }

    /// Repeats `attempt` whenever the task is woken, until it returns something.
    ///
    /// Dropping the future before that is safe: an unused notification is passed on.
    ///
    /// # Examples
    /// ```
    /// use aqueduct_channel::Event;
    ///
    /// async fn pop<T>(queue: &aqueduct::mpmc::Queue<T>, pushed: &Event) -> T {
    ///     pushed.wait_async(|| queue.pop().ok()).await
    /// }
    /// ```
    pub fn wait_async<R, F: FnMut() -> Option<R>>(&self, attempt: F) -> Wait<'_, F> {
        Wait(Waiting::new(self, Unknown(attempt)))
    }

    /// Repeats `attempt` until it succeeds or the time is over.
    #[inline]
    pub(crate) fn wait_for<A: Attempt>(&self, deadline: Option<Instant>, attempt: &mut A) -> Option<A::Output> {
        match attempt.attempt() {
            Ok(result) => Some(result),
            Err(miss) => self.park_until(deadline, miss, attempt),
        }
    }

    /// Repeats `attempt`, which has failed once for the reason `last`.
    #[cold]
    pub(crate) fn park_until<A: Attempt>(
        &self,
        deadline: Option<Instant>,
        last: Miss,
        attempt: &mut A,
    ) -> Option<A::Output> {
        if has_passed(deadline) {
            return None;
        }
        if let Some(result) = spin(deadline, cheap_first(CHEAP_ROUNDS, attempt)) {
            return Some(result);
        }
        let mut waiter = Waiter::after(self, last);
        loop {
            if let Some(result) = waiter.poll(Caller::Thread, attempt) {
                return Some(result);
            }
            if park(deadline) {
                return waiter.give_up(attempt);
            }
        }
    }

    /// Waits as [`park_until`](Self::park_until) does, and offers the attempt to the thread that
    /// notifies this one.
    ///
    /// For queues of a few messages: the waiter is listed early, and each notifier then takes the
    /// lock.
    #[cold]
    pub(crate) fn park_offering<A: Attempt>(
        &self,
        deadline: Option<Instant>,
        last: Miss,
        attempt: &mut A,
    ) -> Option<A::Output> {
        if has_passed(deadline) {
            return None;
        }
        let mut waiter = Waiter::after(self, last);
        loop {
            if let Some(result) = waiter.poll(Caller::Thread, attempt) {
                return Some(result);
            }
            if let ControlFlow::Break(result) = waiter.offer(deadline, attempt) {
                return result;
            }
        }
    }
}

/// Returns the attempts of a spin. In its first `rounds` rounds, only cheap attempts are made.
fn cheap_first<A: Attempt>(rounds: usize, attempt: &mut A) -> impl FnMut() -> Option<A::Output> {
    let mut rounds = 0..rounds;
    move || (rounds.next().is_none() || attempt.is_worth_it()).then(|| attempt.attempt().ok()).flatten()
}
