//! The switch: one thread that pulls frames out of all transmit queues and pushes them into receive
//! queues.
//!
//! It follows the SPSC paper, section 6, figure 22.
//!
//! A frame has one owner at any time: the client that made it, a queue, a list of the switch, the
//! client that gets it. The switch hands its pointer on, copies no bytes, and reads its first cache
//! line only.
//!
//! Flooding (broadcast, multicast, unknown destination) copies the frame for every port but the
//! last, which gets the original. A shared frame would save the copies but could not be in several
//! lists at once, because it has one `next`, and receivers could not change their frames. Copies
//! are rare in ordinary traffic, and are counted.

use aqueduct::error::CapacityError;

use crate::drops::{DropReason, Drops};
use crate::frame::{Frame, FrameList};
use crate::ports::{FrameConsumer, FrameProducer, QueueKind};
use crate::table::{ForwardingTable, PortNumber};

/// The client's side of a port.
#[derive(Debug)]
pub struct ClientPort<Q: QueueKind> {
    /// The queue of the frames that the client sends.
    pub transmit: Q::Producer,
    /// The queue of the frames that the client receives.
    pub receive: Q::Consumer,
}

/// The switch's side of a port, without the transmit queue.
struct Output<Q: QueueKind> {
    receive: Q::Producer,
    /// Frames for this port that have been pulled and not yet pushed.
    waiting: FrameList,
}

/// The counts of a switch so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SwitchCounts {
    /// The number of frames taken out of transmit queues.
    pub pulled: u64,
    /// The number of frames put into receive queues, including flooding copies.
    pub pushed: u64,
    /// The number of frames that were sent to all other ports.
    pub flooded: u64,
    /// The number of copies made for that.
    pub copies: u64,
    /// The number of dropped frames that clients sent.
    pub dropped: Drops,
    /// The number of flooding copies that were dropped because the receive queue was full.
    pub copies_dropped: u64,
}

/// A virtual Ethernet switch. It belongs to one thread.
pub struct Switch<Q: QueueKind> {
    transmits: Vec<Q::Consumer>,
    sorter: Sorter<Q>,
    /// The most frames taken from one transmit queue per pull phase: the SPSC paper's B_V.
    batch: usize,
}

/// The part of the switch that a frame meets after it has been pulled.
struct Sorter<Q: QueueKind> {
    outputs: Vec<Output<Q>>,
    table: ForwardingTable,
    counts: SwitchCounts,
}

impl<Q: QueueKind> Switch<Q> {
    /// Makes a switch with `ports` ports, and the clients' sides of them, in order.
    ///
    /// All queues have `capacity` frames. `batch` is the SPSC paper's B_V: a smaller one means a
    /// lower worst-case latency and more fairness, a larger one more batching. 0 counts as 1, and
    /// more than the capacity as the capacity: the switch would never leave a queue whose client
    /// sends meanwhile.
    ///
    /// # Errors
    /// The queue's error for a capacity that it cannot have.
    pub fn new(
        ports: usize,
        capacity: usize,
        batch: usize,
        table: ForwardingTable,
    ) -> Result<(Self, Vec<ClientPort<Q>>), CapacityError> {
        let mut transmits = Vec::with_capacity(ports);
        let mut outputs = Vec::with_capacity(ports);
        let mut clients = Vec::with_capacity(ports);
        for _ in 0..ports {
            let (transmit, switch_end) = Q::queue(capacity)?;
            transmits.push(switch_end);
            let (switch_end, receive) = Q::queue(capacity)?;
            outputs.push(Output { receive: switch_end, waiting: FrameList::new() });
            clients.push(ClientPort { transmit, receive });
        }
        let sorter = Sorter { outputs, table, counts: SwitchCounts::default() };
        Ok((Self { transmits, sorter, batch: batch.clamp(1, capacity.max(1)) }, clients))
    }

