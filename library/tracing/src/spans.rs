//! The callsites of the spans that a thread has made, found without the subscriber.

use std::cell::Cell;
use std::ptr;

use tracing_core::Metadata;
use tracing_core::span::Id;

use crate::sites::CallSite;

/// Entries of a thread's cache: the number of spans that it finds, if they do not collide.
const CACHED: usize = 64;

/// A layer's number, a span's number, and the span's callsite.
type Entry = (usize, u64, Option<&'static CallSite>);

thread_local! {
    static MADE: [Cell<Entry>; CACHED] = const { [const { Cell::new((0, 0, None)) }; CACHED] };
}

fn place(id: u64) -> usize {
    id as usize % CACHED
}

/// Adds a span that this thread has made to its cache.
///
/// The thread's next span with this number replaces it. Another thread must not get the number.
/// `tracing-subscriber`'s registry guarantees that: a number includes the thread that made it.
#[inline]
pub(crate) fn made(layer: usize, id: &Id, site: &'static CallSite) {
    let id = id.into_u64();
    // A thread whose destructors have run has no cache.
    let _ = MADE.try_with(|made| made[place(id)].set((layer, id, Some(site))));
}

/// Returns the callsite of a span, if this thread made the span and its cache still has it.
#[inline]
pub(crate) fn find(layer: usize, id: &Id) -> Option<&'static CallSite> {
    let id = id.into_u64();
    let (of, made, site) = MADE.try_with(|made| made[place(id)].get()).ok()?;
    if (of, made) == (layer, id) { site } else { None }
}

/// Whether this thread made a span with this metadata, and its cache still has it.
#[inline]
pub(crate) fn is_of(layer: usize, id: &Id, metadata: &Metadata<'_>) -> bool {
    find(layer, id).is_some_and(|site| ptr::addr_eq(site.metadata, metadata))
}
