//! The layer: what `tracing` reports becomes records.

use aqueduct_recorder::{AnyValue, DumpRequest, end_span, record, record_any};
use tracing_core::span::{Attributes, Id, Record};
use tracing_core::{Event, Level, Subscriber};
use tracing_subscriber::layer::{Context, Layer};
use tracing_subscriber::registry::LookupSpan;

use crate::sites::Sites;
use crate::values;

/// A layer that records into the recorder of the process. Without a recorder, it records nothing.
///
/// Filters for each layer work as with all layers (`Layer::with_filter`).
///
/// # Cost
/// The first record of each place takes a lock, allocates, and keeps some hundred bytes until the process ends. Later
/// ones do not allocate, unless a `Debug` implementation does. Each change of the types of one place's values takes a
/// lock.
#[derive(Debug, Default)]
pub struct RecorderLayer {
    sites: Sites,
    dump: Option<(Level, DumpRequest)>,
}

impl RecorderLayer {
    /// Makes a layer that redacts nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds names of fields whose values are never written, nor formatted.
    #[must_use]
    pub fn redact<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.sites.redact(names.into_iter().map(Into::into));
        self
    }

    /// Asks for a dump after each event of this level or a more severe one. The event's thread does not wait for it.
    ///
    /// The dump has all that is in the rings: `Trace::last_nanos` leaves the last part of it. Events that come while
    /// a dump is being written make one more dump together.
    #[must_use]
    pub fn dump_on(mut self, level: Level, request: DumpRequest) -> Self {
        self.dump = Some((level, request));
        self
    }
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for RecorderLayer {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let site = self.sites.of(attributes.metadata());
        // The parent that the layer's filter lets through.
        let parent = context.span(id).and_then(|span| span.parent()).map_or(0, |parent| parent.id().into_u64());
        let first = [AnyValue::Unsigned(id.into_u64()), AnyValue::Unsigned(parent)];
        values::collect(
            &first,
            site.fields,
            site.redacted,
            |visit| attributes.record(visit),
            |all| record_any(&site.new, all),
        );
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        let Some(metadata) = context.metadata(id) else { return };
        let site = self.sites.of(metadata);
        let first = [AnyValue::Unsigned(id.into_u64()), AnyValue::Absent];
        values::collect(
            &first,
            site.fields,
            site.redacted,
            |visit| values.record(visit),
            |all| record_any(&site.record, all),
        );
    }

    fn on_follows_from(&self, id: &Id, follows: &Id, context: Context<'_, S>) {
        let Some(metadata) = context.metadata(id) else { return };
        record(&self.sites.of(metadata).follows, (&id.into_u64(), &follows.into_u64()));
    }

    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let site = self.sites.of(event.metadata());
        values::collect(&[], site.fields, site.redacted, |visit| event.record(visit), |all| record_any(&site.own, all));
        if let Some((level, request)) = &self.dump
            && event.metadata().level() <= level
        {
            request.dump();
        }
    }

    fn on_enter(&self, id: &Id, context: Context<'_, S>) {
        let Some(metadata) = context.metadata(id) else { return };
        record(&self.sites.of(metadata).own, (&id.into_u64(),));
    }

    fn on_exit(&self, id: &Id, context: Context<'_, S>) {
        let Some(metadata) = context.metadata(id) else { return };
        end_span(&self.sites.of(metadata).own);
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let Some(metadata) = context.metadata(&id) else { return };
        record(&self.sites.of(metadata).close, (&id.into_u64(),));
    }
}
