//! Queues that few people use, or whose crates take long to build (feature `rivals`).

use std::sync::Arc;

use super::super::kind::{Item, kind, receiver, sender};
use super::super::subject::{Subject, subject_of};

/// Returns all of them.
pub(super) fn all() -> Vec<Box<dyn Subject>> {
    vec![subject_of::<ThingBuf>(), subject_of::<CrossfireMpmc>(), subject_of::<CrossfireMpsc>()]
}

/// `thingbuf` demands a default value of its items, so they travel as options, which need no more
/// room.
type ThingBufOfItems = thingbuf::ThingBuf<Option<Item>>;

kind! {
    /// `thingbuf`'s queue.
    ThingBuf = "thingbuf/thingbuf", many to many;
    Arc<ThingBufOfItems>, Arc<ThingBufOfItems>;
    |capacity| {
        let queue = Arc::new(ThingBufOfItems::new(capacity));
        (Arc::clone(&queue), queue)
    }
}
sender!(Arc<ThingBufOfItems>, |queue, item| queue.push_ref().map(|mut slot| *slot = Some(item)).is_ok());
receiver!(Arc<ThingBufOfItems>, |queue| queue.pop_ref().and_then(|slot| *slot));

type Crossfire = crossfire::mpmc::Array<Item>;
type CrossfireToOne = crossfire::mpsc::Array<Item>;

kind! {
    /// `crossfire`'s bounded channel, its blocking form: the other one is made for `async`.
    CrossfireMpmc = "crossfire/mpmc_bounded", many to many;
    crossfire::MTx<Crossfire>, crossfire::MRx<Crossfire>;
    |capacity| crossfire::mpmc::bounded_blocking(capacity)
}
sender!(crossfire::MTx<Crossfire>, |channel, item| channel.try_send(item).is_ok());
receiver!(crossfire::MRx<Crossfire>, |channel| channel.try_recv().ok());

kind! {
    /// `crossfire`'s bounded channel for a single consumer.
    CrossfireMpsc = "crossfire/mpsc_bounded", many to one;
    crossfire::MTx<CrossfireToOne>, crossfire::Rx<CrossfireToOne>;
    |capacity| crossfire::mpsc::bounded_blocking(capacity)
}
sender!(crossfire::MTx<CrossfireToOne>, |channel, item| channel.try_send(item).is_ok());
receiver!(crossfire::Rx<CrossfireToOne>, |channel| channel.try_recv().ok());
