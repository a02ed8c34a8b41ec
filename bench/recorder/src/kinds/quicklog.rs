//! The crate `quicklog`: one thread logs, and another one formats.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use aqueduct_measure::record::Role;
use aqueduct_measure::rounds::Fault;
use quicklog::Log as _;
use quicklog_flush::Flush;

use super::{Handle, Kind};

/// The crate's log. Its queue has one producer and no check of that, so only one thread may record
/// at a time.
pub(crate) struct Quicklog;

/// A sink that discards all lines.
struct Nowhere;

impl Flush for Nowhere {
    fn flush_one(&mut self, _: String) {}
}

/// The formatting thread, and whether it is to end.
pub(crate) struct Flushing {
    is_over: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

/// A handle without state: the crate's macros find the process's log.
pub(crate) struct Macros;

impl Kind for Quicklog {
    const NAME: &'static str = "quicklog/quicklog";
    const ROLE: Role = Role::Peer;
    const HAS_SPANS: bool = false;
    const MOST_THREADS: usize = 1;
    type Shared = Flushing;
    type Handle<'s> = Macros;

    fn open() -> Result<Flushing, Fault> {
        static STARTED: std::sync::Once = std::sync::Once::new();
        STARTED.call_once(|| {
            quicklog::init!();
            quicklog::with_flush!(Nowhere);
        });
        let is_over = Arc::new(AtomicBool::new(false));
        let ends = Arc::clone(&is_over);
        let thread = thread::spawn(move || {
            // All records from before the end are formatted, so that the next run begins with an
            // empty queue.
            loop {
                let is_last = ends.load(Ordering::Acquire);
                while quicklog::logger().flush_one().is_ok() {}
                if is_last {
                    return;
                }
                thread::yield_now();
            }
        });
        Ok(Flushing { is_over, thread })
    }

    fn enter(_: &Flushing) -> Macros {
        Macros
    }

    fn close(shared: Flushing, _: u64) -> Result<Option<f64>, Fault> {
        // Ordering: Release pairs with the Acquire of the thread, which then finds all records.
        shared.is_over.store(true, Ordering::Release);
        shared.thread.join().map_err(|_| Fault::Refused("the log's thread has panicked".to_owned()))?;
        Ok(None)
    }
}

impl Handle for Macros {
    #[inline(always)]
    fn none(&mut self) {
        quicklog::info!("none");
    }

    #[inline(always)]
    fn one(&mut self, number: u64) {
        quicklog::info!("one number={}", number);
    }

    #[inline(always)]
    fn four(&mut self, [a, b, c, d]: [u64; 4]) {
        quicklog::info!("four a={} b={} c={} d={}", a, b, c, d);
    }

    fn span(&mut self, _: u64) {}
}
