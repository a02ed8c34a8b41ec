//! The channels for threads.

use std::sync::mpsc;

use aqueduct_channel as ours;
use aqueduct_measure::record::Role;
use aqueduct_measure::rounds::Threads;
use ours::handles;

use super::{Kind, Rx, Tx, Visit};
use crate::kind::{About, Room, kinds};

type Sided<P, C> = (handles::Sender<P>, handles::Receiver<C>);

/// The sender of std: bounded and unbounded channels have different types.
#[derive(Clone)]
pub(crate) enum StdSender {
    Bounded(mpsc::SyncSender<u64>),
    Unbounded(mpsc::Sender<u64>),
}

/// Makes a bounded sided channel, if it can have the capacity.
fn sided<P: handles::SendEnd, C: handles::RecvEnd, E>(
    room: Room,
    open: fn(usize) -> Result<Sided<P, C>, E>,
) -> Option<Sided<P, C>> {
    match room {
        Room::Of(0) | Room::Any => None,
        Room::Of(capacity) => open(capacity).ok(),
    }
}

/// Makes a channel that is unbounded, or whose capacity is at least 1.
fn with_room<C>(room: Room, bounded: impl FnOnce(usize) -> C, unbounded: impl FnOnce() -> C) -> Option<C> {
    match room {
        Room::Of(0) => None,
        Room::Of(capacity) => Some(bounded(capacity)),
        Room::Any => Some(unbounded()),
    }
}

