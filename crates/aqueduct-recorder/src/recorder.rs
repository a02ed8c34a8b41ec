//! The recorder of the process, and the part of each thread.

use std::cell::{Cell, UnsafeCell};
use std::collections::{HashMap, VecDeque};
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::path::{Path, PathBuf};
use std::sync::atomic::compiler_fence;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::SystemTime;
use std::{fmt, fs, io, process, ptr, thread};

use crate::clock::Clock;
use crate::memory;
use crate::region::{Geometry, NAME_WORDS, Region};
use crate::ring::{Ring, Writer};
use crate::site::Site;
use crate::sync::Ordering;
use crate::trace::Trace;
use crate::value::{AnyValue, AnyValues, Values};

/// The most sites that have numbers: a record's tag has 20 bits, and one of them says that a span ends.
const MOST_SITES: u32 = (1 << 19) - 1;

/// A record's tag: the number of a site, and whether a span ends. Small numbers make short records.
#[inline]
pub(crate) const fn tag(site: u32, is_end: bool) -> u32 {
    site << 1 | is_end as u32
}

/// Returns the number of the site, and whether a span ends.
pub(crate) const fn of_tag(tag: u32) -> (u32, bool) {
    (tag >> 1, tag & 1 != 0)
}

/// The recorder of the process.
static SHARED: OnceLock<Shared> = OnceLock::new();

struct Shared {
    region: Region<'static>,
    rings: Vec<Ring<'static>>,
    clock: Clock,
    state: Mutex<State>,
}

/// What changes seldom: when a thread comes or goes, or a place records for the first time.
#[derive(Default)]
struct State {
    threads: u64,
    /// Rings without a thread: the one that was left first is used again first.
    free: VecDeque<usize>,
    sites: HashMap<(*const Site, u32), u32>,
}

// SAFETY: the pointers are keys, and never followed.
unsafe impl Send for State {}

/// Settings of a [`Recorder`].
///
/// # Examples
/// ```
/// use aqueduct_recorder::{Builder, event};
///
/// let recorder = Builder::new().rings(8).ring_bytes(64 << 10).install()?;
/// event!("started", threads = 4);
/// let trace = recorder.trace();
/// assert_eq!(trace.events().len(), 1);
/// println!("{}", trace.text());
/// # Ok::<(), aqueduct_recorder::InstallError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Builder {
    rings: usize,
    ring_bytes: usize,
    block_bytes: usize,
    table_bytes: usize,
    file: Option<PathBuf>,
}

impl Default for Builder {
    fn default() -> Self {
        Self::new()
    }
}

impl Builder {
    /// Returns settings for 64 rings of 256 KiB on the heap.
    #[must_use]
    pub fn new() -> Self {
        Self { rings: 64, ring_bytes: 256 << 10, block_bytes: 8 << 10, table_bytes: 1 << 20, file: None }
    }

    /// Sets how many threads can record at the same time.
    #[must_use]
    pub fn rings(mut self, rings: usize) -> Self {
        self.rings = rings;
        self
    }

    /// Sets the size of a thread's ring. It is rounded up to whole blocks, two at least.
    #[must_use]
    pub fn ring_bytes(mut self, bytes: usize) -> Self {
        self.ring_bytes = bytes;
        self
    }

    /// Sets the size of a block, of which one at a time is overwritten. No record can be longer.
    #[must_use]
    pub fn block_bytes(mut self, bytes: usize) -> Self {
        self.block_bytes = bytes;
        self
    }

    /// Sets the room for the names of all places that record.
    #[must_use]
    pub fn table_bytes(mut self, bytes: usize) -> Self {
        self.table_bytes = bytes;
        self
    }

    /// Records into a new file, which outlives the process. A file of this name is removed first.
    #[must_use]
    pub fn file(mut self, path: impl Into<PathBuf>) -> Self {
        self.file = Some(path.into());
        self
    }

