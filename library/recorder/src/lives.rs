//! The lives of numbered spans. `aqueduct-tracing` records when a span is created and when it is
//! closed: as events `new NAME` and `close NAME` at the place of the span NAME, with the span's
//! `id` as first field. In drawn formats, the span itself replaces both, with the fields of
//! `new NAME`.

use std::collections::{HashMap, HashSet};

use crate::site::Kind;
use crate::trace::{Event, Field, Trace};

/// A span's name, file, line and number.
type Span<'t> = (&'t str, &'t str, u32, u64);

/// The spans of a trace, event by event.
pub(crate) struct Lives<'t> {
    started: HashSet<Span<'t>>,
    /// The events `new NAME` of the spans that are not closed yet.
    made: HashMap<Span<'t>, &'t Event>,
}

impl<'t> Lives<'t> {
    pub(crate) fn of(trace: &'t Trace) -> Self {
        let starts = trace.events().iter().filter(|event| event.place.kind == Kind::Span);
        let started = starts.filter_map(|event| span(&event.place.name, event)).collect();
        Self { started, made: HashMap::new() }
    }

    /// Whether an event is the `new NAME` or `close NAME` of a span that starts somewhere in the
    /// trace.
    pub(crate) fn includes(&mut self, event: &'t Event) -> bool {
        let Some((what, name)) = event.place.name.split_once(' ') else { return false };
        let span = span(name, event).filter(|span| event.place.kind == Kind::Event && self.started.contains(span));
        match (what, span) {
            ("new", Some(span)) => drop(self.made.insert(span, event)),
            ("close", Some(span)) => drop(self.made.remove(&span)),
            _ => return false,
        }
        true
    }

    /// Returns the event with the fields of a span that starts now: its `new NAME`, or the start
    /// itself.
    pub(crate) fn values_of(&self, start: &'t Event) -> &'t Event {
        span(&start.place.name, start).and_then(|span| self.made.get(&span).copied()).unwrap_or(start)
    }
}

/// Returns the event's span, of this name, if the event has the span's number.
fn span<'t>(name: &'t str, event: &'t Event) -> Option<Span<'t>> {
    let place = &*event.place;
    match (place.fields.first()?, event.values.first()?) {
        ((key, _), Field::Unsigned(id)) if key == "id" => Some((name, &place.file, place.line, *id)),
        _ => None,
    }
}