kinds! {
    Kind, Visit:
    /// Ours, whose handles threads share.
    Shared = "aqueduct/channel", Ours, many to many; ours::Sender<u64>, ours::Receiver<u64>;
    |room| match room {
        Room::Of(capacity) => ours::bounded(capacity).ok(),
        Room::Any => Some(ours::unbounded()),
    };
    /// Ours, with a handle for each thread.
    Spsc = "aqueduct/spsc", Ours, one to one; ours::spsc::Sender<u64>, ours::spsc::Receiver<u64>;
    |room| sided(room, ours::spsc::bounded);
    /// Ours, with a handle for each thread.
    Mpsc = "aqueduct/mpsc", Ours, many to one; ours::mpsc::Sender<u64>, ours::mpsc::Receiver<u64>;
    |room| sided(room, ours::mpsc::bounded);
    /// Ours, with a handle for each thread.
    Spmc = "aqueduct/spmc", Ours, one to many; ours::spmc::Sender<u64>, ours::spmc::Receiver<u64>;
    |room| sided(room, ours::spmc::bounded);
    /// Ours, with a handle for each thread.
    Mpmc = "aqueduct/mpmc", Ours, many to many; ours::mpmc::Sender<u64>, ours::mpmc::Receiver<u64>;
    |room| sided(room, ours::mpmc::bounded);
    /// Ours, unbounded, with a handle for each thread.
    UnboundedSpsc = "aqueduct/spsc_unbounded", Ours, one to one;
    ours::spsc::UnboundedSender<u64>, ours::spsc::UnboundedReceiver<u64>;
    |room| (room == Room::Any).then(ours::spsc::unbounded)?.ok();
    /// Ours, unbounded, with a handle for each thread.
    UnboundedMpsc = "aqueduct/mpsc_unbounded", Ours, many to one;
    ours::mpsc::UnboundedSender<u64>, ours::mpsc::UnboundedReceiver<u64>;
    |room| (room == Room::Any).then(ours::mpsc::unbounded)?.ok();
    /// std's.
    Std = "std/mpsc", Peer, many to one; StdSender, mpsc::Receiver<u64>;
    |room| Some(match room {
        Room::Of(capacity) => {
            let (sender, receiver) = mpsc::sync_channel(capacity);
            (StdSender::Bounded(sender), receiver)
        }
        Room::Any => {
            let (sender, receiver) = mpsc::channel();
            (StdSender::Unbounded(sender), receiver)
        }
    });
    /// crossbeam's.
    Crossbeam = "crossbeam-channel/channel", Peer, many to many;
    crossbeam_channel::Sender<u64>, crossbeam_channel::Receiver<u64>;
    |room| Some(match room {
        Room::Of(capacity) => crossbeam_channel::bounded(capacity),
        Room::Any => crossbeam_channel::unbounded(),
    });
    /// flume's.
    Flume = "flume/channel", Peer, many to many; flume::Sender<u64>, flume::Receiver<u64>;
    |room| Some(match room {
        Room::Of(capacity) => flume::bounded(capacity),
        Room::Any => flume::unbounded(),
    });
    /// kanal's.
    Kanal = "kanal/channel", Peer, many to many; kanal::Sender<u64>, kanal::Receiver<u64>;
    |room| Some(match room {
        Room::Of(capacity) => kanal::bounded(capacity),
        Room::Any => kanal::unbounded(),
    });
    /// async-channel's.
    AsyncChannel = "async-channel/channel", Peer, many to many; async_channel::Sender<u64>, async_channel::Receiver<u64>;
    |room| with_room(room, async_channel::bounded, async_channel::unbounded);
    /// tokio's, from threads.
    Tokio = "tokio/mpsc", Peer, many to one; tokio::sync::mpsc::Sender<u64>, tokio::sync::mpsc::Receiver<u64>;
    |room| with_room(room, |capacity| Some(tokio::sync::mpsc::channel(capacity)), || None).flatten();
    /// tokio's, unbounded, from threads.
    TokioUnbounded = "tokio/mpsc_unbounded", Peer, many to one;
    tokio::sync::mpsc::UnboundedSender<u64>, tokio::sync::mpsc::UnboundedReceiver<u64>;
    |room| with_room(room, |_| None, || Some(tokio::sync::mpsc::unbounded_channel())).flatten();
    /// crossfire's, bounded.
    CrossfireMpmc = "crossfire/mpmc", Peer, many to many;
    crossfire::MTx<crossfire::mpmc::Array<u64>>, crossfire::MRx<crossfire::mpmc::Array<u64>>;
    |room| with_room(room, |capacity| Some(crossfire::mpmc::bounded_blocking(capacity)), || None).flatten();
    /// crossfire's, bounded, with one receiver.
    CrossfireMpsc = "crossfire/mpsc", Peer, many to one;
    crossfire::MTx<crossfire::mpsc::Array<u64>>, crossfire::Rx<crossfire::mpsc::Array<u64>>;
    |room| with_room(room, |capacity| Some(crossfire::mpsc::bounded_blocking(capacity)), || None).flatten();
    /// crossfire's, bounded, with one sender and one receiver.
    CrossfireSpsc = "crossfire/spsc", Peer, one to one;
    crossfire::Tx<crossfire::spsc::Array<u64>>, crossfire::Rx<crossfire::spsc::Array<u64>>;
    |room| with_room(room, |capacity| Some(crossfire::spsc::bounded_blocking(capacity)), || None).flatten();
    /// crossfire's, unbounded.
    CrossfireUnbounded = "crossfire/mpmc_unbounded", Peer, many to many;
    crossfire::MTx<crossfire::mpmc::List<u64>>, crossfire::MRx<crossfire::mpmc::List<u64>>;
    |room| with_room(room, |_| None, || Some(crossfire::mpmc::unbounded_blocking())).flatten();
    /// crossfire's, unbounded, with one receiver.
    CrossfireUnboundedMpsc = "crossfire/mpsc_unbounded", Peer, many to one;
    crossfire::MTx<crossfire::mpsc::List<u64>>, crossfire::Rx<crossfire::mpsc::List<u64>>;
    |room| with_room(room, |_| None, || Some(crossfire::mpsc::unbounded_blocking())).flatten();
    /// thingbuf's.
    Thingbuf = "thingbuf/blocking", Peer, many to one;
    thingbuf::mpsc::blocking::Sender<u64>, thingbuf::mpsc::blocking::Receiver<u64>;
    |room| with_room(room, |capacity| Some(thingbuf::mpsc::blocking::channel(capacity)), || None).flatten();
}

macro_rules! ends {
    ($($tx:ty: |$sender:ident, $message:ident| $send:expr, $rx:ty: |$receiver:ident| $recv:expr;)*) => {$(
        impl Tx for $tx {
            #[inline(always)]
            fn send(&mut self, $message: u64) -> bool {
                let $sender = self;
                $send.is_ok()
            }
        }

        impl Rx for $rx {
            #[inline(always)]
            fn recv(&mut self) -> Option<u64> {
                let $receiver = self;
                $recv
            }
        }
    )*};
}

