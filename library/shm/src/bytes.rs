//! Records in the words of a ring: their bytes, and the heads before them.

use crate::pod::WORD;
use crate::sync::{self, Ordering, Word};

/// Returns a record's head: the word before its bytes, with its length and the low half of its
/// position.
#[inline(always)]
pub(crate) fn head_of(position: u64, len: usize) -> u64 {
    position << 32 | (len as u64 + 1)
}

/// Returns the length of the record at `position` from its head. `None` if this is not a head of
/// that position, or the length is above `longest`.
#[inline(always)]
pub(crate) fn len_of(longest: usize, position: u64, head: u64) -> Option<usize> {
    let len = (head as u32).checked_sub(1)? as usize;
    (head >> 32 == position & u64::from(u32::MAX) && len <= longest).then_some(len)
}

/// Puts bytes into the ring, from the word `at` on. The last word is filled up with zeros.
#[inline]
pub(crate) fn put(ring: &[Word], at: usize, bytes: &[u8]) {
    let run = ring.len() - at;
    let (first, second) = bytes.split_at((run * WORD).min(bytes.len()));
    fill(&ring[at..], first);
    fill(ring, second);
}

/// Copies bytes from the ring, from the word `at` on.
#[inline]
pub(crate) fn copy(ring: &[Word], at: usize, bytes: &mut [u8]) {
    copy_by(ring, at, bytes, sync::read);
}

/// Copies bytes from a ring that another process may write meanwhile. They may be parts of several
/// records: the caller has to detect that.
#[inline]
pub(crate) fn copy_while_written(ring: &[Word], at: usize, bytes: &mut [u8]) {
    // Ordering: Relaxed. The caller's fence orders it.
    copy_by(ring, at, bytes, |word| word.load(Ordering::Relaxed));
}

#[inline(always)]
fn copy_by(ring: &[Word], at: usize, bytes: &mut [u8], read: impl Fn(&Word) -> u64) {
    let run = ring.len() - at;
    let (first, second) = bytes.split_at_mut((run * WORD).min(bytes.len()));
    empty(&ring[at..], first, &read);
    empty(ring, second, &read);
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
fn empty(words: &[Word], bytes: &mut [u8], read: impl Fn(&Word) -> u64) {
    let (whole, rest) = bytes.as_chunks_mut::<WORD>();
    for (word, bytes) in words.iter().zip(whole.iter_mut()) {
        *bytes = read(word).to_ne_bytes();
    }
    if !rest.is_empty() {
        let last = read(&words[whole.len()]).to_ne_bytes();
        rest.copy_from_slice(&last[..rest.len()]);
    }
}

/// A record that is written into the ring piece by piece.
#[derive(Debug)]
pub(crate) struct Pieces {
    /// Length up to which the record can grow.
    len: usize,
    written: usize,
    /// Bytes of the last word, as far as it is written, if it is not full.
    last: [u8; WORD],
}

impl Pieces {
    pub(crate) fn new(len: usize) -> Self {
        Self { len, written: 0, last: [0; WORD] }
    }

    pub(crate) fn capacity(&self) -> usize {
        self.len
    }

    pub(crate) fn written(&self) -> usize {
        self.written
    }

    /// Appends the first bytes of `bytes`, as many as fit, to a record that begins in the word
    /// `at`. Returns how many.
    #[inline]
    pub(crate) fn write(&mut self, ring: &[Word], at: usize, bytes: &[u8]) -> usize {
        let bytes = &bytes[..bytes.len().min(self.len - self.written)];
        let word = |byte: usize| (at + byte / WORD) & (ring.len() - 1);
        let used = self.written % WORD;
        // The bytes that fill up the last word, and the rest.
        let (first, rest) = bytes.split_at(if used == 0 { 0 } else { (WORD - used).min(bytes.len()) });
        if !first.is_empty() {
            self.last[used..used + first.len()].copy_from_slice(first);
            put(ring, word(self.written), &self.last[..used + first.len()]);
        }
        if !rest.is_empty() {
            put(ring, word(self.written + first.len()), rest);
            let (_, last) = rest.as_chunks::<WORD>();
            self.last[..last.len()].copy_from_slice(last);
        }
        self.written += bytes.len();
        bytes.len()
    }
}
