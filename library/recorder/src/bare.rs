//! A recorder in a caller's memory, without an operating system, an allocator or thread locals.

use core::fmt;

use crate::level::Level;
use crate::region::{Geometry, Label, Region};
use crate::ring::{LayoutError, Word, Writer};
use crate::site::{Kind, MOST_SITES, Site, tag};
use crate::value::Values;

/// The sizes of the parts of a [`BareRecorder`]'s memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sizes {
    /// The number of rings, 65,536 at most. Each writer needs one, for example each core and each
    /// interrupt handler.
    pub rings: usize,
    /// The number of blocks of a ring, two or more. A writer overwrites whole blocks.
    pub blocks: usize,
    /// The number of words of a block, 12 of which hold no records.
    pub block_words: usize,
    /// The number of words for the names of all places. A place takes about a dozen, and more with
    /// long names.
    pub table_words: usize,
}

impl Sizes {
    fn geometry(self) -> Geometry {
        let Self { rings, blocks, block_words, table_words } = self;
        Geometry { rings, blocks, block_words, table_words }
    }

    /// Returns the number of words of the memory, or `None` if it overflows, or the rings are too
    /// many.
    ///
    /// # Examples
    /// ```
    /// use aqueduct_recorder::Sizes;
    ///
    /// const SIZES: Sizes = Sizes { rings: 2, blocks: 8, block_words: 64, table_words: 256 };
    /// const WORDS: usize = SIZES.words().expect("they are small");
    /// assert_eq!(WORDS, 16 + 256 + 2 * (8 + 8 * 64));
    /// ```
    #[must_use]
    pub const fn words(self) -> Option<usize> {
        let Self { rings, blocks, block_words, table_words } = self;
        Geometry { rings, blocks, block_words, table_words }.words()
    }
}

/// The meaning of a recorder's ticks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Epoch {
    /// Ticks per second, 1 or more.
    pub ticks_per_second: u64,
    /// The tick at which recording begins.
    pub start: u64,
    /// The time of `start` in nanoseconds since 1970; 0 if it is unknown.
    pub start_unix_nanos: u64,
    /// The process's number, as a trace shows it.
    pub process: u64,
}

/// A recorder in a caller's memory.
///
/// It has no macros and no clock: a [`BareWriter`] records values of a [`BarePlace`] at a tick.
/// `Trace::read`, of this crate with its feature `std`, reads the memory, for example a debugger's
/// copy, or memory that kept its content through a reset.
///
/// # Examples
/// ```
/// use aqueduct_recorder::ring::Word;
/// use aqueduct_recorder::{BareRecorder, Epoch, Kind, Sizes};
///
/// const SIZES: Sizes = Sizes { rings: 1, blocks: 4, block_words: 64, table_words: 128 };
/// static MEMORY: [Word; SIZES.words().unwrap()] = [const { Word::new(0) }; SIZES.words().unwrap()];
///
/// let epoch = Epoch { ticks_per_second: 32_768, start: 0, start_unix_nanos: 0, process: 1 };
/// let mut recorder = BareRecorder::new(&MEMORY, SIZES, epoch)?;
/// let sample = recorder.place::<(&u16,)>(Kind::Event, None, "sample", "adc", &["millivolts"]).expect("there is room");
/// let mut writer = recorder.writer(0, 1, "main").expect("the ring has no writer");
/// writer.record(17, sample, (&3300,));
/// # Ok::<(), aqueduct_recorder::ring::LayoutError>(())
/// ```
#[derive(Debug)]
pub struct BareRecorder<'m> {
    region: Region<'m>,
    places: u32,
}

impl<'m> BareRecorder<'m> {
    /// Makes a recorder without records, in memory with any contents.
    ///
    /// # Errors
    /// [`LayoutError`] if the memory has fewer words than [`Sizes::words`], or `sizes` has no
    /// rings, or rings that are too small.
    pub fn new(words: &'m [Word], sizes: Sizes, epoch: Epoch) -> Result<Self, LayoutError> {
        let geometry = sizes.geometry();
        let needed = geometry.words().filter(|_| sizes.rings > 0).ok_or(LayoutError)?;
        let words = words.get(..needed).ok_or(LayoutError)?;
        let Epoch { ticks_per_second, start, start_unix_nanos, process } = epoch;
        let values = [ticks_per_second.max(1), start, start_unix_nanos, process, 0];
        Ok(Self { region: Region::create(words, geometry, &values)?, places: 0 })
    }

    /// Adds a place that records values of these types. Returns `None` if its names do not fit into
    /// the table.
    pub fn place<V: Values>(
        &mut self,
        kind: Kind,
        level: Option<Level>,
        name: &'static str,
        target: &'static str,
        fields: &'static [&'static str],
    ) -> Option<BarePlace> {
        let number = self.places + 1;
        let site = Site::new(kind, name, target, "", 0, fields).with_level(level);
        let is_added = number <= MOST_SITES
            && fields.len() == V::COUNT
            && self.region.append(|entry| site.write_entry(entry, number, V::SIGNATURE));
        is_added.then(|| {
            self.places = number;
            BarePlace { number, signature: V::SIGNATURE }
        })
    }

    /// Returns the writer of a ring, for the thread with this number, which is not 0, and this
    /// name. The first 32 bytes of the name are kept. Returns `None` if the ring does not exist, or
    /// has a writer.
    #[must_use]
    pub fn writer(&self, ring: usize, thread: u64, name: &str) -> Option<BareWriter<'m>> {
        let mut writer = self.region.rings().nth(ring)?.ok()?.claim(thread)?;
        let label = Label::new(&writer, name);
        writer.set_label(&label.0);
        Some(BareWriter { region: self.region, writer })
    }
}

/// A place of a [`BareRecorder`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BarePlace {
    number: u32,
    signature: u32,
}

/// A writer of a ring of a [`BareRecorder`]. One thread or handler at a time uses it.
pub struct BareWriter<'m> {
    region: Region<'m>,
    writer: Writer<'m>,
}

impl BareWriter<'_> {
    /// Records values at a tick: an event, a counter's value, or the start of a span. Returns
    /// whether the record is written. A record is refused, and counted as refused, if its values
    /// have other types than the place's, or are too long for a block.
    ///
    /// Wait-free. Ticks do not decrease: an earlier tick is replaced by the last one.
    #[inline]
    pub fn record<V: Values>(&mut self, tick: u64, place: BarePlace, values: V) -> bool {
        if place.signature != V::SIGNATURE {
            self.region.refuse();
            return false;
        }
        let Some(mut draft) = self.writer.record(tick, tag(place.number, false), values.bytes(0)) else { return false };
        values.put(0, &mut draft);
        draft.commit();
        true
    }

    /// Records the end of a span of the place.
    pub fn end_span(&mut self, tick: u64, place: BarePlace) {
        if let Some(draft) = self.writer.record(tick, tag(place.number, true), 0) {
            draft.commit();
        }
    }
}

impl fmt::Debug for BareWriter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BareWriter").field("writer", &self.writer).finish_non_exhaustive()
    }
}
