//! The first of several operations, by index: for operations whose number is not known beforehand.

use std::fmt;
use std::ptr;
use std::time::{Duration, Instant};

use super::Stay;
use super::case::SelectCase;
use super::engine::{Engine, bring_forward, shuffle};
use super::handle::{Added, IndexCase, Selectable};
use super::token::Token;
use crate::spin::spin;
use crate::sync::{Dice, has_passed, is_panicking, park};
use crate::wake::Caller;

/// Chooses the first of several operations by index, for threads: sends and receives whose number
/// is not known beforehand, and messages that are made only when there is room for them.
///
/// [`Select`](crate::Select) is for operations that are known, and for tasks. Here an operation is chosen first, and
/// completed by [`SelectedOperation`] afterwards, in which the receiver or sender is named again.
/// Until then a receiver that has been chosen has its message, and a sender its room. An operation
/// that is not chosen has no effect.
///
/// # Examples
/// ```
/// use aqueduct_channel::{IndexSelect, Receiver, unbounded};
///
/// fn first<T>(receivers: &[Receiver<T>]) -> Option<T> {
///     let mut select = IndexSelect::new();
///     for receiver in receivers {
///         select.recv(receiver);
///     }
///     let chosen = select.select();
///     let receiver = &receivers[chosen.index()];
///     chosen.recv(receiver).ok()
/// }
///
/// let (senders, receivers): (Vec<_>, Vec<_>) = (0..8).map(|_| unbounded()).unzip();
/// senders[3].send("hello")?;
/// assert_eq!(first(&receivers), Some("hello"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct IndexSelect<'a> {
    /// Handles of the cases. They have no drop, so users can drop their handles as soon as they do
    /// not use the select any more.
    handles: Vec<Added<'a>>,
    next: usize,
    is_biased: bool,
}

// SAFETY: the handles' methods can be called in any thread, as `Selectable` demands. What is chosen
// cannot be completed there if its message may not go there: that takes a reference to the handle.
// Its drop forgets the message.
unsafe impl Send for IndexSelect<'_> {}
// SAFETY: as for `Send`.
unsafe impl Sync for IndexSelect<'_> {}

impl Default for IndexSelect<'_> {
    fn default() -> Self {
        Self::new()
    }
}

impl<'a> IndexSelect<'a> {
    /// Makes a select without operations. Of several operations that can be completed, one is
    /// chosen at random.
    #[must_use]
    pub const fn new() -> Self {
        Self { handles: Vec::new(), next: 0, is_biased: false }
    }

    /// Makes a select without operations. Of several operations that can be completed, the first
    /// one is chosen.
    #[must_use]
    pub const fn biased() -> Self {
        Self { handles: Vec::new(), next: 0, is_biased: true }
    }

    /// Adds a receive or a reservation of a handle that belongs to one thread, and returns its
    /// index.
    pub fn case<R: Send>(&mut self, case: &'a SelectCase<'_, R>) -> usize {
        self.add(case)
    }

    /// Adds an operation of another package.
    #[doc(hidden)]
    pub fn add(&mut self, handle: &'a dyn Selectable) -> usize {
        let index = self.next;
        self.next += 1;
        self.handles.push(Added::new(handle, index));
        index
    }

    /// Removes an operation. The others keep their indices.
    ///
    /// # Panics
    /// If there is no operation with this index.
    pub fn remove(&mut self, index: usize) {
        let at = self.handles.iter().position(|handle| handle.index == index);
        let at = at.unwrap_or_else(|| panic!("no operation with index {index}"));
        self.handles.remove(at);
    }

