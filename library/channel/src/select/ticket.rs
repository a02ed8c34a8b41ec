//! The choice of a select's case by another thread.

use crate::sync::{Arc, Mutex, unique};

/// State of a select that is visible to threads that may choose one of its cases.
///
/// In a rendezvous, a sender and a receiver may find each other while both also wait for other
/// channels. So the one that comes later chooses for both, atomically: it locks both tickets.
#[derive(Debug)]
pub struct Ticket {
    /// Number in whose order two tickets are locked.
    order: u64,
    state: Mutex<State>,
}

#[derive(Debug)]
enum State {
    /// The owner makes attempts, or has succeeded.
    Busy,
    /// The owner waits.
    Waiting,
    /// Another thread has chosen this case.
    Chosen(usize),
}

impl Ticket {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self { order: unique(), state: Mutex::new(State::Busy) })
    }

    /// Makes the owner busy, unless another thread has chosen a case. Called by the owner.
    pub(crate) fn begin(&self) -> Result<(), usize> {
        let mut state = self.state.lock();
        match std::mem::replace(&mut *state, State::Busy) {
            State::Chosen(case) => Err(case),
            State::Busy | State::Waiting => Ok(()),
        }
    }

    /// Permits other threads to choose from now on. Called by the owner.
    pub(crate) fn wait(&self) {
        *self.state.lock() = State::Waiting;
    }

    /// Makes a waiting owner busy, unless another thread has chosen a case. Called by the owner.
    pub(crate) fn take(&self) -> bool {
        let mut state = self.state.lock();
        let is_free = matches!(*state, State::Waiting);
        if is_free {
            *state = State::Busy;
        }
        is_free
    }

    /// Chooses a case for the owner, if the owner waits.
    pub(crate) fn choose(&self, case: usize) -> bool {
        let mut state = self.state.lock();
        let is_free = matches!(*state, State::Waiting);
        if is_free {
            *state = State::Chosen(case);
        }
        is_free
    }

    /// Chooses a case for the owner, and takes the caller's ticket, if both wait.
    pub(crate) fn choose_with(&self, case: usize, own: &Self) -> bool {
        let (mut other, mut mine);
        if self.order < own.order {
            other = self.state.lock();
            mine = own.state.lock();
        } else {
            mine = own.state.lock();
            other = self.state.lock();
        }
        let are_free = matches!((&*mine, &*other), (State::Waiting, State::Waiting));
        if are_free {
            *mine = State::Busy;
            *other = State::Chosen(case);
        }
        are_free
    }
}
