//! The BBQ paper, section 6.

use aqueduct_measure::record::Record;
use aqueduct_measure::report::sheet::Sheet;
use aqueduct_measure::report::svg;

use super::exhibit::{Check, Exhibit, Picture};
use super::figures::{Figures, Number, Threads, doublings, is_mpsc, is_spmc, list};

const OURS: &str = "aqueduct/bbq_mpmc";
const SPSC: &str = "aqueduct/bbq_spsc";
const FAA: &str = "published/bbq_faa";
const CAS: &str = "published/bbq_cas";
const PUBLISHED_SINGLE: &str = "published/bbq_single";
const SCQD: &str = "published/scqd";
const LINUXRB: &str = "published/circular_buffer";

const QUEUES: [(&str, &str); 9] = [
    (OURS, "bbq::mpmc"),
    (SPSC, "bbq::spsc"),
    ("aqueduct/bbq_mpsc", "bbq::mpsc"),
    ("aqueduct/bbq_spmc", "bbq::spmc"),
    (FAA, "BBQ, published"),
    (PUBLISHED_SINGLE, "BBQ, published, one of each"),
    (SCQD, "scqd"),
    (LINUXRB, "linuxrb"),
    ("crossbeam-queue/array_queue", "ArrayQueue"),
];

pub(super) fn lines(cores: usize, quick: bool) -> Vec<String> {
    let (pace, other) = if quick { (" --rounds 3 --slice 20", " --rounds 3 --slice 20") } else { ("", "") };
    let sides = doublings(cores.saturating_sub(1));
    let many: Vec<String> = sides[1..].iter().flat_map(|side| [format!("{side}x1"), format!("1x{side}")]).collect();
    let threads = format!("1x1,{}", many.join(","));
    let most = sides.last().copied().unwrap_or(1);
    let over = (5 * cores - 1).clamp(1, aqueduct_measure::rounds::Threads::MOST);
    let names: Vec<&str> = QUEUES.iter().map(|(name, _)| *name).chain([CAS, "aqueduct/bbq_records"]).collect();
    let names = names.join(",");
    vec![
        format!(
            "bench mpmc throughput complex latency full empty --threads {threads} --batch 1 --queues {names}{pace}"
        ),
        format!("bench mpmc fairness --threads {most}x1,1x{most} --queues {names}{pace}"),
        format!("bench mpmc oversubscription --threads {over}x1,1x{over} --queues {names}{pace}"),
        format!("bench mpmc sweep sweep-latency --threads 4x1 --queues {OURS}{pace}"),
        format!("bench drop-old written complex profiling --producers {}{other}", list(&sides)),
        format!("bench exchange io_uring multicast --sides {}{other}", if quick { "1,2,8" } else { "1,2,4,8,16,32" }),
    ]
}

/// Whether a queue is not a form of BBQ.
fn is_rival(name: &str) -> bool {
    !name.starts_with("aqueduct/") && ![FAA, CAS, PUBLISHED_SINGLE].contains(&name)
}

pub(super) fn exhibits(figures: &Figures<'_>) -> Vec<Exhibit> {
    vec![
        sweep(figures),
        additions(figures),
        drop_old(figures),
        pair(figures),
        throughput(figures),
        latency(figures),
        vain(figures),
        fairness(figures),
        oversubscription(figures),
        profiling(figures),
        overwriting(figures),
        dpdk(),
        io_uring(figures),
        disruptor(figures),
    ]
}

