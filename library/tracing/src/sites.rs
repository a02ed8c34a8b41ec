//! The recorder's sites for each callsite of `tracing`. They are made once.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use aqueduct_recorder::{Kind, Level, Site};
use tracing_core::{Level as Severity, Metadata};

/// The sites of a callsite.
#[derive(Debug)]
pub(crate) struct CallSite {
    pub(crate) metadata: &'static Metadata<'static>,
    /// Site of the event, or of the span's starts and ends.
    pub(crate) own: Site,
    pub(crate) new: Site,
    pub(crate) record: Site,
    pub(crate) follows: Site,
    pub(crate) close: Site,
    /// A bit for each field that is not written.
    pub(crate) redacted: u64,
}

/// The callsites that a layer has seen.
#[derive(Debug)]
pub(crate) struct Sites {
    /// The layer's number: layers redact different names.
    pub(crate) layer: usize,
    redacted: HashSet<String>,
    known: Mutex<HashMap<usize, &'static CallSite>>,
}

/// Entries of a thread's cache: the number of callsites that it finds without a lock, if they do
/// not collide.
const CACHED: usize = 256;

type Entry = (usize, usize, Option<&'static CallSite>);

thread_local! {
    static CACHE: [Cell<Entry>; CACHED] = const { [const { Cell::new((0, 0, None)) }; CACHED] };
}

impl Default for Sites {
    fn default() -> Self {
        static LAYERS: AtomicUsize = AtomicUsize::new(1);
        // Ordering: Relaxed. The numbers only have to differ.
        let layer = LAYERS.fetch_add(1, Ordering::Relaxed);
        Self { layer, redacted: HashSet::new(), known: Mutex::default() }
    }
}

impl Sites {
    pub(crate) fn redact(&mut self, names: impl Iterator<Item = String>) {
        self.redacted.extend(names);
    }

    /// Returns the sites of a callsite.
    #[inline]
    pub(crate) fn of(&self, metadata: &'static Metadata<'static>) -> &'static CallSite {
        let key = ptr::from_ref(metadata) as usize;
        let at = ((key / align_of::<Metadata<'_>>()) ^ (key / 4096)) % CACHED;
        // A thread whose destructors have run has no cache.
        let cached = CACHE.try_with(|cache| cache[at].get());
        if let Ok((layer, found, Some(site))) = cached
            && (layer, found) == (self.layer, key)
        {
            return site;
        }
        let site = self.find(key, metadata);
        let _ = CACHE.try_with(|cache| cache[at].set((self.layer, key, Some(site))));
        site
    }

    #[cold]
    fn find(&self, key: usize, metadata: &'static Metadata<'static>) -> &'static CallSite {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.entry(key).or_insert_with(|| Box::leak(Box::new(self.make(metadata))))
    }

    fn make(&self, metadata: &'static Metadata<'static>) -> CallSite {
        let names: Vec<&'static str> = metadata.fields().iter().map(|field| field.name()).collect();
        let redacted = (0..).zip(&names).filter(|(_, name)| self.redacted.contains(**name));
        let redacted = redacted.fold(0, |bits, (at, _): (u32, _)| bits | 1_u64.checked_shl(at).unwrap_or(0));
        let site = |kind, name, fields| {
            let file = metadata.file().unwrap_or_default();
            let line = metadata.line().unwrap_or(0);
            Site::new(kind, name, metadata.target(), file, line, fields).with_level(Some(level_of(metadata)))
        };
        let about = |what: &str, name: &str| -> &'static str { format!("{what} {name}").leak() };
        let with = |first: &[&'static str]| -> &'static [&'static str] { [first, &names].concat().leak() };
        let (own, is_span) = if metadata.is_span() {
            (site(Kind::Span, metadata.name(), &["id"]), true)
        } else {
            let is_made_up = metadata.name().starts_with("event ");
            let name = if is_made_up { about(metadata.level().as_str(), metadata.target()) } else { metadata.name() };
            (site(Kind::Event, name, with(&[])), false)
        };
        // An event has none of these records.
        let of_span = |what, first: &[&'static str], has_fields: bool| match (is_span, has_fields) {
            (false, _) => site(Kind::Event, "", &[]),
            (true, false) => site(Kind::Event, about(what, metadata.name()), first.to_vec().leak()),
            (true, true) => site(Kind::Event, about(what, metadata.name()), with(first)),
        };
        CallSite {
            metadata,
            own,
            new: of_span("new", &["id", "parent"], true),
            record: of_span("record", &["id", "parent"], true),
            follows: of_span("follows", &["id", "follows"], false),
            close: of_span("close", &["id"], false),
            redacted,
        }
    }
}

/// Returns a callsite's level.
fn level_of(metadata: &Metadata<'_>) -> Level {
    match *metadata.level() {
        Severity::ERROR => Level::Error,
        Severity::WARN => Level::Warn,
        Severity::INFO => Level::Info,
        Severity::DEBUG => Level::Debug,
        Severity::TRACE => Level::Trace,
    }
}
