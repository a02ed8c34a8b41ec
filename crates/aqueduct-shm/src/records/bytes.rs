//! Bytes in the words of a ring.

use super::geometry::WORD;
use crate::sync::{self, Word};

/// Puts bytes into the ring, from the word `at` on. The last word is filled up with zeros.
#[inline]
pub(super) fn put(ring: &[Word], at: usize, bytes: &[u8]) {
    let run = ring.len() - at;
    let (first, second) = bytes.split_at((run * WORD).min(bytes.len()));
    fill(&ring[at..], first);
    fill(ring, second);
}

/// Copies bytes from the ring, from the word `at` on.
#[inline]
pub(super) fn copy(ring: &[Word], at: usize, bytes: &mut [u8]) {
    let run = ring.len() - at;
    let (first, second) = bytes.split_at_mut((run * WORD).min(bytes.len()));
    read(&ring[at..], first);
    read(ring, second);
}

#[inline(always)]
fn fill(words: &[Word], bytes: &[u8]) {
    let (whole, rest) = bytes.as_chunks::<WORD>();
    for (word, bytes) in words.iter().zip(whole) {
        sync::write(word, u64::from_ne_bytes(*bytes));
    }
    if !rest.is_empty() {
        let mut last = [0; WORD];
        last[..rest.len()].copy_from_slice(rest);
        sync::write(&words[whole.len()], u64::from_ne_bytes(last));
    }
}

#[inline(always)]
fn read(words: &[Word], bytes: &mut [u8]) {
    let (whole, rest) = bytes.as_chunks_mut::<WORD>();
    for (word, bytes) in words.iter().zip(whole.iter_mut()) {
        *bytes = sync::read(word).to_ne_bytes();
    }
    if !rest.is_empty() {
        let last = sync::read(&words[whole.len()]).to_ne_bytes();
        rest.copy_from_slice(&last[..rest.len()]);
    }
}