fn sweep(figures: &Figures<'_>) -> Exhibit {
    let records = figures.of("mpmc.sweep").filter(|record| (record.producers, record.consumers) == (4, 1)).records();
    let stays = figures.of("mpmc.sweep-latency.in_queue.p50").filter(|record| record.producers == 4).records();
    let drawn = |records: &[Record], title: &str| {
        let sheet = Sheet::of(records);
        sheet.matrices.iter().map(|it| Picture::Maps(svg::maps(it, title))).collect::<Vec<_>>()
    };
    let mut pictures = drawn(&records, "Items per second, 4 producers, 1 consumer");
    pictures.extend(drawn(&stays, "Median time in the queue, complex workload, 4 producers, 1 consumer"));
    // For one number of entries: the worst division over the best.
    let trade = |records: &[Record]| {
        let of = |capacity: usize| records.iter().filter(move |it| entries(it) == capacity).map(|it| it.median);
        let ratio = |capacity: usize| Some(of(capacity).reduce(f64::max)? / of(capacity).reduce(f64::min)?);
        let ratios = records.iter().filter_map(|record| ratio(entries(record)));
        ratios.reduce(f64::max).map(Number::whole)
    };
    // For the fewest blocks: the largest block against the smallest.
    let of_least = |record: &&Record| {
        record.queue.blocks().map(|(count, _)| count)
            == records.iter().filter_map(|it| it.queue.blocks()).map(|it| it.0).min()
    };
    let mut by_size: Vec<(u32, f64)> =
        records.iter().filter(of_least).filter_map(|record| Some((record.queue.blocks()?.1, record.median))).collect();
    by_size.sort_by_key(|it| it.0);
    let ratio = by_size.first().zip(by_size.last()).map(|(least, most)| Number::whole(most.1 / least.1));
    Exhibit {
        name: "Figure 5: blocks and entries",
        file: "fig-5",
        claim: "There is a trade-off between the number of blocks and their entries, for throughput and for the time that data stay in the queue.",
        difference: "A trade-off is taken as a factor of 1.25 between divisions of equally many entries.",
        pictures,
        checks: vec![
            Check::times("the largest blocks over the smallest, fewest blocks, throughput", ratio, 1.0),
            Check::times("the best division over the worst of equally many entries, throughput", trade(&records), 1.25),
            Check::times(
                "the worst division over the best of equally many entries, time in the queue",
                trade(&stays),
                1.25,
            ),
        ],
    }
}

/// Returns the number of entries of a divided queue.
fn entries(record: &Record) -> usize {
    record.queue.blocks().map_or(0, |(count, size)| count as usize * size as usize)
}

/// Returns the most producers of a bench with one consumer.
fn most(figures: &Figures<'_>, is_wanted: impl Fn(Threads) -> bool) -> Threads {
    figures.threads(is_wanted).last().copied().unwrap_or_default()
}

fn additions(figures: &Figures<'_>) -> Exhibit {
    let all = figures.of("mpmc.throughput");
    let at = all.at(most(&all, is_mpsc));
    let captions = [
        (FAA, "BBQ, published, FAA"),
        (CAS, "BBQ, published, CAS"),
        (OURS, "bbq::mpmc (CAS)"),
        ("aqueduct/bbq_records", "bbq records"),
    ];
    Exhibit {
        name: "Figure 6: fetch-and-add, and entries of any size",
        file: "fig-6",
        claim: "With many producers fetch-and-add (Armv8.1 LSE) is at least 5 times as fast as compare-and-swap; entries of any size cost \
                nothing.",
        difference: "No Arm machine; x86 has one instruction for either. Records are of 8 bytes.",
        pictures: vec![all.over_threads("Items per second, one consumer", is_mpsc, &captions).into()],
        checks: vec![
            Check::times("published BBQ, addition over exchange, most producers", at.ratio(FAA, CAS), 5.0),
            Check::times("bbq records over bbq::mpmc, most producers", at.ratio("aqueduct/bbq_records", OURS), 0.9),
        ],
    }
}

fn drop_old(figures: &Figures<'_>) -> Exhibit {
    let slowdown = figures.of("drop-old.slowdown");
    let read = figures.of("drop-old.read");
    let (many, queue) = (most(&slowdown, |_| true), DROP_OLD);
    Exhibit {
        name: "Figure 6: interference in drop-old mode",
        file: "fig-6-drop-old",
        claim: "A consumer makes producers less than 8 % slower, and it gets 99.97 % of the entries, except with one producer.",
        difference: "A producer's rate is over the time for which it had a core.",
        pictures: vec![
            slowdown.over_threads("What producers lose to a reader", |_| true, &DROPPING).into(),
            read.over_threads("Read, of all written", |_| true, &DROPPING).into(),
        ],
        checks: vec![
            Check::at_most("slowdown by a reader, %, 1 producer", slowdown.at((1, 1)).queue(queue), 8.0),
            Check::at_most("slowdown by a reader, %, most producers", slowdown.at(many).queue(queue), 8.0),
            Check::at_least("read, %, most producers", read.at(many).queue(queue), 99.97),
            Check::at_most(
                "slowdown by a reader, %, most producers, as published",
                slowdown.at(many).queue(DROPPED),
                8.0,
            ),
            Check::at_least("read, %, most producers, as published", read.at(many).queue(DROPPED), 99.97),
        ],
    }
}

