//! Channels: they can also block, which is not used here.

use std::sync::mpsc;

use super::super::kind::{Item, kind, receiver, sender};

kind! {
    /// `crossbeam-channel`'s bounded channel.
    CrossbeamChannel = "crossbeam-channel/bounded", many to many;
    crossbeam_channel::Sender<Item>, crossbeam_channel::Receiver<Item>;
    |capacity| crossbeam_channel::bounded(capacity)
}
sender!(crossbeam_channel::Sender<Item>, |channel, item| channel.try_send(item).is_ok());
receiver!(crossbeam_channel::Receiver<Item>, |channel| channel.try_recv().ok());

kind! {
    /// `flume`'s bounded channel.
    Flume = "flume/bounded", many to many;
    flume::Sender<Item>, flume::Receiver<Item>;
    |capacity| flume::bounded(capacity)
}
sender!(flume::Sender<Item>, |channel, item| channel.try_send(item).is_ok());
receiver!(flume::Receiver<Item>, |channel| channel.try_recv().ok());

kind! {
    /// `kanal`'s bounded channel.
    Kanal = "kanal/bounded", many to many;
    kanal::Sender<Item>, kanal::Receiver<Item>;
    |capacity| kanal::bounded(capacity)
}
sender!(kanal::Sender<Item>, |channel, item| channel.try_send(item) == Ok(true));
receiver!(kanal::Receiver<Item>, |channel| channel.try_recv().ok().flatten());

kind! {
    /// The standard library's bounded channel.
    StdSyncChannel = "std/mpsc_sync_channel", many to one;
    mpsc::SyncSender<Item>, mpsc::Receiver<Item>;
    |capacity| mpsc::sync_channel(capacity)
}
sender!(mpsc::SyncSender<Item>, |channel, item| channel.try_send(item).is_ok());
receiver!(mpsc::Receiver<Item>, |channel| channel.try_recv().ok());
