//! The queues of channels whose handles threads share.

use aqueduct::error::{PopError, PushError};
use aqueduct::{exact, unbounded};

use super::ends::{FEW, RecvEnd, SendEnd, sealed};

/// The queue in which the messages of a channel wait to be received.
#[expect(clippy::large_enum_variant, reason = "a channel has one buffer, in its own allocation")]
pub(crate) enum Buffer<T> {
    /// A queue for an exact number of messages.
    Exact(exact::Queue<T>),
    /// A queue for any number of messages.
    Unbounded(unbounded::Queue<T>),
}

/// Room for a message that has been reserved: nothing in a channel for any number of messages.
pub(crate) type Room<'a, T> = Option<exact::Permit<'a, T>>;

/// A spinning sender waits until one part in `MUCH` of the slots is free.
const MUCH: usize = 4;

impl<T> Buffer<T> {
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Exact(queue) => queue.len(),
            Self::Unbounded(queue) => queue.len(),
        }
    }

    pub(crate) fn capacity(&self) -> Option<usize> {
        match self {
            Self::Exact(queue) => Some(queue.capacity()),
            Self::Unbounded(_) => None,
        }
    }

    pub(crate) fn is_full(&self) -> bool {
        match self {
            Self::Exact(queue) => queue.is_full(),
            Self::Unbounded(_) => false,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        match self {
            // A message that is being sent counts: the caller waits for it.
            Self::Exact(queue) => queue.len() == 0,
            Self::Unbounded(queue) => queue.is_empty(),
        }
    }

    /// Reserves room for a message.
    pub(crate) fn reserve(&self) -> Result<Room<'_, T>, PushError<()>> {
        match self {
            Self::Exact(queue) => queue.reserve().map(Some),
            Self::Unbounded(_) => Ok(None),
        }
    }

    /// Returns room that has been reserved, and forgotten since.
    ///
    /// # Safety
    /// Room that [`Self::reserve`] has returned has been passed to `forget`, and has not been
    /// returned by this since.
    pub(crate) unsafe fn recall(&self) -> Room<'_, T> {
        match self {
            // SAFETY: the caller's promise.
            Self::Exact(queue) => Some(unsafe { exact::Permit::recall(queue) }),
            Self::Unbounded(_) => None,
        }
    }

    /// Adds a message into reserved room of this buffer. It comes back if there is no memory.
    pub(crate) fn push_into(&self, room: Room<'_, T>, message: T) -> Result<(), T> {
        match (room, self) {
            (Some(permit), _) => {
                permit.push(message);
                Ok(())
            }
            (None, Self::Unbounded(queue)) => queue.push(message).map_err(PushError::into_inner),
            (None, Self::Exact(_)) => unreachable!("room of this buffer is a slot"),
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
            Buffer::Exact(queue) => queue.push(message),
            Buffer::Unbounded(queue) => queue.push(message),
        }
    }

    fn is_full(&self) -> bool {
        Buffer::is_full(self)
    }

    fn has_much_room(&self) -> bool {
        match self {
            Buffer::Exact(queue) => queue.has_room_for(1 + queue.capacity() / MUCH),
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
            Buffer::Exact(queue) => queue.pop(),
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
            Buffer::Exact(queue) => !queue.is_empty(),
            Buffer::Unbounded(_) => true,
        }
    }
}
