//! The ends of queues, as channels use them.

use aqueduct::bbq::Backoff;
use aqueduct::error::{PopError, PushError};
use aqueduct::queue::{Len, Pop, Push};
use aqueduct::tube::SequencedRing;
use aqueduct::unbounded::Single;
use aqueduct::{bbq, cnq, mpmc, mpsc, spmc, unbounded};

/// Largest capacity of a queue that counts as small.
pub(super) const FEW: usize = 4;

pub(in crate::channel) mod sealed {
    pub trait Sealed {}
}

/// The end of a queue into which a channel's senders push.
///
/// Producers of [`aqueduct`]'s block-based queues are such ends, and so are references to the queue
/// of a channel that threads share.
pub trait SendEnd: sealed::Sealed {
    /// The message type.
    type Message;

    /// The value that the last receiver leaves to senders: its consumer, or `()`.
    #[doc(hidden)]
    type Left;

    /// True if each message that is received makes room for one. Then a sender that finds no room
    /// needs no wake-up of another sender.
    #[doc(hidden)]
    const FREES_ONE: bool = false;

    #[doc(hidden)]
    fn push(&mut self, message: Self::Message) -> Result<(), PushError<Self::Message>>;

    /// Whether a push would fail; `false` if that is not known.
    #[doc(hidden)]
    fn is_full(&self) -> bool;

    /// Whether enough slots are free for a spinning sender to push: waiting for more of them
    /// amortises the transfers of cache lines.
    #[doc(hidden)]
    fn has_much_room(&self) -> bool {
        true
    }

    /// Whether the queue is so small that receivers push the messages of threads that wait.
    #[doc(hidden)]
    fn has_few_places(&self) -> bool {
        false
    }

    /// Disables pauses from now on: a task uses the end, and a pause would keep its worker from
    /// other tasks.
    #[doc(hidden)]
    fn pause_never(&mut self) {}

    /// Pops a message for a late sender, when receivers pop no more.
    #[doc(hidden)]
    fn pop_left(&mut self, left: Option<&mut Self::Left>) -> Result<Self::Message, PopError>;
}

/// The end of a queue from which a channel's receivers pop.
pub trait RecvEnd: sealed::Sealed {
    /// The message type.
    type Message;

    /// The value that a receiver leaves to senders when it has found the end of the channel.
    #[doc(hidden)]
    type Left;

    /// True if a pop that fails may have made room nevertheless.
    #[doc(hidden)]
    const FREES_LATE: bool = false;

    /// True if other handles may take any time for a message that they write or read in place. Then
    /// no thread spins until they are done.
    #[doc(hidden)]
    const IS_IN_PLACE: bool = false;

    /// Disables pauses from now on: a task uses the end, and a pause would keep its worker from
    /// other tasks.
    #[doc(hidden)]
    fn pause_never(&mut self) {}

    #[doc(hidden)]
    fn pop(&mut self) -> Result<Self::Message, PopError>;

    /// Whether the last pop, which has succeeded, may have made room.
    #[doc(hidden)]
    #[inline(always)]
    fn may_have_made_room(&self) -> bool {
        true
    }

    #[doc(hidden)]
    fn is_empty(&self) -> bool;

    /// Whether the queue has room for one message only. Then senders pop it for threads that wait.
    #[doc(hidden)]
    fn has_one_place(&self) -> bool {
        false
    }

    /// Whether a spinning receiver pops now: a pop that fails may read a word that senders write
    /// all the time.
    #[doc(hidden)]
    fn may_pop(&self) -> bool {
        true
    }

    /// Returns the value with which late senders take their messages back. The end pops nothing
    /// afterwards.
    #[doc(hidden)]
    fn leave(&mut self) -> Option<Self::Left> {
        None
    }
}

/// The end of a queue that has one sender, which can reserve room.
pub trait SoleSendEnd: SendEnd {
    /// Finds room: the next push succeeds.
    #[doc(hidden)]
    fn find_room(&mut self) -> Result<(), PushError<()>>;
}