fn pair(figures: &Figures<'_>) -> Exhibit {
    let of = |bench: &str| figures.of(bench).at((1, 1));
    let (simple, complex, misses) = (of("mpmc.throughput"), of("mpmc.complex"), of("mpmc.throughput.l1_misses"));
    Exhibit {
        name: "Figure 7: one producer, one consumer",
        file: "fig-7",
        claim: "In the simple workload BBQ is 11.3 to 42.4 times as fast as the other queues, in the complex one twice as fast as the second \
                best, because it has far fewer L1 misses.",
        difference: "Of the paper's rivals scqd and linuxrb take part.",
        pictures: vec![
            simple.over_threads("Items per second, simple", |_| true, &QUEUES).into(),
            complex.over_threads("Items per second, complex", |_| true, &QUEUES).into(),
            misses.over_threads("L1 misses per item, simple", |_| true, &QUEUES).into(),
        ],
        checks: vec![
            Check::times(
                "BBQ as published over the second best, simple",
                simple.ratio_to_best(PUBLISHED_SINGLE, is_rival),
                11.3,
            ),
            Check::times("bbq::spsc over the second best, simple", simple.ratio_to_best(SPSC, is_rival), 11.3),
            Check::times(
                "BBQ as published over the second best, complex",
                complex.ratio_to_best(PUBLISHED_SINGLE, is_rival),
                2.0,
            ),
            Check::times("bbq::spsc over the second best, complex", complex.ratio_to_best(SPSC, is_rival), 2.0),
            Check::times("bbq::spsc against the second best, L1 misses", misses.ratio_to_best(SPSC, is_rival), 1.0),
        ],
    }
}

/// Returns a statement for the published queue and one for ours, with most threads on the long
/// side.
fn both(figures: &Figures<'_>, what: &str, is_wanted: fn(Threads) -> bool, times: f64) -> [Check; 2] {
    let best = |name: &str| {
        let ratios = figures.threads(is_wanted).into_iter().filter(|&threads| threads != (1, 1));
        let all = ratios.filter_map(|threads| figures.at(threads).ratio_to_best(name, is_rival));
        all.reduce(|best, next| if next.value > best.value { next } else { best })
    };
    [
        Check::times(format!("BBQ as published over the second best, {what}, at best"), best(FAA), times),
        Check::times(format!("bbq::mpmc over the second best, {what}, at best"), best(OURS), times),
    ]
}

fn throughput(figures: &Figures<'_>) -> Exhibit {
    let (simple, complex) = (figures.of("mpmc.throughput"), figures.of("mpmc.complex"));
    Exhibit {
        name: "Figures 9a and 9b: many producers, or many consumers",
        file: "fig-9a",
        claim: "With many producers BBQ is up to 10.13 times (complex workload: 3.65) as fast as the second best queue, with many consumers up to \
                1.88 (2.39).",
        difference: "",
        pictures: vec![
            simple.over_threads("Items per second, simple, one consumer", is_mpsc, &QUEUES).into(),
            complex.over_threads("Items per second, complex, one consumer", is_mpsc, &QUEUES).into(),
            simple.over_threads("Items per second, simple, one producer", is_spmc, &QUEUES).into(),
            complex.over_threads("Items per second, complex, one producer", is_spmc, &QUEUES).into(),
        ],
        checks: [
            both(&simple, "simple, many producers", is_mpsc, 10.13),
            both(&complex, "complex, many producers", is_mpsc, 3.65),
            both(&simple, "simple, many consumers", is_spmc, 1.88),
            both(&complex, "complex, many consumers", is_spmc, 2.39),
        ]
        .into_iter()
        .flatten()
        .collect(),
    }
}

fn latency(figures: &Figures<'_>) -> Exhibit {
    let all = figures.of("mpmc.latency.in_queue.p50");
    let at = all.at(most(&all, |threads| is_spmc(threads) && threads != (1, 1)));
    let mut checks = both(&all, "many producers, median time in the queue", is_mpsc, 17.22).to_vec();
    checks.push(Check::times("scqd over BBQ as published, most consumers", at.ratio(SCQD, FAA), 1.0));
    Exhibit {
        name: "Figure 9d: how long data stay in the queue",
        file: "fig-9d",
        claim: "With many producers data stay in BBQ up to 17.22 times less long than in the second best queue; with many consumers scqd is best, \
                up to 7.45 times ahead of BBQ.",
        difference: "Medians, not means.",
        pictures: vec![
            all.over_threads("Median time in the queue, one consumer", is_mpsc, &QUEUES).into(),
            all.over_threads("Median time in the queue, one producer", is_spmc, &QUEUES).into(),
        ],
        checks,
    }
}

