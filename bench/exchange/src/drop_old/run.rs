//! One run: producers write, with or without a reader.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use quanta::Clock;

use super::kind::{self, Kind, Reader, Writer};
use super::manner::{AroundReads, AroundWrites, Complex, Greedy, Manner, Profiling};
use super::plan::{Experiment, Plan};
use aqueduct_measure::crew::{self, step, task};
use aqueduct_measure::machine;
use aqueduct_measure::names::{Bench, Facet};
use aqueduct_measure::record::Role;
use aqueduct_measure::rounds::{Cell, Fault, Figure, Measured, Place, Threads};
use aqueduct_measure::run::{GivenUp, Run};
use aqueduct_measure::times::Times;
use aqueduct_measure::unit::Unit;

/// The bits of an item's own number. The bits above hold the producer's number.
const NUMBER_BITS: u32 = 48;

/// The time limit after which a run counts as broken.
const PATIENCE: Duration = Duration::from_secs(20);

/// Whether this build has all experiments.
const ALL_ARE_BUILT: bool = cfg!(feature = "workloads");

/// One run.
#[derive(Clone, Copy, Debug)]
pub struct Writing<'a> {
    /// Items that the queue keeps.
    pub capacity: usize,
    /// The number of producers.
    pub producers: usize,
    /// Items that the reader asks for at a time; with 1, it reads one by one.
    pub batch: usize,
    /// Items that each producer writes.
    pub each: u64,
    /// The cores of the threads; without cores, the system places them.
    pub cores: &'a [usize],
}

/// The result of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Written {
    /// Items that the producers wrote.
    pub written: u64,
    /// Items that the reader read, also after the producers' end.
    pub read: u64,
    /// Items that were not read.
    pub lost: u64,
    /// Million items per second: the sum of all producers' rates, each over the time for which it
    /// had a core.
    pub mitems_per_second: f64,
    /// The time that the producers took.
    pub elapsed: Duration,
    /// The times of the writes, if they were taken.
    pub times: Option<Times>,
}

/// Returns a cell for each experiment, queue and number of producers.
pub(super) fn cells(plan: &Plan, cores: &[usize]) -> Vec<Cell<'static>> {
    let mut cells = Vec::new();
    for &experiment in &plan.experiments {
        for &producers in &plan.producers {
            let mut list = List { cells: &mut cells, plan, experiment, producers, cores };
            list.add::<kind::One>();
            list.add::<kind::OneToOne>();
            list.add::<kind::Many>();
            list.add::<kind::ManyToOne>();
            list.add::<kind::Locked>();
            #[cfg(feature = "published")]
            list.add::<super::published::Published>();
            #[cfg(feature = "peers")]
            list.add::<kind::peers::ForcePush>();
        }
    }
    cells
}

/// The cells of an experiment with one number of producers.
struct List<'a> {
    cells: &'a mut Vec<Cell<'static>>,
    plan: &'a Plan,
    experiment: Experiment,
    producers: usize,
    cores: &'a [usize],
}

impl List<'_> {
    fn add<K: Kind>(&mut self) {
        let &mut Self { plan, experiment, producers, .. } = self;
        if producers > K::MOST_PRODUCERS || K::PEER && !plan.peers {
            return;
        }
        for &batch in &plan.batches {
            if batch == 1 || K::SLICES && experiment == Experiment::Written {
                self.add_by::<K>(batch);
            }
        }
    }

    fn add_by<K: Kind>(&mut self, batch: usize) {
        let &mut Self { plan, experiment, producers, .. } = self;
        let capacity = plan.capacity;
        let place = Place { producers, consumers: 1, capacity, batch };
        let cores = self.cores.to_vec();
        let placement = Threads::new(producers, 1).placement(&cores);
        let words = place.words(&format!("drop-old.{}", experiment.name()));
        let measured: fn(&Writing<'_>) -> Result<Measured, Fault> = match experiment {
            Experiment::Written => |spec| both_ways::<K, _>(spec, "drop-old", &Greedy),
            Experiment::Complex if ALL_ARE_BUILT => |spec| both_ways::<K, _>(spec, "drop-old.complex", &Complex),
            Experiment::Profiling if ALL_ARE_BUILT => profiled::<K>,
            _ => |_| Err(Fault::Refused("this build has not the feature `workloads`".to_owned())),
        };
        let cell = Cell::new(words, K::NAME, Role::of_queue(K::PEER), place, move |amount| {
            measured(&Writing { capacity, producers, batch, each: amount / producers as u64 + 1, cores: &cores })
        });
        let first = match experiment {
            Experiment::Written | Experiment::Complex => cell.first,
            Experiment::Profiling => Profiling::first(producers, plan.pace.slice),
        };
        self.cells.push(Cell { first, ..cell.on(placement) });
    }
}