/// The end of a queue whose senders can read its capacity.
pub trait CountingSendEnd: SendEnd {
    /// Returns the number of messages that always fit, or `None` if there is no limit.
    #[doc(hidden)]
    fn capacity(&self) -> Option<usize>;
}

/// The end of a queue whose receivers can read its length and capacity.
pub trait CountingRecvEnd: RecvEnd {
    #[doc(hidden)]
    fn len(&self) -> usize;

    /// Returns the number of messages that always fit, or `None` if there is no limit.
    #[doc(hidden)]
    fn capacity(&self) -> Option<usize>;
}

impl<E: sealed::Sealed> sealed::Sealed for &mut E {}
impl<E: sealed::Sealed> sealed::Sealed for Option<E> {}

impl<E: SendEnd> SendEnd for &mut E {
    type Message = E::Message;
    type Left = E::Left;
    const FREES_ONE: bool = E::FREES_ONE;

    #[inline(always)]
    fn push(&mut self, message: E::Message) -> Result<(), PushError<E::Message>> {
        E::push(self, message)
    }

    fn is_full(&self) -> bool {
        E::is_full(self)
    }

    fn has_much_room(&self) -> bool {
        E::has_much_room(self)
    }

    fn has_few_places(&self) -> bool {
        E::has_few_places(self)
    }

    fn pop_left(&mut self, left: Option<&mut E::Left>) -> Result<E::Message, PopError> {
        E::pop_left(self, left)
    }
}

/// A receiver's end; `None` when the receiver has left it to senders.
impl<E: RecvEnd> RecvEnd for &mut Option<E> {
    type Message = E::Message;
    type Left = E;
    const FREES_LATE: bool = E::FREES_LATE;
    const IS_IN_PLACE: bool = E::IS_IN_PLACE;

    #[inline(always)]
    fn pop(&mut self) -> Result<E::Message, PopError> {
        match self {
            Some(end) => end.pop(),
            None => Err(PopError::Empty),
        }
    }

    #[inline(always)]
    fn may_have_made_room(&self) -> bool {
        match self {
            Some(end) => end.may_have_made_room(),
            None => false,
        }
    }

    fn is_empty(&self) -> bool {
        self.as_ref().is_none_or(E::is_empty)
    }

    fn has_one_place(&self) -> bool {
        self.as_ref().is_some_and(E::has_one_place)
    }

    fn leave(&mut self) -> Option<E> {
        self.take()
    }
}

macro_rules! handles {
    ($($producer:ty, $consumer:ty;)*) => {$(
        impl<T> sealed::Sealed for $producer {}
        impl<T> sealed::Sealed for $consumer {}

        impl<T> SendEnd for $producer {
            type Message = T;
            type Left = $consumer;

            #[inline(always)]
            fn push(&mut self, message: T) -> Result<(), PushError<T>> {
                Push::push(self, message)
            }

            fn is_full(&self) -> bool {
                <$producer>::is_full(self)
            }

            fn has_few_places(&self) -> bool {
                <$producer>::capacity(self) <= FEW
            }

            #[inline(always)]
            fn pause_never(&mut self) {
                self.set_backoff(Backoff::Never);
            }

            fn pop_left(&mut self, left: Option<&mut $consumer>) -> Result<T, PopError> {
                left.map_or(Err(PopError::Empty), Pop::pop)
            }
        }

        impl<T> CountingSendEnd for $producer {
            fn capacity(&self) -> Option<usize> {
                Some(<$producer>::capacity(self))
            }
        }

        impl<T> RecvEnd for $consumer {
            type Message = T;
            type Left = Self;

            #[inline(always)]
            fn pop(&mut self) -> Result<T, PopError> {
                Pop::pop(self)
            }

            #[inline(always)]
            fn may_have_made_room(&self) -> bool {
                <$consumer>::may_have_made_room(self)
            }

            #[inline(always)]
            fn pause_never(&mut self) {
                self.set_backoff(Backoff::Never);
            }

            fn is_empty(&self) -> bool {
                Len::is_empty(self)
            }

            fn has_one_place(&self) -> bool {
                Len::capacity(self) == 1
            }
        }

        impl<T> CountingRecvEnd for $consumer {
            fn len(&self) -> usize {
                Len::len(self)
            }

            fn capacity(&self) -> Option<usize> {
                Some(Len::capacity(self))
            }
        }
    )*};
}

