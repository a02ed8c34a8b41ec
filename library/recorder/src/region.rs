//! The layout of a recorder's memory, and of its file: a head, a table of names, and rings.
//! `FORMAT.md` describes it.

#[cfg(feature = "std")]
use core::ops::Range;
#[cfg(feature = "std")]
use std::vec::Vec;

use crate::ring::{LayoutError, Ring, Word, Writer};
use crate::sync::Ordering;

/// The first word of a complete memory: `AQRECORD`.
pub(crate) const MAGIC: u64 = u64::from_le_bytes(*b"AQRECORD");
/// The version of the layout.
pub(crate) const VERSION: u64 = 2;

/// The indices of the head's words.
pub(crate) mod head {
    pub(crate) const MAGIC: usize = 0;
    pub(crate) const VERSION: usize = 1;
    pub(crate) const RINGS: usize = 2;
    pub(crate) const BLOCKS: usize = 3;
    pub(crate) const BLOCK_WORDS: usize = 4;
    pub(crate) const TABLE_WORDS: usize = 5;
    /// The number of used words of the table.
    pub(crate) const TABLE_USED: usize = 6;
    /// Ticks per second.
    pub(crate) const RATE: usize = 7;
    /// The time at which recording began, in ticks.
    pub(crate) const START: usize = 8;
    /// The time of `START` in nanoseconds since 1970.
    pub(crate) const START_UNIX: usize = 9;
    pub(crate) const PROCESS: usize = 10;
    /// Number of refused records that no ring counts: of threads without a ring, in the middle of
    /// another record, or of places that are not in the table.
    pub(crate) const REFUSED: usize = 11;
    pub(crate) const WORDS: usize = 16;
}

/// The number of words of a label: the records and bytes that were committed before the thread
/// claimed the ring, and the thread's name.
pub(crate) const LABEL_WORDS: usize = 2 + NAME_WORDS;
/// The number of words of a thread's name.
pub(crate) const NAME_WORDS: usize = 4;

/// The number of words of a table entry with empty texts.
#[cfg(feature = "std")]
pub(crate) const SMALLEST_ENTRY: usize = 8;
/// The greatest number of words of an entry.
const LARGEST_ENTRY: usize = 8192;
/// The greatest number of rings. The limit is for readers, which look at each ring: a file with
/// holes may claim any number.
const MOST_RINGS: usize = 1 << 16;

/// The label of a thread's blocks.
pub(crate) struct Label(pub(crate) [u64; LABEL_WORDS]);

impl Label {
    /// Makes the label of a thread with this name that has just claimed the ring.
    pub(crate) fn new(writer: &Writer<'_>, name: &str) -> Self {
        let mut label = [0; LABEL_WORDS];
        [label[0], label[1]] = [writer.records(), writer.bytes()];
        label[2..].iter_mut().zip(words_of(name)).for_each(|(word, bytes)| *word = bytes);
        Self(label)
    }
}

/// The sizes of the parts of a recorder's memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Geometry {
    pub(crate) rings: usize,
    pub(crate) blocks: usize,
    pub(crate) block_words: usize,
    pub(crate) table_words: usize,
}

impl Geometry {
    /// Returns the number of words of a memory, or `None` if it overflows, or has too many rings.
    pub(crate) const fn words(&self) -> Option<usize> {
        if self.rings > MOST_RINGS {
            return None;
        }
        let Some(blocks) = self.blocks.checked_mul(self.block_words) else { return None };
        let Some(ring) = blocks.checked_add(Ring::words(0, 0)) else { return None };
        let Some(rings) = ring.checked_mul(self.rings) else { return None };
        let Some(with_table) = rings.checked_add(self.table_words) else { return None };
        with_table.checked_add(head::WORDS)
    }
}

/// A view of a recorder's memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Region<'m> {
    pub(crate) words: &'m [Word],
    pub(crate) geometry: Geometry,
}

