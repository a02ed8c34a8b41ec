//! The flight recorder, through its macros and as a subscriber of `tracing`. A process has one
//! recorder, so all runs write into it.

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use aqueduct_measure::record::Role;
use aqueduct_measure::rounds::Fault;
use aqueduct_recorder::{Builder, Trace, event, span};
use aqueduct_tracing::RecorderLayer;
use tracing::Dispatch;
use tracing_subscriber::Registry;
use tracing_subscriber::layer::SubscriberExt;

use super::tracing::Default;
use super::{Handle, Kind, MEMORY};

/// The greatest number of threads that record at the same time.
const RINGS: usize = 32;
const BLOCK: usize = 8 << 10;
/// Bytes of a block that no record has, by the format's page: its header, and its last word.
const UNUSED: usize = 88 + 8;

/// The flight recorder.
pub(crate) struct Recorder;

/// The recorder's counts before the run.
pub(crate) struct Before {
    recorder: aqueduct_recorder::Recorder,
    records: u64,
    refused: u64,
    last_thread: u64,
    /// Held so that one run at a time records.
    _alone: MutexGuard<'static, ()>,
}

/// A handle without state: the macros find the thread's ring.
pub(crate) struct Macros;

/// Returns the recorder of the process.
pub(crate) fn recorder() -> Result<aqueduct_recorder::Recorder, Fault> {
    static INSTALLED: OnceLock<Result<aqueduct_recorder::Recorder, String>> = OnceLock::new();
    let builder = Builder::new().rings(RINGS).ring_bytes(MEMORY / 4).block_bytes(BLOCK);
    INSTALLED.get_or_init(|| builder.install().map_err(|error| error.to_string())).clone().map_err(Fault::Refused)
}

fn records_of(trace: &Trace) -> u64 {
    trace.overwritten().records + trace.threads().iter().map(|thread| thread.kept.records).sum::<u64>()
}

impl Kind for Recorder {
    const NAME: &'static str = "aqueduct/recorder";
    const ROLE: Role = Role::Ours;
    const HAS_SPANS: bool = true;
    type Shared = Before;
    type Handle<'s> = Macros;

    fn open() -> Result<Before, Fault> {
        static RUNS: Mutex<()> = Mutex::new(());
        let alone = RUNS.lock().unwrap_or_else(PoisonError::into_inner);
        let recorder = recorder()?;
        let trace = recorder.trace();
        let last_thread = trace.threads().iter().map(|thread| thread.number).max().unwrap_or(0);
        Ok(Before { recorder, records: records_of(&trace), refused: trace.refused(), last_thread, _alone: alone })
    }

    fn enter(_: &Before) -> Macros {
        Macros
    }

    fn close(before: Before, records: u64) -> Result<Option<f64>, Fault> {
        let trace = before.recorder.trace();
        let found = records_of(&trace) - before.records + trace.refused() - before.refused;
        if found != records || trace.refused() != before.refused || trace.damaged() != 0 {
            return Err(Fault::Stuck { popped: found, wanted: records });
        }
        let own = trace.threads().iter().filter(|thread| thread.number > before.last_thread);
        let (records, bytes) =
            own.fold((0, 0), |(records, bytes), thread| (records + thread.kept.records, bytes + thread.kept.bytes));
        let with_headers = bytes as f64 * BLOCK as f64 / (BLOCK - UNUSED) as f64;
        Ok((records > 0).then(|| with_headers / records as f64))
    }
}

/// The flight recorder as a layer of `tracing-subscriber`.
pub(crate) struct Layer;

impl Kind for Layer {
    const NAME: &'static str = "aqueduct/recorder as a tracing layer";
    const ROLE: Role = Role::Ours;
    const HAS_SPANS: bool = true;
    // A span is made, entered, left and closed.
    const SPAN_RECORDS: u64 = 4;
    type Shared = (Before, Dispatch);
    type Handle<'s> = Default;

    fn open() -> Result<(Before, Dispatch), Fault> {
        Ok((Recorder::open()?, Dispatch::new(Registry::default().with(RecorderLayer::new()))))
    }

    fn enter((_, dispatch): &(Before, Dispatch)) -> Default {
        Default::of(dispatch)
    }

    fn close((before, _): (Before, Dispatch), records: u64) -> Result<Option<f64>, Fault> {
        Recorder::close(before, records)
    }
}

impl Handle for Macros {
    #[inline(always)]
    fn none(&mut self) {
        event!("none");
    }

    #[inline(always)]
    fn one(&mut self, number: u64) {
        event!("one", number);
    }

    #[inline(always)]
    fn four(&mut self, [a, b, c, d]: [u64; 4]) {
        event!("four", a, b, c, d);
    }

    #[inline(always)]
    fn span(&mut self, number: u64) {
        let _span = span!("span", number);
    }
}
