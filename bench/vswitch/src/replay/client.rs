//! A station of the capture as a client of the switch.

use std::io::{self, Write};

use crate::frame::{Frame, FrameList};
use crate::pcap::{CaptureWriter, Packet};
use crate::ports::{FrameConsumer, FrameProducer, QueueKind};
use crate::switch::ClientPort;

/// The destination of the frames that a station receives.
pub trait FrameSink: Send {
    /// Takes a frame; the time of its packet is in its tag.
    ///
    /// # Errors
    /// Any error ends the replay.
    fn accept(&mut self, frame: Box<Frame>) -> io::Result<()>;
}

/// A vector keeps all frames.
impl FrameSink for Vec<Box<Frame>> {
    fn accept(&mut self, frame: Box<Frame>) -> io::Result<()> {
        self.push(frame);
        Ok(())
    }
}

/// A writer writes all frames.
impl<W: Write + Send> FrameSink for CaptureWriter<W> {
    fn accept(&mut self, frame: Box<Frame>) -> io::Result<()> {
        self.write(frame.tag, frame.wire_length(), frame.parts())
    }
}

/// A sink that keeps no frames.
#[derive(Clone, Copy, Debug)]
pub(super) struct Discard;

impl FrameSink for Discard {
    fn accept(&mut self, _frame: Box<Frame>) -> io::Result<()> {
        Ok(())
    }
}

/// A station: sends its packets in order, and passes received ones to its sink.
pub(super) struct ReplayClient<'c, Q: QueueKind, S> {
    port: ClientPort<Q>,
    packets: std::vec::IntoIter<Packet<'c>>,
    /// Frames that are made and not yet sent.
    outgoing: FrameList,
    batch: usize,
    capacity: usize,
    pub(super) sink: S,
    pub(super) counts: StationCounts,
}

/// The counts of frames that a station received and sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct StationCounts {
    pub(super) sent: u64,
    pub(super) received: u64,
    /// The number of flooding copies, which are not part of `received`.
    pub(super) received_copies: u64,
}

impl<'c, Q: QueueKind, S: FrameSink> ReplayClient<'c, Q, S> {
    pub(super) fn new(port: ClientPort<Q>, packets: Vec<Packet<'c>>, batch: usize, capacity: usize, sink: S) -> Self {
        let (outgoing, counts) = (FrameList::new(), StationCounts::default());
        Self { port, packets: packets.into_iter(), outgoing, batch, capacity, sink, counts }
    }

    /// Sends frames of a batch while there is room, and takes the received frames. Returns whether
    /// a frame moved.
    pub(super) fn turn(&mut self) -> io::Result<bool> {
        Ok(self.send() + self.receive()? > 0)
    }

    fn send(&mut self) -> usize {
        while self.outgoing.len() < self.batch
            && let Some(packet) = self.packets.next()
        {
            let frame = Frame::from_bytes(packet.bytes, packet.wire_length, packet.time);
            self.outgoing.push_back(frame.expect("only packets with a header are dealt out"));
        }
        let sent = self.port.transmit.put_list(&mut self.outgoing);
        self.counts.sent += sent as u64;
        sent
    }

    fn receive(&mut self) -> io::Result<usize> {
        let mut result = Ok(());
        let received = self.port.receive.take_batch(self.capacity, |frame| {
            if frame.is_copy() {
                self.counts.received_copies += 1;
            } else {
                self.counts.received += 1;
            }
            if result.is_ok() {
                result = self.sink.accept(frame);
            }
        });
        result.map(|()| received)
    }
}
