//! One thread sends and receives: no thread waits.

use std::time::{Duration, Instant};

use aqueduct::unbounded::Queue;
use aqueduct_measure::record::Role;
use aqueduct_measure::rounds::{Cell, Fault, Threads};

use super::{Kind, Rx, Tx};
use crate::kind::{About, Room, each};
use crate::tally::Tally;

const BENCH: &str = "channel.alone";

/// Messages that are sent before they are received.
const AT_ONCE: u64 = 64;

pub(super) fn add<K: Kind>(cells: &mut Vec<Cell<'static>>) {
    for room in [Room::Of(100), Room::Any] {
        if K::open(room, Threads::PAIR).is_some() {
            let at = (Threads::PAIR, room.in_records());
            cells.push(K::ABOUT.cell(room.bench(BENCH), at, each, move |amount| {
                let (mut senders, mut receivers) =
                    K::open(room, Threads::PAIR).ok_or_else(|| Fault::Refused(format!("no {room:?}")))?;
                turns(amount, |message| senders[0].send(message), || receivers[0].recv())
            }));
        }
    }
}

/// The bare queue below ours.
pub(super) fn add_bound(cells: &mut Vec<Cell<'static>>) {
    let about = About { name: "bound/queue", role: Role::Bound, many_senders: true, many_receivers: true };
    cells.push(about.cell(Room::Any.bench(BENCH), (Threads::PAIR, 0), each, |amount| {
        let queue = Queue::new();
        turns(amount, |message| queue.push(message).is_ok(), || queue.pop().ok())
    }));
}

#[inline(always)]
fn turns(
    amount: u64,
    mut send: impl FnMut(u64) -> bool,
    mut recv: impl FnMut() -> Option<u64>,
) -> Result<(u64, Duration), Fault> {
    let (mut sent, mut came) = (Tally::default(), Tally::default());
    let began = Instant::now();
    while sent.count < amount {
        for message in sent.count..sent.count + AT_ONCE {
            if send(message) {
                sent.add(message);
            }
        }
        for _ in 0..AT_ONCE {
            if let Some(message) = recv() {
                came.add(message);
            }
        }
    }
    let elapsed = began.elapsed();
    Tally::check([sent], [came])?;
    Ok((came.count, elapsed))
}
