//! The SPSC paper, section 5 and 6.

use aqueduct_bench_spsc::REGIMES;
use aqueduct_measure::record::{Payload, Record};
use aqueduct_measure::report::sheet::Sheet;
use aqueduct_measure::report::svg;
use aqueduct_measure::topology::PLACEMENTS;

use super::exhibit::{Check, Exhibit, Picture};
use super::figures::{Figures, Number, doublings, list};

const LQ: &str = "aqueduct/lamport";
const LLQ: &str = "aqueduct/lazy_lamport";
const BLQ: &str = "aqueduct/batched_lamport";
const FFQ: &str = "aqueduct/fast_forward";
const IFFQ: &str = "aqueduct/improved_fast_forward";
const BIFFQ: &str = "aqueduct/batched_improved_fast_forward";

/// The paper's queues by its names; a queue of the paper that batches does so by 32.
const QUEUES: [(&str, &str); 6] =
    [(LQ, "LQ"), (LLQ, "LLQ"), (BLQ, "BLQ"), (FFQ, "FFQ"), (IFFQ, "IFFQ"), (BIFFQ, "BIFFQ")];
const BATCH: usize = 32;

/// The queues of the switch: the paper's, and others to compare them with.
const SWITCHING: [(&str, &str); 9] = [
    (LQ, "LQ"),
    (LLQ, "LLQ"),
    (BLQ, "BLQ"),
    (FFQ, "FFQ"),
    (IFFQ, "IFFQ"),
    (BIFFQ, "BIFFQ"),
    ("aqueduct/ring", "ring"),
    ("aqueduct/bbq_spsc", "bbq::spsc"),
    ("rtrb/ring_buffer", "rtrb"),
];

/// Returns names for the option --queues.
fn names(queues: &[(&str, &str)]) -> String {
    let names: Vec<&str> = queues.iter().map(|(name, _)| name.trim_start_matches("aqueduct/")).collect();
    names.join(",")
}

/// Returns the experiments that are repeated for each placement of the two threads.
pub(super) fn placed(quick: bool) -> Vec<String> {
    let pace = if quick { " --rounds 3 --time 8" } else { "" };
    let names = names(&QUEUES);
    vec![format!(
        "bench spsc regime l1_misses pingpong --queues {names} --payload embedded --peers none --no-bounds{pace}"
    )]
}

pub(super) fn lines(cores: usize, quick: bool) -> Vec<String> {
    let (pace, switch) = if quick { (" --rounds 3 --time 8 --cell-time 1", " --rounds 3 --time 40") } else { ("", "") };
    let (names, switching) = (names(&QUEUES), names(&SWITCHING));
    let clients = list(&doublings(cores.saturating_sub(1).max(8))[1..]);
    vec![
        format!(
            "bench spsc regime perceived_batch l1_misses pingpong load --queues {names} --peers none --no-bounds{pace}"
        ),
        format!("vswitch --queues {switching} --clients {clients} --client-batch 1,8{switch}"),
    ]
}

/// Whether a figure was measured through the interface that the paper's queue has.
fn is_own_interface(record: &Record) -> bool {
    let batches = [BLQ, BIFFQ].iter().any(|name| record.queue == *name);
    !record.item_by_item && record.batch == if batches { BATCH } else { 1 }
}

/// Returns the regime of a figure, by its place in [`REGIMES`].
fn regime(record: &Record) -> Option<usize> {
    let loads = (record.producer_load_ns, record.consumer_load_ns);
    REGIMES.iter().position(|it| (it.producer_load_ns, it.consumer_load_ns) == loads)
}