/// Returns a figure of `readers` readers.
fn figure(bench: impl Into<Bench>, readers: usize, unit: Unit, value: f64) -> Figure {
    Figure { consumers: Some(readers), ..Figure::new(bench, unit, value) }
}

/// Measures without a reader, and then with one.
fn both_ways<K: Kind, M: Manner>(spec: &Writing<'_>, bench: &str, manner: &M) -> Result<Measured, Fault> {
    let alone = write_and_read_so::<K, M>(spec, false, manner)?;
    let with = write_and_read_so::<K, M>(spec, true, manner)?;
    let figure = |what: &str, readers, unit, value| figure(format!("{bench}.{what}"), readers, unit, value);
    let per_cent = |part: f64, whole: f64| 100.0 * part / whole;
    let speed_lost = per_cent(alone.mitems_per_second - with.mitems_per_second, alone.mitems_per_second);
    Ok(Measured {
        figures: vec![
            figure("written", 0, Unit::Mitems, alone.mitems_per_second),
            figure("written", 1, Unit::Mitems, with.mitems_per_second),
            figure("slowdown", 1, Unit::Lost, speed_lost),
            figure("read", 1, Unit::Percent, per_cent(with.read as f64, with.written as f64)),
        ],
        done: alone.written,
        elapsed: alone.elapsed,
    })
}

/// Measures the times of writes at a fixed rate, without a reader, and then with one.
fn profiled<K: Kind>(spec: &Writing<'_>) -> Result<Measured, Fault> {
    let profiling = Profiling(Clock::new());
    let (mut figures, mut done, mut elapsed) = (Vec::new(), 0, Duration::ZERO);
    for readers in [0, 1] {
        let written = write_and_read_so::<K, _>(spec, readers > 0, &profiling)?;
        for facet in [Facet::P50, Facet::P99, Facet::P999] {
            let quantile = written.times.as_ref().zip(facet.fraction()).map(|(times, at)| times.quantile_ns(at));
            let bench = Bench::side("drop-old.profiling.push", facet);
            figures.extend(quantile.map(|ns| figure(bench, readers, Unit::Ns, ns)));
        }
        (done, elapsed) = (written.written, written.elapsed);
    }
    Ok(Measured { figures, done, elapsed })
}

/// Lets the producers write, with a reader or without one, and checks the items that were read.
///
/// # Errors
/// Why the run is invalid.
pub fn write_and_read<K: Kind>(spec: &Writing<'_>, reads: bool) -> Result<Written, Fault> {
    write_and_read_so::<K, _>(spec, reads, &Greedy)
}

