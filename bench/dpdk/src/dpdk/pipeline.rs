//! Events through two stages of DPDK's software event device, which is built with its own ring and
//! with aqueduct's.

use std::cell::RefCell;
use std::ffi::CString;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use aqueduct_measure::machine;
use aqueduct_measure::record::{Placement, Role};
use aqueduct_measure::rounds::{Cell, Fault, Figure, Measured, Place};
use aqueduct_measure::unit::Unit;

use super::bench::{PATIENCE, milliseconds, since};
use super::eal;
use super::ffi::{self, Pipeline};

/// The queue, and the driver of the device that uses it.
const DEVICES: [(&str, Role, &str); 2] =
    [("aqueduct/bbq_spsc", Role::Ours, "event_aqueduct0"), ("dpdk/ring_single", Role::Peer, "event_sw0")];

/// The capacity of a queue from the device to a worker.
const CAPACITY: usize = 128;

/// Makes both devices, and a cell for each. The producer also schedules, on the first core; the
/// worker has the second.
pub(crate) fn cells(peers: bool, cores: &[usize]) -> Result<Vec<Cell<'static>>, String> {
    let mut cells = Vec::new();
    for (queue, role, device) in DEVICES {
        if role == Role::Ours || peers {
            let pipeline = RefCell::new(make(device)?);
            let place = Place { producers: 1, consumers: 1, capacity: CAPACITY, batch: 32 };
            let core = cores.get(1).or(cores.first()).copied();
            let run = move |amount| run(&mut pipeline.borrow_mut(), amount, core);
            let cell = Cell::new(place.words(BENCH), queue, role, place, run);
            let placement =
                Placement { producers: cores.iter().take(1).copied().collect(), consumers: core.into_iter().collect() };
            cells.push(Cell { first: 10_000, ..cell.on(placement) });
        }
    }
    Ok(cells)
}

const BENCH: &str = "dpdk.pipeline";

fn make(device: &str) -> Result<Box<Pipeline>, String> {
    // SAFETY: the device's object file is in the program, and the function only returns that.
    assert_eq!(unsafe { ffi::aq_has_event_device() }, 1);
    let mut pipeline = Box::new(Pipeline::default());
    let name = CString::new(device).expect("a name without a zero");
    // SAFETY: the pipeline and the text live, and DPDK has been started.
    match unsafe { ffi::aq_pipeline(&raw mut *pipeline, name.as_ptr()) } {
        0 => Ok(pipeline),
        _ => Err(format!("DPDK's event device {device}: {}", eal::why())),
    }
}

/// Runs the tests that DPDK's event device brings, with aqueduct's queue.
///
/// # Errors
/// If tests fail; DPDK has printed which.
pub(crate) fn self_test() -> Result<(), String> {
    let name = CString::new(DEVICES[0].2).expect("a name without a zero");
    // SAFETY: the text lives, and DPDK has been started.
    match unsafe { ffi::aq_event_self_test(name.as_ptr()) } {
        0 => Ok(()),
        why => Err(format!("the tests of DPDK's event device end with {why}")),
    }
}

/// A pipeline whose words both threads access as atomics, or one of them alone.
struct Shared(*mut Pipeline);

// SAFETY: the producer's function and the worker's share `done` alone, which both access as an
// atomic.
unsafe impl Send for Shared {}

fn run(pipeline: &mut Pipeline, amount: u64, core: Option<usize>) -> Result<Measured, Fault> {
    let word = AtomicU32::new(1);
    let limit = pipeline.sent + amount;
    let (whole, shared) = (std::ptr::from_mut(pipeline), Shared(std::ptr::from_mut(pipeline)));
    let elapsed = thread::scope(|scope| {
        let word = &word;
        scope.spawn(move || {
            let shared = shared;
            machine::pin(core);
            // SAFETY: the pipeline lives, and no other thread is its worker.
            unsafe { ffi::aq_pipeline_work(shared.0, word, 1) };
        });
        let begin = eal::now();
        // SAFETY: the pipeline lives, and no other thread is its producer.
        unsafe { ffi::aq_pipeline_run(whole, limit, begin + milliseconds(PATIENCE)) };
        let elapsed = since(begin);
        word.store(0, Ordering::Release);
        elapsed
    });
    let Pipeline { done, is_out_of_order, .. } = pipeline;
    if done.load(Ordering::Acquire) != limit {
        return Err(Fault::Refused(format!("{done:?} of {limit} events came through in {PATIENCE} ms")));
    }
    if *is_out_of_order != 0 {
        return Err(Fault::Refused("the events of a flow came out of their order".to_owned()));
    }
    let rate = amount as f64 / elapsed.as_secs_f64().max(1e-9) / 1e6;
    Ok(Measured { figures: vec![Figure::new(BENCH, Unit::Mitems, rate)], done: amount, elapsed })
}