impl<'m> Region<'m> {
    /// Makes a region of zeroed words. `values` are the head's words from [`head::RATE`] on.
    pub(crate) fn create(words: &'m [Word], geometry: Geometry, values: &[u64]) -> Result<Self, LayoutError> {
        let region = Self { words, geometry };
        for ring in region.rings() {
            ring?.clear();
        }
        let Geometry { rings, blocks, block_words, table_words } = geometry;
        let sizes = [VERSION, rings as u64, blocks as u64, block_words as u64, table_words as u64, 0];
        for (word, value) in words[head::VERSION..].iter().zip(sizes.iter().chain(values)) {
            word.store(*value, Ordering::Relaxed);
        }
        // Ordering: Release pairs with the Acquire of `open`, so that another process finds the
        // rest of the head.
        words[head::MAGIC].store(MAGIC, Ordering::Release);
        Ok(region)
    }

    /// Makes a view of a region. Returns `None` if the words are not a region, or have another
    /// version.
    #[cfg(feature = "std")]
    pub(crate) fn open(words: &'m [Word]) -> Option<Self> {
        // Ordering: Acquire pairs with the Release of `create`.
        let is_whole = words.len() >= head::WORDS && words[head::MAGIC].load(Ordering::Acquire) == MAGIC;
        if !is_whole || words[head::VERSION].load(Ordering::Relaxed) != VERSION {
            return None;
        }
        let [rings, blocks, block_words, table_words] =
            [head::RINGS, head::BLOCKS, head::BLOCK_WORDS, head::TABLE_WORDS]
                .map(|word| words[word].load(Ordering::Relaxed) as usize);
        let geometry = Geometry { rings, blocks, block_words, table_words };
        let region = Self { words, geometry };
        // All rings have one size.
        let are_rings = |region: &Self| region.rings().next().is_none_or(|ring| ring.is_ok());
        (geometry.words().is_some_and(|needed| needed <= words.len()) && are_rings(&region)).then_some(region)
    }

    /// Returns the value of a word of the head.
    pub(crate) fn head(&self, word: usize) -> u64 {
        self.words[word].load(Ordering::Relaxed)
    }

    /// Returns the table's words, used or not.
    pub(crate) fn table(&self) -> &'m [Word] {
        &self.words[head::WORDS..][..self.geometry.table_words]
    }

    /// Returns the table's complete words.
    #[cfg(feature = "std")]
    pub(crate) fn used_table(&self) -> Vec<u64> {
        // Ordering: Acquire pairs with the Release of `append`.
        let used = self.words[head::TABLE_USED].load(Ordering::Acquire) as usize;
        self.table()[..used.min(self.geometry.table_words)].iter().map(|word| word.load(Ordering::Relaxed)).collect()
    }

    /// Returns the words of each complete entry of the table, without its length. An impossible
    /// length ends the iteration.
    #[cfg(feature = "std")]
    pub(crate) fn entries(&self) -> impl Iterator<Item = Vec<u64>> + use<'m> {
        // Ordering: Acquire pairs with the Release of `append`.
        let used = self.words[head::TABLE_USED].load(Ordering::Acquire) as usize;
        let mut rest = &self.table()[..used.min(self.geometry.table_words)];
        core::iter::from_fn(move || {
            let len = rest.first()?.load(Ordering::Relaxed) as usize;
            let is_possible = (SMALLEST_ENTRY..=LARGEST_ENTRY).contains(&len);
            let (entry, behind) = rest.split_at_checked(len).filter(|_| is_possible)?;
            rest = behind;
            Some(entry[1..].iter().map(|word| word.load(Ordering::Relaxed)).collect())
        })
    }

    /// Appends an entry to the table, for one thread at a time. Returns whether the table had room
    /// for it.
    pub(crate) fn append(&self, write: impl FnOnce(&mut Entry<'m>)) -> bool {
        let used = self.head(head::TABLE_USED) as usize;
        let Some(words) = self.table().get(used..).filter(|words| !words.is_empty()) else { return false };
        // The first word of an entry is its length.
        let mut entry = Entry { words, len: 1 };
        write(&mut entry);
        if entry.len > words.len().min(LARGEST_ENTRY) {
            return false;
        }
        words[0].store(entry.len as u64, Ordering::Relaxed);
        // Ordering: Release pairs with the Acquire of `used_table`, which then finds the entry's
        // words.
        self.words[head::TABLE_USED].store((used + entry.len) as u64, Ordering::Release);
        true
    }

    /// Counts a record that no ring counts.
    #[cold]
    pub(crate) fn refuse(&self) {
        self.words[head::REFUSED].fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the rings.
    pub(crate) fn rings(&self) -> impl Iterator<Item = Result<Ring<'m>, LayoutError>> + use<'m> {
        let Geometry { rings, blocks, block_words, table_words } = self.geometry;
        let words = &self.words[head::WORDS + table_words..];
        let each = words.chunks_exact(Ring::words(blocks, block_words)).take(rings);
        each.map(move |words| Ring::new(words, block_words, LABEL_WORDS))
    }
}

#[cfg(feature = "std")]
impl Region<'_> {
    /// Returns the words of a region with the present records of this one.
    pub(crate) fn image(&self) -> Result<Vec<u64>, LayoutError> {
        let mut rings = Vec::new();
        for ring in self.rings() {
            let ring = ring?;
            rings.extend(ring.snapshot().image(&ring));
        }
        Ok(self.image_of(self.geometry, &rings))
    }

    /// Returns the words of a region with the records of these ticks. It is as small as possible.
    pub(crate) fn image_within(&self, ticks: Range<u64>) -> Result<Vec<u64>, LayoutError> {
        let mut cuts = Vec::new();
        for ring in self.rings() {
            let ring = ring?;
            cuts.push(ring.snapshot().cut(&ring, ticks.clone()));
        }
        // Rings with low indices are used first.
        let rings = cuts.iter().rposition(|cut| !cut.is_blank()).map_or(1, |last| last + 1);
        let blocks = cuts.iter().map(|cut| cut.blocks()).max().unwrap_or(0).max(2);
        let words: Vec<u64> = cuts.iter().take(rings).flat_map(|cut| cut.image(blocks)).collect();
        let table_words = self.used_table().len();
        Ok(self.image_of(Geometry { rings, blocks, table_words, ..self.geometry }, &words))
    }

    /// Returns the words of a region with these rings.
    fn image_of(&self, geometry: Geometry, rings: &[u64]) -> Vec<u64> {
        // The table is read after the rings, so it has the name of every record in them.
        let mut table = self.used_table();
        let mut image: Vec<u64> = (0..head::WORDS).map(|word| self.head(word)).collect();
        image[head::TABLE_USED] = table.len() as u64;
        let table_words = geometry.table_words.max(table.len());
        let sizes = [geometry.rings, geometry.blocks, geometry.block_words, table_words];
        image[head::RINGS..=head::TABLE_WORDS].copy_from_slice(&sizes.map(|size| size as u64));
        table.resize(table_words, 0);
        image.extend(table);
        image.extend(rings);
        image
    }
}

