//! Messages: arrays of words, each of which holds the message's number.

use std::array;
use std::fmt::Debug;

use aqueduct_shm::Pod;
use iceoryx2::prelude::ZeroCopySend;
use zerocopy::{AsBytes, FromBytes};

/// A message of a fixed size.
pub(crate) trait Message: Pod + AsBytes + FromBytes + ZeroCopySend + Debug + Default + Unpin + Sync {
    /// Makes the message with this number.
    fn numbered(number: u64) -> Self;

    /// Returns the message's number.
    fn number(&self) -> u64;

    /// Whether it is the message with this number, in each of its words.
    fn has(&self, number: u64) -> bool;
}

macro_rules! messages {
    ($($message:ident = $words:literal,)*) => {$(
        /// A message of a fixed number of words.
        #[derive(Clone, Copy, Debug, AsBytes, FromBytes)]
        #[repr(C)]
        pub(crate) struct $message([u64; $words]);

        // SAFETY: words, none of which is padding, and no pattern of bytes is refused.
        unsafe impl Pod for $message {}

        // SAFETY: it owns nothing and points to nothing.
        unsafe impl ZeroCopySend for $message {}

        impl Default for $message {
            fn default() -> Self {
                Self([0; $words])
            }
        }

        impl Message for $message {
            #[inline(always)]
            fn numbered(number: u64) -> Self {
                Self(array::from_fn(|word| number.wrapping_add(word as u64)))
            }

            #[inline(always)]
            fn number(&self) -> u64 {
                self.0[0]
            }

            #[inline(always)]
            fn has(&self, number: u64) -> bool {
                // Without a branch for each word.
                let wrong = |(word, found): (usize, &u64)| *found ^ number.wrapping_add(word as u64);
                self.0.iter().enumerate().map(wrong).fold(0, |all, one| all | one) == 0
            }
        }
    )*};
}

messages! {
    Small = 1,
    Line = 8,
    Large = 128,
}

/// The sizes that can be measured, in bytes.
pub(crate) const SIZES: [usize; 3] = [size_of::<Small>(), size_of::<Line>(), size_of::<Large>()];

#[cfg(test)]
mod tests {
    use super::*;

    fn is_told_apart<M: Message>() {
        let message = M::numbered(u64::MAX - 1);
        assert!(message.has(u64::MAX - 1) && !message.has(7));
        for byte in 0..size_of::<M>() {
            let mut other = message;
            other.as_bytes_mut()[byte] ^= 1;
            assert!(!other.has(u64::MAX - 1), "byte {byte}");
        }
    }

    #[test]
    fn each_byte_of_a_message_counts() {
        is_told_apart::<Small>();
        is_told_apart::<Line>();
        is_told_apart::<Large>();
    }
}
