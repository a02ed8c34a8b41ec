//! The callsites of the spans that a thread has made: found without asking the subscriber.

use std::cell::Cell;
use std::ptr;

use tracing_core::Metadata;
use tracing_core::span::Id;

use crate::sites::CallSite;

/// How many spans a thread finds, if they do not meet at one place.
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
/// A thread that makes another span of this number remembers that one instead. Another thread must not get the number:
/// that holds of `tracing-subscriber`'s registry, where a number says which thread made it.
#[inline]
pub(crate) fn made(layer: usize, id: &Id, site: &'static CallSite) {
    let id = id.into_u64();
    // A thread that ends remembers none.
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
