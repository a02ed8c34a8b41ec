//! Which case of a select another thread has chosen.

use crate::sync::{Arc, Mutex, unique};

/// What a select shows to the threads that may choose one of its cases.
///
/// In a rendezvous, a sender and a receiver find each other while both wait, and both may wait for other
/// channels, too. So the one that comes later has to choose for both, at one moment: it locks both tickets.
#[derive(Debug)]
pub struct Ticket {
    /// Two tickets are locked in the order of these numbers.
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

    /// For the owner: makes it busy, unless another thread has chosen a case.
    pub(crate) fn begin(&self) -> Result<(), usize> {
        let mut state = self.state.lock();
        match std::mem::replace(&mut *state, State::Busy) {
            State::Chosen(case) => Err(case),
            State::Busy | State::Waiting => Ok(()),
        }
    }

    /// For the owner: lets others choose from now on.
    pub(crate) fn wait(&self) {
        *self.state.lock() = State::Waiting;
    }

    /// For the owner, which lets others choose: makes it busy if no other thread has chosen a case.
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