fn vain(figures: &Figures<'_>) -> Exhibit {
    let (full, empty) = (figures.of("mpmc.full"), figures.of("mpmc.empty"));
    let (alone_full, alone_empty) = (full.at((1, 1)), empty.at((1, 1)));
    let is_usual = |name: &str| name != SCQD;
    let grows = |of: &Figures<'_>, is_wanted: fn(Threads) -> bool| {
        Some(of.at(most(of, is_wanted)).queue(LINUXRB)?.over(&of.at((1, 1)).queue(LINUXRB)?))
    };
    let slower = |of: &Figures<'_>| Some(of.queue(SCQD)?.over(&of.best(is_usual)?));
    Exhibit {
        name: "Figure 9e: full and empty queues",
        file: "fig-9e",
        claim: "A failed operation of scqd takes about 1000 times as long as one of most other queues; linuxrb's grows with the number of threads.",
        difference: "Times are those for which a thread had a core. scqd looks 64 times at an entry that is about to be filled; its authors' code waits for longer.",
        pictures: vec![
            full.over_threads("Time of a push to a full queue", |_| true, &QUEUES).into(),
            empty.over_threads("Time of a pop from an empty queue", |_| true, &QUEUES).into(),
        ],
        checks: vec![
            Check::times("scqd's push to a full queue, as a multiple of the fastest", slower(&alone_full), 1000.0),
            Check::times("scqd's pop from an empty queue, as a multiple of the fastest", slower(&alone_empty), 1000.0),
            Check::times("linuxrb's push to a full queue, most producers over one", grows(&full, is_mpsc), 1.0),
            Check::times("linuxrb's pop from an empty queue, most consumers over one", grows(&empty, is_spmc), 1.0),
        ],
    }
}

fn fairness(figures: &Figures<'_>) -> Exhibit {
    let even = |side: &str| {
        let all = figures.of(&format!("mpmc.fairness.{side}.jain"));
        let at = most(&all, |threads| threads != (1, 1));
        Some(all.at(at).queue(LINUXRB)?.over(&all.at(at).queue(OURS)?))
    };
    Exhibit {
        name: "Figure 9f: fairness",
        file: "fig-9f",
        claim: "linuxrb is exceptionally fair, because its lock is; the others become unfair across sockets.",
        difference: "This cannot be tried here: linuxrb's lock here is not fair, because a ticket lock hands itself to threads that have no core; and \
                     one socket has no others.",
        pictures: vec![
            figures
                .of("mpmc.fairness.producers.jain")
                .over_threads("Evenness of the producers (Jain)", is_mpsc, &QUEUES)
                .into(),
            figures
                .of("mpmc.fairness.consumers.jain")
                .over_threads("Evenness of the consumers (Jain)", is_spmc, &QUEUES)
                .into(),
        ],
        checks: vec![
            Check::times("evenness of producers, linuxrb's over bbq::mpmc's", even("producers"), 1.0).undecidable(),
            Check::times("evenness of consumers, linuxrb's over bbq::mpmc's", even("consumers"), 1.0).undecidable(),
        ],
    }
}

fn oversubscription(figures: &Figures<'_>) -> Exhibit {
    let all = figures.of("mpmc.oversubscription");
    Exhibit {
        name: "Figure 9g: more threads than cores",
        file: "fig-9g",
        claim: "With more threads than cores BBQ is 2.22 times as fast as the second best queue with many producers, and 1.23 times with many \
                consumers.",
        difference: "Five threads for each core.",
        pictures: vec![all.over_threads("Items per second", |_| true, &QUEUES).into()],
        checks: [both(&all, "many producers", is_mpsc, 2.22), both(&all, "many consumers", is_spmc, 1.23)].concat(),
    }
}

const DROP_OLD: &str = "aqueduct/bbq_drop_old_mpmc";
const DROPPED: &str = "published/bbq_drop_old";
const EVICTING: &str = "published/evicting_ring";

/// Our drop-old queues with many producers, and the other queues.
const DROPPING: [(&str, &str); 5] = [
    (DROP_OLD, "bbq::drop_old::mpmc"),
    ("aqueduct/bbq_drop_old_spmc", "bbq::drop_old::spmc"),
    (DROPPED, "BBQ, published, drop-old"),
    (EVICTING, "locked evicting ring"),
    ("crossbeam-queue/force_push", "ArrayQueue, force_push"),
];

