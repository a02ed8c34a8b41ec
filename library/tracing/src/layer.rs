//! The layer, which records `tracing`'s spans and events.

use aqueduct_recorder::{AnyValue, DumpRequest, end_span, record, record_buffer};
use tracing_core::span::{Attributes, Id, Record};
use tracing_core::{Event, Level, Subscriber};
use tracing_subscriber::layer::{Context, Layer};
use tracing_subscriber::registry::LookupSpan;

use crate::sites::{CallSite, Sites};
use crate::{spans, values};

/// A layer that records into the recorder of the process. Without a recorder, it records nothing.
///
/// Per-layer filters (`Layer::with_filter`) work as usual. A signal handler must not use `tracing`
/// with this layer, which allocates and takes locks.
///
/// # Cost
/// The first record of each place takes a lock, allocates, and keeps some hundred bytes until the
/// process ends. Later records do not allocate, unless a `Debug` implementation does. Each change
/// of the types of one place's values takes a lock.
#[derive(Debug, Default)]
pub struct RecorderLayer {
    sites: Sites,
    dump: Option<(Level, DumpRequest)>,
}

impl RecorderLayer {
    /// Makes a layer without redaction.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds names of fields whose values are neither written nor formatted.
    #[must_use]
    pub fn redact<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.sites.redact(names.into_iter().map(Into::into));
        self
    }

    /// Requests a dump after each event of this level or a more severe one. The event's thread does
    /// not wait for the dump.
    ///
    /// The dump has all records in the rings, or, with `Dumps::last`, those of the last moments
    /// before the event. Events during the writing of a dump share one further dump.
    #[must_use]
    pub fn dump_on(mut self, level: Level, request: DumpRequest) -> Self {
        self.dump = Some((level, request));
        self
    }

    /// Returns the parent of a new span, or the next of its ancestors that the layer's filter lets
    /// through.
    #[inline]
    fn parent<S: Subscriber + for<'a> LookupSpan<'a>>(
        &self,
        attributes: &Attributes<'_>,
        id: &Id,
        context: &Context<'_, S>,
    ) -> Option<Id> {
        if attributes.is_root() {
            return None;
        }
        if attributes.is_contextual() {
            let current = context.current_span();
            match (current.id(), current.metadata()) {
                (None, _) if current.is_known() => return None,
                // The layer knows only spans that passed its filter.
                (Some(parent), Some(metadata)) if spans::is_of(self.sites.layer, parent, metadata) => {
                    return Some(parent.clone());
                }
                _ => {}
            }
        }
        context.span(id)?.parent().map(|parent| parent.id())
    }

    /// Returns the callsite of a span.
    #[inline]
    fn site_of<S: Subscriber + for<'a> LookupSpan<'a>>(
        &self,
        id: &Id,
        context: &Context<'_, S>,
    ) -> Option<&'static CallSite> {
        let of_another_thread = || context.metadata(id).map(|metadata| self.sites.of(metadata));
        spans::find(self.sites.layer, id).or_else(of_another_thread)
    }
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for RecorderLayer {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let site = self.sites.of(attributes.metadata());
        spans::made(self.sites.layer, id, site);
        let parent = self.parent(attributes, id, &context).map_or(0, |parent| parent.into_u64());
        let first = [AnyValue::Unsigned(id.into_u64()), AnyValue::Unsigned(parent)];
        values::collect(&first, site.redacted, |visit| attributes.record(visit), |all| record_buffer(&site.new, all));
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        let Some(site) = self.site_of(id, &context) else { return };
        let first = [AnyValue::Unsigned(id.into_u64()), AnyValue::Absent];
        values::collect(&first, site.redacted, |visit| values.record(visit), |all| record_buffer(&site.record, all));
    }

    fn on_follows_from(&self, id: &Id, follows: &Id, context: Context<'_, S>) {
        let Some(site) = self.site_of(id, &context) else { return };
        record(&site.follows, (&id.into_u64(), &follows.into_u64()));
    }

    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let site = self.sites.of(event.metadata());
        values::collect(&[], site.redacted, |visit| event.record(visit), |all| record_buffer(&site.own, all));
        if let Some((level, request)) = &self.dump
            && event.metadata().level() <= level
        {
            request.dump();
        }
    }

    fn on_enter(&self, id: &Id, context: Context<'_, S>) {
        let Some(site) = self.site_of(id, &context) else { return };
        record(&site.own, (&id.into_u64(),));
    }

    fn on_exit(&self, id: &Id, context: Context<'_, S>) {
        let Some(site) = self.site_of(id, &context) else { return };
        end_span(&site.own);
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let Some(site) = self.site_of(&id, &context) else { return };
        record(&site.close, (&id.into_u64(),));
    }
}
