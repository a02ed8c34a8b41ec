//! The switch on every kind of queue: learning, flooding, dropping, order, and accounts of every
//! frame.

use std::collections::HashMap;

use crate::common::{Check, frame, on_all_kinds, received, send, send_list, station};
use aqueduct_vswitch::drops::DropReason;
use aqueduct_vswitch::mac::MacAddress;
use aqueduct_vswitch::ports::{FrameConsumer, Kind, QueueKind};
use aqueduct_vswitch::switch::Switch;
use aqueduct_vswitch::table::ForwardingTable;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

const MULTICAST: MacAddress = MacAddress([0x01, 0x00, 0x5e, 0, 0, 0xfb]);
const NOBODY: MacAddress = MacAddress([0x02, 0xff, 0, 0, 0, 1]);

#[test]
fn a_station_is_learned_from_what_it_sends() {
    struct Learning;
    impl Check for Learning {
        fn on<Q: QueueKind>(&self, kind: Kind) {
            let (mut switch, mut ports) = Switch::<Q>::new(3, 8, 4, ForwardingTable::learning()).expect("it fits");
            send(&mut ports[0], frame(station(0), station(1), 1));
            assert_eq!((switch.pull(), switch.push()), (1, 0), "{kind}");
            // Station 1 is not known yet: all other ports get the frame, the last one the original.
            assert_eq!(received(&mut ports[1]), [(1, true)], "{kind}");
            assert_eq!(received(&mut ports[2]), [(1, false)], "{kind}");
            send(&mut ports[1], frame(station(1), station(0), 2));
            switch.pull();
            switch.push();
            assert_eq!(received(&mut ports[0]), [(2, false)], "{kind}");
            assert_eq!(received(&mut ports[2]), [], "{kind}");
            send(&mut ports[0], frame(station(0), station(1), 3));
            switch.pull();
            switch.push();
            assert_eq!(received(&mut ports[1]), [(3, false)], "{kind}");
            assert_eq!(received(&mut ports[2]), [], "{kind}");
            let counts = switch.counts();
            assert_eq!((counts.pulled, counts.pushed, counts.flooded, counts.copies), (3, 4, 1, 1), "{kind}");
            assert_eq!((counts.dropped.total(), switch.table().learned()), (0, 2), "{kind}");
        }
    }
    on_all_kinds(Learning);
}

#[test]
fn groups_are_flooded_to_all_but_the_sender_even_when_all_stations_are_known() {
    struct Groups;
    impl Check for Groups {
        fn on<Q: QueueKind>(&self, kind: Kind) {
            let table = ForwardingTable::fixed((0..4).map(|port| (station(port), port)));
            let (mut switch, mut ports) = Switch::<Q>::new(4, 8, 4, table).expect("it fits");
            send(&mut ports[3], frame(station(3), MacAddress::BROADCAST, 1));
            send(&mut ports[0], frame(station(0), MULTICAST, 2));
            switch.pull();
            switch.push();
            assert_eq!(received(&mut ports[0]), [(1, true)], "{kind}");
            assert_eq!(received(&mut ports[1]), [(2, true), (1, true)], "{kind}");
            assert_eq!(received(&mut ports[2]), [(2, true), (1, false)], "{kind}");
            assert_eq!(received(&mut ports[3]), [(2, false)], "{kind}");
            assert_eq!((switch.counts().flooded, switch.counts().copies), (2, 4), "{kind}");
        }
    }
    on_all_kinds(Groups);
}

#[test]
fn every_drop_has_its_reason() {
    struct Reasons;
    impl Check for Reasons {
        fn on<Q: QueueKind>(&self, kind: Kind) {
            let (mut switch, mut ports) = Switch::<Q>::new(1, 8, 8, ForwardingTable::learning()).expect("it fits");
            send(&mut ports[0], frame(station(0), station(0), 1));
            send(&mut ports[0], frame(MULTICAST, station(0), 2));
            send(&mut ports[0], frame(station(0), MacAddress::BROADCAST, 3));
            send(&mut ports[0], frame(station(0), NOBODY, 4));
            assert_eq!((switch.pull(), switch.push()), (4, 0), "{kind}");
            let dropped: Vec<_> = switch.counts().dropped.reasons().collect();
            let expected = [(DropReason::GroupSource, 1), (DropReason::OwnPort, 1), (DropReason::NoOtherPort, 2)];
            assert_eq!(dropped, expected, "{kind}");
            assert_eq!(switch.table().port_of(MULTICAST), None, "{kind}");
        }
    }
    on_all_kinds(Reasons);
}

#[test]
fn a_full_receive_queue_drops_or_makes_wait_as_the_caller_chooses() {
    struct FullQueue;
    impl Check for FullQueue {
        fn on<Q: QueueKind>(&self, kind: Kind) {
            const SENT: usize = 500;
            for wait in [false, true] {
                let table = ForwardingTable::fixed([(station(0), 0), (station(1), 1)]);
                let (mut switch, mut ports) = Switch::<Q>::new(2, 5, 3, table).expect("it fits");
                let mut arrived = Vec::new();
                for tag in 0..SENT as u64 {
                    send(&mut ports[0], frame(station(0), station(1), tag));
                    switch.pull();
                    if switch.push() > 0 && wait {
                        arrived.extend(received(&mut ports[1]));
                        assert_eq!(switch.push(), 0, "{kind}: the queue has been emptied");
                    }
                    switch.drop_waiting();
                }
                let in_time = arrived.len();
                arrived.extend(received(&mut ports[1]));
                let dropped = switch.counts().dropped[DropReason::ReceiveQueueFull] as usize;
                assert_eq!(arrived.len() + dropped, SENT, "{kind}");
                assert!(arrived.is_sorted(), "{kind}");
                // A queue holds at least its capacity; FastForward's improved ones hold up to 64
                // more.
                assert!((5..5 + 70).contains(&(arrived.len() - in_time)), "{kind}: {}", arrived.len() - in_time);
                assert_eq!(dropped > 0, !wait, "{kind}");
            }
        }
    }
    on_all_kinds(FullQueue);
}

