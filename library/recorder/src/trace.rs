//! The contents of a recorder's memory: threads, their events, and the numbers of overwritten
//! records.

use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::{fmt, io};

use crate::level::Level;
use crate::memory;
use crate::region::{LABEL_WORDS, NAME_WORDS, Region, head, take, take_bytes, take_text};
use crate::ring::{Amount, LayoutError, Record, Ring, Word};
use crate::site::{Kind, of_tag};
use crate::value::{Encoding, Type};

/// A place in the recorded program.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Place {
    /// The kind of the place's records.
    pub kind: Kind,
    /// The place's level, if it has one.
    pub level: Option<Level>,
    /// Its name.
    pub name: String,
    /// Its target: the module that contains it, if no other target was set.
    pub module: String,
    /// Its source file.
    pub file: String,
    /// Its line in the file.
    pub line: u32,
    /// The names and types of its values.
    pub fields: Vec<(String, Type)>,
    /// The encodings of its values.
    encodings: Vec<Encoding>,
}

/// A value of an event.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum Field {
    /// An unsigned number.
    Unsigned(u64),
    /// A signed number.
    Signed(i64),
    /// A floating-point number.
    Float(f64),
    /// A truth value.
    Bool(bool),
    /// A text, and the number of its bytes that were cut off.
    Text(String, usize),
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsigned(number) => number.fmt(f),
            Self::Signed(number) => number.fmt(f),
            Self::Float(number) => number.fmt(f),
            Self::Bool(value) => value.fmt(f),
            Self::Text(text, 0) => write!(f, "{text:?}"),
            Self::Text(text, cut) => write!(f, "{text:?}... and {cut} bytes"),
        }
    }
}

/// An event, the start of a span or its end, or a counter's value.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Event {
    /// The number of the thread that recorded it.
    pub thread: u64,
    /// The number of records that the thread had made before this one.
    pub number: u64,
    /// Nanoseconds since recording began.
    pub nanos: u64,
    /// The place that recorded it.
    pub place: Arc<Place>,
    /// True if this is the end of a span.
    pub is_end: bool,
    /// Its values, in the order of the place's fields. The end of a span has none.
    pub values: Vec<Field>,
}

/// A thread with records in its ring.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Thread {
    /// Its number: threads are counted from 1 on, in the order of their first records.
    pub number: u64,
    /// Its name, or the first 32 bytes of it. Empty if it has none.
    pub name: String,
    /// The index of its ring.
    pub ring: usize,
    /// Its records that were found.
    pub kept: Amount,
    /// Its records that were overwritten.
    pub overwritten: Amount,
}

/// Why a file or memory has no readable trace.
#[derive(Debug)]
#[non_exhaustive]
pub enum TraceError {
    /// The file cannot be read.
    File(io::Error),
    /// The file is not a recorder's, or has another version, or comes from a machine with another
    /// byte order.
    Format,
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(error) => write!(f, "the recorder's file cannot be read: {error}"),
            Self::Format => f.write_str("not a recorder's file of this version and byte order"),
        }
    }
}

impl std::error::Error for TraceError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            // The text has the error itself.
            Self::File(error) => error.source(),
            Self::Format => None,
        }
    }
}

/// The contents of a recorder's memory at one time.
#[derive(Clone, PartialEq, Debug)]
pub struct Trace {
    process: u64,
    start_unix_nanos: u64,
    threads: Vec<Thread>,
    events: Vec<Event>,
    gone: Amount,
    left_out: Amount,
    refused: u64,
    damaged: usize,
}

