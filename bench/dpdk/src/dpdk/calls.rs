//! The cost of a call: a push and a pop of a number on one thread, by a driver's functions, and by
//! DPDK's inline ones.

use aqueduct_measure::record::Role;
use aqueduct_measure::rounds::{Cell, Fault, Figure, Measured, Place};
use aqueduct_measure::unit::Unit;

use super::eal;
use super::ffi;
use super::queue::{self, Ends, Form, Turns};

const BENCH: &str = "dpdk.call";
const CAPACITY: usize = 1024;

/// The ways to call a queue.
const WAYS: [(&str, Role, Form, bool); 3] = [
    ("aqueduct/bbq_spsc", Role::Ours, Form::Spsc, false),
    ("dpdk/ring_single", Role::Peer, Form::Ring(Turns::Single, Turns::Single), false),
    ("dpdk/ring_inline", Role::Peer, Form::Ring(Turns::Single, Turns::Single), true),
];

/// Returns a cell for each way.
///
/// # Errors
/// DPDK's error.
pub(crate) fn cells(peers: bool) -> Result<Vec<Cell<'static>>, String> {
    let mut cells = Vec::new();
    for (name, role, form, is_inline) in WAYS {
        if role == Role::Ours || peers {
            // SAFETY: DPDK has been started.
            let ends = unsafe { queue::make(form, &format!("calls_{}", cells.len()), CAPACITY, 1)? };
            let place = Place { producers: 1, consumers: 1, capacity: CAPACITY, batch: 1 };
            cells.push(Cell::new(place.words(BENCH), name, role, place, move |count| {
                run(form, &ends, is_inline, count)
            }));
        }
    }
    Ok(cells)
}

fn run(form: Form, ends: &Ends, is_inline: bool, count: u64) -> Result<Measured, Fault> {
    let begin = eal::now();
    // SAFETY: the queue is used here alone, and the functions fit it.
    let right = unsafe {
        match queue::bursts(form) {
            Some((rx, tx)) if !is_inline => ffi::aq_calls(rx, ends.consumer, tx, ends.producers[0], count),
            _ => ffi::aq_inline_calls(ends.ring, count),
        }
    };
    let elapsed = super::bench::since(begin);
    if right != count {
        return Err(Fault::WrongAnswer("a number came out that did not go in"));
    }
    // A number takes two calls.
    let each = elapsed.as_nanos() as f64 / (2 * count) as f64;
    Ok(Measured { figures: vec![Figure::new(BENCH, Unit::Ns, each)], done: count, elapsed })
}