    /// Makes the recorder of this process. Measures the clock for some milliseconds.
    ///
    /// The memory is never given back.
    ///
    /// # Errors
    /// [`InstallError`] if there is a recorder, or the sizes are none, or the file cannot be made.
    pub fn install(self) -> Result<Recorder, InstallError> {
        if SHARED.get().is_some() {
            return Err(InstallError::Installed);
        }
        let block_words = self.block_bytes / 8;
        let blocks = self.ring_bytes.div_ceil(self.block_bytes.max(1)).max(2);
        let geometry = Geometry { rings: self.rings, blocks, block_words, table_words: self.table_bytes / 8 };
        let words = geometry.words().filter(|_| self.rings > 0 && block_words > 0).ok_or(InstallError::Sizes)?;
        let memory = match &self.file {
            Some(path) => memory::in_new_file(path, words).map_err(InstallError::File)?,
            None => memory::on_heap(words),
        };
        let clock = Clock::choose();
        let rate = clock.rate();
        let unix = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |time| time.as_nanos() as u64);
        let head = [rate, clock.now(), unix, u64::from(process::id())];
        let region = Region::create(memory, geometry, &head).map_err(|_| InstallError::Sizes)?;
        let rings = region.rings().map_err(|_| InstallError::Sizes)?;
        let state = Mutex::new(State { free: (0..rings.len()).collect(), ..State::default() });
        SHARED.set(Shared { region, rings, clock, state }).map_err(|_| InstallError::Installed)?;
        Ok(Recorder(()))
    }
}

/// A recorder that cannot be made.
#[derive(Debug)]
#[non_exhaustive]
pub enum InstallError {
    /// The process has a recorder.
    Installed,
    /// There is no room for two blocks with a record each, or more room than there are addresses.
    Sizes,
    /// The file cannot be made or mapped.
    File(io::Error),
}

impl fmt::Display for InstallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Installed => f.write_str("the process has a recorder already"),
            Self::Sizes => f.write_str("the sizes make no ring"),
            Self::File(error) => write!(f, "the recorder's file cannot be made: {error}"),
        }
    }
}

impl std::error::Error for InstallError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::File(error) => Some(error),
            _ => None,
        }
    }
}

/// The recorder of the process.
#[derive(Clone, Copy, Debug)]
pub struct Recorder(());

impl Recorder {
    /// Returns the recorder, if one is [installed](Builder::install).
    #[must_use]
    pub fn installed() -> Option<Self> {
        SHARED.get().map(|_| Self(()))
    }

    fn shared(self) -> &'static Shared {
        SHARED.get().expect("a recorder is made when it is installed")
    }

    /// Returns what is in all rings now. No thread waits for it.
    #[must_use]
    pub fn trace(self) -> Trace {
        Trace::of(self.shared().region.words).expect("the recorder's own memory")
    }

    /// Writes what is in all rings now into a file, which [`Trace::open`] reads. No thread waits for it.
    ///
    /// # Errors
    /// Those of writing the file.
    pub fn dump(self, path: impl AsRef<Path>) -> io::Result<()> {
        let image = self.shared().region.image().map_err(io::Error::other)?;
        let bytes: Vec<u8> = image.iter().flat_map(|word| word.to_ne_bytes()).collect();
        fs::write(path, bytes)
    }
}

/// What a thread is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    /// It has no ring yet.
    New,
    Ready,
    /// It records, or waits for a ring. Records that a signal's handler begins meanwhile are refused.
    Busy,
    /// It ends, and has given its ring back.
    Over,
}

/// A thread's part. It has no destructor, so that access needs no check; `LEAVING` has it.
struct Local {
    phase: Cell<Phase>,
    writer: UnsafeCell<MaybeUninit<Writer<'static>>>,
}

thread_local! {
    static LOCAL: Local = const {
        Local { phase: Cell::new(Phase::New), writer: UnsafeCell::new(MaybeUninit::uninit()) }
    };
    static LEAVING: Leaving = const { Leaving(Cell::new(None)) };
}

/// Gives the thread's ring back when the thread ends.
struct Leaving(Cell<Option<usize>>);

