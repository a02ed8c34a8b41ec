//! Channels: they can also block, which is not used here.

use std::sync::mpsc;

use super::super::kind::{Ends, Kind, Receiver, Sender, Thing, Word};
use super::peer;

peer! {
    /// The standard library's bounded channel.
    StdSyncChannel = "std/mpsc_sync_channel";
    handles: StdSyncSender(mpsc::SyncSender<T>), StdSyncReceiver(mpsc::Receiver<T>);
    open: |capacity| mpsc::sync_channel(capacity);
    push: |channel, item| channel.try_send(item).is_ok();
    pop: |channel| channel.try_recv().ok();
}

peer! {
    /// The standard library's unbounded channel: it never refuses an item and allocates as it
    /// grows.
    StdChannel = "std/mpsc_channel", bounded: false;
    handles: StdSender(mpsc::Sender<T>), StdReceiver(mpsc::Receiver<T>);
    open: |_capacity| mpsc::channel();
    push: |channel, item| channel.send(item).is_ok();
    pop: |channel| channel.try_recv().ok();
}

peer! {
    /// `crossbeam-channel`'s bounded channel.
    CrossbeamChannel = "crossbeam-channel/bounded";
    handles: CrossbeamSender(crossbeam_channel::Sender<T>), CrossbeamReceiver(crossbeam_channel::Receiver<T>);
    open: |capacity| crossbeam_channel::bounded(capacity);
    push: |channel, item| channel.try_send(item).is_ok();
    pop: |channel| channel.try_recv().ok();
}

peer! {
    /// `flume`'s bounded channel.
    Flume = "flume/bounded";
    handles: FlumeSender(flume::Sender<T>), FlumeReceiver(flume::Receiver<T>);
    open: |capacity| flume::bounded(capacity);
    push: |channel, item| channel.try_send(item).is_ok();
    pop: |channel| channel.try_recv().ok();
}

peer! {
    /// `kanal`'s bounded channel.
    Kanal = "kanal/bounded";
    handles: KanalSender(kanal::Sender<T>), KanalReceiver(kanal::Receiver<T>);
    open: |capacity| kanal::bounded(capacity);
    push: |channel, item| channel.try_send(item) == Ok(true);
    pop: |channel| channel.try_recv().ok().flatten();
}
