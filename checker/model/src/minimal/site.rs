//! The orderings of a call site, and the weaker ones.

use std::fmt;
use std::sync::atomic::Ordering;

use crate::config::Override;
use crate::report::SiteReport;

const ALL: [Ordering; 5] =
    [Ordering::SeqCst, Ordering::AcqRel, Ordering::Acquire, Ordering::Release, Ordering::Relaxed];

/// Returns the ordering of this name, such as `AcqRel`.
#[must_use]
pub fn ordering_named(name: &str) -> Option<Ordering> {
    ALL.into_iter().find(|ordering| format!("{ordering:?}") == name)
}

/// Returns the effects of an ordering as a set: acquiring, releasing, and taking part in the order
/// of all `SeqCst`.
fn strength(ordering: Ordering) -> u8 {
    match ordering {
        Ordering::Relaxed => 0b000,
        Ordering::Acquire => 0b001,
        Ordering::Release => 0b010,
        Ordering::AcqRel => 0b011,
        _ => 0b111,
    }
}

fn is_weaker(a: Ordering, b: Ordering) -> bool {
    a != b && strength(a) & strength(b) == strength(a)
}

/// Returns the weakest ordering that is as strong as both.
fn join(a: Ordering, b: Ordering) -> Ordering {
    let both = strength(a) | strength(b);
    ALL.into_iter().find(|&ordering| strength(ordering) == both).unwrap_or(Ordering::SeqCst)
}

/// A part of a call that has an ordering.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Part {
    /// The only part; for a compare-exchange, its success.
    Access,
    /// The failure of a compare-exchange.
    Failure,
}

/// A class of operations by their possible orderings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Class {
    Load,
    Store,
    /// A read-modify-write or a fence.
    Both,
    /// One side of a pair of asymmetric fences, which is present or not.
    All,
    /// Loads and stores at one place, as macros make them.
    Mixed,
}

impl Class {
    fn of(operation: &str) -> Self {
        match operation {
            "load" => Self::Load,
            "store" => Self::Store,
            "light_fence" | "heavy_fence" => Self::All,
            _ => Self::Both,
        }
    }

    fn and(self, other: Self) -> Self {
        if self == other { self } else { Self::Mixed }
    }

    fn takes(self, ordering: Ordering) -> bool {
        match ordering {
            Ordering::Relaxed | Ordering::SeqCst => true,
            Ordering::Acquire => matches!(self, Self::Load | Self::Both),
            Ordering::Release => matches!(self, Self::Store | Self::Both),
            _ => self == Self::Both,
        }
    }

    /// Returns the orderings weaker than this one, the strongest first.
    fn weaker(self, than: Ordering) -> impl Iterator<Item = Ordering> + Clone {
        ALL.into_iter().filter(move |&ordering| is_weaker(ordering, than) && self.takes(ordering))
    }
}

/// Whether an operation, as [`SiteReport::operation`] names it, may have this ordering. A `Relaxed`
/// fence does not exist.
#[must_use]
pub fn takes(operation: &str, ordering: Ordering) -> bool {
    Class::of(operation).takes(ordering)
}

/// An ordering that a program names: one of a call that some client's execution reached.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Site {
    /// The source file.
    pub file: &'static str,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
    /// The method: `load`, `fetch_add`, `fence`, ...; if one place has several, all of them.
    pub operation: String,
    /// The part of the call.
    pub part: Part,
    /// The ordering that the program names; if that differs from call to call, the strongest.
    pub ordering: Ordering,
    /// Whether the ordering was ever used. It is false for the failure of a compare-exchange that
    /// never failed, and for the success of one that never succeeded.
    pub applies: bool,
    class: Class,
    call: Orderings,
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, column, ordering, .. } = self;
        write!(f, "{file}:{line}:{column} {} {ordering:?}", self.what())
    }
}

impl Site {
    /// Returns the operation, and the part of it.
    #[must_use]
    pub fn what(&self) -> String {
        match self.part {
            Part::Access => self.operation.clone(),
            Part::Failure => format!("{}, failing", self.operation),
        }
    }

    /// Returns an override that gives the call this ordering, and leaves its other one, if it has
    /// two, as it is written.
    #[must_use]
    pub fn instead(&self, ordering: Ordering) -> Override {
        self.call.with(self.part, ordering).at((self.file, self.line, self.column))
    }

