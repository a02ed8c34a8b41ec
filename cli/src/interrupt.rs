//! Ctrl-C: the first one stops the run and keeps its results so far, the second one ends the
//! program at once.

use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result};

use crate::INTERRUPTED;

static STOP: AtomicBool = AtomicBool::new(false);

/// Listens for Ctrl-C from now on. The first one sets the flag.
pub(crate) fn listen() -> Result<&'static AtomicBool> {
    ctrlc::set_handler(|| {
        // Ordering: Relaxed, because the flag carries no data.
        if STOP.swap(true, Ordering::Relaxed) {
            std::process::exit(INTERRUPTED.into());
        }
    })
    .context("cannot listen for Ctrl-C")?;
    Ok(&STOP)
}

/// Whether Ctrl-C has been pressed.
pub(crate) fn interrupted() -> bool {
    // Ordering: Relaxed, because the flag carries no data.
    STOP.load(Ordering::Relaxed)
}
