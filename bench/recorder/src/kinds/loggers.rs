//! Logs with their own writing thread, which writes to nowhere here. They have no spans.

use std::io;
use std::sync::{Arc, OnceLock};

use aqueduct_measure::record::Role;
use aqueduct_measure::rounds::Fault;
use spdlog::Logger;
use spdlog::sink::{AsyncPoolSink, OverflowPolicy, WriteSink};

use super::{Handle, Kind};

/// The crate `spdlog-rs`, with its pool of one thread. Its full queue drops records.
pub(crate) struct Spdlog;

impl Kind for Spdlog {
    const NAME: &'static str = "spdlog-rs/async pool";
    const ROLE: Role = Role::Peer;
    const HAS_SPANS: bool = false;
    type Shared = Arc<Logger>;
    type Handle<'s> = &'s Logger;

    fn open() -> Result<Arc<Logger>, Fault> {
        let made = || {
            let lines = WriteSink::builder().target(io::sink()).build_arc()?;
            let policy = OverflowPolicy::DropIncoming;
            let pool =
                AsyncPoolSink::builder().sink(lines).overflow_policy(policy).error_handler(|_| {}).build_arc()?;
            Logger::builder().sink(pool).error_handler(|_| {}).build_arc()
        };
        made().map_err(|error| Fault::Refused(error.to_string()))
    }

    fn enter(shared: &Arc<Logger>) -> &Logger {
        shared
    }

    fn close(shared: Arc<Logger>, _: u64) -> Result<Option<f64>, Fault> {
        shared.flush();
        Ok(None)
    }
}

impl Handle for &Logger {
    #[inline(always)]
    fn none(&mut self) {
        spdlog::info!(logger: *self, "none");
    }

    #[inline(always)]
    fn one(&mut self, number: u64) {
        spdlog::info!(logger: *self, "one number={number}");
    }

    #[inline(always)]
    fn four(&mut self, [a, b, c, d]: [u64; 4]) {
        spdlog::info!(logger: *self, "four a={a} b={b} c={c} d={d}");
    }

    fn span(&mut self, _: u64) {}
}

/// The crate `ftlog`, with one log for each process. Its full queue drops records.
pub(crate) struct Ftlog;

/// A handle without state: the crate's macros find the process's log.
pub(crate) struct Macros;

impl Kind for Ftlog {
    const NAME: &'static str = "ftlog/ftlog";
    const ROLE: Role = Role::Peer;
    const HAS_SPANS: bool = false;
    type Shared = ();
    type Handle<'s> = Macros;

    fn open() -> Result<(), Fault> {
        static STARTED: OnceLock<Result<(), String>> = OnceLock::new();
        let start = || {
            let builder = ftlog::builder().root(io::sink()).bounded(100_000, false).print_omitted_count(false);
            let guard = builder.try_init().map_err(|error| error.to_string())?;
            // The guard's drop would end the log.
            std::mem::forget(guard);
            Ok(())
        };
        STARTED.get_or_init(start).clone().map_err(Fault::Refused)
    }

    fn enter(_: &()) -> Macros {
        Macros
    }

    fn close(_: (), _: u64) -> Result<Option<f64>, Fault> {
        Ok(None)
    }
}

impl Handle for Macros {
    #[inline(always)]
    fn none(&mut self) {
        ftlog::info!("none");
    }

    #[inline(always)]
    fn one(&mut self, number: u64) {
        ftlog::info!("one number={number}");
    }

    #[inline(always)]
    fn four(&mut self, [a, b, c, d]: [u64; 4]) {
        ftlog::info!("four a={a} b={b} c={c} d={d}");
    }

    fn span(&mut self, _: u64) {}
}
