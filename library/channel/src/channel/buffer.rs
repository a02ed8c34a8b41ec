//! The queues of channels whose handles threads share.

use aqueduct::error::{PopError, PushError};
use aqueduct::unbounded::Queue;

use super::ends::{FEW, RecvEnd, SendEnd, sealed};
use super::ring::Ring;

/// Where the messages of a channel wait to be received.
#[expect(clippy::large_enum_variant, reason = "a channel has one buffer, in its own allocation")]
pub(crate) enum Buffer<T> {
    /// For an exact number of messages.
    Exact(Ring<T>),
    /// For any number.
    Unbounded(Queue<T>),
}

impl<T> Buffer<T> {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Exact(ring) => ring.len(),
            Self::Unbounded(queue) => queue.len(),
        }
    }

    pub(super) fn capacity(&self) -> Option<usize> {
        match self {
            Self::Exact(ring) => Some(ring.capacity()),
            Self::Unbounded(_) => None,
        }
    }

    pub(super) fn is_full(&self) -> bool {
        match self {
            Self::Exact(ring) => ring.is_full(),
            Self::Unbounded(_) => false,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::Exact(ring) => ring.is_empty(),
            Self::Unbounded(queue) => queue.is_empty(),
        }
    }

    /// Reserves room for a message. [`Self::push_reserved`] or [`Self::release`] has to follow.
    pub(super) fn reserve(&self) -> Result<(), PushError<()>> {
        match self {
            Self::Exact(ring) => ring.reserve(),
            Self::Unbounded(_) => Ok(()),
        }
    }

    /// Adds a message into reserved room. It comes back if there is no memory.
    pub(super) fn push_reserved(&self, message: T) -> Result<(), T> {
        match self {
            Self::Exact(ring) => {
                ring.push_reserved(message);
                Ok(())
            }
            Self::Unbounded(queue) => queue.push(message).map_err(PushError::into_inner),
        }
    }

    /// Gives reserved room back.
    pub(super) fn release(&self) {
        match self {
            Self::Exact(ring) => ring.release(),
            Self::Unbounded(_) => {}
        }
    }
}

impl<T> sealed::Sealed for &Buffer<T> {}

impl<T> SendEnd for &Buffer<T> {
    type Message = T;
    type Left = ();
    const FREES_ONE: bool = true;

    #[inline(always)]
    fn push(&mut self, message: T) -> Result<(), PushError<T>> {
        match self {
            Buffer::Exact(ring) => ring.push(message),
            Buffer::Unbounded(queue) => queue.push(message),
        }
    }

    fn is_full(&self) -> bool {
        Buffer::is_full(self)
    }

    fn has_much_room(&self) -> bool {
        match self {
            Buffer::Exact(ring) => ring.has_much_room(),
            Buffer::Unbounded(_) => true,
        }
    }

    fn has_few_places(&self) -> bool {
        self.capacity().is_some_and(|capacity| capacity <= FEW)
    }

    fn pop_left(&mut self, _left: Option<&mut ()>) -> Result<T, PopError> {
        self.pop()
    }
}

impl<T> RecvEnd for &Buffer<T> {
    type Message = T;
    type Left = ();

    #[inline(always)]
    fn pop(&mut self) -> Result<T, PopError> {
        match self {
            Buffer::Exact(ring) => ring.pop(),
            Buffer::Unbounded(queue) => queue.pop(),
        }
    }

    fn is_empty(&self) -> bool {
        Buffer::is_empty(self)
    }

    fn has_one_place(&self) -> bool {
        self.capacity() == Some(1)
    }

    fn may_pop(&self) -> bool {
        match self {
            Buffer::Exact(ring) => ring.may_pop(),
            Buffer::Unbounded(_) => true,
        }
    }
}
