//! Stopping another process at an instruction.

use std::io::Error;
use std::ptr::null_mut;

/// A child of this process whose first thread is stopped until this is dropped.
pub(crate) struct Stopped {
    thread: libc::pid_t,
}

impl Stopped {
    /// Stops the child when it has executed `instructions` more.
    ///
    /// # Errors
    /// The system's error, or that the child has ended.
    pub(crate) fn after(child: u32, instructions: u64) -> Result<Self, String> {
        let thread = child as libc::pid_t;
        trace(libc::PTRACE_SEIZE, thread)?;
        let stopped = Self { thread };
        trace(libc::PTRACE_INTERRUPT, thread)?;
        stopped.wait()?;
        for _ in 0..instructions {
            trace(libc::PTRACE_SINGLESTEP, thread)?;
            stopped.wait()?;
        }
        Ok(stopped)
    }

    fn wait(&self) -> Result<(), String> {
        let mut status = 0;
        // SAFETY: it is a child of this process, and the status lives.
        let found = unsafe { libc::waitpid(self.thread, &raw mut status, libc::__WALL) };
        if found == self.thread && libc::WIFSTOPPED(status) {
            return Ok(());
        }
        Err(format!("a client cannot be stopped: {}", Error::last_os_error()))
    }
}

impl Drop for Stopped {
    fn drop(&mut self) {
        // A child that has ended cannot be detached, which is not an error.
        let _ = trace(libc::PTRACE_DETACH, self.thread);
    }
}

fn trace(what: libc::c_uint, thread: libc::pid_t) -> Result<(), String> {
    // SAFETY: none of the requests used here reads or writes this process' memory.
    let done = unsafe { libc::ptrace(what, thread, null_mut::<u8>(), null_mut::<u8>()) };
    if done < 0 { Err(format!("a client cannot be traced: {}", Error::last_os_error())) } else { Ok(()) }
}
