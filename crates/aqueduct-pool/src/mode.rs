//! Modes of a worker, for as long as it runs a certain job.

use crate::worker::Worker;

/// A special mode of the calling worker, until this is dropped.
pub(crate) struct ModeOf(*const Worker, usize);

impl ModeOf {
    /// Enters the mode in which a job was made, if that is a special mode.
    #[inline]
    pub(crate) fn enter(mode: usize) -> Option<Self> {
        if mode == 0 {
            return None;
        }
        Worker::current().map(|worker| Self::set(worker, mode))
    }

    pub(crate) fn set(worker: &Worker, mode: usize) -> Self {
        Self(worker, worker.replace_mode(mode))
    }
}

impl Drop for ModeOf {
    fn drop(&mut self) {
        // SAFETY: the worker outlives the jobs that it runs, and this value does not leave its thread.
        unsafe { (*self.0).replace_mode(self.1) };
    }
}