    /// Returns the weaker orderings that the operation may have, the strongest first.
    pub fn weaker(&self) -> impl Iterator<Item = Ordering> + use<> {
        self.class.weaker(self.ordering)
    }

    /// Whether no ordering lies between this weaker one and the site's.
    #[must_use]
    pub fn is_one_step(&self, weaker: Ordering) -> bool {
        is_weaker(weaker, self.ordering) && !self.weaker().any(|between| is_weaker(weaker, between))
    }
}

/// The place of a call in the source.
pub(super) type Key = (&'static str, u32, u32);

/// Returns the place of a report's call.
pub(super) fn key(report: &SiteReport) -> Key {
    (report.file, report.line, report.column)
}

/// The orderings of a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Orderings {
    access: Ordering,
    failure: Option<Ordering>,
}

impl Orderings {
    pub(super) fn of(self, part: Part) -> Option<Ordering> {
        match part {
            Part::Access => Some(self.access),
            Part::Failure => self.failure,
        }
    }

    pub(super) fn with(self, part: Part, ordering: Ordering) -> Self {
        match part {
            Part::Access => Self { access: ordering, ..self },
            Part::Failure => Self { failure: Some(ordering), ..self },
        }
    }

    /// Returns an override that gives these orderings to the call at a place.
    pub(super) fn at(self, (file, line, column): Key) -> Override {
        Override { file: file.to_owned(), line, column, ordering: Some(self.access), failure: self.failure }
    }
}

/// A place in the source with an atomic call, and its orderings.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) key: Key,
    operation: String,
    class: Class,
    written: Orderings,
    succeeds: bool,
    fails: bool,
}

impl Place {
    /// Returns all calls of these reports, by place. `fetch_update`, for one, is a load and a
    /// compare-exchange at one place.
    pub(super) fn all(reports: &[SiteReport]) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        for report in reports {
            match all.iter_mut().find(|place| place.key == key(report)) {
                Some(place) => place.add(report),
                None => all.push(Self::new(report)),
            }
        }
        all.sort_by_key(|place| place.key);
        all
    }

    fn new(report: &SiteReport) -> Self {
        let ordering = |name: &str| ordering_named(name).unwrap_or(Ordering::SeqCst);
        Self {
            key: key(report),
            operation: report.operation.to_owned(),
            class: Class::of(report.operation),
            written: Orderings { access: ordering(report.ordering), failure: report.failure_ordering.map(ordering) },
            succeeds: report.succeeds,
            fails: report.fails,
        }
    }

    fn add(&mut self, report: &SiteReport) {
        let other = Self::new(report);
        if !self.operation.split(", ").any(|operation| operation == report.operation) {
            self.operation = format!("{}, {}", self.operation, report.operation);
        }
        let (a, b) = (self.written, other.written);
        self.written = match (a.failure, b.failure) {
            (None, None) => Orderings { access: join(a.access, b.access), failure: None },
            (Some(x), Some(y)) => Orderings { access: join(a.access, b.access), failure: Some(join(x, y)) },
            // A load beside a compare-exchange has the ordering of the failure.
            (Some(x), None) => Orderings { access: a.access, failure: Some(join(x, b.access)) },
            (None, Some(y)) => Orderings { access: b.access, failure: Some(join(y, a.access)) },
        };
        self.class = match (a.failure, b.failure) {
            (None, None) => self.class.and(other.class),
            _ => Class::Both,
        };
        self.succeeds |= other.succeeds;
        self.fails |= other.fails || a.failure.is_some() != b.failure.is_some();
    }

    /// Returns `SeqCst` for every part.
    pub(super) fn strongest(&self) -> Orderings {
        Orderings { access: Ordering::SeqCst, failure: self.written.failure.map(|_| Ordering::SeqCst) }
    }

    /// Returns one of the orderings, if the call has that part.
    pub(super) fn site(&self, part: Part) -> Option<Site> {
        let (file, line, column) = self.key;
        Some(Site {
            file,
            line,
            column,
            operation: self.operation.clone(),
            part,
            ordering: self.written.of(part)?,
            applies: if part == Part::Access { self.succeeds } else { self.fails },
            class: if part == Part::Access { self.class } else { Class::Load },
            call: self.written,
        })
    }

    /// Returns all orderings of the call.
    pub(super) fn sites(&self) -> impl Iterator<Item = Site> {
        [Part::Access, Part::Failure].into_iter().filter_map(|part| self.site(part))
    }
}
