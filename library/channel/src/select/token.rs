//! The result of a chosen case, before its type is known.

use std::fmt;
use std::mem::{self, MaybeUninit};

/// Words of the largest message that needs no box.
const WORDS: usize = 4;

/// A value of a type that only its owner can name. Dropping it forgets the value.
struct Erased([MaybeUninit<usize>; WORDS]);

impl Erased {
    const fn is_small<T>() -> bool {
        size_of::<T>() <= size_of::<Self>() && align_of::<T>() <= align_of::<Self>()
    }

    fn new<T>(value: T) -> Self {
        let mut this = Self([MaybeUninit::uninit(); WORDS]);
        let memory = this.0.as_mut_ptr();
        if Self::is_small::<T>() {
            // SAFETY: the memory is large enough, and aligned for it.
            unsafe { memory.cast::<T>().write(value) };
        } else {
            // SAFETY: a pointer is a word.
            unsafe { memory.cast::<*mut T>().write(Box::into_raw(Box::new(value))) };
        }
        this
    }

    /// Returns the value.
    ///
    /// # Safety
    /// [`Self::new`] was called with a `T`.
    unsafe fn take<T>(self) -> T {
        let memory = self.0.as_ptr();
        if Self::is_small::<T>() {
            // SAFETY: `new` has written a `T`, and it is read once.
            unsafe { memory.cast::<T>().read() }
        } else {
            // SAFETY: `new` has written the pointer of a box, which is taken once.
            unsafe { *Box::from_raw(memory.cast::<*mut T>().read()) }
        }
    }
}

/// Result of a case that has been chosen.
#[derive(Default)]
pub struct Token(Content);

#[derive(Default)]
enum Content {
    #[default]
    Nothing,
    /// The end of the channel.
    End,
    Message(Erased),
    /// Room that has been reserved.
    Room,
    /// The receiver with this key has been promised a message.
    Promise(usize),
}

/// A sender's grant: the end of the channel, room, or a receiver.
pub(crate) enum Grant {
    End,
    Room,
    Promise(usize),
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(..)")
    }
}

impl Token {
    /// Makes the token of a receiver: a message, or the end of the channel.
    pub fn received<T, E>(result: Result<T, E>) -> Self {
        Self(result.map_or(Content::End, |message| Content::Message(Erased::new(message))))
    }

    /// Makes the token of a sender's grant.
    pub(crate) fn granted(grant: Grant) -> Self {
        Self(match grant {
            Grant::End => Content::End,
            Grant::Room => Content::Room,
            Grant::Promise(receiver) => Content::Promise(receiver),
        })
    }

    /// Returns the message, or `None` at the end of the channel.
    ///
    /// # Safety
    /// [`Self::received`] was called with a result of a `T`.
    pub unsafe fn into_message<T>(self) -> Option<T> {
        match self.0 {
            // SAFETY: the message is a `T`.
            Content::Message(message) => Some(unsafe { message.take() }),
            _ => None,
        }
    }

    pub(crate) fn into_grant(self) -> Grant {
        match self.0 {
            Content::Room => Grant::Room,
            Content::Promise(receiver) => Grant::Promise(receiver),
            _ => Grant::End,
        }
    }

    pub(super) fn take(&mut self) -> Self {
        mem::take(self)
    }
}
