//! One run: producers write, and a reader reads, or there is none.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::Plan;
use super::kind::{self, Kind, Reader, Writer};
use aqueduct_measure::crew::{self, step, task};
use aqueduct_measure::machine;
use aqueduct_measure::record::Role;
use aqueduct_measure::rounds::{Cell, Fault, Figure, Measured, Place, Threads};
use aqueduct_measure::run::{GivenUp, Run};
use aqueduct_measure::unit::Unit;

/// The number of a producer is above these bits of an item, the item's own in them.
const NUMBER_BITS: u32 = 48;

/// The time limit after which a run counts as broken.
const PATIENCE: Duration = Duration::from_secs(20);

/// One run.
#[derive(Clone, Copy, Debug)]
pub struct Writing<'a> {
    /// Items that the queue keeps.
    pub capacity: usize,
    /// The number of producers.
    pub producers: usize,
    /// Items that each of them writes.
    pub each: u64,
    /// The cores of the threads; none leaves them to the system.
    pub cores: &'a [usize],
}

/// The result of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Written {
    /// Items that the producers wrote.
    pub written: u64,
    /// Items that the reader read, the last ones after the producers had ended.
    pub read: u64,
    /// Items that nobody read.
    pub lost: u64,
    /// Million items per second: the sum of all producers' rates, each over the time for which it had a core.
    pub mitems_per_second: f64,
    /// The time that the producers took.
    pub elapsed: Duration,
}

/// Returns a cell for each queue and number of producers.
pub(super) fn cells(plan: &Plan, cores: &[usize]) -> Vec<Cell<'static>> {
    let mut cells = Vec::new();
    for &producers in &plan.producers {
        add::<kind::One>(&mut cells, plan, producers, cores);
        add::<kind::Many>(&mut cells, plan, producers, cores);
        #[cfg(feature = "peers")]
        if plan.peers {
            add::<kind::peers::ForcePush>(&mut cells, plan, producers, cores);
        }
    }
    cells
}

fn add<K: Kind>(cells: &mut Vec<Cell<'static>>, plan: &Plan, producers: usize, cores: &[usize]) {
    if producers > K::MOST_PRODUCERS {
        return;
    }
    let capacity = plan.capacity;
    let place = Place { producers, consumers: 1, capacity, batch: 1 };
    let cores = cores.to_vec();
    let placement = Threads::new(producers, 1).placement(&cores);
    let cell = Cell::new(place.words("drop_old"), K::NAME, Role::of_queue(K::PEER), place, move |amount| {
        both_ways::<K>(&Writing { capacity, producers, each: amount / producers as u64 + 1, cores: &cores })
    });
    cells.push(cell.on(placement));
}

/// Measures without a reader, and then with one.
fn both_ways<K: Kind>(spec: &Writing<'_>) -> Result<Measured, Fault> {
    let alone = write_and_read::<K>(spec, false)?;
    let with = write_and_read::<K>(spec, true)?;
    let per_cent = |part: f64, whole: f64| 100.0 * part / whole;
    let speed_lost = per_cent(alone.mitems_per_second - with.mitems_per_second, alone.mitems_per_second);
    let figure = |bench: &'static str, consumers, unit, value| Figure {
        consumers: Some(consumers),
        ..Figure::new(bench, unit, value)
    };
    Ok(Measured {
        figures: vec![
            figure("drop_old.written", 0, Unit::Mitems, alone.mitems_per_second),
            figure("drop_old.written", 1, Unit::Mitems, with.mitems_per_second),
            figure("drop_old.slowdown", 1, Unit::Lost, speed_lost),
            figure("drop_old.read", 1, Unit::Percent, per_cent(with.read as f64, with.written as f64)),
        ],
        done: alone.written,
        elapsed: alone.elapsed,
    })
}

/// Lets the producers write, with a reader or without, and checks what came.
///
/// # Errors
/// What made the run void.
pub fn write_and_read<K: Kind>(spec: &Writing<'_>, reads: bool) -> Result<Written, Fault> {
    let &Writing { capacity, producers, each, cores } = spec;
    let places = Threads::new(producers, 1);
    let (writers, mut reader) = K::open(capacity, producers).map_err(Fault::Refused)?;
    let shared = &Run::new(producers + usize::from(reads), each, PATIENCE);
    let running = &AtomicUsize::new(producers);
    let (mut writing, mut reading) = (Vec::new(), Vec::new());
    for (at, writer) in writers.into_iter().enumerate() {
        // With enough cores, the reader's core stays free, also in runs without a reader.
        let core = places.core_of_producer(at, cores);
        writing.push(task(move || {
            let part = shared.take_part(core, step(|| produce(writer, shared, at as u64, each)));
            // Ordering: Release pairs with the reader's Acquire: what was written before.
            running.fetch_sub(1, Ordering::Release);
            part
        }));
    }
    if reads {
        let (core, reader) = (places.core_of_consumer(0, cores), &mut reader);
        reading.push(task(move || shared.take_part(core, step(|| consume(reader, running, producers)))));
    }
    let (parts, mut tallies) = crew::both(writing, reading);
    let mut tally = match tallies.pop() {
        Some(part) => part.outcome?,
        None => Tally::new(producers),
    };
    while let Some(item) = reader.read() {
        tally.count(item);
    }
    let (mut lost, mut rate, mut elapsed) = (reader.lost(), 0.0, Duration::ZERO);
    for part in parts {
        let produced = part.outcome?.map_err(|GivenUp| Fault::Stuck { popped: tally.read, wanted: each })?;
        lost += produced.lost;
        rate += produced.mitems_per_second;
        elapsed = elapsed.max(produced.elapsed);
    }
    let written = each * producers as u64;
    if !tally.in_order || tally.read + lost != written {
        return Err(Fault::WrongItems {
            popped: tally.read + lost,
            wanted: written,
            sum: tally.read,
            expected: written - lost,
        });
    }
    Ok(Written { written, read: tally.read, lost, mitems_per_second: rate, elapsed })
}

