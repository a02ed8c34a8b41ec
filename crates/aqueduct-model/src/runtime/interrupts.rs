//! The interrupt handlers that may run in a thread, and their moments.

use super::engine::Engine;
use crate::sync::atomic::AtomicU64;

/// A handler, for as long as the body lasts that it may interrupt.
pub(crate) type Handler = *const dyn Fn();

/// What decides whether a handler runs: a weak exchange of its zero that may fail for nothing. Each body has one for
/// all its places, so that the rounds of a loop that waits in it are alike.
pub(crate) type Coin = *const AtomicU64;

/// A body that may be interrupted, or a stretch that may not.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    /// The handler, until it has run, and the coin.
    pub(crate) handler: Option<(Handler, Coin)>,
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

    /// Where a handler may run in the current thread now, what decides whether it does. Then [`Self::decide`] comes
    /// next.
    pub(crate) fn begin_decision(&mut self) -> Option<Coin> {
        let interrupts = &mut self.threads[self.current].interrupts;
        let (_, coin) = interrupts.frames.last()?.handler?;
        (!std::mem::replace(&mut interrupts.deciding, true)).then_some(coin)
    }

    /// It is decided whether the handler runs: what to run, if it does.
    pub(crate) fn decide(&mut self, comes: bool) -> Option<(Handler, bool)> {
        let interrupts = &mut self.threads[self.current].interrupts;
        interrupts.deciding = false;
        let frame = interrupts.frames.last_mut().filter(|_| comes)?;
        let (handler, _) = frame.handler.take()?;
        Some((handler, frame.nests))
    }
}