pub(super) fn exhibits(figures: &Figures<'_>) -> Vec<Exhibit> {
    let of = |bench: &str, payload: Payload| {
        figures.of(bench).filter(|record| record.payload == payload && is_own_interface(record))
    };
    let in_regime = |bench: &str, payload: Payload, name: &str| {
        of(bench, payload).filter(|record| regime(record).is_some_and(|at| REGIMES[at].name == name))
    };
    let over_regimes = |bench: &str, payload: Payload, title: &str| {
        let label = |&at: &usize| REGIMES[at].name.to_owned();
        Picture::from(of(bench, payload).chart(title, "regimes", regime, label, &QUEUES))
    };
    let (embedded, indirect) = (Payload::Embedded, Payload::Indirect);
    let ratio = |bench: &str, payload: Payload, name: &str, (ours, other): (&str, &str)| {
        in_regime(bench, payload, name).ratio(ours, other)
    };
    vec![
        misses(&in_regime, &over_regimes, embedded, indirect),
        maps(figures),
        Exhibit {
            name: "Figures 15 and 16: throughput, embedded payload",
            file: "fig-15",
            claim: "The improvements make each queue faster, by 10 to 30 % on one socket and 1.7 to 2.9 times across sockets; under a fast \
                    consumer BIFFQ is slightly slower than IFFQ.",
            difference: "Work is emulated by dependent multiplications, not by a spin on the time-stamp counter.",
            pictures: vec![over_regimes("spsc.regime", embedded, "Items per second, embedded payload")],
            checks: vec![
                Check::times("LLQ over LQ, fast producer", ratio("spsc.regime", embedded, "FP", (LLQ, LQ)), 1.1),
                Check::times("LLQ over LQ, fast consumer", ratio("spsc.regime", embedded, "FC", (LLQ, LQ)), 1.1),
                Check::times("IFFQ over FFQ, fast producer", ratio("spsc.regime", embedded, "FP", (IFFQ, FFQ)), 1.1),
                Check::times("IFFQ over FFQ, fast consumer", ratio("spsc.regime", embedded, "FC", (IFFQ, FFQ)), 1.1),
                Check::times(
                    "IFFQ over BIFFQ, fast consumer",
                    ratio("spsc.regime", embedded, "FC", (IFFQ, BIFFQ)),
                    1.0,
                ),
            ],
        },
        Exhibit {
            name: "Figures 18 and 19: throughput, indirect payload",
            file: "fig-18",
            claim: "With a fast producer LLQ and BLQ improve LQ, IFFQ and BIFFQ improve FFQ; without load BLQ is much faster than LLQ, and \
                    BIFFQ than IFFQ.",
            difference: "",
            pictures: vec![over_regimes("spsc.regime", indirect, "Items per second, indirect payload")],
            checks: vec![
                Check::times("LLQ over LQ, fast producer", ratio("spsc.regime", indirect, "FP", (LLQ, LQ)), 1.0),
                Check::times("BLQ over LQ, fast producer", ratio("spsc.regime", indirect, "FP", (BLQ, LQ)), 1.0),
                Check::times("IFFQ over FFQ, fast producer", ratio("spsc.regime", indirect, "FP", (IFFQ, FFQ)), 1.0),
                Check::times("BLQ over LLQ, no load", ratio("spsc.regime", indirect, "NOLOAD", (BLQ, LLQ)), 1.1),
                Check::times("BIFFQ over IFFQ, no load", ratio("spsc.regime", indirect, "NOLOAD", (BIFFQ, IFFQ)), 1.1),
            ],
        },
        placements(figures),
        round_trips(figures),
        flood(figures),
        requests(figures),
    ]
}

fn misses<'a>(
    in_regime: &impl Fn(&str, Payload, &str) -> Figures<'a>,
    over_regimes: &impl Fn(&str, Payload, &str) -> Picture,
    embedded: Payload,
    indirect: Payload,
) -> Exhibit {
    let bench = "spsc.l1_misses.producer";
    let of = |name: &str, queue: &str| in_regime(bench, embedded, name).queue(queue);
    Exhibit {
        name: "Table 1 and figures 14 and 17: cache misses per item",
        file: "fig-14",
        claim: "LQ pays up to 3 misses an item, LLQ 1.1 with a fast producer and 2 with a fast consumer, BLQ and BIFFQ less than 0.4 in all \
                regimes, IFFQ at most 1.13.",
        difference: "Three regimes; the 10 x 10 pairs of loads follow. Misses are counted only where the processor's counters can be read. The \
                     second figure is how many items a side moves between two stalls, which the misses follow from.",
        pictures: vec![
            over_regimes(bench, embedded, "L1 misses per item, producer, embedded payload"),
            over_regimes(
                "spsc.perceived_batch.consumer",
                embedded,
                "Items between two stalls of the consumer, embedded payload",
            ),
            over_regimes(bench, indirect, "L1 misses per item, producer, indirect payload"),
        ],
        checks: vec![
            Check::at_most("LLQ, fast producer, misses", of("FP", LLQ), 1.25),
            Check::at_most("BLQ, fast producer, misses", of("FP", BLQ), 0.4),
            Check::at_most("BLQ, fast consumer, misses", of("FC", BLQ), 0.4),
            Check::at_most("IFFQ, fast producer, misses", of("FP", IFFQ), 0.4),
            Check::at_most("IFFQ, fast consumer, misses", of("FC", IFFQ), 1.25),
            Check::at_most("BIFFQ, fast consumer, misses", of("FC", BIFFQ), 0.4),
        ],
    }
}

