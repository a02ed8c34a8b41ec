//! The cost of a call of the C interface: a push and a pop of a number on one thread, in C and in
//! Rust, over pointers, and by moodycamel's C interface.

use std::time::{Duration, Instant};

use aqueduct::spsc::ring;
use aqueduct_measure::crew::{apart, task};
use aqueduct_measure::machine;
use aqueduct_measure::record::Role;
use aqueduct_measure::rounds::{Cell, Fault, Figure, Measured, Place};
use aqueduct_measure::unit::Unit;
use aqueduct_shm::{Region, items};

use crate::control::refused;

/// Calls that are inlined.
pub(crate) const RUST: &str = "aqueduct/items_in_rust";
/// Calls of the library `aqueduct-c`, by a program that the machine's compiler made.
pub(crate) const C: &str = "aqueduct/items_in_c";

/// Calls of the library's own ring, which has pointers, that are inlined.
pub(crate) const RING: &str = "aqueduct/ring_in_rust";

/// Calls of the queue of many producers and consumers, by a program in C.
pub(crate) const C_OF_MANY: &str = "aqueduct/mpmc_in_c";
/// Calls of moodycamel's C interface, whose queue is one of many producers and consumers, too, but
/// of threads.
pub(crate) const MOODYCAMEL: &str = "moodycamel/c_api";

/// The bench.
const BENCH: &str = "shm.c_call";

/// Returns the names of those that can be measured here.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    let in_c = [(C, cfg!(has_c)), (C_OF_MANY, cfg!(has_c)), (MOODYCAMEL, cfg!(all(has_c, has_moodycamel)))];
    [RUST, RING].into_iter().chain(in_c.into_iter().filter_map(|(name, is_here)| is_here.then_some(name)))
}

/// Returns a note on those that cannot be measured here, if there are any.
pub(crate) fn missing() -> Option<&'static str> {
    let words = "moodycamel's C interface is not measured: build with AQUEDUCT_MOODYCAMEL=FOLDER, a clone of \
                 github.com/cameron314/concurrentqueue.";
    (!cfg!(has_moodycamel)).then_some(words)
}

/// Returns a cell for each that can be measured, with a queue that has room for `capacity` numbers.
pub(crate) fn cells(capacity: usize, core: Option<usize>) -> impl Iterator<Item = Cell<'static>> {
    names().map(move |name| {
        let place = Place { producers: 1, consumers: 1, capacity, batch: 1 };
        let role = if name == MOODYCAMEL { Role::Peer } else { Role::Ours };
        Cell::new(place.words(BENCH), name, role, place, move |count| {
            apart(task(move || {
                machine::pin(core);
                let (right, elapsed) = match name {
                    RUST => in_rust(capacity, count)?,
                    RING => of_ring(capacity, count)?,
                    _ => in_c(name, capacity, count)?,
                };
                if right != count {
                    return Err(Fault::WrongAnswer("a number came out that did not go in"));
                }
                // A number takes two calls.
                let each = elapsed.as_nanos() as f64 / (2 * count) as f64;
                Ok(Measured { figures: vec![Figure::new(BENCH, Unit::Ns, each)], done: count, elapsed })
            }))
        })
    })
}

/// Returns the number of those of `count` numbers that came out unchanged, and the time.
fn in_rust(capacity: usize, count: u64) -> Result<(u64, Duration), Fault> {
    let bytes = 8 * items::Geometry::new::<u64>(capacity).map_err(refused)?.words();
    let region = Region::anonymous("aqueduct bench", bytes).map_err(refused)?;
    let queue = items::Queue::<u64, _>::in_region(region, capacity, 0).map_err(refused)?;
    let mut producer = queue.take_producer().map_err(refused)?;
    let mut consumer = queue.take_consumer().map_err(refused)?;
    let start = Instant::now();
    let mut right = 0;
    for number in 0..count {
        if producer.push(number).is_ok() {
            right += u64::from(consumer.pop() == Ok(number));
        }
    }
    Ok((right, start.elapsed()))
}

fn of_ring(capacity: usize, count: u64) -> Result<(u64, Duration), Fault> {
    let (mut producer, mut consumer) = ring::new::<u64>(capacity).map_err(refused)?;
    let start = Instant::now();
    let mut right = 0;
    for number in 0..count {
        if producer.push(number).is_ok() {
            right += u64::from(consumer.pop() == Ok(number));
        }
    }
    Ok((right, start.elapsed()))
}

#[cfg(has_c)]
fn in_c(name: &str, capacity: usize, count: u64) -> Result<(u64, Duration), Fault> {
    // The C program calls this library.
    use aqueduct_c as _;

    unsafe extern "C" {
        fn aqueduct_bench_c_call(capacity: u64, count: u64, nanoseconds: *mut u64) -> u64;
        fn aqueduct_bench_c_call_mpmc(capacity: u64, count: u64, nanoseconds: *mut u64) -> u64;
        #[cfg(has_moodycamel)]
        fn aqueduct_bench_c_call_moodycamel(capacity: u64, count: u64, nanoseconds: *mut u64) -> u64;
    }

    let call = match name {
        C_OF_MANY => aqueduct_bench_c_call_mpmc,
        #[cfg(has_moodycamel)]
        MOODYCAMEL => aqueduct_bench_c_call_moodycamel,
        _ => aqueduct_bench_c_call,
    };
    let mut nanoseconds = 0;
    // SAFETY: the functions of `c`, which write one number.
    let right = unsafe { call(capacity as u64, count, &raw mut nanoseconds) };
    Ok((right, Duration::from_nanos(nanoseconds)))
}

#[cfg(not(has_c))]
fn in_c(_: &str, _: usize, _: u64) -> Result<(u64, Duration), Fault> {
    Err(refused("the machine that built this has no C compiler"))
}