/// The result of a producer.
struct Produced {
    lost: u64,
    mitems_per_second: f64,
    elapsed: Duration,
}

fn produce(mut writer: impl Writer, run: &Run, producer: u64, each: u64) -> Result<Produced, GivenUp> {
    let began = Instant::now();
    let (wrote, on_core) = machine::share_on_core(step(|| {
        for item in (1..=each).map(|number| producer << NUMBER_BITS | number) {
            let mut failures = 0;
            while !writer.write(item) {
                failures += 1;
                run.failed(failures)?;
            }
        }
        Ok(())
    }));
    let elapsed = began.elapsed();
    wrote?;
    let seconds = elapsed.as_secs_f64() * on_core;
    Ok(Produced { lost: writer.lost(), mitems_per_second: each as f64 / seconds.max(1e-9) / 1e6, elapsed })
}

/// The outcome.
struct Tally {
    read: u64,
    /// Each producer's last number.
    last: Vec<u64>,
    in_order: bool,
}

impl Tally {
    fn new(producers: usize) -> Self {
        Self { read: 0, last: vec![0; producers], in_order: true }
    }

    #[inline(always)]
    fn count(&mut self, item: u64) {
        let number = item & ((1 << NUMBER_BITS) - 1);
        self.read += 1;
        match self.last.get_mut((item >> NUMBER_BITS) as usize) {
            Some(last) => self.in_order &= std::mem::replace(last, number) < number,
            None => self.in_order = false,
        }
    }
}

/// Reads until all producers have ended.
fn consume(reader: &mut impl Reader, running: &AtomicUsize, producers: usize) -> Tally {
    let mut tally = Tally::new(producers);
    let mut failures = 0_u32;
    loop {
        if let Some(item) = reader.read() {
            tally.count(item);
            failures = 0;
            continue;
        }
        // Ordering: Acquire, see where it is counted down.
        if running.load(Ordering::Acquire) == 0 {
            return tally;
        }
        failures += 1;
        if failures.is_multiple_of(aqueduct_measure::run::YIELD) {
            std::thread::yield_now();
        } else {
            std::hint::spin_loop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<K: Kind>() {
        for producers in [1, 2, 4].into_iter().filter(|&producers| producers <= K::MOST_PRODUCERS) {
            for reads in [false, true] {
                let found = write_and_read::<K>(&Writing { capacity: 64, producers, each: 5_000, cores: &[] }, reads)
                    .expect("all is accounted for");
                assert_eq!((found.written, found.read + found.lost), (5_000 * producers as u64, found.written));
                assert!(found.read >= 64 && found.mitems_per_second > 0.0, "{found:?}");
                assert!(reads || found.lost > 4_000, "nobody read: {found:?}");
            }
        }
    }

    #[test]
    fn what_was_written_was_read_or_lost() {
        check::<kind::One>();
        check::<kind::Many>();
        #[cfg(feature = "peers")]
        check::<kind::peers::ForcePush>();
    }

    /// Loses an item and does not count it, or returns one twice.
    struct Wrong<const DOUBLES: bool>;
    struct End(std::sync::Arc<std::sync::Mutex<Vec<u64>>>);

    impl<const DOUBLES: bool> Kind for Wrong<DOUBLES> {
        const NAME: &'static str = "test/wrong";
        const PEER: bool = false;
        const MOST_PRODUCERS: usize = 1;
        type Writer = End;
        type Reader = End;

        fn open(_capacity: usize, _producers: usize) -> Result<kind::Ends<Self>, String> {
            let items = std::sync::Arc::new(std::sync::Mutex::new(if DOUBLES { vec![1] } else { vec![] }));
            Ok((vec![End(items.clone())], End(items)))
        }
    }

    impl Writer for End {
        fn write(&mut self, item: u64) -> bool {
            let mut items = self.0.lock().expect("no panic");
            if item != 7 {
                items.insert(0, item);
            }
            true
        }
    }

    impl Reader for End {
        fn read(&mut self) -> Option<u64> {
            self.0.lock().expect("no panic").pop()
        }
    }

    #[test]
    fn a_wrong_queue_is_caught() {
        let spec = Writing { capacity: 64, producers: 1, each: 100, cores: &[] };
        let lost = write_and_read::<Wrong<false>>(&spec, false).unwrap_err();
        assert!(matches!(lost, Fault::WrongItems { popped: 99, wanted: 100, .. }), "{lost}");
        // One item twice and one lost: the number is right.
        let doubled = write_and_read::<Wrong<true>>(&spec, false).unwrap_err();
        assert!(matches!(doubled, Fault::WrongItems { popped: 100, wanted: 100, .. }), "{doubled}");
    }
}