/// The matrices, as throughput.
fn maps(figures: &Figures<'_>) -> Exhibit {
    let records = figures.filter(|record| record.bench == "spsc.load" && is_own_interface(record)).records();
    let sheet = Sheet::of(&records);
    let pictures = sheet
        .matrices
        .iter()
        .map(|it| Picture::Maps(svg::maps(it, &format!("Items per second, {}", it.setting.words()))));
    let missed = misses_of_loads(figures).records();
    let missed = Sheet::of(&missed);
    let missed = missed.matrices.iter().map(|it| {
        let side = if it.setting.bench == "spsc.load.l1_misses.producer" { "producer" } else { "consumer" };
        Picture::Maps(svg::maps(it, &format!("L1 misses per item, {side}, {}", it.setting.words())))
    });
    let embedded = figures.filter(|record| {
        record.bench == "spsc.load" && record.payload == Payload::Embedded && is_own_interface(record)
    });
    let faster = |ours: &str, other: &str| share_of_loads(&embedded.records(), ours, other);
    Exhibit {
        name: "Figures 14 and 17: 10 x 10 loads",
        file: "fig-14-load",
        claim: "LQ is the worst queue for any combination of loads; IFFQ improves FFQ for all.",
        difference: "The paper's maps show misses. These show items per second, and misses of the same runs where the processor's counters can be \
                     read. Speeds do not decide a claim about misses; the shares of the loads are those in which the median of the rounds is greater.",
        pictures: pictures.chain(missed).collect(),
        checks: vec![
            Check::at_least("loads in which LLQ is faster than LQ, %", faster(LLQ, LQ), 100.0).undecidable(),
            Check::at_least("loads in which BLQ is faster than LQ, %", faster(BLQ, LQ), 100.0).undecidable(),
            Check::at_least("loads in which FFQ is faster than LQ, %", faster(FFQ, LQ), 100.0).undecidable(),
            Check::at_least("loads in which IFFQ is faster than LQ, %", faster(IFFQ, LQ), 100.0).undecidable(),
            Check::at_least("loads in which BIFFQ is faster than LQ, %", faster(BIFFQ, LQ), 100.0).undecidable(),
            Check::at_least("loads in which IFFQ is faster than FFQ, %", faster(IFFQ, FFQ), 100.0).undecidable(),
            Check::times("LQ's misses over those of the worst other queue", worst_of_loads(figures), 1.0),
        ],
    }
}

/// Returns the producer's and the consumer's misses for each pair of loads.
fn misses_of_loads<'a>(figures: &Figures<'a>) -> Figures<'a> {
    figures.filter(|record| record.bench.name.starts_with("spsc.load.l1_misses") && is_own_interface(record))
}

/// Returns the share of the loads in which one queue is faster than another, in per cent.
fn share_of_loads(records: &[Record], ours: &str, other: &str) -> Option<Number> {
    let loads = |record: &Record| (record.producer_load_ns, record.consumer_load_ns);
    let mine = records.iter().filter(|record| record.queue == ours);
    let is_faster: Vec<bool> = mine
        .filter_map(|mine| {
            let theirs = records.iter().find(|it| it.queue == other && loads(it) == loads(mine))?;
            Some(mine.median > theirs.median)
        })
        .collect();
    let faster = is_faster.iter().filter(|&&it| it).count();
    (!is_faster.is_empty()).then(|| Number::whole(100.0 * faster as f64 / is_faster.len() as f64))
}

/// Returns the ratio of LQ's mean misses over all loads to those of the other queue with the most.
fn worst_of_loads(figures: &Figures<'_>) -> Option<Number> {
    let embedded = misses_of_loads(figures).filter(|record| record.payload == Payload::Embedded);
    let mean = |queue: &str| {
        let misses: Vec<f64> =
            embedded.filter(|record| record.queue == queue).records().iter().map(|record| record.median).collect();
        (!misses.is_empty()).then(|| misses.iter().sum::<f64>() / misses.len() as f64)
    };
    let others = QUEUES.iter().filter(|(name, _)| *name != LQ).filter_map(|(name, _)| mean(name));
    Some(Number::whole(mean(LQ)? / others.reduce(f64::max)?))
}

