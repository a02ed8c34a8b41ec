//! The recorder of the process, and the functions that write records.

use std::collections::{HashMap, HashSet, VecDeque};
use std::marker::PhantomData;
use std::ops::Range;
use std::path::Path;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;
use std::{fs, io, ptr, thread};

use crate::buffer::ValueBuffer;
use crate::clock::Clock;
use crate::filter::Filter;
use crate::level::Level;
use crate::local::{self, Phase, local};
use crate::region::{Label, Region, head};
use crate::request::DumpRequest;
use crate::ring::{Ring, Writer};
use crate::site::{Decision, Glance, Kind, MOST_SITES, Site, tag, without};
use crate::trace::Trace;
use crate::value::{AnyValue, AnyValues, Row, Values};

/// The recorder of the process.
pub(crate) static SHARED: OnceLock<Shared> = OnceLock::new();

pub(crate) struct Shared {
    pub(crate) region: Region<'static>,
    pub(crate) rings: Vec<Ring<'static>>,
    pub(crate) clock: Clock,
    pub(crate) filter: Filter,
    /// Names of fields that are never written.
    pub(crate) redacted: HashSet<String>,
    /// Request that is made by events of this level, or of a more severe one.
    pub(crate) dump_on: OnceLock<(Level, DumpRequest)>,
    pub(crate) state: Mutex<State>,
}

/// The state that seldom changes: when a thread claims or releases a ring, or a place records for
/// the first time.
///
/// A signal handler may wait for its lock, in a thread that is in the allocator. So no thread
/// allocates while it holds the lock, and the collections have capacity for all rings and places.
pub(crate) struct State {
    threads: u64,
    /// Indices of rings without a thread. The ring that was released first is used first.
    free: VecDeque<usize>,
    /// Sites and their numbers, by the site's address and the types of the written values.
    sites: HashMap<(usize, u32), (&'static Site, u32)>,
}

impl State {
    pub(crate) fn new(rings: usize, places: usize) -> Self {
        Self { threads: 0, free: (0..rings).collect(), sites: HashMap::with_capacity(places) }
    }
}

/// The recorder of the process.
#[derive(Clone, Copy, Debug)]
pub struct Recorder(pub(crate) ());

impl Recorder {
    /// Returns the recorder, if one is [installed](crate::Builder::install).
    #[must_use]
    pub fn installed() -> Option<Self> {
        SHARED.get().map(|_| Self(()))
    }

    fn shared(self) -> &'static Shared {
        SHARED.get().expect("a recorder is made when it is installed")
    }

    /// Returns the records of all rings. It blocks no thread.
    #[must_use]
    pub fn trace(self) -> Trace {
        Trace::of(self.shared().region.words).expect("the recorder's own memory")
    }

    /// Returns the time since recording began, by the recorder's clock.
    #[must_use]
    pub fn elapsed(self) -> Duration {
        Duration::from_nanos(self.nanos_of(self.ticks()))
    }

    /// Returns the clock's ticks, for a later conversion into a time.
    pub(crate) fn ticks(self) -> u64 {
        self.shared().clock.now()
    }

    /// Returns the nanoseconds since recording began.
    pub(crate) fn nanos_of(self, ticks: u64) -> u64 {
        let region = &self.shared().region;
        let nanos = u128::from(ticks.saturating_sub(region.head(head::START))) * 1_000_000_000;
        (nanos / u128::from(region.head(head::RATE))) as u64
    }

    /// Writes the records of all rings into a file, which [`Trace::open`] reads. It blocks no
    /// thread.
    ///
    /// # Errors
    /// The errors of writing the file.
    pub fn dump(self, path: impl AsRef<Path>) -> io::Result<()> {
        let image = self.shared().region.image().map_err(io::Error::other)?;
        write_words(path.as_ref(), &image)
    }

    /// Writes the records of a window of time, in nanoseconds since recording began, as
    /// [`dump`](Self::dump) does.
    ///
    /// The file is only as large as the records need, in whole blocks. The number of overwritten
    /// records is as exact as in a dump of all records, and [`Trace::left_out`] counts the records
    /// in the rings that are outside of the window.
    ///
    /// # Errors
    /// The errors of writing the file.
    pub fn dump_window(self, path: impl AsRef<Path>, nanos: Range<u64>) -> io::Result<()> {
        let region = &self.shared().region;
        let (start, rate) = (region.head(head::START), u128::from(region.head(head::RATE)));
        // The first tick of a nanosecond: a reader converts ticks to nanoseconds by rounding down.
        let ticks = |nanos: u64| {
            let passed = (u128::from(nanos) * rate).div_ceil(1_000_000_000);
            start.saturating_add(u64::try_from(passed).unwrap_or(u64::MAX))
        };
        let image = region.image_within(ticks(nanos.start)..ticks(nanos.end)).map_err(io::Error::other)?;
        write_words(path.as_ref(), &image)
    }

