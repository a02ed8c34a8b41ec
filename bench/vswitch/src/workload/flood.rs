//! Every client sends as much as it can to all the others: the SPSC paper, section 6.2.

use super::{Client, ClientCounts, OrderCheck, RoundRobin, Setting, Workload};
use crate::frame::{FrameList, FramePool};
use crate::mac::MacAddress;
use crate::ports::{FrameConsumer, FrameProducer, QueueKind};
use crate::switch::ClientPort;

/// The flooding workload. Full receive queues make the switch drop.
#[derive(Clone, Copy, Debug)]
pub struct Flood;

impl Workload for Flood {
    const BENCH: &'static str = "vswitch.flood";
    type Client<Q: QueueKind> = FloodClient<Q>;

    fn client<Q: QueueKind>(number: u32, port: ClientPort<Q>, setting: &Setting) -> FloodClient<Q> {
        FloodClient {
            number,
            port,
            others: RoundRobin::new(number, setting.clients),
            batch: setting.client_batch,
            capacity: setting.capacity,
            next_tag: 0,
            outgoing: FrameList::new(),
            pool: FramePool::new(2 * setting.capacity),
            order: OrderCheck::new(setting.clients),
            counts: ClientCounts::default(),
        }
    }

    fn least_capacity(_setting: &Setting) -> usize {
        1
    }
}

/// A client that floods.
#[derive(Debug)]
pub struct FloodClient<Q: QueueKind> {
    number: u32,
    port: ClientPort<Q>,
    others: RoundRobin,
    batch: usize,
    capacity: usize,
    next_tag: u64,
    /// Frames that are made and not yet sent. Those that did not fit the transmit queue are sent in
    /// the next iteration.
    outgoing: FrameList,
    pool: FramePool,
    order: OrderCheck,
    counts: ClientCounts,
}

impl<Q: QueueKind> FloodClient<Q> {
    /// Runs the receive phase: takes all frames that have come.
    fn receive(&mut self) -> usize {
        self.port.receive.take_batch(self.capacity, |frame| {
            self.order.count(self.number, &frame, &mut self.counts);
            self.pool.give(frame);
        })
    }

    /// Runs the transmit phase: sends a batch.
    fn transmit(&mut self) -> usize {
        while self.outgoing.len() < self.batch {
            let mut frame = self.pool.take();
            frame.address(self.others.next(), MacAddress::of_client(self.number));
            frame.tag = self.next_tag;
            self.next_tag += 1;
            self.outgoing.push_back(frame);
        }
        let sent = self.port.transmit.put_list(&mut self.outgoing);
        self.counts.sent += sent as u64;
        sent
    }
}

impl<Q: QueueKind> Client for FloodClient<Q> {
    fn turn(&mut self) -> bool {
        let received = self.receive();
        received + self.transmit() > 0
    }

    fn finish(mut self) -> ClientCounts {
        while self.receive() > 0 {}
        self.counts
    }
}