impl Drop for Leaving {
    fn drop(&mut self) {
        let (Some(shared), Some(ring)) = (SHARED.get(), self.0.get()) else { return };
        LOCAL.with(|local| {
            local.phase.set(Phase::Over);
            // SAFETY: the thread has a ring, so the writer is initialised; no record will use it any more.
            unsafe { (*local.writer.get()).assume_init_drop() };
        });
        shared.state().free.push_back(ring);
    }
}

impl Shared {
    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives the calling thread a ring, if one is free.
    #[cold]
    fn enlist(&self) -> Option<Writer<'static>> {
        let mut state = self.state();
        let index = *state.free.front()?;
        // A thread that ends has no place any more to give the ring back from.
        LEAVING.try_with(|leaving| leaving.0.set(Some(index))).ok()?;
        state.free.pop_front();
        state.threads += 1;
        let mut writer = self.rings[index].claim(state.threads).expect("free rings have no writer");
        let mut label = vec![writer.records(), writer.bytes()];
        let current = thread::current();
        let name = current.name().unwrap_or_default().as_bytes();
        let mut bytes = [0; 8 * NAME_WORDS];
        let kept = name.len().min(bytes.len());
        bytes[..kept].copy_from_slice(&name[..kept]);
        label.extend(bytes.chunks(8).map(|word| u64::from_le_bytes(word.try_into().expect("8 bytes"))));
        writer.set_label(&label);
        Some(writer)
    }

    /// Finds or makes the number of a site with values of these types. `None` if the table is full.
    #[cold]
    fn intern(&self, site: &'static Site, signature: u32) -> Option<u32> {
        let mut state = self.state();
        let key = (ptr::from_ref(site), signature);
        let number = match state.sites.get(&key) {
            Some(number) => *number,
            None => {
                let number = state.sites.len() as u32 + 1;
                if number > MOST_SITES || !self.region.append(&site.entry(number, signature)) {
                    return None;
                }
                state.sites.insert(key, number);
                number
            }
        };
        site.remember(number, signature);
        Some(number)
    }

    /// Writes a record with values, or counts it as refused.
    #[inline(always)]
    fn write<V: Values>(&self, writer: &mut Writer<'static>, site: &'static Site, values: &V) {
        let now = self.clock.now();
        if let Some(number) = site.number(V::SIGNATURE)
            && let Some(mut draft) = writer.record_short(now, tag(number, false), values.bytes())
        {
            values.put(&mut draft);
            return draft.commit();
        }
        self.write_rare(writer, now, site, values);
    }

    /// Writes a record that begins a block, or is the first one of its site, or is long.
    #[cold]
    #[inline(never)]
    fn write_rare<V: Values>(&self, writer: &mut Writer<'static>, now: u64, site: &'static Site, values: &V) {
        let Some(number) = site.number(V::SIGNATURE).or_else(|| self.intern(site, V::SIGNATURE)) else {
            return self.region.refuse();
        };
        if let Some(mut draft) = writer.record(now, tag(number, false), values.bytes()) {
            values.put(&mut draft);
            draft.commit();
        }
    }

    /// Writes a record with values of types that are known at run time only, or counts it as refused.
    fn write_any(&self, writer: &mut Writer<'static>, site: &'static Site, values: &AnyValues<'_>) {
        let signature = values.signature();
        let Some(number) = site.number(signature).or_else(|| self.intern(site, signature)) else {
            return self.region.refuse();
        };
        if let Some(mut draft) = writer.record(self.clock.now(), tag(number, false), values.len()) {
            values.put(&mut draft);
            draft.commit();
        }
    }

    /// Writes that a span ends, or counts it as refused.
    #[inline]
    fn end(&self, writer: &mut Writer<'static>, site: &'static Site) {
        match site.any_number().and_then(|number| writer.record(self.clock.now(), tag(number, true), 0)) {
            Some(draft) => draft.commit(),
            None => self.region.refuse(),
        }
    }
}

/// Records an event of a site: the macros call this.
#[doc(hidden)]
#[inline]
pub fn record<V: Values>(site: &'static Site, values: V) {
    with_writer(|shared, writer| shared.write(writer, site, &values));
}

