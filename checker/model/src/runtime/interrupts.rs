//! The interrupt handlers that may run in a thread, and their moments.

use super::engine::Engine;
use super::state::{Coin, Frame, Handler};

impl Engine {
    /// Begins a body in the current thread, and returns its number. From now on, `moment` is called
    /// before each operation of any thread: a handler may run there.
    pub(crate) fn enter_frame(&mut self, frame: Frame, moment: fn()) -> usize {
        self.intervenes = true;
        self.moment = Some(moment);
        self.threads[self.current].interrupts.frames.push(frame);
        self.current
    }

    /// Ends the innermost body of a thread.
    pub(crate) fn leave_frame(&mut self, thread: usize) {
        self.threads[thread].interrupts.frames.pop();
    }

    /// Begins to decide whether a handler runs in the current thread now. Returns the coin, if a
    /// handler may run. [`Self::decide`] must follow.
    pub(crate) fn begin_decision(&mut self) -> Option<Coin> {
        let interrupts = &mut self.threads[self.current].interrupts;
        let (_, coin) = interrupts.frames.last()?.handler?;
        (!std::mem::replace(&mut interrupts.deciding, true)).then_some(coin)
    }

    /// Ends the decision. Returns the handler, if it runs.
    pub(crate) fn decide(&mut self, comes: bool) -> Option<(Handler, bool)> {
        let interrupts = &mut self.threads[self.current].interrupts;
        interrupts.deciding = false;
        let frame = interrupts.frames.last_mut().filter(|_| comes)?;
        let (handler, _) = frame.handler.take()?;
        Some((handler, frame.nests))
    }
}