    /// Requests a dump after each event of this level or a more severe one. The event's thread does
    /// not wait for the dump.
    ///
    /// Places without a level request no dump. Events before the start of a dump share that dump.
    /// With [`Dumps::last`](crate::Dumps::last), a dump has only the last moments before the event.
    ///
    /// # Errors
    /// Gives `request` back if a level already requests dumps.
    ///
    /// # Examples
    /// ```no_run
    /// use std::time::Duration;
    ///
    /// use aqueduct_recorder::{Builder, Dumps, Level, event};
    ///
    /// let recorder = Builder::new().install()?;
    /// let dumps = Dumps::new("/var/log/server").keep_files(10).last(Duration::from_millis(500));
    /// recorder.dump_on(Level::Error, dumps.on_request(recorder, |_| ())?).expect("no level requests dumps yet");
    /// event!(level: Error, "checksum is wrong", block = 17);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn dump_on(self, level: Level, request: DumpRequest) -> Result<(), DumpRequest> {
        let shared = self.shared();
        // SAFETY: the thread is alive, and its part has no destructor.
        let _busy = unsafe { &*local() }.busy();
        let state = shared.state();
        shared.dump_on.set((level, request)).map_err(|(_, request)| request)?;
        for (site, _) in state.sites.values() {
            site.decide(Decision { requests_dump: shared.requests_dump(site), ..site.decided() });
        }
        Ok(())
    }
}

fn write_words(path: &Path, words: &[u64]) -> io::Result<()> {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
    fs::write(path, bytes)
}

impl Shared {
    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Claims a free ring for the calling thread. `None` if there is none.
    #[cold]
    pub(crate) fn claim_ring(&self) -> Option<Writer<'static>> {
        // These two calls allocate, so they precede the lock. A thread whose destructors have run
        // could not release the ring.
        local::can_release_at_exit().then_some(())?;
        let current = thread::current();
        let mut state = self.state();
        let index = *state.free.front()?;
        local::release_at_exit(index)?;
        state.free.pop_front();
        state.threads += 1;
        let mut writer = self.rings[index].claim(state.threads).expect("free rings have no writer");
        let label = Label::new(&writer, current.name().unwrap_or_default());
        writer.set_label(&label.0);
        Some(writer)
    }

    /// Returns a ring to the free ones.
    pub(crate) fn release(&self, ring: usize) {
        self.state().free.push_back(ring);
    }

    /// Whether a site does not record. It takes no lock, so it may be called in a signal handler,
    /// and in a thread without a ring.
    fn is_off(&self, site: &Site) -> bool {
        let decided = site.decided();
        if decided.is_off || decided.number != 0 || self.filter.lets_record(site) {
            return decided.is_off;
        }
        site.decide(Decision { is_off: true, ..Decision::default() });
        true
    }

    /// Whether each record of a site requests a dump.
    fn requests_dump(&self, site: &Site) -> bool {
        let is_severe = |(level, _): &(Level, _)| site.level().is_some_and(|own| own <= *level);
        site.kind() == Kind::Event && self.dump_on.get().is_some_and(is_severe)
    }

    /// Makes and stores the decision about a site that records values of these types. `None` if the
    /// table is full.
    #[cold]
    fn decide(&self, site: &'static Site, signature: u32) -> Option<Decision> {
        let mut state = self.state();
        let is_redacted = |(_, name): &(u32, &&str)| self.redacted.contains(**name);
        let redacted = (0..).zip(site.fields()).filter(is_redacted).fold(0, |bits, (at, _)| bits | 1 << at);
        let signature = without(signature, redacted);
        let key = (ptr::from_ref(site).addr(), signature);
        let number = match state.sites.get(&key) {
            Some((_, number)) => *number,
            None => {
                let number = state.sites.len() as u32 + 1;
                if number > MOST_SITES || !self.region.append(|entry| site.write_entry(entry, number, signature)) {
                    return None;
                }
                state.sites.insert(key, (site, number));
                number
            }
        };
        let decision = Decision { number, redacted, is_off: false, requests_dump: self.requests_dump(site), signature };
        site.decide(decision);
        Some(decision)
    }

    /// Writes a record of any length. Returns whether it requests a dump.
    fn write(&self, writer: &mut Writer<'static>, now: Option<u64>, site: &'static Site, row: &impl Row) -> bool {
        let known = site.decided();
        let is_known = known.number != 0 && known.signature == without(row.signature(), known.redacted);
        let Some(decision) = is_known.then_some(known).or_else(|| self.decide(site, row.signature())) else {
            self.region.refuse();
            return false;
        };
        let now = now.unwrap_or_else(|| self.clock.now());
        if let Some(mut draft) = writer.record(now, tag(decision.number, false), row.bytes(decision.redacted)) {
            row.put(decision.redacted, &mut draft);
            draft.commit();
        }
        decision.requests_dump
    }

    /// Writes the end of a span, or counts it as refused.
    fn end(&self, writer: &mut Writer<'static>, number: u32) {
        match (number != 0).then(|| writer.record(self.clock.now(), tag(number, true), 0)).flatten() {
            Some(draft) => draft.commit(),
            None => self.region.refuse(),
        }
    }
}