/// Records values of a site whose types are known at run time only: an event, or the start of a span.
///
/// The values are in the order of the site's fields. Only the first eight are written. It costs more than a macro where
/// the types of a site's values change from record to record: then each change takes a lock.
///
/// # Examples
/// ```
/// use aqueduct_recorder::{AnyValue, Builder, Kind, Site, record_any};
///
/// static SITE: Site = Site::new(Kind::Event, "request", "server", file!(), line!(), &["bytes", "user"]);
///
/// let recorder = Builder::new().install()?;
/// record_any(&SITE, &[AnyValue::Unsigned(1500), AnyValue::Absent]);
/// assert_eq!(recorder.trace().events()[0].place.fields.len(), 1);
/// # Ok::<(), aqueduct_recorder::InstallError>(())
/// ```
#[inline]
pub fn record_any(site: &'static Site, values: &[AnyValue<'_>]) {
    with_writer(|shared, writer| shared.write_any(writer, site, &AnyValues::new(values)));
}

/// Records that a span ends, which began in this thread.
#[inline]
pub fn end_span(site: &'static Site) {
    with_writer(|shared, writer| shared.end(writer, site));
}

/// The calling thread's part, as an address: it lives as long as the thread.
///
/// It is not inlined: the code of an event is shorter with this call than with the access to a thread local.
#[inline(never)]
fn local() -> *const Local {
    LOCAL.with(ptr::from_ref)
}

/// Calls `write` with the thread's writer, unless there is no recorder, or no ring for the thread.
#[inline(always)]
fn with_writer(write: impl FnOnce(&Shared, &mut Writer<'static>)) {
    let Some(shared) = SHARED.get() else { return };
    // SAFETY: the thread is alive, and its part has no destructor.
    let local = unsafe { &*local() };
    if local.phase.get() != Phase::Ready && !begin(shared, local) {
        return;
    }
    local.phase.set(Phase::Busy);
    // Ordering: pairs with a signal's handler in this thread, which is sequenced with the program's instructions.
    // Without both fences, the compiler may let it find the thread ready in the middle of a record.
    compiler_fence(Ordering::SeqCst);
    // SAFETY: the thread was ready, so the writer is initialised; a signal's handler finds the thread busy.
    write(shared, unsafe { (*local.writer.get()).assume_init_mut() });
    compiler_fence(Ordering::SeqCst);
    local.phase.set(Phase::Ready);
}

/// Gets a thread ready that is not. Returns whether it is ready now; if not, the record is counted as refused.
#[cold]
#[inline(never)]
fn begin(shared: &Shared, local: &Local) -> bool {
    if local.phase.get() == Phase::New {
        local.phase.set(Phase::Busy);
        // Ordering: pairs with a signal's handler in this thread. Without both fences, it may find the thread new, and
        // wait for the lock that the thread has.
        compiler_fence(Ordering::SeqCst);
        let writer = shared.enlist();
        let is_ready = writer.is_some();
        if let Some(writer) = writer {
            // SAFETY: a handler finds the thread busy, so nobody else accesses the writer.
            unsafe { (*local.writer.get()).write(writer) };
        }
        compiler_fence(Ordering::SeqCst);
        local.phase.set(if is_ready { Phase::Ready } else { Phase::New });
        if is_ready {
            return true;
        }
    }
    shared.region.refuse();
    false
}

/// A span that ends when it is dropped.
#[derive(Debug)]
#[must_use = "a span ends when it is dropped"]
pub struct Span {
    site: &'static Site,
    /// A span ends in the thread in which it began.
    thread: PhantomData<*const ()>,
}

impl Span {
    /// Begins a span of a site.
    #[doc(hidden)]
    #[inline]
    pub fn begin<V: Values>(site: &'static Site, values: V) -> Self {
        record(site, values);
        Self { site, thread: PhantomData }
    }
}

impl Drop for Span {
    #[inline]
    fn drop(&mut self) {
        end_span(self.site);
    }
}
