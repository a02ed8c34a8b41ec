//! The channels on threads of the system, in one program: each further program would link the
//! library once more.

mod again;
mod attempts;
mod channel;
mod event;
mod feed;
mod handles;
mod oneshot;
mod records;
mod relaxed;
mod rendezvous;
mod select;
mod sleeping_thieves;
mod small;
mod sources;
mod stream;
mod wakers;
mod weak;