    /// Runs the pull phase: takes up to B_V frames from every transmit queue and adds them to the
    /// lists of their destinations' ports. Returns their number.
    pub fn pull(&mut self) -> usize {
        let mut pulled = 0;
        for (source, transmit) in self.transmits.iter_mut().enumerate() {
            pulled += transmit.take_batch(self.batch, |frame| self.sorter.sort(frame, source));
        }
        self.sorter.counts.pulled += pulled as u64;
        pulled
    }

    /// Pulls up to `most` frames from one port's transmit queue only.
    pub fn pull_from(&mut self, source: PortNumber, most: usize) -> usize {
        let pulled = self.transmits[source].take_batch(most, |frame| self.sorter.sort(frame, source));
        self.sorter.counts.pulled += pulled as u64;
        pulled
    }

    /// Runs the push phase: moves frames from the lists into the receive queues, as far as they
    /// have room.
    ///
    /// Returns how many frames are still in lists: call it again, or
    /// [`drop_waiting`](Self::drop_waiting).
    pub fn push(&mut self) -> usize {
        let mut waiting = 0;
        let Sorter { outputs, counts, .. } = &mut self.sorter;
        for output in outputs {
            if !output.waiting.is_empty() {
                counts.pushed += output.receive.put_list(&mut output.waiting) as u64;
                waiting += output.waiting.len();
            }
        }
        waiting
    }

    /// Drops the frames in lists, because the receive queues are full.
    pub fn drop_waiting(&mut self) {
        let Sorter { outputs, counts, .. } = &mut self.sorter;
        for output in outputs {
            while let Some(frame) = output.waiting.pop_front() {
                if frame.is_copy() {
                    counts.copies_dropped += 1;
                } else {
                    counts.dropped[DropReason::ReceiveQueueFull] += 1;
                }
            }
        }
    }

    /// Returns the counts so far.
    #[inline]
    #[must_use]
    pub fn counts(&self) -> &SwitchCounts {
        &self.sorter.counts
    }

    /// Returns the forwarding table.
    #[must_use]
    pub fn table(&self) -> &ForwardingTable {
        &self.sorter.table
    }

    /// Ends the switch and frees the frames that are left in the transmit queues. Returns their
    /// number.
    ///
    /// It is for the end of a measurement, when the clients have stopped: then every frame can be
    /// accounted for.
    pub fn discard_unforwarded(mut self) -> u64 {
        let mut left = 0;
        for transmit in &mut self.transmits {
            while transmit.take().is_some() {
                left += 1;
            }
        }
        left
    }
}

impl<Q: QueueKind> Sorter<Q> {
    /// Adds a frame to the list of one port or to those of all others, or drops it.
    #[inline]
    fn sort(&mut self, frame: Box<Frame>, source: PortNumber) {
        let (from, to) = (frame.source(), frame.destination());
        if from.is_group() {
            self.counts.dropped[DropReason::GroupSource] += 1;
            return;
        }
        self.table.note(from, source);
        match self.table.port_of(to) {
            Some(port) if port == source => self.counts.dropped[DropReason::OwnPort] += 1,
            Some(port) => self.outputs[port].waiting.push_back(frame),
            None => self.flood(frame, source),
        }
    }

    /// Adds the frame to the list of the last other port, and copies of it to the lists of the
    /// ports before.
    #[cold]
    fn flood(&mut self, frame: Box<Frame>, source: PortNumber) {
        let last = self.outputs.len() - 1;
        let original_to = if source == last { last.checked_sub(1) } else { Some(last) };
        let Some(original_to) = original_to else {
            self.counts.dropped[DropReason::NoOtherPort] += 1;
            return;
        };
        self.counts.flooded += 1;
        for (port, output) in self.outputs[..original_to].iter_mut().enumerate() {
            if port != source {
                output.waiting.push_back(frame.flood_copy());
                self.counts.copies += 1;
            }
        }
        self.outputs[original_to].waiting.push_back(frame);
    }
}

impl<Q: QueueKind> std::fmt::Debug for Switch<Q> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Switch")
            .field("ports", &self.transmits.len())
            .field("batch", &self.batch)
            .field("counts", self.counts())
            .finish_non_exhaustive()
    }
}
