//! The callsites of the spans that a thread has made, found without the subscriber.

use std::cell::Cell;
use std::ptr;

use tracing_core::Metadata;
use tracing_core::span::Id;

use crate::sites::CallSite;

/// The number of spans that a thread finds, if no two of them have one cache entry.
const CACHED: usize = 64;

/// A layer's number, a span's number, and the span's callsite.
type Entry = (usize, u64, Option<&'static CallSite>);

thread_local! {
    static MADE: [Cell<Entry>; CACHED] = const { [const { Cell::new((0, 0, None)) }; CACHED] };
}

fn place(id: u64) -> usize {
    id as usize % CACHED
}

/// Remembers a span that this thread makes.
///
/// The thread's next span of this number replaces it. Another thread must not get the number. That holds of
/// `tracing-subscriber`'s registry, where a number tells which thread made it.
#[inline]
pub(crate) fn made(layer: usize, id: &Id, site: &'static CallSite) {
    let id = id.into_u64();
    // A thread whose destructors have run remembers no span.
    let _ = MADE.try_with(|made| made[place(id)].set((layer, id, Some(site))));
}

/// Returns the callsite of a span, if this thread made it and remembers it.
#[inline]
pub(crate) fn find(layer: usize, id: &Id) -> Option<&'static CallSite> {
    let id = id.into_u64();
    let (of, made, site) = MADE.try_with(|made| made[place(id)].get()).ok()?;
    if (of, made) == (layer, id) { site } else { None }
}

/// Whether this thread made a span and remembers it, with this metadata.
#[inline]
pub(crate) fn is_of(layer: usize, id: &Id, metadata: &Metadata<'_>) -> bool {
    find(layer, id).is_some_and(|site| ptr::addr_eq(site.metadata, metadata))
}
