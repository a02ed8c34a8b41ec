//! Places in a program that record events: their names are written once, and each event has a number only.

use crate::region::put_text;
use crate::sync::{AtomicU64, Ordering};
use crate::value::MOST_VALUES;

/// What a place records.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Kind {
    /// Something that happens at one moment.
    Event = 1,
    /// Something that begins and ends.
    Span = 2,
    /// A value that changes.
    Counter = 3,
}

impl Kind {
    /// Returns the kind with this number.
    pub(crate) fn of(number: u64) -> Option<Self> {
        [Self::Event, Self::Span, Self::Counter].into_iter().find(|kind| *kind as u64 == number)
    }
}

/// A place in a program: the macros make one for each call.
#[derive(Debug)]
pub struct Site {
    /// The site's number in the table, and from bit 32 on the types of its values. 0 before the first record.
    cached: AtomicU64,
    pub(crate) kind: Kind,
    pub(crate) name: &'static str,
    module: &'static str,
    file: &'static str,
    line: u32,
    fields: &'static [&'static str],
}

impl Site {
    /// Makes a site. Of its fields, the first eight are used.
    #[must_use]
    pub const fn new(
        kind: Kind,
        name: &'static str,
        module: &'static str,
        file: &'static str,
        line: u32,
        fields: &'static [&'static str],
    ) -> Self {
        Self { cached: AtomicU64::new(0), kind, name, module, file, line, fields }
    }

    /// Returns the site's number, if it was used last with values of these types.
    #[inline]
    pub(crate) fn number(&self, signature: u32) -> Option<u32> {
        // Ordering: Acquire pairs with the release of `remember`. A reader that finds a record with this number then
        // finds the entry in the table.
        let cached = self.cached.load(Ordering::Acquire);
        (cached >> 32 == u64::from(signature) && cached as u32 != 0).then_some(cached as u32)
    }

    /// Returns the site's number with values of any types, if it has recorded.
    #[inline]
    pub(crate) fn any_number(&self) -> Option<u32> {
        // Ordering: Acquire, for the reason of `number`.
        let cached = self.cached.load(Ordering::Acquire) as u32;
        (cached != 0).then_some(cached)
    }

    /// Keeps the number that the site has in the table, with values of these types.
    pub(crate) fn remember(&self, number: u32, signature: u32) {
        // Ordering: Release pairs with the acquire of `number`: the entry is in the table.
        self.cached.store(u64::from(number) | u64::from(signature) << 32, Ordering::Release);
    }

    /// Returns the site's entry in the table.
    pub(crate) fn entry(&self, number: u32, signature: u32) -> Vec<u64> {
        let names = &self.fields[..self.fields.len().min(MOST_VALUES)];
        let fields = names.len() as u64;
        let mut words =
            vec![0, u64::from(number), self.kind as u64 | fields << 8, u64::from(signature), u64::from(self.line)];
        for text in [self.name, self.module, self.file].iter().chain(names) {
            put_text(&mut words, text);
        }
        words[0] = words.len() as u64;
        words
    }
}

/// Records an event: a name, and up to eight values with their names.
///
/// Values are numbers, `bool`s and texts. Names are written once, when the place records for the first time.
///
/// # Examples
/// ```
/// use aqueduct_recorder::event;
///
/// let peer = String::from("10.0.0.7");
/// event!("request", peer, bytes = 1500_u32, is_first = true);
/// ```
#[macro_export]
macro_rules! event {
    ($name:expr $(, $key:ident $(= $value:expr)?)* $(,)?) => {{
        static SITE: $crate::Site = $crate::__site!(Event, $name $(, $key)*);
        $crate::record(&SITE, ($(&$crate::__value!($key $(= $value)?),)*));
    }};
}

/// Records the start of a span, and its end when the returned [`Span`](crate::Span) is dropped.
///
/// # Examples
/// ```
/// use aqueduct_recorder::span;
///
/// fn answer(request: u64) {
///     let _span = span!("answer", request);
///     // What the span measures.
/// }
/// answer(7);
/// ```
#[macro_export]
macro_rules! span {
    ($name:expr $(, $key:ident $(= $value:expr)?)* $(,)?) => {{
        static SITE: $crate::Site = $crate::__site!(Span, $name $(, $key)*);
        $crate::Span::begin(&SITE, ($(&$crate::__value!($key $(= $value)?),)*))
    }};
}

/// Records the value that a counter has now.
///
/// # Examples
/// ```
/// aqueduct_recorder::counter!("queue length", 17);
/// ```
#[macro_export]
macro_rules! counter {
    ($name:expr, $value:expr) => {{
        static SITE: $crate::Site = $crate::__site!(Counter, $name, value);
        $crate::record(&SITE, (&$value,));
    }};
}

#[doc(hidden)]
#[macro_export]
macro_rules! __site {
    ($kind:ident, $name:expr $(, $key:ident)*) => {
        $crate::Site::new(
            $crate::Kind::$kind,
            $name,
            ::core::module_path!(),
            ::core::file!(),
            ::core::line!(),
            &[$(::core::stringify!($key)),*],
        )
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __value {
    ($key:ident = $value:expr) => {
        $value
    };
    ($key:ident) => {
        $key
    };
}
