//! Processes that tests start, stop and kill.

#![allow(dead_code, reason = "not all tests use all of it")]

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::common::{Random, amount};

/// Runs one test at a time: a child has the open files of its parent, and so all locks that other
/// tests hold.
pub(crate) fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Words that parent and child share besides the queue.
pub(crate) struct Notes(pub(crate) &'static [AtomicU64]);

impl Notes {
    pub(crate) fn new() -> Self {
        let (access, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_ANONYMOUS);
        // SAFETY: a new mapping, which stays; all its words are 0 and accessed as atomics.
        unsafe {
            let start = libc::mmap(std::ptr::null_mut(), 4096, access, flags, -1, 0);
            assert_ne!(start, libc::MAP_FAILED);
            Self(std::slice::from_raw_parts(start.cast(), 512))
        }
    }

    pub(crate) fn get(&self, word: usize) -> u64 {
        self.0[word].load(Relaxed)
    }

    pub(crate) fn set(&self, word: usize, value: u64) {
        self.0[word].store(value, Relaxed);
    }
}

impl Drop for Notes {
    fn drop(&mut self) {
        // SAFETY: it is the whole mapping.
        unsafe { libc::munmap(self.0.as_ptr().cast_mut().cast(), 4096) };
    }
}

/// A process that is killed at the latest when this is dropped.
pub(crate) struct Child(pub(crate) libc::pid_t);

impl Child {
    /// Runs `body` in a process of its own, which ends when `body` returns.
    ///
    /// The child opens the region's file once more, so that its locks are its own. The parent may
    /// have other threads: the child allocates, which glibc allows after a fork.
    pub(crate) fn new(body: impl FnOnce()) -> Self {
        // SAFETY: the child does not return.
        match unsafe { libc::fork() } {
            0 => {
                let is_sound = std::panic::catch_unwind(std::panic::AssertUnwindSafe(body)).is_ok();
                // SAFETY: ends the process.
                unsafe { libc::_exit(i32::from(!is_sound)) };
            }
            child => {
                assert!(child > 0, "the system makes a process");
                Self(child)
            }
        }
    }

    pub(crate) fn signal(&self, signal: libc::c_int) {
        // SAFETY: a plain system call; the child has not been waited for.
        assert_eq!(unsafe { libc::kill(self.0, signal) }, 0);
    }

    /// Stops the process, and waits until it is stopped: the signal may come a moment later.
    pub(crate) fn stop(&self) {
        self.signal(libc::SIGSTOP);
        // SAFETY: a plain system call.
        unsafe { libc::waitpid(self.0, std::ptr::null_mut(), libc::WUNTRACED) };
    }

    /// Kills the process and waits until it has ended. Fails if it has ended by itself.
    pub(crate) fn kill(self) {
        self.signal(libc::SIGKILL);
        let mut status = 0;
        // SAFETY: a plain system call.
        assert_eq!(unsafe { libc::waitpid(self.0, &raw mut status, 0) }, self.0);
        assert!(libc::WIFSIGNALED(status), "the child failed");
        std::mem::forget(self);
    }

    /// Waits until the process has ended. Returns its status, or `None` if a signal has ended it.
    pub(crate) fn end(self) -> Option<libc::c_int> {
        let mut status = 0;
        // SAFETY: a plain system call.
        assert_eq!(unsafe { libc::waitpid(self.0, &raw mut status, 0) }, self.0);
        std::mem::forget(self);
        libc::WIFEXITED(status).then(|| libc::WEXITSTATUS(status))
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // SAFETY: plain system calls.
        unsafe {
            libc::kill(self.0, libc::SIGKILL);
            libc::waitpid(self.0, std::ptr::null_mut(), 0);
        }
    }
}

pub(crate) fn kills() -> u64 {
    amount("AQUEDUCT_KILLS", 40, 250)
}

/// Waits for a random time, up to some fifty microseconds.
pub(crate) fn pause(random: &mut Random) {
    for _ in 0..random.below(20_000) {
        std::hint::spin_loop();
    }
}

/// Time after which a child counts as hung.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(60);

/// Waits until the condition holds. Fails after [`TIMEOUT`].
pub(crate) fn until(condition: impl Fn() -> bool) {
    let start = Instant::now();
    while !condition() {
        if start.elapsed() > TIMEOUT {
            panic!("the child hangs or has failed");
        }
        thread::yield_now();
    }
}
