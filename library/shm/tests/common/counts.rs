//! Counts of how often each number of each process was popped, in memory that all processes share.

use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// The greatest number of numbers that a process pushes.
pub(crate) const NUMBERS: u64 = 4096;

/// Counts of how often each number of each process was popped. All processes share them.
pub(crate) struct Counts(&'static [AtomicU8]);

impl Counts {
    pub(crate) fn new(processes: u64) -> Self {
        let (access, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_ANONYMOUS);
        let bytes = (processes * NUMBERS) as usize;
        // SAFETY: a new mapping; all its bytes are 0 and accessed as atomics.
        unsafe {
            let start = libc::mmap(std::ptr::null_mut(), bytes, access, flags, -1, 0);
            assert_ne!(start, libc::MAP_FAILED);
            Self(std::slice::from_raw_parts(start.cast(), bytes))
        }
    }

    pub(crate) fn add(&self, (process, number): (u64, u64)) {
        self.0[(process * NUMBERS + number) as usize].fetch_add(1, Relaxed);
    }

    pub(crate) fn of(&self, process: u64) -> impl Iterator<Item = u8> {
        self.0[(process * NUMBERS) as usize..][..NUMBERS as usize].iter().map(|count| count.load(Relaxed))
    }
}

impl Drop for Counts {
    fn drop(&mut self) {
        // SAFETY: it is the whole mapping.
        unsafe { libc::munmap(self.0.as_ptr().cast_mut().cast(), self.0.len()) };
    }
}
