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

/// The time between two saves of the remaining work.
const PAUSE: Duration = Duration::from_secs(60);

/// Explores a client from the remaining work in the file, or from the beginning if there is no
/// file.
///
/// An interrupted exploration saves the remaining work.
pub(crate) fn check(client: &Client, config: &Config, file: &Path) -> io::Result<Report> {
    let config = config.clone().stop_when(stop_on_signals()?);
    client.check_saving(&config, file, &identity(client)?, PAUSE).map_err(io::Error::other)
}

/// Returns a flag that becomes true when the program is interrupted. A second interrupt ends the
/// program at once.
pub(super) fn stop_on_signals() -> io::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        flag::register_conditional_shutdown(signal, 1, Arc::clone(&stop))?;
        flag::register(signal, Arc::clone(&stop))?;
    }
    Ok(stop)
}

/// The text between a client's name and this program's hash.
const AS_IN: &str = ", as in the program whose hash is ";

/// Returns the name of a client in this very program.
pub(super) fn identity(client: &Client) -> io::Result<String> {
    Ok(format!("{}{AS_IN}{:016x}", client.name, program()?))
}

/// Returns the client's name in an [`identity`].
pub(super) fn client_of(identity: &str) -> &str {
    identity.split_once(AS_IN).map_or(identity, |(name, _)| name)
}

/// Returns a hash of this program, which contains the client's code.
fn program() -> io::Result<u64> {
    let mut hasher = DefaultHasher::new();
    hasher.write(&std::fs::read(std::env::current_exe()?)?);
    Ok(hasher.finish())
}

/// Describes a check that ended after `executions` executions.
pub(crate) fn unfinished(executions: u64, estimate: &Estimate) -> String {
    format!("LEFT, of {}; the same command goes on", estimate.told(executions))
}
