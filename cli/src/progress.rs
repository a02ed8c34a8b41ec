//! The progress bar, on the standard error of a terminal only.
//!
//! It is drawn between measurements and never by a thread of its own, which would take time from
//! the measurement.

use aqueduct_measure::rounds::Observer;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// The maximum number of drawings per second.
const HERTZ: u8 = 5;

/// A bar that follows a run.
#[derive(Debug)]
pub(crate) struct Bar {
    what: String,
    bar: ProgressBar,
}

impl Bar {
    /// Makes a bar with `what` before it. In a pipe it draws nothing.
    pub(crate) fn new(what: impl Into<String>) -> Self {
        Self { what: what.into(), bar: ProgressBar::hidden() }
    }
}

impl Observer for Bar {
    fn begin(&mut self, total: u64) {
        self.bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr_with_hz(HERTZ));
        let style = ProgressStyle::with_template("{prefix} [{bar:30}] {percent:>3} % {eta:>4} left  {wide_msg}");
        self.bar.set_style(style.expect("the template names known keys").progress_chars("=> "));
        self.bar.set_prefix(self.what.clone());
    }

    fn measuring(&mut self, bench: &str, queue: &str) {
        self.bar.set_message(format!("{bench} {queue}"));
    }

    fn measured(&mut self) {
        self.bar.inc(1);
    }

    fn end(&mut self) {
        self.bar.finish_and_clear();
    }
}
