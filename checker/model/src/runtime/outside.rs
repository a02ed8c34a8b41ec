//! Operations of threads that no check runs, on objects of a running execution.
//!
//! Such a thread has been started by `std::thread::spawn` within the model. Its operations are
//! not events, so they would not be explored. Outside of a model, the objects are plain ones that
//! any thread may use. So an operation outside of a model is an error if its object is used by a
//! running execution, before or after it:
//!
//! - If an execution has used the object already, its tag names the run, and the operation is noted
//!   there if the run is not over.
//! - Otherwise the tag gets the number of the operation. When a run first uses the object, it
//!   compares that number with the one at its beginning.
//!
//! Statics are left out: a thread that has nothing to do with a check may use one while an
//! execution uses it, too. An object that only such threads use is not noticed.

use std::collections::VecDeque;
use std::panic::Location;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use crate::graph::event::Site;

/// The bit of a tag that holds the number of an operation outside of models.
const OUTSIDE: u64 = 1 << 63;

/// The number of operations whose sites are kept.
const KEPT: usize = 64;

/// The number of engines.
static ENGINES: AtomicUsize = AtomicUsize::new(0);

/// The number of operations so far on objects without a run, while there were engines.
static OPERATIONS: AtomicU64 = AtomicU64::new(0);

/// The present runs, and the sites of the last operations by their numbers.
static KNOWN: Mutex<Known> = Mutex::new(Known { runs: Vec::new(), sites: VecDeque::new() });

struct Known {
    runs: Vec<Arc<Run>>,
    sites: VecDeque<(u64, Site)>,
}

fn known() -> MutexGuard<'static, Known> {
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The present run of an engine, as other threads see it.
#[derive(Debug, Default)]
struct Run {
    /// The run's number, or zero between runs.
    number: AtomicU64,
    /// The site of an operation on one of its objects by a thread that no check runs.
    told: OnceLock<Site>,
}

/// An engine's own view of its present run.
#[derive(Debug)]
pub(super) struct Outside {
    run: Arc<Run>,
    /// The number of operations before the run.
    before: u64,
}

impl Default for Outside {
    fn default() -> Self {
        // Ordering: Relaxed, here and below: a thread that the run starts comes after this.
        ENGINES.fetch_add(1, Ordering::Relaxed);
        let run = Arc::<Run>::default();
        known().runs.push(Arc::clone(&run));
        Self { run, before: 0 }
    }
}

impl Drop for Outside {
    fn drop(&mut self) {
        known().runs.retain(|run| !Arc::ptr_eq(run, &self.run));
        ENGINES.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Outside {
    pub(super) fn begin_run(&mut self, number: u64) {
        self.before = OPERATIONS.load(Ordering::Relaxed);
        self.run.number.store(number, Ordering::Relaxed);
    }

    pub(super) fn end_run(&self) {
        self.run.number.store(0, Ordering::Relaxed);
    }

    /// Checks the tag of an object that the run uses for the first time.
    #[inline]
    pub(super) fn meet(&self, tag: u64) {
        if tag & OUTSIDE != 0 && tag & !OUTSIDE > self.before {
            self.tell(tag & !OUTSIDE);
        }
    }

    #[cold]
    fn tell(&self, number: u64) {
        let site = known().sites.iter().find(|(by, _)| *by == number).map(|&(_, site)| site);
        // If there are several operations at the same time, one is noted.
        let _ = self.run.told.set(site.unwrap_or_else(|| Location::caller()));
    }

    /// Returns the site of an operation that no check runs on an object of the run, if there was
    /// one.
    pub(super) fn told(&self) -> Option<Site> {
        self.run.told.get().copied()
    }
}

/// Whether an operation outside of models is to be noted.
#[inline]
pub(super) fn is_watched() -> bool {
    ENGINES.load(Ordering::Relaxed) > 0
}

/// Notes an operation outside of models on the object with this tag. `run_of` returns the run that
/// a tag names.
#[cold]
pub(super) fn note(tag: &AtomicU64, run_of: impl Fn(u64) -> u64, site: Site) {
    if is_static(std::ptr::from_ref(tag) as usize) {
        return;
    }
    let mut known = known();
    let old = tag.load(Ordering::Relaxed);
    let is_its = |run: &&Arc<Run>| old & OUTSIDE == 0 && run.number.load(Ordering::Relaxed) == run_of(old);
    if old != 0
        && let Some(run) = known.runs.iter().find(is_its)
    {
        let _ = run.told.set(site);
        return;
    }
    let number = OPERATIONS.fetch_add(1, Ordering::Relaxed) + 1;
    if tag.compare_exchange(old, OUTSIDE | number, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
        known.sites.truncate(KEPT - 1);
        known.sites.push_front((number, site));
    }
}

/// Whether there is a static of the program at an address.
#[cfg(all(target_os = "linux", not(miri)))]
fn is_static(address: usize) -> bool {
    // SAFETY: Linkers of ELF define both: the beginning of the file in memory, and the end of its
    // statics.
    unsafe extern "C" {
        safe static __ehdr_start: u8;
        safe static _end: u8;
    }
    (&raw const __ehdr_start as usize..&raw const _end as usize).contains(&address)
}

/// Whether there may be a static of the program at an address: those lie together.
#[cfg(not(all(target_os = "linux", not(miri))))]
fn is_static(address: usize) -> bool {
    const NEAR: usize = 1 << 24;
    address.abs_diff(&raw const ENGINES as usize) < NEAR
}
