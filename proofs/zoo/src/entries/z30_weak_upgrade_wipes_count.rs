//! Z30: async-channel #60. The upgrade of a weak sender wipes out another upgrade.
//!
//! It adds one to the count of senders, and if the count was zero stores zero again. A second
//! upgrade in between has seen one, and assumes that it made a sender; its count is wiped out, and
//! when it drops its sender the count falls below zero. The repaired form adds only to a count that
//! is not zero.

use std::sync::Arc;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};

use super::super::{AtomicUsize, spawn};

struct Channel {
    senders: AtomicUsize,
}

impl Channel {
    fn upgrade<const COMPARE: bool>(&self) -> bool {
        if !COMPARE {
            if self.senders.fetch_add(1, AcqRel) > 0 {
                return true;
            }
            self.senders.store(0, Relaxed);
            return false;
        }
        let mut senders = self.senders.load(Acquire);
        while senders > 0 {
            match self.senders.compare_exchange(senders, senders + 1, AcqRel, Acquire) {
                Ok(_) => return true,
                Err(now) => senders = now,
            }
        }
        false
    }

    fn drop_sender(&self) {
        assert!(self.senders.fetch_sub(1, AcqRel) > 0, "a sender was dropped that was not counted");
    }
}

/// The last sender is dropped while two weak ones are upgraded.
fn client<const COMPARE: bool>() {
    let channel = Arc::new(Channel { senders: AtomicUsize::new(1) });
    let upgrades = [(); 2].map(|()| {
        let channel = Arc::clone(&channel);
        spawn(move || {
            if channel.upgrade::<COMPARE>() {
                channel.drop_sender();
            }
        })
    });
    channel.drop_sender();
    for upgrade in upgrades {
        upgrade.join().unwrap();
    }
    assert_eq!(channel.senders.load(Relaxed), 0, "senders are left that nobody has");
}

pub(crate) fn broken() {
    client::<false>();
}

pub(crate) fn repaired() {
    client::<true>();
}
