//! The clients: small programs on a queue, each explored exhaustively.

pub mod bbq;
mod bbq_records;
mod bbq_slots;
pub mod bwos;
pub mod channels;
pub mod chase_lev;
pub mod cnq;
pub mod ends;
pub mod exact;
pub mod item;
pub mod nblfq;
mod observed;
pub mod spsc;
pub mod threads;
pub mod unbounded;

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use aqueduct_model::{Config, Estimate, PartError, Report, ResumeError};
// This folder's clients run on this library. `crate::faults` compiles them on another.
use aqueduct_under_model as library;

/// The maximum number of probes that estimate how many executions a client has.
const PROBES: usize = 100_000;

/// A program on one queue, with a name.
#[derive(Clone)]
pub struct Client {
    /// `QUEUE/PROGRAM`.
    pub name: String,
    /// Whether it takes too long for every test run.
    pub big: bool,
    leaks: bool,
    /// The number of steps after which its first thread besides main stops.
    stops: Option<usize>,
    /// The maximum number of events of an execution, if the client has a limit of its own.
    events: Option<u32>,
    /// The number of its executions, if it has no row in the table.
    pub(crate) executions: Option<u64>,
    program: Arc<dyn Fn() + Send + Sync>,
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Client {
    /// Makes a client that leaks nothing and is not big.
    pub(crate) fn new(name: String, program: impl Fn() + Send + Sync + 'static) -> Self {
        Self::of(name, Arc::new(program))
    }

    /// Makes a client from a boxed program. It is not generic, because there are a thousand
    /// programs.
    fn of(name: String, program: Arc<dyn Fn() + Send + Sync>) -> Self {
        Self { name, big: false, leaks: false, stops: None, events: None, executions: None, program }
    }

    /// Returns this client with permission to leak.
    pub(crate) fn leaking(self, leaks: bool) -> Self {
        Self { leaks, ..self }
    }

    /// Returns this client with its first thread besides main stopped forever after `steps` steps.
    pub(crate) fn stopping(self, steps: usize) -> Self {
        Self { stops: Some(steps), ..self }
    }

    /// Returns this client with a limit on the events of an execution.
    pub(crate) fn with_events(self, events: u32) -> Self {
        Self { events: Some(events), ..self }
    }

    /// Returns this client with the number of its executions.
    pub(crate) fn expecting(self, executions: u64) -> Self {
        Self { executions: Some(executions), ..self }
    }

    /// Returns this client with a fault of `aqueduct-faults`, if it is of that library.
    pub(crate) fn with_fault(self, fault: Option<aqueduct_faults::queues::Fault>) -> Self {
        let program = Arc::clone(&self.program);
        Self { program: Arc::new(move || aqueduct_faults::queues::with(fault, || program())), ..self }
    }

    /// Explores its executions.
    pub fn check(&self, config: &Config) -> Report {
        let program = Arc::clone(&self.program);
        self.settle(config).check(move || program())
    }

    /// Explores its executions, and saves the remaining work in a file: see
    /// [`Config::check_saving`].
    ///
    /// # Errors
    /// The errors of [`Config::check_saving`].
    pub fn check_saving(
        &self,
        config: &Config,
        file: &Path,
        name: &str,
        pause: Duration,
    ) -> Result<Report, ResumeError> {
        let program = Arc::clone(&self.program);
        self.settle(config).check_saving(file, name, pause, move || program())
    }

    /// Divides its exploration into task files: see [`Config::plan`].
    ///
    /// # Errors
    /// The errors of [`Config::plan`].
    pub fn plan(&self, config: &Config, folder: &Path, tasks: NonZeroUsize, name: &str) -> Result<Report, PartError> {
        let program = Arc::clone(&self.program);
        self.settle(config).plan(folder, tasks, name, move || program())
    }

    /// Explores a task file: see [`Config::check_task`].
    ///
    /// # Errors
    /// The errors of [`Config::check_task`].
    pub fn check_task(&self, config: &Config, file: &Path, name: &str) -> Result<(Report, Vec<String>), PartError> {
        let program = Arc::clone(&self.program);
        self.settle(config).check_task(file, name, move || program())
    }

    /// Estimates how many executions it has, in about a second.
    #[must_use]
    pub fn estimate(&self, config: &Config) -> Estimate {
        self.estimate_for(config, Duration::from_secs(1))
    }

    /// Estimates how many executions it has, in about the given time.
    #[must_use]
    pub fn estimate_for(&self, config: &Config, time: Duration) -> Estimate {
        self.estimate_by(config, PROBES, 0, time)
    }

    /// Estimates how many executions it has by `probes` probes at most: see [`Config::estimate`].
    #[must_use]
    pub fn estimate_by(&self, config: &Config, probes: usize, seed: u64, time: Duration) -> Estimate {
        let program = Arc::clone(&self.program);
        self.settle(config).estimate(probes, seed, time, move || program())
    }

    /// Returns the options for this client.
    fn settle(&self, config: &Config) -> Config {
        let mut config = config.clone().finds_leaks(!self.leaks);
        if let Some(steps) = self.stops {
            config = config.suspend(1, steps);
        }
        if let Some(events) = self.events {
            config = config.max_events(events);
        }
        config
    }
}

/// Returns the clients whose number of executions is not known, because it is too great. They run
/// by their exact names only.
pub fn huge() -> Vec<Client> {
    bwos::huge().into_iter().chain(cnq::world::huge()).collect()
}

/// Returns the clients that are explored by random executions, because they have too many threads.
/// They are not in [`all`].
pub fn walked() -> Vec<Client> {
    let mut list = bbq::world::walked();
    list.extend(bbq_records::walked());
    list.extend(bwos::walked());
    list.extend(nblfq::walked());
    list.extend(exact::walked());
    list.extend(unbounded::walked());
    list.extend(cnq::world::walked());
    list
}

/// Returns all clients of the eight queues, the duplex and Chase and Lev's deque, in the order of
/// the list.
pub fn all() -> Vec<Client> {
    let mut list = spsc::clients();
    list.extend(bbq::world::clients());
    list.extend(bbq::world::faaq_clients());
    list.extend(bbq_records::clients());
    list.extend(bbq_slots::clients());
    list.extend(bwos::clients());
    list.extend(nblfq::clients());
    list.extend(exact::clients());
    list.extend(unbounded::clients());
    list.extend(cnq::world::clients());
    list.extend(chase_lev::clients());
    list.extend(observed::clients());
    list
}
