//! A recorder in a caller's memory: it needs no operating system, no allocator and no thread locals.

use core::fmt;

use crate::level::Level;
use crate::region::{Geometry, Label, Region};
use crate::ring::{LayoutError, Word, Writer};
use crate::site::{Kind, MOST_SITES, Site, tag};
use crate::value::Values;

/// How large the parts of a [`BareRecorder`]'s memory are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sizes {
    /// Rings: each writer has one, for example each core and each handler of interrupts.
    pub rings: usize,
    /// Blocks of a ring, two or more. The oldest one is overwritten as a whole.
    pub blocks: usize,
    /// Words of a block. Of each, 12 have no records.
    pub block_words: usize,
    /// Words for the names of all places. A place takes about a dozen, and more with long names.
    pub table_words: usize,
}

impl Sizes {
    fn geometry(self) -> Geometry {
        let Self { rings, blocks, block_words, table_words } = self;
        Geometry { rings, blocks, block_words, table_words }
    }

    /// Returns how many words the memory has. `None` if there are no such numbers.
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

/// What a recorder's ticks mean.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Epoch {
    /// Ticks of a second, 1 or more.
    pub ticks_per_second: u64,
    /// The tick at which recording begins.
    pub start: u64,
    /// That moment in nanoseconds since 1970; 0 if nobody knows it.
    pub start_unix_nanos: u64,
    /// A number that a reader finds as that of the process.
    pub process: u64,
}

/// A recorder in a caller's memory.
///
/// It has no macros and no clock: a [`BareWriter`] records values of a [`BarePlace`] at a tick. The memory is read by
/// `Trace::read` of the crate with its feature `std`, for example of a debugger's copy or of memory that kept its
/// content through a reset.
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
/// let mut writer = recorder.writer(0, 1, "main").expect("nobody else has the ring");
/// writer.record(17, sample, (&3300,));
/// # Ok::<(), aqueduct_recorder::ring::LayoutError>(())
/// ```
#[derive(Debug)]
pub struct BareRecorder<'m> {
    region: Region<'m>,
    places: u32,
}

impl<'m> BareRecorder<'m> {
    /// Makes a recorder without records in a memory, whatever is there.
    ///
    /// # Errors
    /// [`LayoutError`] if the memory has fewer words than [`Sizes::words`], or there is no ring, or a ring cannot be so
    /// small.
    pub fn new(words: &'m [Word], sizes: Sizes, epoch: Epoch) -> Result<Self, LayoutError> {
        let geometry = sizes.geometry();
        let needed = geometry.words().filter(|_| sizes.rings > 0).ok_or(LayoutError)?;
        let words = words.get(..needed).ok_or(LayoutError)?;
        let Epoch { ticks_per_second, start, start_unix_nanos, process } = epoch;
        let values = [ticks_per_second.max(1), start, start_unix_nanos, process, 0];
        Ok(Self { region: Region::create(words, geometry, &values)?, places: 0 })
    }

    /// Adds a place that records values of these types. Returns `None` if the table has no room for its names.
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

    /// Returns the writer of a ring, for a thread with this number, which is not 0, and name, of which 32 bytes are
    /// kept. Returns `None` if there is no such ring, or it has a writer.
    #[must_use]
    pub fn writer(&self, ring: usize, thread: u64, name: &str) -> Option<BareWriter<'m>> {
        let mut writer = self.region.rings().nth(ring)?.ok()?.claim(thread)?;
        let label = Label::new(&writer, name);
        writer.set_label(&label.0);
        Some(BareWriter { region: self.region, writer })
    }
}

/// A place that a [`BareRecorder`] knows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BarePlace {
    number: u32,
    signature: u32,
}

/// Records into a ring of a [`BareRecorder`]. It is one thread's, or one handler's, at a time.
pub struct BareWriter<'m> {
    region: Region<'m>,
    writer: Writer<'m>,
}

impl BareWriter<'_> {
    /// Records values at a tick: an event, a counter's value, or the start of a span. Returns whether they are written.
    /// If not, they have other types than the place, or are too long for a block, and are counted as refused.
    ///
    /// Wait-free. Ticks do not decrease: an earlier one is taken for the last.
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

    /// Records that a span ends, which the place began.
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