    /// Whether there is no operation.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.handles.is_empty()
    }

    fn cases(&self) -> impl Iterator<Item = IndexCase<'a>> {
        self.handles.iter().map(|handle| handle.case())
    }

    /// Brings the handles into the order in which they are tried.
    fn shuffle(&mut self) {
        if !self.is_biased {
            shuffle(&mut self.handles);
        }
    }

    /// Chooses an operation if one can be completed at once.
    ///
    /// It tries all operations twice, in one order. So it finds a message even if another thread
    /// sends that message to a channel that has been tried already, before it receives it from one
    /// that has not.
    pub fn try_select(&mut self) -> Option<SelectedOperation<'a>> {
        self.attempt_all(Stay::Never).or_else(|| self.attempt_again())
    }

    /// Makes an attempt in each case. The random order is picked only as far as it is needed.
    fn attempt_all(&mut self, stay: Stay<'_>) -> Option<SelectedOperation<'a>> {
        let mut dice = Dice::new();
        for at in 0..self.handles.len() {
            if !self.is_biased {
                bring_forward(&mut self.handles, at, &mut dice);
            }
            let selected = self.handles[at].attempt(stay);
            if selected.is_some() {
                return selected;
            }
        }
        None
    }

    /// Makes a second attempt in each case, for the reason that [`try_select`](Self::try_select)
    /// gives.
    fn attempt_again(&mut self) -> Option<SelectedOperation<'a>> {
        if self.handles.len() < 2 { None } else { self.attempt_last() }
    }

    /// Makes an attempt in each case, for a caller that does not wait.
    fn attempt_last(&self) -> Option<SelectedOperation<'a>> {
        self.handles.iter().find_map(|handle| handle.attempt(Stay::Never))
    }

    #[inline]
    fn wait_until(&mut self, deadline: Option<Instant>) -> Option<SelectedOperation<'a>> {
        self.attempt_all(Stay::Soon).or_else(|| self.wait_longer(deadline))
    }

    /// Waits, after attempts that have failed.
    #[cold]
    fn wait_longer(&mut self, deadline: Option<Instant>) -> Option<SelectedOperation<'a>> {
        if has_passed(deadline) {
            return self.attempt_last();
        }
        // If a case meets another thread, that thread finds it once it is listed.
        if self.handles.iter().any(|handle| !handle.meets)
            && let Some(selected) = spin(deadline, || self.attempt_all(Stay::Soon))
        {
            return Some(selected);
        }
        let mut engine = Engine::begun(self.is_biased, self.cases().collect());
        engine.sleep_until(deadline)
    }

    /// Waits until an operation can be completed, and chooses it.
    ///
    /// # Panics
    /// If there is no operation.
    pub fn select(&mut self) -> SelectedOperation<'a> {
        assert!(!self.is_empty(), "a select over nothing would wait forever");
        match self.wait_until(None) {
            Some(selected) => selected,
            None => unreachable!("there is no deadline"),
        }
    }

    /// Waits until an operation can be completed, at most for that long, and chooses it.
    pub fn select_timeout(&mut self, timeout: Duration) -> Option<SelectedOperation<'a>> {
        self.wait_until(Instant::now().checked_add(timeout))
    }

    /// Waits until an operation can be completed, at most until `deadline`, and chooses it. If the
    /// deadline has passed, it tries each operation once.
    pub fn select_deadline(&mut self, deadline: Instant) -> Option<SelectedOperation<'a>> {
        self.wait_until(Some(deadline))
    }

    /// Returns the index of an operation that could be completed at once. Another thread may be
    /// faster.
    ///
    /// A receive of a [`rendezvous`](crate::rendezvous) is not ready for a sender that reserves,
    /// and has no message.
    pub fn try_ready(&mut self) -> Option<usize> {
        self.shuffle();
        self.cases().find(IndexCase::is_ready).map(|case| case.index)
    }

    /// Waits until an operation could be completed, and returns its index. Another thread may be
    /// faster.
    ///
    /// # Panics
    /// If there is no operation.
    pub fn ready(&mut self) -> usize {
        assert!(!self.is_empty(), "a select over nothing would wait forever");
        match self.ready_until(None) {
            Some(index) => index,
            None => unreachable!("there is no deadline"),
        }
    }

    /// Waits until an operation could be completed, at most for that long, and returns its index.
    pub fn ready_timeout(&mut self, timeout: Duration) -> Option<usize> {
        self.ready_until(Instant::now().checked_add(timeout))
    }

    /// Waits until an operation could be completed, at most until `deadline`, and returns its
    /// index.
    pub fn ready_deadline(&mut self, deadline: Instant) -> Option<usize> {
        self.ready_until(Some(deadline))
    }

    fn ready_until(&mut self, deadline: Option<Instant>) -> Option<usize> {
        let ready = self.try_ready();
        if ready.is_some() || has_passed(deadline) {
            return ready;
        }
        let mut cases: Vec<_> = self.cases().collect();
        let timer = self.handles.iter().filter_map(|handle| handle.deadline()).min();
        let until = timer.into_iter().chain(deadline).min();
        let ready = loop {
            let ready = cases.iter_mut().find_map(|case| case.watch(Caller::Thread).then_some(case.index));
            if ready.is_some() {
                break ready;
            }
            if park(until) && (timer.is_none() || has_passed(deadline)) {
                break self.try_ready();
            }
        };
        cases.iter_mut().for_each(IndexCase::unwatch);
        ready
    }
}

impl fmt::Debug for IndexSelect<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IndexSelect").field("cases", &self.handles.len()).finish_non_exhaustive()
    }
}

/// An operation that [`IndexSelect`] has chosen, and that has to be completed.
///
/// A receive has its message already, and a send its room, or a receiver that waits for the
/// message.
///
/// # Panics
/// If it is dropped: a receive's message is forgotten then. In a thread that panics already, it
/// does not panic.
#[must_use = "an operation that has been chosen has to be completed"]
pub struct SelectedOperation<'a> {
    handle: &'a dyn Selectable,
    index: usize,
    token: Token,
}

impl<'a> SelectedOperation<'a> {
    #[inline]
    pub(super) fn new(handle: &'a dyn Selectable, index: usize, token: Token) -> Self {
        Self { handle, index, token }
    }

    /// Returns the operation's index.
    #[must_use]
    pub fn index(&self) -> usize {
        self.index
    }

    /// Returns the result of the case: a message, room, or the end of the channel.
    ///
    /// # Panics
    /// If the operation is not this case.
    pub fn complete<R: Send>(self, case: &SelectCase<'_, R>) -> R {
        assert!(self.is_of(ptr::from_ref(case).cast()), "passed a case that wasn't selected");
        // SAFETY: the case has been borrowed since it was added, so nothing else lies there, and
        // its results are `R`s.
        match unsafe { self.into_token().into_message() } {
            Some(result) => result,
            None => unreachable!("a case that is chosen has its result"),
        }
    }

    /// Whether the operation is a case of the handle at this address.
    #[doc(hidden)]
    #[must_use]
    pub fn is_of(&self, address: *const ()) -> bool {
        ptr::addr_eq(self.handle, address)
    }

    /// Returns the result of the operation, for its handle.
    #[doc(hidden)]
    #[must_use]
    pub fn into_token(mut self) -> Token {
        let token = self.token.take();
        std::mem::forget(self);
        token
    }
}

impl Drop for SelectedOperation<'_> {
    fn drop(&mut self) {
        self.handle.abandon(self.token.take());
        if !is_panicking() {
            panic!("dropped `SelectedOperation` without completing the operation");
        }
    }
}

impl fmt::Debug for SelectedOperation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SelectedOperation").field("index", &self.index).finish_non_exhaustive()
    }
}
