//! Events of handles in a region: each handle signals the events in its place.

use super::event::Event;
use super::places::Place;
use crate::layout::Memory;
use crate::pod::Pod;
use crate::{drop_old, items, lanes, mpmc, nblfq, records};

macro_rules! handles {
    ($($handle:ty, [$($generics:tt)*], [$($memory:tt)*], $other:literal;)*) => {$(
        impl<$($generics)*> $handle {
            #[doc = concat!("Sets the event that the ", $other, " waits for. It replaces an earlier one.")]
            pub fn set_event(&self, event: Event) {
                self.$($memory)*.set_event(event);
            }
        }
    )*};
}

handles! {
    items::Producer<T, Place>, [T: Pod], [memory()], "consumer";
    items::Consumer<T, Place>, [T: Pod], [memory()], "producer";
    records::Producer<Place>, [], [memory()], "consumer";
    records::Consumer<Place>, [], [memory()], "producer";
    lanes::Producer<T, Place, B>, [T: Pod, B: Memory], [lane().memory()], "consumer";
}

macro_rules! handles_of_many {
    ($($handle:ty, [$($generics:tt)*], $others:literal;)*) => {$(
        impl<$($generics)*> $handle {
            #[doc = concat!("Sets the events that the ", $others, " wait for: one for each of them that waits \
                for one. They replace earlier ones.")]
            ///
            /// A wake of this handle disarms all of them. So each handle of this side needs the
            /// events of all waiting handles.
            pub fn set_events(&self, events: impl IntoIterator<Item = Event>) {
                self.memory().set_events(events);
            }
        }
    )*};
}

handles_of_many! {
    mpmc::Producer<T, Place>, [T: Pod], "consumers";
    mpmc::Consumer<T, Place>, [T: Pod], "producers";
    drop_old::Producer<T, Place>, [T: Pod], "readers";
    drop_old::records::Producer<Place>, [], "readers";
    nblfq::Producer<T, Place>, [T: Pod], "consumers";
    nblfq::Consumer<T, Place>, [T: Pod], "producers";
}
