//! Queues that few people use, or whose crates take long to build (feature `rivals`).

use std::sync::Arc;

use magnetic::buffer::dynamic::DynamicBufferP2;
use magnetic::spsc::{SPSCConsumer, SPSCProducer, spsc_queue};
use magnetic::{Consumer as _, Producer as _};

use super::super::kind::{Ends, Kind, Receiver, Sender, Thing, Word};
use super::super::subject::{Subject, subject_of};
use super::disruptor::Disruptor;
use super::peer;

/// Returns all of them.
pub(super) fn all() -> Vec<Box<dyn Subject>> {
    vec![
        subject_of::<Disruptor>(),
        subject_of::<Magnetic>(),
        subject_of::<SpscRing>(),
        subject_of::<Omango>(),
        subject_of::<ThingBuf>(),
    ]
}

peer! {
    /// `magnetic`'s SPSC queue over its power-of-two buffer, the faster of its buffers.
    Magnetic = "magnetic/spsc";
    handles: MagneticSender(SPSCProducer<T, DynamicBufferP2<T>>), MagneticReceiver(SPSCConsumer<T, DynamicBufferP2<T>>);
    open: |capacity| spsc_queue(DynamicBufferP2::new(capacity.next_power_of_two())?);
    push: |queue, item| queue.try_push(item).is_ok();
    pop: |queue| queue.try_pop().ok();
}

peer! {
    /// `spsc-ring`: a sequence number in every slot.
    SpscRing = "spsc-ring/ring";
    handles: SpscRingSender(spsc_ring::Producer<T>), SpscRingReceiver(spsc_ring::Consumer<T>);
    open: |capacity| spsc_ring::ring(capacity.next_power_of_two()).map_err(|error| error.to_string())?;
    push: |queue, item| queue.try_push(item).is_ok();
    pop: |queue| queue.try_pop().ok();
}

peer! {
    /// `omango`'s bounded SPSC queue.
    Omango = "omango/spsc_bounded";
    handles: OmangoSender(omango::queue::spsc::BSender<T>), OmangoReceiver(omango::queue::spsc::BReceiver<T>);
    open: |capacity| omango::queue::spsc::bounded(
        u32::try_from(capacity).map_err(|_| "omango's capacity is at most 2^32 - 1".to_string())?
    );
    push: |queue, item| queue.try_send(item).is_ok();
    pop: |queue| queue.try_recv().ok();
}

peer! {
    /// `thingbuf`'s queue. It demands a default value of its items, so they travel as options,
    /// which need no more space.
    ThingBuf = "thingbuf/thingbuf";
    handles: ThingBufSender(Arc<thingbuf::ThingBuf<Option<T>>>), ThingBufReceiver(Arc<thingbuf::ThingBuf<Option<T>>>);
    open: |capacity| {
        let queue = Arc::new(thingbuf::ThingBuf::new(capacity));
        (Arc::clone(&queue), queue)
    };
    push: |queue, item| queue.push_ref().map(|mut slot| *slot = Some(item)).is_ok();
    pop: |queue| queue.pop_ref().and_then(|slot| *slot);
}
