//! Which interrupt handlers may run in a thread, and when.

use super::engine::Engine;

/// A handler, for as long as the body lasts that it may interrupt.
pub(crate) type Handler = *const dyn Fn();

/// A body that may be interrupted, or a stretch that may not.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    /// The handler, until it has run.
    pub(crate) handler: Option<Handler>,
    /// Whether the handler may be interrupted once in its turn.
    pub(crate) nests: bool,
}

/// The bodies that a thread is in: the innermost one, the last, says what may come.
#[derive(Debug)]
pub(crate) struct Frames {
    frames: Vec<Frame>,
    /// It is being decided whether the handler runs; that decision is not interrupted.
    deciding: bool,
}

impl Frames {
    pub(crate) const NONE: Self = Self { frames: Vec::new(), deciding: false };
}

impl Engine {
    /// Begins a body in the current thread; its number.
    pub(crate) fn enter_frame(&mut self, frame: Frame) -> usize {
        self.intervenes = true;
        self.threads[self.current].interrupts.frames.push(frame);
        self.current
    }

    /// Ends the innermost body of a thread.
    pub(crate) fn leave_frame(&mut self, thread: usize) {
        self.threads[thread].interrupts.frames.pop();
    }

    /// Whether a handler may run in the current thread now. If so, [`Self::decide`] comes next.
    pub(crate) fn is_interruptible(&mut self) -> bool {
        let interrupts = &mut self.threads[self.current].interrupts;
        let open = interrupts.frames.last().is_some_and(|frame| frame.handler.is_some());
        open && !std::mem::replace(&mut interrupts.deciding, true)
    }

    /// It is decided whether the handler runs: what to run, if it does.
    pub(crate) fn decide(&mut self, comes: bool) -> Option<(Handler, bool)> {
        let interrupts = &mut self.threads[self.current].interrupts;
        interrupts.deciding = false;
        let frame = interrupts.frames.last_mut().filter(|_| comes)?;
        Some((frame.handler.take()?, frame.nests))
    }
}
