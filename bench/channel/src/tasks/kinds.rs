//! The channels for tasks.

use aqueduct_channel as ours;
use aqueduct_measure::record::Role;
use aqueduct_measure::rounds::Threads;
use tokio::sync::mpsc;

use super::{Kind, Rx, Tx, Visit};
use crate::kind::{About, Room, kinds};

/// Makes a channel that is unbounded, or whose capacity is at least 1.
fn with_room<C>(room: Room, bounded: impl FnOnce(usize) -> C, unbounded: impl FnOnce() -> Option<C>) -> Option<C> {
    match room {
        Room::Of(0) => None,
        Room::Of(capacity) => Some(bounded(capacity)),
        Room::Any => unbounded(),
    }
}

fn none<C>() -> Option<C> {
    None
}

kinds! {
    Kind, Visit:
    /// Ours, whose handles tasks share.
    Shared = "aqueduct/channel", Ours, many to many; ours::Sender<u64>, ours::Receiver<u64>;
    |room| match room {
        Room::Of(capacity) => ours::bounded(capacity).ok(),
        Room::Any => Some(ours::unbounded()),
    };
    /// Ours, with a handle for each task.
    Spsc = "aqueduct/spsc", Ours, one to one; ours::spsc::Sender<u64>, ours::spsc::Receiver<u64>;
    |room| with_room(room, ours::spsc::bounded, none)?.ok();
    /// Ours, with a handle for each task.
    Mpsc = "aqueduct/mpsc", Ours, many to one; ours::mpsc::Sender<u64>, ours::mpsc::Receiver<u64>;
    |room| with_room(room, ours::mpsc::bounded, none)?.ok();
    /// Ours, with a handle for each task.
    Mpmc = "aqueduct/mpmc", Ours, many to many; ours::mpmc::Sender<u64>, ours::mpmc::Receiver<u64>;
    |room| with_room(room, ours::mpmc::bounded, none)?.ok();
    /// Ours, unbounded, with a handle for each task.
    UnboundedSpsc = "aqueduct/spsc_unbounded", Ours, one to one;
    ours::spsc::UnboundedSender<u64>, ours::spsc::UnboundedReceiver<u64>;
    |room| (room == Room::Any).then(ours::spsc::unbounded)?.ok();
    /// Ours, unbounded, with a handle for each task.
    UnboundedMpsc = "aqueduct/mpsc_unbounded", Ours, many to one;
    ours::mpsc::UnboundedSender<u64>, ours::mpsc::UnboundedReceiver<u64>;
    |room| (room == Room::Any).then(ours::mpsc::unbounded)?.ok();
    /// tokio's.
    Tokio = "tokio/mpsc", Peer, many to one; mpsc::Sender<u64>, mpsc::Receiver<u64>;
    |room| with_room(room, mpsc::channel, none);
    /// tokio's, unbounded.
    TokioUnbounded = "tokio/mpsc_unbounded", Peer, many to one;
    mpsc::UnboundedSender<u64>, mpsc::UnboundedReceiver<u64>;
    |room| (room == Room::Any).then(mpsc::unbounded_channel);
    /// flume's.
    Flume = "flume/channel", Peer, many to many; flume::Sender<u64>, flume::Receiver<u64>;
    |room| Some(match room {
        Room::Of(capacity) => flume::bounded(capacity),
        Room::Any => flume::unbounded(),
    });
    /// kanal's.
    Kanal = "kanal/channel", Peer, many to many; kanal::AsyncSender<u64>, kanal::AsyncReceiver<u64>;
    |room| Some(match room {
        Room::Of(capacity) => kanal::bounded_async(capacity),
        Room::Any => kanal::unbounded_async(),
    });
    /// async-channel's.
    AsyncChannel = "async-channel/channel", Peer, many to many; async_channel::Sender<u64>, async_channel::Receiver<u64>;
    |room| with_room(room, async_channel::bounded, || Some(async_channel::unbounded()));
    /// tachyonix'.
    Tachyonix = "tachyonix/channel", Peer, many to one; tachyonix::Sender<u64>, tachyonix::Receiver<u64>;
    |room| with_room(room, tachyonix::channel, none);
    /// thingbuf's.
    Thingbuf = "thingbuf/mpsc", Peer, many to one; thingbuf::mpsc::Sender<u64>, thingbuf::mpsc::Receiver<u64>;
    |room| with_room(room, thingbuf::mpsc::channel, none);
    /// crossfire's, bounded.
    CrossfireMpmc = "crossfire/mpmc", Peer, many to many;
    crossfire::MAsyncTx<crossfire::mpmc::Array<u64>>, crossfire::MAsyncRx<crossfire::mpmc::Array<u64>>;
    |room| with_room(room, crossfire::mpmc::bounded_async, none);
    /// crossfire's, bounded, with one receiver.
    CrossfireMpsc = "crossfire/mpsc", Peer, many to one;
    crossfire::MAsyncTx<crossfire::mpsc::Array<u64>>, crossfire::AsyncRx<crossfire::mpsc::Array<u64>>;
    |room| with_room(room, crossfire::mpsc::bounded_async, none);
    /// crossfire's, bounded, with one sender and one receiver.
    CrossfireSpsc = "crossfire/spsc", Peer, one to one;
    crossfire::AsyncTx<crossfire::spsc::Array<u64>>, crossfire::AsyncRx<crossfire::spsc::Array<u64>>;
    |room| with_room(room, crossfire::spsc::bounded_async, none);
    /// crossfire's, unbounded.
    CrossfireUnbounded = "crossfire/mpmc_unbounded", Peer, many to many;
    crossfire::MTx<crossfire::mpmc::List<u64>>, crossfire::MAsyncRx<crossfire::mpmc::List<u64>>;
    |room| (room == Room::Any).then(crossfire::mpmc::unbounded_async);
    /// crossfire's, unbounded, with one receiver.
    CrossfireUnboundedMpsc = "crossfire/mpsc_unbounded", Peer, many to one;
    crossfire::MTx<crossfire::mpsc::List<u64>>, crossfire::AsyncRx<crossfire::mpsc::List<u64>>;
    |room| (room == Room::Any).then(crossfire::mpsc::unbounded_async);
}

