//! Orderings that a check replaces, to find out which ones a program needs.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::graph::event::{Label, Mode, Site};

/// Another ordering for one place in the source.
#[derive(Clone, Debug)]
pub(crate) struct Weakening {
    file: String,
    line: u32,
    mode: Mode,
    /// Whether an execution has come to the place.
    reached: Arc<AtomicBool>,
}

impl Weakening {
    pub(crate) fn new(file: &str, line: u32, ordering: Ordering) -> Self {
        Self {
            file: file.to_owned(),
            line,
            mode: Mode::of(ordering),
            reached: Arc::default(),
        }
    }

    /// Forgets that it was reached: a new check begins.
    pub(crate) fn begin(&self) {
        self.reached.store(false, Ordering::Relaxed);
    }

    pub(crate) fn was_reached(&self) -> bool {
        self.reached.load(Ordering::Relaxed)
    }

    fn is_at(&self, site: Site) -> bool {
        site.line() == self.line && site.file().ends_with(&self.file)
    }

    /// Changes the operation if it is in this place.
    pub(crate) fn apply(&self, label: &mut Label) {
        if !self.is_at(label.site) {
            return;
        }
        self.reached.store(true, Ordering::Relaxed);
        label.mode = self.mode;
        if !self.mode.acquires() && label.failure != Mode::NonAtomic {
            label.failure = Mode::Relaxed;
        }
    }
}
