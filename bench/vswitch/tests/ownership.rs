//! Every frame is freed exactly once, wherever it ends: the allocator counts.

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicI64, Ordering};

use aqueduct_vswitch::frame::Frame;
use aqueduct_vswitch::mac::MacAddress;
use aqueduct_vswitch::ports::{FrameConsumer, Kind, QueueKind};
use aqueduct_vswitch::switch::Switch;
use aqueduct_vswitch::table::ForwardingTable;
use common::{Check, frame, on_all_kinds, send_list, station};

/// An allocator that counts the blocks with the layout of a frame.
struct CountsFrames;

static MADE: AtomicI64 = AtomicI64::new(0);
static LIVING: AtomicI64 = AtomicI64::new(0);

// SAFETY: all calls go to the system's allocator.
unsafe impl GlobalAlloc for CountsFrames {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if layout == Layout::new::<Frame>() {
            MADE.fetch_add(1, Ordering::Relaxed);
            LIVING.fetch_add(1, Ordering::Relaxed);
        }
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if layout == Layout::new::<Frame>() {
            LIVING.fetch_sub(1, Ordering::Relaxed);
        }
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: CountsFrames = CountsFrames;

/// A check in which frames end in every place: received, dropped for each reason, in lists, in both
/// queues.
struct Everywhere;

impl Check for Everywhere {
    fn on<Q: QueueKind>(&self, kind: Kind) {
        let (made, living) = (MADE.load(Ordering::Relaxed), LIVING.load(Ordering::Relaxed));
        let (mut switch, mut ports) = Switch::<Q>::new(3, 8, 64, ForwardingTable::learning()).expect("it fits");
        let mut sent = 0;
        for round in 0..41 {
            for to in [station(1), MacAddress::BROADCAST, station(0)] {
                sent += 4 - send_list(&mut ports[0], (0..4).map(|tag| frame(station(0), to, tag))) as i64;
            }
            switch.pull();
            if switch.push() > 0 && round % 3 == 0 {
                switch.drop_waiting();
            }
            ports[1].receive.take_batch(1, drop);
        }
        let counts = *switch.counts();
        assert!(counts.dropped.total() > 0 && counts.copies_dropped > 0 && switch.push() > 0, "{kind}");
        assert!(MADE.load(Ordering::Relaxed) - made >= sent + counts.copies as i64, "{kind}");
        send_list(&mut ports[2], (0..4).map(|tag| frame(station(2), station(0), tag)));
        drop(ports);
        drop(switch);
        assert_eq!(LIVING.load(Ordering::Relaxed), living, "{kind}");
    }
}

#[test]
fn no_frame_is_leaked_or_freed_twice() {
    on_all_kinds(Everywhere);
}