fn profiling(figures: &Figures<'_>) -> Exhibit {
    let (p50, p99) = (figures.of("drop-old.profiling.push.p50"), figures.of("drop-old.profiling.push.p99"));
    let with = |readers: usize| move |(_, consumers): Threads| consumers == readers;
    let longer = |name: &str| {
        let at = most(&p99, with(1));
        Some(p99.at(at).queue(name)?.over(&p99.at((at.0, 0)).queue(name)?))
    };
    let few = most(&p50, |threads| threads.1 == 0 && threads.0 <= 2);
    let level = p50.at(few).ratio(EVICTING, DROP_OLD);
    Exhibit {
        name: "Figures 10c and 10d: profiling, the latency of a push",
        file: "fig-10c",
        claim: "With up to 44 producers of 10,000 events a second and no consumer the locked rings are as fast as BBQ, and slow down with more; a \
                consumer makes their pushes 125 times as long (8 producers), and BBQ's hardly longer.",
        difference: "The locked ring stands for EvictingQueue and CircularFifoQueue: a mutex around a ring buffer. \"Hardly\" is taken as at most \
                     twice, at the 99th percentile; \"as fast\" as at least half as fast.",
        pictures: vec![
            p50.over_threads("Time of a push, median, no reader", with(0), &DROPPING).into(),
            p50.over_threads("Time of a push, median, with a reader", with(1), &DROPPING).into(),
            p99.over_threads("Time of a push, 99th percentile, no reader", with(0), &DROPPING).into(),
            p99.over_threads("Time of a push, 99th percentile, with a reader", with(1), &DROPPING).into(),
        ],
        checks: vec![
            Check::at_least("the locked ring's speed as a share of BBQ's, few producers, no reader", level, 0.5),
            Check::at_most(
                "BBQ's push, 99th percentile, with a reader over without, most producers",
                longer(DROP_OLD),
                2.0,
            ),
            Check::times(
                "the locked ring's push, 99th percentile, with a reader over without, most producers",
                longer(EVICTING),
                125.0,
            ),
        ],
    }
}

fn overwriting(figures: &Figures<'_>) -> Exhibit {
    let simple = (figures.of("drop-old.written"), figures.of("drop-old.read"));
    let complex = (figures.of("drop-old.complex.written"), figures.of("drop-old.complex.read"));
    let writes = |(written, _): &(Figures<'_>, Figures<'_>), name: &str| {
        written.at(most(written, |threads| threads.1 == 0)).ratio(name, EVICTING)
    };
    let reads = |(written, read): &(Figures<'_>, Figures<'_>), name: &str| {
        let with = most(read, |_| true);
        let got = |name: &str| {
            let rate = written.at(with).queue(name)?;
            Some(rate.with(&read.at(with).queue(name)?, |rate, share| rate * share / 100.0))
        };
        got(name).zip(got(EVICTING)).map(|(ours, theirs)| ours.over(&theirs))
    };
    let chart = |(written, _): &(Figures<'_>, Figures<'_>), what: &str| -> Picture {
        let title = format!("Items written per second, {what}, without a reader (Nx0) and with one (Nx1)");
        written.over_threads(&title, |_| true, &DROPPING).into()
    };
    Exhibit {
        name: "Figures 10a and 10b: drop-old throughput, without a consumer and with one",
        file: "fig-10a",
        claim: "BBQ, called from Java, writes 3.2 times as fast as EvictingQueue and CircularFifoQueue without a consumer, and with one keeps its rate, and its consumer reads \
                5.9 to 10.3 times as much as theirs.",
        difference: "In the complex workload a producer allocates memory for each item and frees it itself: a drop-old queue's items are plain words, \
                     because nobody frees those that it drops. Ratios are of most producers, over a ring with a lock.",
        pictures: vec![chart(&simple, "simple"), chart(&complex, "complex")],
        checks: vec![
            Check::times("written, simple, no reader", writes(&simple, DROP_OLD), 3.2),
            Check::times("written, simple, no reader, as published", writes(&simple, DROPPED), 3.2),
            Check::times("read, simple", reads(&simple, DROP_OLD), 5.9),
            Check::times("written, complex, no reader", writes(&complex, DROP_OLD), 3.2),
            Check::times("written, complex, no reader, as published", writes(&complex, DROPPED), 3.2),
            Check::times("read, complex", reads(&complex, DROP_OLD), 5.9),
        ],
    }
}