/// The placements of two threads, beside each other.
fn placements(figures: &Figures<'_>) -> Exhibit {
    let is_of = |record: &Record| {
        let is_fast_consumer = regime(record).is_some_and(|at| REGIMES[at].name == "FC");
        let is_embedded = record.payload == Payload::Embedded && is_own_interface(record);
        is_embedded && record.bench == "spsc.regime" && is_fast_consumer
    };
    let further: Vec<(&str, Vec<Record>)> =
        PLACEMENTS.iter().map(|&placement| (placement, figures.placed(placement))).collect();
    // The usual placement has no figures of its own: two cores of a node, where there are.
    let has_none = |placement: &str| further.iter().any(|(of, found)| *of == placement && found.is_empty());
    let usual = ["one_node", "two_nodes", "siblings"].into_iter().find(|placement| has_none(placement));
    let all: Vec<Record> = (further.iter().enumerate())
        .flat_map(|(at, (of, found))| {
            let found = if Some(*of) == usual { figures.records() } else { found.clone() };
            found.into_iter().filter(is_of).map(move |record| Record { capacity: at, ..record })
        })
        .collect();
    let label = |&at: &usize| PLACEMENTS[at].replace('_', " ");
    let has_further = further.iter().any(|(_, all)| !all.is_empty());
    let chart = Figures::all(&all).chart(
        "Items per second, embedded payload, fast consumer",
        "placement",
        |record| has_further.then_some(record.capacity),
        label,
        &QUEUES,
    );
    let over = |placement: &str, ours: &str, other: &str| {
        let found = figures.placed(placement);
        Figures::all(&found).filter(|record| is_of(record)).ratio(ours, other)
    };
    Exhibit {
        name: "Figures 15 and 16: siblings, one socket, two sockets",
        file: "fig-15-placements",
        claim: "LLQ over LQ and IFFQ over FFQ: 10 to 30 % on one socket, and 1.7 to 2.9 times across sockets.",
        difference: "Where the processor has siblings, or the machine several NUMA nodes, the experiments are repeated with threads placed so; the \
                     first two cores of a node are the usual placement. A machine whose cores are all of one kind has one placement only.",
        pictures: vec![chart.into()],
        checks: vec![
            Check::times("LLQ over LQ, two nodes", over("two_nodes", LLQ, LQ), 1.7),
            Check::times("IFFQ over FFQ, two nodes", over("two_nodes", IFFQ, FFQ), 1.7),
            Check::times("LLQ over LQ, siblings", over("siblings", LLQ, LQ), 1.0),
            Check::times("IFFQ over FFQ, siblings", over("siblings", IFFQ, FFQ), 1.0),
        ],
    }
}

fn round_trips(figures: &Figures<'_>) -> Exhibit {
    let payload = |record: &Record| Some(usize::from(record.payload == Payload::Indirect));
    let of = |payload: Payload| figures.of("spsc.pingpong").filter(|record| record.payload == payload);
    let (embedded, indirect) = (of(Payload::Embedded), of(Payload::Indirect));
    let words = |&at: &usize| ["embedded", "indirect"][at].to_owned();
    let chart = figures.of("spsc.pingpong").chart("Round trip of one item", "payload", payload, words, &QUEUES);
    let counted = figures.of("spsc.pingpong.l1_misses.producer");
    let misses = counted.chart("L1 misses per round trip, the thread that asks", "payload", payload, words, &QUEUES);
    let counted = counted.filter(|record| record.payload == Payload::Embedded);
    Exhibit {
        name: "Figures 20 and 21: round trips",
        file: "fig-20",
        claim: "LQ is worst; LLQ makes 22 % more transactions than LQ; BLQ makes 22 % fewer than LLQ; IFFQ is best, with a latency 33 % lower than \
                LQ's (26 % with indirect payload), and BIFFQ is 12 % behind it. A round trip costs 6 misses with LQ, 4.02 with LLQ, 2.16 with \
                IFFQ.",
        difference: "Misses are counted only where the processor's counters can be read.",
        pictures: vec![chart.into(), misses.into()],
        checks: vec![
            Check::times("LLQ over LQ", embedded.ratio(LLQ, LQ), 1.22),
            Check::times("LLQ over BLQ, indirect", indirect.ratio(LLQ, BLQ), 1.0),
            Check::times("IFFQ over LQ", embedded.ratio(IFFQ, LQ), 1.0 / 0.67),
            Check::times("IFFQ over LQ, indirect", indirect.ratio(IFFQ, LQ), 1.0 / 0.74),
            Check::times("IFFQ over BIFFQ, indirect", indirect.ratio(IFFQ, BIFFQ), 1.0),
            Check::times("IFFQ over the best of the others", embedded.ratio_to_best(IFFQ, |_| true), 1.0),
            Check::times("LQ's misses over LLQ's", counted.ratio(LLQ, LQ), 6.0 / 4.02),
            Check::times("LQ's misses over IFFQ's", counted.ratio(IFFQ, LQ), 6.0 / 2.16),
        ],
    }
}

