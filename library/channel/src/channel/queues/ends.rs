//! The ends of queues, as channels use them.

use aqueduct::bbq::Backoff;
use aqueduct::error::{PopError, PushError};
use aqueduct::queue::{Len, Pop, Push};
use aqueduct::tube::SequencedRing;
use aqueduct::unbounded::Single;
use aqueduct::{bbq, cnq, mpmc, mpsc, spmc, unbounded};

/// The most messages of a queue that has few places.
pub(super) const FEW: usize = 4;

pub(in crate::channel) mod sealed {
    pub trait Sealed {}
}

/// The end of a queue into which a channel's senders push.
///
/// Producers of [`aqueduct`]'s block-based queues are such ends, and so are references to the queue of a channel that
/// threads share.
pub trait SendEnd: sealed::Sealed {
    /// What the channel carries.
    type Message;

    /// What the last receiver leaves to senders.
    #[doc(hidden)]
    type Left;

    /// Whether each message that is received makes room for one: then a sender that finds none needs no wake-up of
    /// another sender.
    #[doc(hidden)]
    const FREES_ONE: bool = false;

    #[doc(hidden)]
    fn push(&mut self, message: Self::Message) -> Result<(), PushError<Self::Message>>;

    /// Whether a push would fail; `false` if that is not known.
    #[doc(hidden)]
    fn is_full(&self) -> bool;

    /// Whether enough slots are free for a spinning sender to push: waiting for more of them amortises the transfers of
    /// cache lines.
    #[doc(hidden)]
    fn has_much_room(&self) -> bool {
        true
    }

    /// Whether the queue has room for so few messages that receivers push those of threads that wait.
    #[doc(hidden)]
    fn has_few_places(&self) -> bool {
        false
    }

    /// A task uses the end from now on: a pause would keep its worker from other tasks.
    #[doc(hidden)]
    fn pause_never(&mut self) {}

    /// Pops when there is no receiver that would do.
    #[doc(hidden)]
    fn pop_left(&mut self, left: Option<&mut Self::Left>) -> Result<Self::Message, PopError>;
}

/// The end of a queue from which a channel's receivers pop.
pub trait RecvEnd: sealed::Sealed {
    /// What the channel carries.
    type Message;

    /// What a receiver leaves to senders when it has found the end of the channel.
    #[doc(hidden)]
    type Left;

    /// Whether a pop that fails may have made room nevertheless.
    #[doc(hidden)]
    const FREES_LATE: bool = false;

    /// Whether other handles may take any time for a message that they write or read in place: then nobody spins until
    /// they have done so.
    #[doc(hidden)]
    const IS_IN_PLACE: bool = false;

    /// A task uses the end from now on: a pause would keep its worker from other tasks.
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

    /// Whether the queue has room for one message only: then senders pop it for threads that wait.
    #[doc(hidden)]
    fn has_one_place(&self) -> bool {
        false
    }

    /// Whether a receiver that has found nothing and waits for a moment is to pop now: a pop that fails may read a word
    /// that senders write all the time.
    #[doc(hidden)]
    fn may_pop(&self) -> bool {
        true
    }

    /// Leaves to senders that come late what they need to take their messages back. The end pops nothing afterwards.
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

/// The end of a queue whose senders know how full it is.
pub trait CountingSendEnd: SendEnd {
    /// How many messages always fit; nothing if there is no limit.
    #[doc(hidden)]
    fn capacity(&self) -> Option<usize>;
}

/// The end of a queue whose receivers know how full it is.
pub trait CountingRecvEnd: RecvEnd {
    #[doc(hidden)]
    fn len(&self) -> usize;

    /// How many messages always fit; nothing if there is no limit.
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

/// A receiver's end; nothing when the receiver has left it to senders.
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

    /// A look at the next slot, and not at the producers' word.
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
