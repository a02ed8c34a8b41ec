//! The common code of several tests.

#![allow(dead_code, unreachable_pub, reason = "each test uses a part of it")]

use aqueduct_vswitch::frame::{Frame, FrameList};
use aqueduct_vswitch::mac::MacAddress;
use aqueduct_vswitch::ports::{FrameConsumer, FrameProducer, Kind, KindVisitor, QueueKind};
use aqueduct_vswitch::switch::ClientPort;

/// A check that runs on every kind of queue.
pub trait Check {
    fn on<Q: QueueKind>(&self, kind: Kind);
}

/// Runs the check on every kind of queue.
pub fn on_all_kinds(check: impl Check) {
    struct OnKind<'c, C>(&'c C, Kind);
    impl<C: Check> KindVisitor for OnKind<'_, C> {
        type Output = ();

        fn visit<Q: QueueKind>(self) {
            self.0.on::<Q>(self.1);
        }
    }
    for &kind in Kind::ALL {
        kind.visit(OnKind(&check, kind));
    }
}

/// Returns the address of the station behind a port.
pub fn station(port: usize) -> MacAddress {
    MacAddress::of_client(u32::try_from(port).expect("few ports"))
}

/// Makes a minimum frame.
pub fn frame(source: MacAddress, destination: MacAddress, tag: u64) -> Box<Frame> {
    let mut frame = Frame::minimum();
    frame.address(destination, source);
    frame.tag = tag;
    frame
}

/// Sends a frame, which must fit.
pub fn send<Q: QueueKind>(port: &mut ClientPort<Q>, frame: Box<Frame>) {
    assert!(port.transmit.put(frame).is_ok(), "the transmit queue has room");
}

/// Takes all frames that have come to a port, and returns the tag of each, and whether it is a
/// copy.
pub fn received<Q: QueueKind>(port: &mut ClientPort<Q>) -> Vec<(u64, bool)> {
    std::iter::from_fn(|| port.receive.take().map(|frame| (frame.tag, frame.is_copy()))).collect()
}

/// Sends as many frames of a list as fit. Returns how many are left.
pub fn send_list<Q: QueueKind>(port: &mut ClientPort<Q>, frames: impl IntoIterator<Item = Box<Frame>>) -> usize {
    let mut list = FrameList::new();
    frames.into_iter().for_each(|frame| list.push_back(frame));
    port.transmit.put_list(&mut list);
    list.len()
}
