//! The recorder's memory: on the heap, as long as the process lives, or in a file, which outlives
//! it.

use std::io;
use std::path::Path;

use crate::ring::Word;

/// Returns zeroed words on the heap.
pub(crate) fn on_heap(words: usize) -> &'static [Word] {
    (0..words).map(|_| Word::new(0)).collect::<Vec<_>>().leak()
}

/// Copies words to the heap.
pub(crate) fn copied(bytes: &[u8]) -> Vec<Word> {
    bytes.chunks_exact(8).map(|word| Word::new(u64::from_ne_bytes(word.try_into().expect("8 bytes")))).collect()
}

/// Calls `read` with a file's words, which another process may be writing.
#[cfg(unix)]
pub(crate) fn with_file<R>(path: &Path, read: impl FnOnce(&[Word]) -> R) -> io::Result<R> {
    // Opening a pipe would wait for its writer.
    if !std::fs::metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the path is not a regular file"));
    }
    let file = std::fs::File::open(path)?;
    let words = (file.metadata()?.len() / 8) as usize;
    if words == 0 {
        return Ok(read(&[]));
    }
    let mapped = map(&file, words, false)?;
    let result = read(mapped);
    // SAFETY: this is the whole mapping, and no reference to it is left: `read` accepts any
    // lifetime, so it cannot keep the reference.
    unsafe { rustix::mm::munmap(mapped.as_ptr().cast_mut().cast(), 8 * words)? };
    Ok(result)
}

/// Maps a file's words.
#[cfg(unix)]
pub(crate) fn map(file: &std::fs::File, words: usize, is_written: bool) -> io::Result<&'static [Word]> {
    use rustix::mm::{MapFlags, ProtFlags, mmap};
    let protection = if is_written { ProtFlags::READ | ProtFlags::WRITE } else { ProtFlags::READ };
    // SAFETY: the mapping is new, at an address that the system chooses.
    let start = unsafe { mmap(std::ptr::null_mut(), 8 * words, protection, MapFlags::SHARED, file, 0)? };
    // SAFETY: the pages are aligned, as many as the file has, and accessed only by atomics. A
    // caller that unmaps them keeps no reference. Readers only load, so no word of a read-only
    // mapping is written.
    Ok(unsafe { std::slice::from_raw_parts(start.cast::<Word>(), words) })
}

#[cfg(not(unix))]
pub(crate) fn with_file<R>(path: &Path, read: impl FnOnce(&[Word]) -> R) -> io::Result<R> {
    Ok(read(&copied(&std::fs::read(path)?)))
}
