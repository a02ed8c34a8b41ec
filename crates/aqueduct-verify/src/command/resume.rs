//! `aqueduct verify NAME --resume FILE`: an exploration that can be interrupted, and resumed later.

use std::hash::{DefaultHasher, Hasher};
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use aqueduct_model::{Config, Estimate, Report};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use crate::clients::Client;

/// The number of times that the remaining work is saved.
const PAUSE: Duration = Duration::from_secs(60);

/// Explores a client from the remaining work in the file, or from the beginning if there is no file.
///
/// It saves the remaining work when it is interrupted. A second interrupt ends the program at once.
pub(crate) fn check(client: &Client, config: &Config, file: &Path) -> io::Result<Report> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        flag::register_conditional_shutdown(signal, 1, Arc::clone(&stop))?;
        flag::register(signal, Arc::clone(&stop))?;
    }
    let name = format!("{}, as in the program whose hash is {:016x}", client.name, program()?);
    client.check_saving(&config.clone().stop_when(stop), file, &name, PAUSE).map_err(io::Error::other)
}

/// Returns a hash of this program, which contains the client's code.
fn program() -> io::Result<u64> {
    let mut hasher = DefaultHasher::new();
    hasher.write(&std::fs::read(std::env::current_exe()?)?);
    Ok(hasher.finish())
}

/// Describes a check that ended after so many executions.
pub(crate) fn told(executions: u64, estimate: &Estimate) -> String {
    format!("LEFT, of {}; the same command goes on", estimate.told(executions))
}
