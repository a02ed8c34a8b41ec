//! An event that a waker notifies.

use std::task::{Wake, Waker};

use crate::event::Event;
use crate::sync::Counted;

/// An event on which threads wait for something that wakes one task.
///
/// It lives as long as its wakers: the other thread may wake it after the last waiter has left.
pub(crate) struct Signal(Counted<Notifying>);

struct Notifying(Event);

impl Wake for Notifying {
    fn wake(self: Counted<Self>) {
        // All: copies of a select may wait in several threads, and the end of a channel is for each
        // of them.
        self.0.notify_all();
    }
}

impl Signal {
    pub(crate) fn new() -> Self {
        Self(Counted::new(Notifying(Event::new())))
    }

    pub(crate) fn waker(&self) -> Waker {
        Waker::from(Counted::clone(&self.0))
    }

    pub(super) fn event(&self) -> &Event {
        &self.0.0
    }
}