handles! {
    bbq::spsc::Producer<T>, bbq::spsc::Consumer<T>;
    mpsc::Producer<T>, mpsc::Consumer<T>;
    spmc::Producer<T>, spmc::Consumer<T>;
    mpmc::Producer<T>, mpmc::Consumer<T>;
}

macro_rules! sole {
    ($($producer:ty;)*) => {$(
        impl<T> SoleSendEnd for $producer {
            fn find_room(&mut self) -> Result<(), PushError<()>> {
                <$producer>::find_room(self)
            }
        }
    )*};
}

sole! {
    bbq::spsc::Producer<T>;
    spmc::Producer<T>;
}

impl<T> sealed::Sealed for cnq::Producer<T, SequencedRing> {}
impl<T> sealed::Sealed for cnq::Consumer<T, SequencedRing> {}

impl<T> SendEnd for cnq::Producer<T, SequencedRing> {
    type Message = T;
    type Left = cnq::Consumer<T, SequencedRing>;

    #[inline(always)]
    fn push(&mut self, message: T) -> Result<(), PushError<T>> {
        Push::push(self, message)
    }

    fn is_full(&self) -> bool {
        false
    }

    fn pop_left(&mut self, left: Option<&mut Self::Left>) -> Result<T, PopError> {
        left.map_or(Err(PopError::Empty), Pop::pop)
    }
}

impl<T> RecvEnd for cnq::Consumer<T, SequencedRing> {
    type Message = T;
    type Left = Self;
    /// A pop gives back an empty capsule, and the next one may still be on its way.
    const FREES_LATE: bool = true;

    #[inline(always)]
    fn pop(&mut self) -> Result<T, PopError> {
        Pop::pop(self)
    }

    fn is_empty(&self) -> bool {
        cnq::Consumer::is_empty(self)
    }
}

impl<T, P: unbounded::Side> sealed::Sealed for unbounded::Producer<T, P, Single> {}
impl<T, P: unbounded::Side> sealed::Sealed for unbounded::Consumer<T, P, Single> {}

impl<T, P: unbounded::Side> SendEnd for unbounded::Producer<T, P, Single> {
    type Message = T;
    type Left = unbounded::Consumer<T, P, Single>;

    #[inline(always)]
    fn push(&mut self, message: T) -> Result<(), PushError<T>> {
        Push::push(self, message)
    }

    fn is_full(&self) -> bool {
        false
    }

    fn pop_left(&mut self, left: Option<&mut Self::Left>) -> Result<T, PopError> {
        left.map_or(Err(PopError::Empty), Pop::pop)
    }
}

impl<T, P: unbounded::Side> RecvEnd for unbounded::Consumer<T, P, Single> {
    type Message = T;
    type Left = Self;

    #[inline(always)]
    fn pop(&mut self) -> Result<T, PopError> {
        Pop::pop(self)
    }

    fn is_empty(&self) -> bool {
        unbounded::Consumer::is_empty(self)
    }

    /// Looks at the next slot, and not at the producers' word.
    fn may_pop(&self) -> bool {
        !unbounded::Consumer::is_empty(self)
    }
}

impl<T, P: unbounded::Side> CountingSendEnd for unbounded::Producer<T, P, Single> {
    fn capacity(&self) -> Option<usize> {
        None
    }
}

impl<T, P: unbounded::Side> CountingRecvEnd for unbounded::Consumer<T, P, Single> {
    fn len(&self) -> usize {
        unbounded::Consumer::len(self)
    }

    fn capacity(&self) -> Option<usize> {
        None
    }
}