impl Trace {
    /// Reads a recorder's file: a dump, or the file of a process that records, or was killed.
    ///
    /// The recording process is not blocked. No process may truncate the file meanwhile.
    ///
    /// # Errors
    /// [`TraceError`] if the file cannot be read, or has another format.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, TraceError> {
        memory::with_file(path.as_ref(), Self::of).map_err(TraceError::File)?.ok_or(TraceError::Format)
    }

    /// Reads a copy of a recorder's memory: the bytes of a file, or the words of a
    /// [`BareRecorder`](crate::BareRecorder).
    ///
    /// # Errors
    /// [`TraceError::Format`] if the bytes are not a recorder's.
    pub fn read(bytes: &[u8]) -> Result<Self, TraceError> {
        Self::of(&memory::copied(bytes)).ok_or(TraceError::Format)
    }

    /// Reads a recorder's memory. Returns `None` if the words are not a recorder's.
    pub(crate) fn of(words: &[Word]) -> Option<Self> {
        let region = Region::open(words)?;
        let of_ring = |ring: Result<Ring<'_>, LayoutError>| {
            let ring = ring.ok()?;
            let snapshot = ring.snapshot();
            let left_out = ring.left_out(&snapshot);
            Some((snapshot, left_out, ring.refused()))
        };
        let snapshots: Vec<_> = region.rings().map(of_ring).collect::<Option<_>>()?;
        // The table is read after the rings, so it has the name of every record in them.
        let places: HashMap<u32, Arc<Place>> = region.entries().filter_map(|entry| place(&mut &entry[..])).collect();
        let mut trace = Self {
            process: region.head(head::PROCESS),
            start_unix_nanos: region.head(head::START_UNIX),
            threads: Vec::new(),
            events: Vec::new(),
            gone: Amount::default(),
            left_out: Amount::default(),
            refused: region.head(head::REFUSED),
            damaged: 0,
        };
        let clock = (region.head(head::START), region.head(head::RATE).max(1));
        for (ring, (snapshot, [before, behind], refused)) in snapshots.iter().enumerate() {
            trace.refused = trace.refused.saturating_add(*refused);
            trace.damaged += snapshot.damaged();
            trace.left_out = trace.left_out.plus(*before).plus(*behind);
            let overwritten = snapshot.overwritten().minus(*before);
            let mut gone = overwritten;
            for record in snapshot.records() {
                trace.add(ring, &record, overwritten, &mut gone, &places, clock);
            }
            trace.gone = trace.gone.plus(gone);
        }
        // The sort is stable, so it keeps the order of a thread's records.
        trace.events.sort_by_key(|event| event.nanos);
        Some(trace)
    }

    /// Adds a record of a ring. `gone` is the number of overwritten records of threads that were
    /// not found yet.
    fn add(
        &mut self,
        ring: usize,
        record: &Record<'_>,
        overwritten: Amount,
        gone: &mut Amount,
        places: &HashMap<u32, Arc<Place>>,
        (start, rate): (u64, u64),
    ) {
        let mut label = record.label;
        debug_assert_eq!(label.len(), LABEL_WORDS);
        let (Some(records), Some(bytes)) = (take(&mut label), take(&mut label)) else { return };
        if self.threads.last().is_none_or(|last| (last.ring, last.number) != (ring, record.owner)) {
            let name = take_bytes(&mut label, 8 * NAME_WORDS).unwrap_or_default();
            let own = gone.minus(Amount { records, bytes });
            *gone = gone.minus(own);
            self.threads.push(Thread {
                number: record.owner,
                name: name.trim_end_matches('\0').to_owned(),
                ring,
                kept: Amount::default(),
                overwritten: own,
            });
            debug_assert!(own.records <= overwritten.records);
        }
        let thread = self.threads.last_mut().expect("it was added");
        thread.kept.records += 1;
        thread.kept.bytes += record.bytes;
        let (site, is_end) = of_tag(record.tag);
        let found = places.get(&site).and_then(|place| {
            let values = if is_end { Vec::new() } else { values(place, record.values)? };
            Some((Arc::clone(place), values))
        });
        let Some((place, values)) = found else {
            self.damaged += 1;
            return;
        };
        let nanos = u128::from(record.time.saturating_sub(start)) * 1_000_000_000 / u128::from(rate);
        self.events.push(Event {
            thread: record.owner,
            number: record.number.saturating_sub(records),
            nanos: nanos as u64,
            place,
            is_end,
            values,
        });
    }

    /// Returns the number of the process that recorded.
    #[must_use]
    pub fn process(&self) -> u64 {
        self.process
    }

    /// Returns the time at which recording began, in nanoseconds since 1970.
    #[must_use]
    pub fn start_unix_nanos(&self) -> u64 {
        self.start_unix_nanos
    }

    /// Returns the threads that have records, ring by ring.
    #[must_use]
    pub fn threads(&self) -> &[Thread] {
        &self.threads
    }

    /// Returns the events in the order of their times; those of one thread in the order of
    /// recording.
    #[must_use]
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// Removes the events outside of a window of time, in nanoseconds since recording began.
    ///
    /// The counts of each thread are kept. A span across an edge of the window keeps one end.
    #[must_use]
    pub fn window(mut self, nanos: Range<u64>) -> Self {
        self.events.retain(|event| nanos.contains(&event.nanos));
        self
    }

    /// Removes the events for which `keep` returns false. The counts of each thread are kept.
    #[must_use]
    pub fn filter(mut self, keep: impl FnMut(&Event) -> bool) -> Self {
        self.events.retain(keep);
        self
    }

    /// Removes the events that are more than `nanos` nanoseconds older than the last event.
    #[must_use]
    pub fn last_nanos(mut self, nanos: u64) -> Self {
        let from = self.events.last().map_or(0, |last| last.nanos.saturating_sub(nanos));
        self.events.retain(|event| event.nanos >= from);
        self
    }

    /// Returns the number of overwritten records of threads that have no record left.
    #[must_use]
    pub fn gone(&self) -> Amount {
        self.gone
    }

    /// Returns the number of all overwritten records.
    #[must_use]
    pub fn overwritten(&self) -> Amount {
        self.threads.iter().fold(self.gone, |sum, thread| sum.plus(thread.overwritten))
    }

    /// Returns the number of records that the dump left out because they are outside of its window.
    /// They were not overwritten.
    #[must_use]
    pub fn left_out(&self) -> Amount {
        self.left_out
    }

    /// Returns the number of refused records: no ring was free, or the table of names was full, or
    /// the record was too long for a block, or a signal handler began it while its thread was
    /// recording, or in a thread that had not recorded before.
    #[must_use]
    pub fn refused(&self) -> u64 {
        self.refused
    }

    /// Returns the number of invalid blocks and records: 0, unless another program has changed the
    /// memory or file.
    #[must_use]
    pub fn damaged(&self) -> usize {
        self.damaged
    }
}