/// Writes a short record, which may start a block. Returns whether the record is written.
#[inline(always)]
fn write_short(writer: &mut Writer<'static>, ticks: u64, tag: u32, row: &impl Row) -> bool {
    let len = row.bytes(0);
    loop {
        if let Some(mut draft) = writer.record_short(ticks, tag, len) {
            row.put(0, &mut draft);
            draft.commit();
            return true;
        }
        if !writer.make_room(ticks, tag, len) {
            return false;
        }
    }
}

/// Records values of a site.
#[inline(always)]
fn record_row(site: &'static Site, row: &impl Row) {
    let Some(shared) = SHARED.get() else { return };
    let mut now = None;
    match site.glance(row.signature()) {
        Glance::Number(number) => {
            // SAFETY: the thread is alive, and its part has no destructor.
            let local = unsafe { &*local() };
            if local.phase.get() == Phase::Ready {
                let is_written = local.with_writer(|writer| {
                    let ticks = *now.insert(shared.clock.now());
                    write_short(writer, ticks, tag(number, false), row)
                });
                if is_written {
                    return;
                }
            }
        }
        Glance::Off => return,
        Glance::Other => {}
    }
    record_rare(shared, site, row, now);
}

/// Records in the cases that `record_row` does not handle: a site that is not known with these
/// types, has redacted fields or requests dumps; a long record; or the first record of its thread.
#[cold]
#[inline(never)]
fn record_rare(shared: &Shared, site: &'static Site, row: &impl Row, now: Option<u64>) {
    if shared.is_off(site) {
        return;
    }
    // SAFETY: the thread is alive, and its part has no destructor.
    let local = unsafe { &*local() };
    if local.phase.get() != Phase::Ready && !local.begin(shared) {
        return;
    }
    if local.with_writer(|writer| shared.write(writer, now, site, row))
        && let Some((_, request)) = shared.dump_on.get()
    {
        request.dump();
    }
}

/// Records an event of a site: the macros call this.
#[doc(hidden)]
#[inline]
pub fn record<V: Values>(site: &'static Site, values: V) {
    record_row(site, &values);
}

/// Records values of a site whose types are only known at run time: an event, or the start of a
/// span.
///
/// The values are in the order of the site's fields. Only the first eight are written. If the types
/// of a site's values change from record to record, each change takes a lock, unlike in a macro.
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
    record_row(site, &AnyValues::new(values));
}

/// Records the values in a buffer, as [`record_any`] does.
#[inline]
pub fn record_buffer(site: &'static Site, values: &ValueBuffer) {
    record_row(site, values);
}

/// Records the end of a span that began in this thread.
#[inline]
pub fn end_span(site: &'static Site) {
    let Some(shared) = SHARED.get() else { return };
    let decided = site.decided();
    if decided.is_off {
        return;
    }
    // SAFETY: the thread is alive, and its part has no destructor.
    let local = unsafe { &*local() };
    if local.phase.get() == Phase::Ready || local.begin(shared) {
        local.with_writer(|writer| shared.end(writer, decided.number));
    }
}

/// A span, which ends when this is dropped.
#[derive(Debug)]
#[must_use = "a span ends when it is dropped"]
pub struct Span {
    site: &'static Site,
    /// A span ends in the thread in which it began, so it is not `Send`.
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