/// An entry of the table that is being written. Words beyond the table's end are only counted.
pub(crate) struct Entry<'m> {
    words: &'m [Word],
    len: usize,
}

impl Entry<'_> {
    /// Appends a word.
    pub(crate) fn put(&mut self, value: u64) {
        if let Some(word) = self.words.get(self.len) {
            word.store(value, Ordering::Relaxed);
        }
        self.len += 1;
    }

    /// Appends a text: its number of bytes, and its bytes.
    pub(crate) fn put_text(&mut self, text: &str) {
        self.put(text.len() as u64);
        words_of(text).for_each(|word| self.put(word));
    }
}

/// Returns the words that hold the bytes of a text.
fn words_of(text: &str) -> impl Iterator<Item = u64> {
    text.as_bytes().chunks(8).map(|bytes| {
        let mut word = [0; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        u64::from_le_bytes(word)
    })
}

/// Takes a text of `len` bytes off the start of words.
#[cfg(feature = "std")]
pub(crate) fn take_bytes(words: &mut &[u64], len: usize) -> Option<String> {
    let (text, rest) = words.split_at_checked(len.div_ceil(8))?;
    *words = rest;
    let mut bytes: Vec<u8> = text.iter().flat_map(|word| word.to_le_bytes()).collect();
    bytes.truncate(len);
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Takes a word off the start of words.
#[cfg(feature = "std")]
pub(crate) fn take(words: &mut &[u64]) -> Option<u64> {
    let (first, rest) = words.split_first()?;
    *words = rest;
    Some(*first)
}

/// Takes a text off the start of words.
#[cfg(feature = "std")]
pub(crate) fn take_text(words: &mut &[u64]) -> Option<String> {
    let len = take(words)?;
    take_bytes(words, usize::try_from(len).ok()?)
}
