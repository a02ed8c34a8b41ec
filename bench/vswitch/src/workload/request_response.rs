//! Every client sends requests to the others, answers their requests, and waits for answers: the
//! SPSC paper, section 6.3.

use super::{Client, ClientCounts, OrderCheck, RoundRobin, Setting, Workload};
use crate::frame::{Frame, FrameList, FramePool};
use crate::mac::MacAddress;
use crate::ports::{FrameConsumer, FrameProducer, QueueKind};
use crate::switch::ClientPort;

/// The type of frames that are requests: the first one for local experiments.
const REQUEST: u16 = 0x88b5;
/// The type of frames that are responses: the second one for local experiments.
const RESPONSE: u16 = 0x88b6;

/// The request-response workload. Clients wait, so no receive queue overflows if it has the least
/// capacity.
#[derive(Clone, Copy, Debug)]
pub struct RequestResponse;

impl Workload for RequestResponse {
    const BENCH: &'static str = "vswitch.request_response";
    type Client<Q: QueueKind> = RequestResponseClient<Q>;

    fn client<Q: QueueKind>(number: u32, port: ClientPort<Q>, setting: &Setting) -> RequestResponseClient<Q> {
        RequestResponseClient {
            number,
            port,
            others: RoundRobin::new(number, setting.clients),
            batch: setting.client_batch,
            capacity: setting.capacity,
            next_tag: 0,
            awaited: 0,
            outgoing: FrameList::new(),
            pool: FramePool::new(2 * setting.client_batch),
            requests: OrderCheck::new(setting.clients),
            responses: OrderCheck::new(setting.clients),
            counts: ClientCounts::default(),
        }
    }

    /// Returns the number of a client's own responses, and of requests that all other clients may
    /// have sent it at that time.
    fn least_capacity(setting: &Setting) -> usize {
        let others = setting.clients - 1;
        setting.client_batch.saturating_add(others.saturating_mul(setting.client_batch.div_ceil(others)))
    }
}

/// A client that sends requests and responses.
#[derive(Debug)]
pub struct RequestResponseClient<Q: QueueKind> {
    number: u32,
    port: ClientPort<Q>,
    others: RoundRobin,
    batch: usize,
    capacity: usize,
    next_tag: u64,
    /// The number of responses still to come before the next requests.
    awaited: usize,
    /// Requests and responses that have not fit the transmit queue yet.
    outgoing: FrameList,
    pool: FramePool,
    requests: OrderCheck,
    responses: OrderCheck,
    counts: ClientCounts,
}

impl<Q: QueueKind> RequestResponseClient<Q> {
    /// Runs the request phase: sends a batch of requests.
    fn request(&mut self) -> usize {
        for _ in 0..self.batch {
            let mut frame = self.pool.take();
            frame.address(self.others.next(), MacAddress::of_client(self.number));
            frame.set_ether_type(REQUEST);
            frame.tag = self.next_tag;
            self.next_tag += 1;
            self.outgoing.push_back(frame);
        }
        self.awaited = self.batch;
        self.send()
    }

    /// Runs a step of the response phase: takes the frames that have come, and answers the
    /// requests.
    fn respond(&mut self) -> usize {
        self.port.receive.take_batch(self.capacity, |mut frame| {
            if frame.ether_type() == RESPONSE {
                self.responses.count(self.number, &frame, &mut self.counts);
                self.awaited = self.awaited.saturating_sub(1);
                self.pool.give(frame);
            } else {
                self.requests.count(self.number, &frame, &mut self.counts);
                turn_round(&mut frame);
                self.outgoing.push_back(frame);
            }
        })
    }

    fn send(&mut self) -> usize {
        let sent = self.port.transmit.put_list(&mut self.outgoing);
        self.counts.sent += sent as u64;
        sent
    }
}

/// Turns a request into its response.
fn turn_round(frame: &mut Frame) {
    let (source, destination) = (frame.source(), frame.destination());
    frame.address(source, destination);
    frame.set_ether_type(RESPONSE);
}

impl<Q: QueueKind> Client for RequestResponseClient<Q> {
    fn turn(&mut self) -> bool {
        let asked = if self.awaited == 0 { self.request() } else { 0 };
        asked + self.respond() + self.send() > 0
    }

    fn finish(mut self) -> ClientCounts {
        while self.respond() > 0 {}
        self.counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_response_goes_back_to_where_its_request_came_from() {
        let mut frame = Frame::minimum();
        frame.address(MacAddress::of_client(1), MacAddress::of_client(2));
        frame.set_ether_type(REQUEST);
        turn_round(&mut frame);
        assert_eq!(frame.destination(), MacAddress::of_client(2));
        assert_eq!(frame.source(), MacAddress::of_client(1));
        assert_eq!(frame.ether_type(), RESPONSE);
    }
}