ends! {
    ours::Sender<u64>: |sender, message| ours::Sender::send(sender, message),
    ours::Receiver<u64>: |receiver| ours::Receiver::recv(receiver).ok();
    ours::spsc::Sender<u64>: |sender, message| handles::Sender::send(sender, message),
    ours::spsc::Receiver<u64>: |receiver| handles::Receiver::recv(receiver).ok();
    ours::mpsc::Sender<u64>: |sender, message| handles::Sender::send(sender, message),
    ours::mpsc::Receiver<u64>: |receiver| handles::Receiver::recv(receiver).ok();
    ours::spmc::Sender<u64>: |sender, message| handles::Sender::send(sender, message),
    ours::spmc::Receiver<u64>: |receiver| handles::Receiver::recv(receiver).ok();
    ours::spsc::UnboundedSender<u64>: |sender, message| handles::Sender::send(sender, message),
    ours::spsc::UnboundedReceiver<u64>: |receiver| handles::Receiver::recv(receiver).ok();
    ours::mpsc::UnboundedSender<u64>: |sender, message| handles::Sender::send(sender, message),
    ours::mpsc::UnboundedReceiver<u64>: |receiver| handles::Receiver::recv(receiver).ok();
    ours::mpmc::Sender<u64>: |sender, message| handles::Sender::send(sender, message),
    ours::mpmc::Receiver<u64>: |receiver| handles::Receiver::recv(receiver).ok();
    crossbeam_channel::Sender<u64>: |sender, message| crossbeam_channel::Sender::send(sender, message),
    crossbeam_channel::Receiver<u64>: |receiver| crossbeam_channel::Receiver::recv(receiver).ok();
    flume::Sender<u64>: |sender, message| flume::Sender::send(sender, message),
    flume::Receiver<u64>: |receiver| flume::Receiver::recv(receiver).ok();
    kanal::Sender<u64>: |sender, message| kanal::Sender::send(sender, message),
    kanal::Receiver<u64>: |receiver| kanal::Receiver::recv(receiver).ok();
    async_channel::Sender<u64>: |sender, message| sender.send_blocking(message),
    async_channel::Receiver<u64>: |receiver| receiver.recv_blocking().ok();
    tokio::sync::mpsc::Sender<u64>: |sender, message| sender.blocking_send(message),
    tokio::sync::mpsc::Receiver<u64>: |receiver| receiver.blocking_recv();
    tokio::sync::mpsc::UnboundedSender<u64>: |sender, message| tokio::sync::mpsc::UnboundedSender::send(sender, message),
    tokio::sync::mpsc::UnboundedReceiver<u64>: |receiver| receiver.blocking_recv();
    thingbuf::mpsc::blocking::Sender<u64>: |sender, message| thingbuf::mpsc::blocking::Sender::send(sender, message),
    thingbuf::mpsc::blocking::Receiver<u64>: |receiver| thingbuf::mpsc::blocking::Receiver::recv(receiver);
    StdSender: |sender, message| match sender {
        Self::Bounded(sender) => sender.send(message),
        Self::Unbounded(sender) => sender.send(message),
    },
    mpsc::Receiver<u64>: |receiver| mpsc::Receiver::recv(receiver).ok();
    crossfire::MTx<crossfire::mpmc::Array<u64>>: |sender, message| (**sender).send(message),
    crossfire::MRx<crossfire::mpmc::Array<u64>>: |receiver| (**receiver).recv().ok();
    crossfire::MTx<crossfire::mpsc::Array<u64>>: |sender, message| (**sender).send(message),
    crossfire::Rx<crossfire::mpsc::Array<u64>>: |receiver| crossfire::Rx::recv(receiver).ok();
    crossfire::Tx<crossfire::spsc::Array<u64>>: |sender, message| crossfire::Tx::send(sender, message),
    crossfire::Rx<crossfire::spsc::Array<u64>>: |receiver| crossfire::Rx::recv(receiver).ok();
    crossfire::MTx<crossfire::mpmc::List<u64>>: |sender, message| (**sender).send(message),
    crossfire::MRx<crossfire::mpmc::List<u64>>: |receiver| (**receiver).recv().ok();
    crossfire::MTx<crossfire::mpsc::List<u64>>: |sender, message| (**sender).send(message),
    crossfire::Rx<crossfire::mpsc::List<u64>>: |receiver| crossfire::Rx::recv(receiver).ok();
}