#[test]
fn a_pull_phase_takes_no_more_than_its_batch_from_each_port() {
    struct Fair;
    impl Check for Fair {
        fn on<Q: QueueKind>(&self, kind: Kind) {
            let table = ForwardingTable::fixed((0..3).map(|port| (station(port), port)));
            let (mut switch, mut ports) = Switch::<Q>::new(3, 32, 4, table).expect("it fits");
            let to_last = |source, count| (0..count).map(move |tag| frame(station(source), station(2), tag));
            assert_eq!(send_list(&mut ports[0], to_last(0, 20)), 0, "{kind}");
            assert_eq!(send_list(&mut ports[1], to_last(1, 2)), 0, "{kind}");
            assert_eq!(switch.pull(), 6, "{kind}");
            assert_eq!(switch.pull_from(0, 7), 7, "{kind}");
            assert_eq!(switch.push(), 0, "{kind}");
            let tags: Vec<u64> = received(&mut ports[2]).into_iter().map(|(tag, _)| tag).collect();
            assert_eq!(tags, [0, 1, 2, 3, 0, 1, 4, 5, 6, 7, 8, 9, 10], "{kind}");
            drop(ports);
            assert_eq!(switch.discard_unforwarded(), 9, "{kind}");
        }
    }
    on_all_kinds(Fair);
}

/// A step of a random history of a switch.
#[derive(Clone, Debug)]
enum Step {
    /// A client sends to this station.
    Send(usize, MacAddress),
    Pull,
    Push,
    DropWaiting,
    /// A client takes up to this number of frames.
    Receive(usize, usize),
}

const PORTS: usize = 4;

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let destination = prop_oneof![
        6 => (0..PORTS).prop_map(station),
        1 => Just(MacAddress::BROADCAST),
        1 => Just(MULTICAST),
        1 => Just(NOBODY),
    ];
    let step = prop_oneof![
        8 => (0..PORTS, destination).prop_map(|(port, to)| Step::Send(port, to)),
        3 => Just(Step::Pull),
        2 => Just(Step::Push),
        1 => Just(Step::DropWaiting),
        2 => (0..PORTS, 1..20_usize).prop_map(|(port, most)| Step::Receive(port, most)),
    ];
    prop::collection::vec(step, 1..300)
}

/// The clients' observations of a random history.
#[derive(Default)]
struct Seen {
    sent: u64,
    originals: u64,
    copies: u64,
    /// The last tag of each pair of source and receiver. Tags grow with the time of sending.
    last: HashMap<(MacAddress, usize), u64>,
}

impl Seen {
    fn receive<Q: QueueKind>(&mut self, port: usize, consumer: &mut Q::Consumer, most: usize) -> usize {
        consumer.take_batch(most, |frame| {
            assert_ne!(frame.source(), station(port), "a frame came back to its sender");
            if frame.is_copy() {
                self.copies += 1;
            } else {
                self.originals += 1;
            }
            if let Some(before) = self.last.insert((frame.source(), port), frame.tag) {
                assert!(before < frame.tag, "a flow is out of order, or a frame came twice");
            }
        })
    }
}

struct History {
    steps: Vec<Step>,
    capacity: usize,
    batch: usize,
}

impl Check for History {
    fn on<Q: QueueKind>(&self, kind: Kind) {
        let table = ForwardingTable::learning();
        let (mut switch, mut ports) = Switch::<Q>::new(PORTS, self.capacity, self.batch, table).expect("it fits");
        let mut seen = Seen::default();
        for (tag, step) in (0..).zip(&self.steps) {
            match *step {
                Step::Send(port, to) => {
                    let left = send_list(&mut ports[port], [frame(station(port), to, tag)]);
                    seen.sent += 1 - left as u64;
                }
                Step::Pull => _ = switch.pull(),
                Step::Push => _ = switch.push(),
                Step::DropWaiting => switch.drop_waiting(),
                Step::Receive(port, most) => _ = seen.receive::<Q>(port, &mut ports[port].receive, most),
            }
        }
        while switch.pull() + switch.push() > 0 {
            for (port, ends) in ports.iter_mut().enumerate() {
                seen.receive::<Q>(port, &mut ends.receive, usize::MAX >> 1);
            }
        }
        for (port, ends) in ports.iter_mut().enumerate() {
            while seen.receive::<Q>(port, &mut ends.receive, 7) > 0 {}
        }
        let counts = switch.counts();
        assert_eq!(seen.sent, counts.pulled, "{kind}");
        assert_eq!(counts.pulled, seen.originals + counts.dropped.total(), "{kind}");
        assert_eq!(counts.copies, seen.copies + counts.copies_dropped, "{kind}");
        assert_eq!(counts.pushed, seen.originals + seen.copies, "{kind}");
        assert_eq!(switch.discard_unforwarded(), 0, "{kind}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 200,
        rng_seed: RngSeed::Fixed(0x5eed),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn every_frame_is_accounted_for_and_flows_keep_their_order(
        steps in steps(),
        capacity in 1..40_usize,
        batch in 1..20_usize,
    ) {
        on_all_kinds(History { steps, capacity, batch });
    }
}