/// Returns the figures of a workload of the switch, of single frames or of batches, and their most
/// clients.
fn switch<'a>(figures: &Figures<'a>, bench: &str, batch: usize) -> (Figures<'a>, Figures<'a>) {
    let all = figures.filter(|record| record.bench == bench && record.batch == batch);
    let most = all.threads(|_| true).last().copied().unwrap_or_default();
    let saturated = all.at(most);
    (all, saturated)
}

fn over_clients(figures: &Figures<'_>, title: &str) -> Picture {
    let label = |clients: &usize| clients.to_string();
    figures.chart(title, "clients", |record| Some(record.producers), label, &SWITCHING).into()
}

fn flood(figures: &Figures<'_>) -> Exhibit {
    let (singly, most) = switch(figures, "vswitch.flood", 1);
    let (in_batches, most_in_batches) = switch(figures, "vswitch.flood", 8);
    let is_lamport = |name: &str| [LQ, LLQ, BLQ].contains(&name);
    Exhibit {
        name: "Figure 23: the virtual switch, flooded",
        file: "fig-23",
        claim: "With many clients IFFQ and BIFFQ have a consistently higher throughput than the others, and BLQ than LQ and LLQ.",
        difference: "With fewer cores than clients, the clients of a core take turns in one thread.",
        pictures: vec![
            over_clients(&singly, "Frames forwarded per second, clients send single frames"),
            over_clients(&in_batches, "Frames forwarded per second, clients send 8 at once"),
        ],
        checks: vec![
            Check::times("IFFQ over the best of LQ, LLQ, BLQ, most clients", most.ratio_to_best(IFFQ, is_lamport), 1.0),
            Check::times(
                "BIFFQ over the best of LQ, LLQ, BLQ, most clients",
                most.ratio_to_best(BIFFQ, is_lamport),
                1.0,
            ),
            Check::times("BLQ over LQ, most clients", most.ratio(BLQ, LQ), 1.0),
            Check::times("BLQ over LLQ, most clients", most.ratio(BLQ, LLQ), 1.0),
            Check::times(
                "BIFFQ over the best of LQ, LLQ, BLQ, 8 at once",
                most_in_batches.ratio_to_best(BIFFQ, is_lamport),
                1.0,
            ),
        ],
    }
}

fn requests(figures: &Figures<'_>) -> Exhibit {
    let (singly, most) = switch(figures, "vswitch.request_response", 1);
    let (in_batches, most_in_batches) = switch(figures, "vswitch.request_response", 8);
    let is_lamport = |name: &str| [LQ, LLQ, BLQ].contains(&name);
    Exhibit {
        name: "Figure 24: the virtual switch, requests and responses",
        file: "fig-24",
        claim: "Single requests: queues from FastForward move about 6 million frames a second, those from Lamport about 4; BIFFQ is slightly slower \
                than IFFQ, and BLQ the slowest. Batches of 8: IFFQ, BIFFQ and FFQ are ahead.",
        difference: "",
        pictures: vec![
            over_clients(&singly, "Frames forwarded per second, single requests"),
            over_clients(&in_batches, "Frames forwarded per second, 8 requests at once"),
        ],
        checks: vec![
            Check::times("FFQ over the best of LQ, LLQ, BLQ", most.ratio_to_best(FFQ, is_lamport), 1.5),
            Check::times("IFFQ over the best of LQ, LLQ, BLQ", most.ratio_to_best(IFFQ, is_lamport), 1.5),
            Check::times("IFFQ over BIFFQ", most.ratio(IFFQ, BIFFQ), 1.0),
            Check::times("LQ over BLQ", most.ratio(LQ, BLQ), 1.0),
            Check::times(
                "IFFQ over the best of LQ, LLQ, BLQ, 8 at once",
                most_in_batches.ratio_to_best(IFFQ, is_lamport),
                1.0,
            ),
        ],
    }
}
