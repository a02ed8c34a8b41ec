//! The SPSC paper, section 5 and 6.

use aqueduct_bench_spsc::REGIMES;
use aqueduct_measure::record::{Payload, Record};
use aqueduct_measure::report::sheet::Sheet;
use aqueduct_measure::report::svg;

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

pub(super) fn lines(cores: usize, quick: bool) -> Vec<String> {
    let (pace, switch) = if quick { (" --rounds 3 --time 8 --cell-time 1", " --rounds 3 --time 40") } else { ("", "") };
    let names: Vec<&str> = QUEUES.iter().map(|(name, _)| name.trim_start_matches("aqueduct/")).collect();
    let names = names.join(",");
    let clients = list(&doublings(cores.saturating_sub(1).max(8))[1..]);
    vec![
        format!(
            "bench spsc regime perceived_batch l1_misses pingpong load --queues {names} --peers none --no-bounds{pace}"
        ),
        format!("vswitch --queues {names} --clients {clients} --client-batch 1,8{switch}"),
    ]
}

/// Whether a figure is of the interface that the paper's queue has.
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
        difference: "Three regimes, not 10 x 10 pairs of loads, and only where the processor's counters can be read. The second figure is how \
                     many items a side moves between two stalls, which the misses follow from.",
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
    let slow = |queue: &str| {
        let of_queue = figures.filter(|record| {
            record.bench == "spsc.load"
                && record.payload == Payload::Embedded
                && is_own_interface(record)
                && record.queue == queue
        });
        let rates: Vec<f64> = of_queue.records().iter().map(|record| record.median).collect();
        (!rates.is_empty()).then(|| rates.len() as f64 / rates.iter().map(|rate| rate.recip()).sum::<f64>())
    };
    let over = |ours: &str, other: &str| Some(Number::whole(slow(ours)? / slow(other)?));
    Exhibit {
        name: "Figures 14 and 17: 10 x 10 loads, as throughput",
        file: "fig-14-load",
        claim: "LQ is the worst queue for any combination of loads; IFFQ improves FFQ for all.",
        difference: "The paper's maps show misses; these show items per second of the same runs. The statements are of the mean time of an \
                     item over all loads.",
        pictures: pictures.collect(),
        checks: vec![
            Check::times("LLQ over LQ", over(LLQ, LQ), 1.0),
            Check::times("BLQ over LQ", over(BLQ, LQ), 1.0),
            Check::times("FFQ over LQ", over(FFQ, LQ), 1.0),
            Check::times("IFFQ over LQ", over(IFFQ, LQ), 1.0),
            Check::times("BIFFQ over LQ", over(BIFFQ, LQ), 1.0),
            Check::times("IFFQ over FFQ", over(IFFQ, FFQ), 1.0),
        ],
    }
}

fn round_trips(figures: &Figures<'_>) -> Exhibit {
    let payload = |record: &Record| Some(usize::from(record.payload == Payload::Indirect));
    let of = |payload: Payload| figures.of("spsc.pingpong").filter(|record| record.payload == payload);
    let (embedded, indirect) = (of(Payload::Embedded), of(Payload::Indirect));
    let words = |&at: &usize| ["embedded", "indirect"][at].to_owned();
    let chart = figures.of("spsc.pingpong").chart("Round trip of one item", "payload", payload, words, &QUEUES);
    Exhibit {
        name: "Figures 20 and 21: round trips",
        file: "fig-20",
        claim: "LQ is worst; LLQ makes 22 % more transactions than LQ; BLQ makes 22 % fewer than LLQ; IFFQ is best, with a latency 33 % lower than \
                LQ's (26 % with indirect payload), and BIFFQ is 12 % behind it.",
        difference: "Misses per round trip are not counted.",
        pictures: vec![chart.into()],
        checks: vec![
            Check::times("LLQ over LQ", embedded.ratio(LLQ, LQ), 1.22),
            Check::times("LLQ over BLQ, indirect", indirect.ratio(LLQ, BLQ), 1.0),
            Check::times("IFFQ over LQ", embedded.ratio(IFFQ, LQ), 1.0 / 0.67),
            Check::times("IFFQ over LQ, indirect", indirect.ratio(IFFQ, LQ), 1.0 / 0.74),
            Check::times("IFFQ over BIFFQ, indirect", indirect.ratio(IFFQ, BIFFQ), 1.0),
            Check::times("IFFQ over the best of the others", embedded.ratio_to_best(IFFQ, |_| true), 1.0),
        ],
    }
}

/// Returns the figures of a workload of the switch, of single frames or of batches, and their most clients.
fn switch<'a>(figures: &Figures<'a>, bench: &str, batch: usize) -> (Figures<'a>, Figures<'a>) {
    let all = figures.filter(|record| record.bench == bench && record.batch == batch);
    let most = all.threads(|_| true).last().copied().unwrap_or_default();
    let saturated = all.at(most);
    (all, saturated)
}

fn over_clients(figures: &Figures<'_>, title: &str) -> Picture {
    let label = |clients: &usize| clients.to_string();
    figures.chart(title, "clients", |record| Some(record.producers), label, &QUEUES).into()
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
