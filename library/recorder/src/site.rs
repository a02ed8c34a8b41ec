//! Places (call sites) in a program that record events. Their names are written once, and each
//! event holds only a number.

use crate::level::Level;
use crate::region::Entry;
use crate::sync::{AtomicU64, Ordering};
use crate::value::MOST_VALUES;

/// The kind of a place's records.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Kind {
    /// An event at one moment.
    Event = 1,
    /// A span of time, with a start and an end.
    Span = 2,
    /// A value that changes.
    Counter = 3,
}

impl Kind {
    /// Returns the kind with this number.
    #[cfg(feature = "std")]
    pub(crate) fn of(number: u64) -> Option<Self> {
        [Self::Event, Self::Span, Self::Counter].into_iter().find(|kind| *kind as u64 == number)
    }
}

/// The bits of a site's number: a record's tag has 20 bits, and one of them marks the end of a
/// span.
const NUMBER_BITS: u32 = 19;
/// The greatest number of a site.
pub(crate) const MOST_SITES: u32 = (1 << NUMBER_BITS) - 1;

/// Returns a record's tag: the number of a site, and whether the record is the end of a span. Small
/// numbers make short records.
#[inline]
pub(crate) const fn tag(site: u32, is_end: bool) -> u32 {
    site << 1 | is_end as u32
}

/// Returns the number of the site, and whether the record is the end of a span.
#[cfg(feature = "std")]
pub(crate) const fn of_tag(tag: u32) -> (u32, bool) {
    (tag >> 1, tag & 1 != 0)
}

/// The decision about a site, which is made once. It fits into one word, so that a record needs one
/// load.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Decision {
    /// The site's number in the table for values of these types. 0 before the first record.
    pub(crate) number: u32,
    /// A bit for each field that is not written.
    pub(crate) redacted: u8,
    /// True if the site does not record.
    pub(crate) is_off: bool,
    /// True if each event of the site requests a dump.
    pub(crate) requests_dump: bool,
    /// The types of the written values: four bits each, from the lowest ones on.
    pub(crate) signature: u32,
}

/// Bits of a decision's word, above the number. If one of them is set, a record takes the slow
/// path.
const REDACTED: u32 = 20;
const IS_OFF: u32 = 28;
const REQUESTS_DUMP: u32 = 29;
const SIGNATURE: u32 = 32;

impl Decision {
    fn to_word(self) -> u64 {
        u64::from(self.number)
            | u64::from(self.redacted) << REDACTED
            | u64::from(self.is_off) << IS_OFF
            | u64::from(self.requests_dump) << REQUESTS_DUMP
            | u64::from(self.signature) << SIGNATURE
    }

    fn of_word(word: u64) -> Self {
        Self {
            number: word as u32 & MOST_SITES,
            redacted: (word >> REDACTED) as u8,
            is_off: word >> IS_OFF & 1 != 0,
            requests_dump: word >> REQUESTS_DUMP & 1 != 0,
            signature: (word >> SIGNATURE) as u32,
        }
    }
}

/// Result of the check that a record makes of its site's word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Glance {
    /// The site has this number with values of these types, and the record takes the fast path.
    Number(u32),
    /// The site does not record.
    Off,
    /// The record takes the slow path: a decision is missing, or a field is redacted, or the record
    /// requests a dump.
    Other,
}

/// Returns a signature without the types of the redacted values.
pub(crate) fn without(signature: u32, redacted: u8) -> u32 {
    (0..MOST_VALUES as u32).filter(|at| redacted >> at & 1 != 0).fold(signature, |rest, at| rest & !(0xf << (4 * at)))
}

/// A place (call site) in a program: the macros make one for each call.
#[derive(Debug)]
pub struct Site {
    /// The decision about the site: a [`Decision`], or 0.
    decided: AtomicU64,
    kind: Kind,
    level: Option<Level>,
    name: &'static str,
    target: &'static str,
    file: &'static str,
    line: u32,
    fields: &'static [&'static str],
}

impl Site {
    /// Makes a site without a level. Only its first eight fields are used.
    #[must_use]
    pub const fn new(
        kind: Kind,
        name: &'static str,
        target: &'static str,
        file: &'static str,
        line: u32,
        fields: &'static [&'static str],
    ) -> Self {
        Self { decided: AtomicU64::new(0), kind, level: None, name, target, file, line, fields }
    }

    /// Sets the level.
    #[must_use]
    pub const fn with_level(mut self, level: Option<Level>) -> Self {
        self.level = level;
        self
    }

    /// Returns the kind of the site's records.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Returns the site's name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the site's target: its module, if no other target was set.
    #[must_use]
    pub fn target(&self) -> &'static str {
        self.target
    }

    /// Returns the site's level, if it has one.
    #[must_use]
    pub fn level(&self) -> Option<Level> {
        self.level
    }

    /// Returns the names of the site's used fields.
    #[must_use]
    pub fn fields(&self) -> &'static [&'static str] {
        &self.fields[..self.fields.len().min(MOST_VALUES)]
    }

    /// Checks the site's word for a record with values of these types.
    #[inline]
    pub(crate) fn glance(&self, signature: u32) -> Glance {
        // Ordering: Acquire pairs with the Release of `decide`. A reader that finds a record with
        // this number then finds the entry in the table.
        let word = self.decided.load(Ordering::Acquire);
        let rest = word ^ u64::from(signature) << SIGNATURE;
        // One comparison finds three cases: another type, a bit above the number, or no number.
        if rest.wrapping_sub(1) < u64::from(MOST_SITES) {
            Glance::Number(rest as u32)
        } else if word >> IS_OFF & 1 != 0 {
            Glance::Off
        } else {
            Glance::Other
        }
    }

    /// Returns the decision about the site.
    #[inline]
    pub(crate) fn decided(&self) -> Decision {
        // Ordering: Acquire, for the reason of `glance`.
        Decision::of_word(self.decided.load(Ordering::Acquire))
    }

    /// Stores the decision about the site.
    pub(crate) fn decide(&self, decision: Decision) {
        // Ordering: Release pairs with the Acquire of `glance`: the entry is in the table.
        self.decided.store(decision.to_word(), Ordering::Release);
    }

    /// Writes the site's entry in the table.
    pub(crate) fn write_entry(&self, entry: &mut Entry<'_>, number: u32, signature: u32) {
        let (names, level) = (self.fields(), self.level.map_or(0, |level| level as u64));
        entry.put(u64::from(number));
        entry.put(self.kind as u64 | (names.len() as u64) << 8);
        entry.put(u64::from(signature));
        entry.put(u64::from(self.line) | level << 32);
        [self.name, self.target, self.file].iter().chain(names).for_each(|text| entry.put_text(text));
    }
}