fn dpdk() -> Exhibit {
    Exhibit::without_figures(
        "Figure 11: DPDK end to end",
        "fig-11",
        "BBQ in DPDK's event library and network driver gives 1.5 times the throughput.",
        "The paper's setting takes two machines with network cards and a traffic generator. `aqueduct-dpdk` (`bench/dpdk`) measures the \
         event device, the network driver between two processes, and two clients of one process, on one machine that has DPDK; its results have \
         pages of their own.",
    )
}

fn io_uring(figures: &Figures<'_>) -> Exhibit {
    let all = figures.of("exchange.io_uring");
    // The queue of submissions, and whether batches are of random sizes (recorded as 0).
    let of = |size: usize, batch: usize| all.filter(|record| record.capacity == size && record.batch == batch);
    let check = |size, batch, words: &str, times| {
        let ratio = of(size, batch).ratio(SPSC, "published/io_uring");
        Check::times(format!("bbq::spsc over the ring, {size} entries, {words}"), ratio, times)
    };
    let label = |&(size, batch): &(usize, usize)| format!("{size}{}", if batch == 0 { ", random" } else { ", single" });
    let chart = all.chart("Time per request", "entries and batches", |it| Some((it.capacity, it.batch)), label, &[]);
    Exhibit {
        name: "Figure 12: io_uring",
        file: "fig-12",
        claim: "With single requests BBQ has 6.7 and 6.9 times lower latency than io_uring's ring (32 and 1024 entries), with random batches 20.9 and \
                50.5 times.",
        difference: "The ring is written after the manual, not taken from the kernel.",
        pictures: vec![chart.into()],
        checks: vec![
            check(32, 1, "single", 6.7),
            check(1024, 1, "single", 6.9),
            check(32, 0, "random batches", 20.9),
            check(1024, 0, "random batches", 50.5),
        ],
    }
}

fn disruptor(figures: &Figures<'_>) -> Exhibit {
    const DISRUPTOR: &str = "disruptor/poll";
    const MPSC: &str = "aqueduct/bbq_mpsc";
    let all = figures.of("exchange.multicast").filter(|record| record.batch == 1);
    let ratio = |at: Threads, name: &str| all.at(at).ratio(name, DISRUPTOR);
    let captions = [
        (SPSC, "bbq::spsc"),
        (MPSC, "bbq::mpsc"),
        (DISRUPTOR, "Disruptor"),
        ("published/blocking_queue", "queue with a lock"),
    ];
    Exhibit {
        name: "Figure 13: Disruptor",
        file: "fig-13",
        claim: "With one producer and one consumer Disruptor is almost 3 times as fast as a queue with a lock, and BBQ 4 times as fast as Disruptor; with 32 \
                producers BBQ is 5 times ahead, with 2 and 8 consumers 1.23 and 1.68 times, and with 32 Disruptor is 1.42 times ahead.",
        difference: "The `disruptor` crate; single events, where the paper takes Disruptor's mean batches. For several consumers our producer pushes to as \
                     many queues. A quick run has up to 8 threads on a side.",
        pictures: vec![
            all.over_threads("Events per second, one consumer", is_mpsc, &captions).into(),
            all.over_threads("Events per second, one producer", is_spmc, &captions).into(),
        ],
        checks: vec![
            Check::times(
                "Disruptor over a queue with a lock, 1x1",
                all.at((1, 1)).ratio(DISRUPTOR, "published/blocking_queue"),
                2.3,
            ),
            Check::times("bbq::spsc over Disruptor, 1x1", ratio((1, 1), SPSC), 4.0),
            Check::times("bbq::mpsc over Disruptor, 32x1", ratio((32, 1), MPSC), 5.0),
            Check::times("bbq::mpsc over Disruptor, 8x1", ratio((8, 1), MPSC), 1.0),
            Check::times("bbq::spsc over Disruptor, 1x2", ratio((1, 2), SPSC), 1.23),
            Check::times("bbq::spsc over Disruptor, 1x8", ratio((1, 8), SPSC), 1.68),
            Check::times("Disruptor over bbq::spsc, 1x32", all.at((1, 32)).ratio(DISRUPTOR, SPSC), 1.42),
        ],
    }
}