/// Does what [`write_and_read`] does, at a given pace.
fn write_and_read_so<K: Kind, M: Manner>(spec: &Writing<'_>, reads: bool, manner: &M) -> Result<Written, Fault> {
    let &Writing { capacity, producers, batch, each, cores } = spec;
    let places = Threads::new(producers, 1);
    let (writers, mut reader) = K::open(capacity, producers).map_err(Fault::Refused)?;
    let shared = &Run::new(producers + usize::from(reads), each, PATIENCE);
    let running = &AtomicUsize::new(producers);
    let (mut writing, mut reading) = (Vec::new(), Vec::new());
    for (at, writer) in writers.into_iter().enumerate() {
        // If there are enough cores, the reader's core stays free, also in runs without a reader.
        let core = places.core_of_producer(at, cores);
        writing.push(task(move || {
            let part =
                shared.take_part(core, step(|| produce(writer, shared, at as u64, each, manner.writes(shared, at))));
            // Ordering: Release pairs with the reader's Acquire, which then finds all that was
            // written before.
            if running.fetch_sub(1, Ordering::Release) == 1 {
                shared.end();
            }
            part
        }));
    }
    if reads {
        let (core, reader) = (places.core_of_consumer(0, cores), &mut reader);
        reading.push(task(move || {
            shared.take_part(core, step(|| consume(reader, running, (producers, batch), manner.reads(shared))))
        }));
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
    let mut times: Option<Times> = None;
    for part in parts {
        let produced = part.outcome?.map_err(|GivenUp| Fault::Stuck { popped: tally.read, wanted: each })?;
        lost += produced.lost;
        rate += produced.mitems_per_second;
        elapsed = elapsed.max(produced.elapsed);
        match (&mut times, produced.times) {
            (Some(all), Some(more)) => all.merge(&more),
            (all, more) => *all = all.take().or(more),
        }
    }
    let written = each * producers as u64;
    if !K::COUNTS_LOST {
        lost = written.saturating_sub(tally.read);
    }
    if !tally.in_order || tally.read + lost != written {
        return Err(Fault::WrongItems {
            popped: tally.read + lost,
            wanted: written,
            sum: tally.read,
            expected: written - lost,
        });
    }
    Ok(Written { written, read: tally.read, lost, mitems_per_second: rate, elapsed, times })
}

/// The result of a producer.
struct Produced {
    lost: u64,
    mitems_per_second: f64,
    elapsed: Duration,
    times: Option<Times>,
}

fn produce(
    mut writer: impl Writer,
    run: &Run,
    producer: u64,
    each: u64,
    mut around: impl AroundWrites,
) -> Result<Produced, GivenUp> {
    let began = Instant::now();
    let (wrote, on_core) = machine::share_on_core(step(|| {
        for item in (1..=each).map(|number| producer << NUMBER_BITS | number) {
            around.write(|| {
                let mut failures = 0;
                while !writer.write(item) {
                    failures += 1;
                    run.failed(failures)?;
                }
                Ok(())
            })?;
        }
        Ok(())
    }));
    let elapsed = began.elapsed();
    wrote?;
    let seconds = elapsed.as_secs_f64() * on_core;
    let mitems_per_second = each as f64 / seconds.max(1e-9) / 1e6;
    Ok(Produced { lost: writer.lost(), mitems_per_second, elapsed, times: around.times() })
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
fn consume(
    reader: &mut impl Reader,
    running: &AtomicUsize,
    (producers, batch): (usize, usize),
    mut around: impl AroundReads,
) -> Tally {
    let mut tally = Tally::new(producers);
    let mut failures = 0_u32;
    let mut items = vec![0; batch];
    loop {
        around.wait();
        if batch == 1 {
            if let Some(item) = reader.read() {
                tally.count(item);
                failures = 0;
                continue;
            }
        } else {
            let count = reader.read_slice(&mut items);
            if count > 0 {
                items[..count].iter().for_each(|&item| tally.count(item));
                failures = 0;
                continue;
            }
        }
        // Ordering: Acquire pairs with the Release of the producers' countdown.
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
            for (reads, batch) in [(false, 1), (true, 1), (true, 5)] {
                let found =
                    write_and_read::<K>(&Writing { capacity: 64, producers, batch, each: 5_000, cores: &[] }, reads)
                        .expect("all is accounted for");
                assert_eq!((found.written, found.read + found.lost), (5_000 * producers as u64, found.written));
                // The published queue keeps a block less.
                let kept = if K::COUNTS_LOST { 64 } else { 32 };
                assert!(found.read >= kept && found.mitems_per_second > 0.0, "{found:?}");
                assert!(reads || found.lost > 4_000, "nobody read: {found:?}");
            }
        }
    }

    #[test]
    fn what_was_written_was_read_or_lost() {
        check::<kind::One>();
        check::<kind::Many>();
        check::<kind::OneToOne>();
        check::<kind::ManyToOne>();
        check::<kind::Locked>();
        #[cfg(feature = "published")]
        check::<crate::drop_old::published::Published>();
        #[cfg(feature = "peers")]
        check::<kind::peers::ForcePush>();
    }

    #[test]
    fn profiled_producers_write_at_their_rate_and_each_write_is_timed() {
        let spec = Writing { capacity: 16, producers: 2, batch: 1, each: 50, cores: &[] };
        for reads in [false, true] {
            let found =
                write_and_read_so::<kind::Many, _>(&spec, reads, &Profiling(Clock::new())).expect("all is there");
            assert_eq!((found.written, found.times.map(|times| times.count())), (100, Some(100)));
            assert!(found.elapsed.as_micros() >= 4_800, "49 intervals of 100 us: {:?}", found.elapsed);
        }
        let greedy = write_and_read::<kind::Many>(&spec, true).expect("all is there");
        let complex = write_and_read_so::<kind::Many, _>(&spec, true, &Complex).expect("all is there");
        assert_eq!([greedy.times, complex.times], [None, None], "nobody looks at a clock there");
    }

    /// Loses an item and does not count it, or returns an item twice.
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
        let spec = Writing { capacity: 64, producers: 1, batch: 1, each: 100, cores: &[] };
        let lost = write_and_read::<Wrong<false>>(&spec, false).unwrap_err();
        assert!(matches!(lost, Fault::WrongItems { popped: 99, wanted: 100, .. }), "{lost}");
        // One item twice and one lost: the number of items is right.
        let doubled = write_and_read::<Wrong<true>>(&spec, false).unwrap_err();
        assert!(matches!(doubled, Fault::WrongItems { popped: 100, wanted: 100, .. }), "{doubled}");
    }
}