macro_rules! ends {
    ($($tx:ty: |$sender:ident, $message:ident| $send:expr, $rx:ty: |$receiver:ident| $recv:expr;)*) => {$(
        impl Tx for $tx {
            #[inline(always)]
            async fn send(&mut self, $message: u64) -> bool {
                let $sender = self;
                $send.is_ok()
            }
        }

        impl Rx for $rx {
            #[inline(always)]
            async fn recv(&mut self) -> Option<u64> {
                let $receiver = self;
                $recv
            }
        }
    )*};
}

ends! {
    ours::Sender<u64>: |sender, message| sender.send_async(message).await,
    ours::Receiver<u64>: |receiver| receiver.recv_async().await.ok();
    ours::spsc::Sender<u64>: |sender, message| sender.send_async(message).await,
    ours::spsc::Receiver<u64>: |receiver| receiver.recv_async().await.ok();
    ours::mpsc::Sender<u64>: |sender, message| sender.send_async(message).await,
    ours::mpsc::Receiver<u64>: |receiver| receiver.recv_async().await.ok();
    ours::spsc::UnboundedSender<u64>: |sender, message| sender.send_async(message).await,
    ours::spsc::UnboundedReceiver<u64>: |receiver| receiver.recv_async().await.ok();
    ours::mpsc::UnboundedSender<u64>: |sender, message| sender.send_async(message).await,
    ours::mpsc::UnboundedReceiver<u64>: |receiver| receiver.recv_async().await.ok();
    ours::mpmc::Sender<u64>: |sender, message| sender.send_async(message).await,
    ours::mpmc::Receiver<u64>: |receiver| receiver.recv_async().await.ok();
    mpsc::Sender<u64>: |sender, message| mpsc::Sender::send(sender, message).await,
    mpsc::Receiver<u64>: |receiver| mpsc::Receiver::recv(receiver).await;
    mpsc::UnboundedSender<u64>: |sender, message| mpsc::UnboundedSender::send(sender, message),
    mpsc::UnboundedReceiver<u64>: |receiver| mpsc::UnboundedReceiver::recv(receiver).await;
    flume::Sender<u64>: |sender, message| sender.send_async(message).await,
    flume::Receiver<u64>: |receiver| receiver.recv_async().await.ok();
    kanal::AsyncSender<u64>: |sender, message| kanal::AsyncSender::send(sender, message).await,
    kanal::AsyncReceiver<u64>: |receiver| kanal::AsyncReceiver::recv(receiver).await.ok();
    async_channel::Sender<u64>: |sender, message| async_channel::Sender::send(sender, message).await,
    async_channel::Receiver<u64>: |receiver| async_channel::Receiver::recv(receiver).await.ok();
    tachyonix::Sender<u64>: |sender, message| tachyonix::Sender::send(sender, message).await,
    tachyonix::Receiver<u64>: |receiver| tachyonix::Receiver::recv(receiver).await.ok();
    thingbuf::mpsc::Sender<u64>: |sender, message| thingbuf::mpsc::Sender::send(sender, message).await,
    thingbuf::mpsc::Receiver<u64>: |receiver| thingbuf::mpsc::Receiver::recv(receiver).await;
    crossfire::MAsyncTx<crossfire::mpmc::Array<u64>>: |sender, message| (**sender).send(message).await,
    crossfire::MAsyncRx<crossfire::mpmc::Array<u64>>: |receiver| (**receiver).recv().await.ok();
    crossfire::MAsyncTx<crossfire::mpsc::Array<u64>>: |sender, message| (**sender).send(message).await,
    crossfire::AsyncRx<crossfire::mpsc::Array<u64>>: |receiver| crossfire::AsyncRx::recv(receiver).await.ok();
    crossfire::AsyncTx<crossfire::spsc::Array<u64>>: |sender, message| crossfire::AsyncTx::send(sender, message).await,
    crossfire::AsyncRx<crossfire::spsc::Array<u64>>: |receiver| crossfire::AsyncRx::recv(receiver).await.ok();
    crossfire::MTx<crossfire::mpmc::List<u64>>: |sender, message| (**sender).send(message),
    crossfire::MAsyncRx<crossfire::mpmc::List<u64>>: |receiver| (**receiver).recv().await.ok();
    crossfire::MTx<crossfire::mpsc::List<u64>>: |sender, message| (**sender).send(message),
    crossfire::AsyncRx<crossfire::mpsc::List<u64>>: |receiver| crossfire::AsyncRx::recv(receiver).await.ok();
}