/// Reads an entry of the table.
fn place(entry: &mut &[u64]) -> Option<(u32, Arc<Place>)> {
    let (number, kind, signature, line) = (take(entry)?, take(entry)?, take(entry)?, take(entry)?);
    let (name, module, file) = (take_text(entry)?, take_text(entry)?, take_text(entry)?);
    let (mut fields, mut encodings) = (Vec::new(), Vec::new());
    for at in 0..((kind >> 8) as u32).min(8) {
        let name = take_text(entry)?;
        match (signature >> (4 * at)) as u32 & 0xf {
            // The place's records have no value of the field.
            0 => {}
            number => {
                let encoding = Encoding::of(number)?;
                fields.push((name, encoding.kind()));
                encodings.push(encoding);
            }
        }
    }
    let (kind, level) = (Kind::of(kind & 0xff)?, Level::of(line >> 32));
    let place = Place { kind, level, name, module, file, line: line as u32, fields, encodings };
    Some((number as u32, Arc::new(place)))
}

/// Reads the values of a record. `None` if their bytes are too few or too many.
fn values(place: &Place, mut bytes: &[u8]) -> Option<Vec<Field>> {
    let values: Option<Vec<Field>> = place.encodings.iter().map(|encoding| encoding.take(&mut bytes)).collect();
    values.filter(|_| bytes.is_empty())
}
