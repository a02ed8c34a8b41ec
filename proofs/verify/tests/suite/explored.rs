//! The clients' executions, each explored once in this program: tests of numbers, of load buffering
//! and of orderings share the reports.

use std::collections::HashMap;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{LazyLock, OnceLock};
use std::thread;

use aqueduct_model::{Config, Report};
use aqueduct_verify::clients::{self, Client, chase_lev};
use aqueduct_verify::orderings::AGAINST_BUFFERING;
use aqueduct_verify::tables::counts;
use aqueduct_verify::tables::orderings;

/// Clients with more executions are checked for load buffering with `AQUEDUCT_THOROUGH=1` only.
const FEW: u64 = 20;

/// Clients with more executions are not checked for it, unless the table of orderings names them.
const MANY: u64 = 1_000;

/// A client, and its report once it has been explored.
struct Entry {
    client: Client,
    report: OnceLock<Report>,
    /// Whether a thread has begun to explore it.
    is_begun: AtomicBool,
}

impl Entry {
    fn report(&self) -> &Report {
        self.is_begun.store(true, Relaxed);
        self.report.get_or_init(|| {
            let name = &*self.client.name;
            let is_named = orderings::is_named(&format!("{AGAINST_BUFFERING}{name}"));
            self.client.check(&Config::new().load_buffering(is_named || is_asked_for_load_buffering(name)))
        })
    }
}

static ENTRIES: LazyLock<HashMap<String, Entry>> = LazyLock::new(|| {
    let entry = |client: Client| Entry { client, report: OnceLock::new(), is_begun: AtomicBool::new(false) };
    clients::all().into_iter().map(|client| (client.name.clone(), entry(client))).collect()
});

/// Whether a client is checked for load buffering.
pub(crate) fn is_asked_for_load_buffering(name: &str) -> bool {
    let most = if std::env::var_os("AQUEDUCT_THOROUGH").is_some() { MANY } else { FEW };
    counts::of(name).is_some_and(|count| count.executions + count.blocked <= most) && !name.starts_with(chase_lev::NAME)
}

/// Returns the report of the client of this name. If no test has explored it, it is explored now.
pub(crate) fn report(name: &str) -> &'static Report {
    ENTRIES[name].report()
}

/// Explores the clients of these names, on all cores, the large ones first.
pub(crate) fn explore<'a>(names: impl IntoIterator<Item = &'a str>) {
    let mut entries: Vec<&Entry> = names.into_iter().map(|name| &ENTRIES[name]).collect();
    entries.sort_by_key(|entry| std::cmp::Reverse(size(&entry.client.name)));
    on_all_cores(&entries, |entry| {
        // A client that another test's thread has begun to explore is left to that thread.
        if !entry.is_begun.load(Relaxed) {
            entry.report();
        }
    });
}

/// Returns the expected number of a client's executions.
pub(crate) fn size(name: &str) -> u64 {
    counts::of(name).map_or(u64::MAX, |count| count.executions + count.blocked)
}

/// Calls `act` with each item, on all cores. Returns the results in the items' order.
pub(crate) fn on_all_cores<T: Sync, R: Send>(items: &[T], act: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let work = || {
        let numbers = std::iter::repeat_with(|| next.fetch_add(1, Relaxed)).take_while(|&number| number < items.len());
        numbers.map(|number| (number, act(&items[number]))).collect::<Vec<_>>()
    };
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let mut results: Vec<(usize, R)> = thread::scope(|scope| {
        let workers: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
    });
    results.sort_by_key(|&(number, _)| number);
    results.into_iter().map(|(_, result)| result).collect()
}
