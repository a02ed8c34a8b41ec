//! J. Wang's thesis, chapter 3: CNQ and FAAQ.

use aqueduct_measure::record::Record;

use super::exhibit::{Check, Exhibit};
use super::figures::{Figures, Threads, doublings};

const FAAQ: &str = "aqueduct/faaq";
const BBQ: &str = "aqueduct/bbq_mpmc";
const DPDKRB: &str = "rte_ring/mp_mc";
/// The k of the thesis' comparisons.
const ORDERS: [usize; 3] = [100, 1000, 10_000];

/// The strict queues.
const STRICT: [(&str, &str); 7] = [
    (FAAQ, "FAAQ"),
    (BBQ, "bbq::mpmc"),
    ("published/bbq_faa", "BBQ, published"),
    ("published/scqd", "scqd"),
    (DPDKRB, "dpdkrb"),
    ("published/circular_buffer", "linuxrb"),
    ("crossbeam-queue/array_queue", "ArrayQueue"),
];

pub(super) fn lines(cores: usize, quick: bool) -> Vec<String> {
    let pace = if quick { " --rounds 3 --slice 20" } else { "" };
    let side = *doublings(cores / 2).last().unwrap_or(&4);
    let threads = format!("{side}x1,1x{side},{0}x{0}", side / 2);
    let strict: Vec<&str> =
        STRICT.iter().map(|(name, _)| *name).filter(|name| cfg!(feature = "cpp-peers") || *name != DPDKRB).collect();
    let peers = "bbq_mpmc,faaq,sequenced_ring,relaxed,lcrq,cnq_faaq,crossbeam-queue";
    let every =
        if quick { "2,8,32,128,256,1024,4096,16384" } else { "2,4,8,16,32,64,128,256,512,1024,2048,4096,8192,16384" };
    vec![
        format!("bench mpmc throughput --threads {threads} --batch 1 --queues {}{pace}", strict.join(",")),
        format!("bench cnq throughput order memory --threads {threads} --batch 1 --queues {peers}{pace}"),
        format!(
            "bench cnq sweep --threads {threads} --queues cnq_faaq,cnq_bbq,cnq_sequenced,cnq_indices --sweep {every}{pace}"
        ),
    ]
}

/// A workload's name in the thesis, and whether it has these numbers of threads.
type Workload = (&'static str, fn(Threads) -> bool);

const WORKLOADS: [Workload; 3] = [
    ("MPSC", |(producers, consumers)| producers > 1 && consumers == 1),
    ("SPMC", |(producers, consumers)| producers == 1 && consumers > 1),
    ("MPMC", |(producers, consumers)| producers > 1 && consumers > 1),
];

fn cnq(k: usize) -> String {
    format!("aqueduct/cnq_faaq[k={k}]")
}

/// Whether a queue is not CNQ.
fn is_other(name: &str) -> bool {
    !name.starts_with("aqueduct/cnq_") && !name.starts_with("bound/")
}

pub(super) fn exhibits(figures: &Figures<'_>) -> Vec<Exhibit> {
    vec![checked(), fifo(figures), sweep(figures), comparison(figures), latency(figures), memory(figures)]
}

fn checked() -> Exhibit {
    Exhibit::without_figures(
        "Table 3.1: executions of the checked programs",
        "table-3-1",
        "Six programs with k = 2 have from some hundred to millions of executions, which take seconds to days; all are right.",
        "It is of the checker and not of a machine: `aqueduct verify cnq-bbq/C1` (feature `checkers`) and its neighbours up to C6, over each tube, are such \
         programs.",
    )
}

/// Returns the figures of a workload.
fn of<'a>(figures: &Figures<'a>, (_, is_of): Workload) -> Figures<'a> {
    figures.filter(|record| is_of((record.producers, record.consumers)))
}

fn fifo(figures: &Figures<'_>) -> Exhibit {
    let all = figures.of("mpmc.throughput");
    let claims = [1.4, 4.5, 1.6];
    let check = |(workload, times): (Workload, f64)| {
        let ratio = of(&all, workload).ratio_to_best(FAAQ, |name| name != FAAQ);
        Check::times(format!("FAAQ over the second best, {}", workload.0), ratio, times)
    };
    Exhibit {
        name: "Figure 3.7: strict queues",
        file: "fig-3-7",
        claim: "FAAQ has the highest throughput of all: up to 1.4, 4.5 and 1.6 times the second best (many producers, many consumers, both).",
        difference: "DPDK's ring takes part in builds with `cpp-peers` only.",
        pictures: vec![all.over_threads("Items per second", |_| true, &STRICT).into()],
        checks: WORKLOADS.into_iter().zip(claims).map(check).collect(),
    }
}

fn sweep(figures: &Figures<'_>) -> Exhibit {
    let all = figures.of("cnq.sweep");
    let pictures = WORKLOADS.into_iter().map(|workload| {
        let figures = of(&all, workload).records();
        let tubes = ["faaq", "bbq", "sequenced", "indices"];
        // One curve for each tube: k leaves the name and becomes the column.
        let plain: Vec<Record> = figures
            .iter()
            .map(|record| {
                let mut plain = record.clone();
                plain.batch = record.queue.order().unwrap_or(0);
                plain.queue.parameter = None;
                plain
            })
            .collect();
        let names: Vec<(String, &str)> = tubes.iter().map(|tube| (format!("aqueduct/cnq_{tube}"), *tube)).collect();
        let captions: Vec<(&str, &str)> = names.iter().map(|(name, tube)| (name.as_str(), *tube)).collect();
        let title = format!("Items per second over each tube, {}", workload.0);
        Figures::all(&plain).chart(&title, "k", |record| Some(record.batch), ToString::to_string, &captions).into()
    });
    let mpmc = of(&all, WORKLOADS[2]);
    let strict = of(&figures.of("cnq.throughput"), WORKLOADS[2]).queue(FAAQ);
    let speedup = |k: usize| Some(mpmc.queue(&cnq(k))?.over(strict.as_ref()?));
    Exhibit {
        name: "Figures 3.8 and 3.9: the speed-up by k",
        file: "fig-3-8",
        claim: "The larger k, the faster: over FAAQ with many producers and consumers 3.9 times for k = 256, 21.1 times for k = 4096; very small \
                k may cost speed.",
        difference: "Tubes are ours: `sequenced` is a ring of turns, `indices` SCQ's index queues.",
        pictures: pictures.collect(),
        checks: vec![
            Check::times("CNQ over FAAQ, k = 256, MPMC", speedup(256), 3.9),
            Check::times("CNQ over FAAQ, k = 4096, MPMC", speedup(4096), 21.1),
            Check::times("k = 4096 over k = 256, MPMC", mpmc.ratio(&cnq(4096), &cnq(256)), 1.0),
        ],
    }
}

fn comparison(figures: &Figures<'_>) -> Exhibit {
    let all = figures.of("cnq.throughput");
    let check = |(workload, times): (Workload, f64)| {
        let ratio = of(&all, workload).ratio_to_best(&cnq(10_000), is_other);
        Check::times(format!("CNQ with k = 10,000 over the second best, {}", workload.0), ratio, times)
    };
    Exhibit {
        name: "Figure 3.10: relaxed queues",
        file: "fig-3-10",
        claim: "CNQ with k = 10,000 has 6.6, 14.5 and 6.0 times the throughput of the second best queue (many producers, many consumers, both).",
        difference: "The thesis' ten rivals take part, written anew: BBQ, LCRQ, k-segment queues with a bound (BSQ) and without (USQ), the \
                     time-stamped queue (RTSQ), the random dequeue queue (RDQ), the segment queue (SQ), and distributed queues of a queue for each \
                     producer (LLDQ), of the least recently used queue (LRUQ) and of two choices (RADQ). Besides: round robin, d-CBO, MultiFIFO and \
                     BlockFIFO. BSQ, USQ, RDQ and SQ have the k of CNQ; in the thesis, their own. LLDQ, LRUQ and RADQ are over bounded \
                     rings here, each with a part of the capacity; their authors' are over unbounded lists.",
        pictures: vec![all.over_threads("Items per second", |_| true, &[]).into()],
        checks: WORKLOADS.into_iter().zip([6.6, 14.5, 6.0]).map(check).collect(),
    }
}

fn latency(figures: &Figures<'_>) -> Exhibit {
    let all = figures.of("cnq.in_queue.p50");
    let check = |(workload, times): (Workload, f64)| {
        let at = of(&all, workload);
        let all = ORDERS.into_iter().filter_map(|k| at.ratio_to_best(&cnq(k), is_other));
        let ours = all.reduce(|best, next| if next.value > best.value { next } else { best });
        Check::times(format!("CNQ, its best k, against the best of the others, {}", workload.0), ours, times)
    };
    let smaller = of(&all, WORKLOADS[2]).ratio(&cnq(100), &cnq(10_000));
    Exhibit {
        name: "Figure 3.11: how long data stay in the queue",
        file: "fig-3-11",
        claim: "Data stay in CNQ 7.9, 1.3 and 79.4 times less long than in the second best queue; the smaller k, the shorter.",
        difference: "Medians, not means.",
        pictures: vec![all.over_threads("Median time in the queue", |_| true, &[]).into()],
        checks: (WORKLOADS.into_iter().zip([7.9, 1.3, 79.4]).map(check))
            .chain([Check::times("k = 100 against k = 10,000, MPMC", smaller, 1.0)])
            .collect(),
    }
}

fn memory(figures: &Figures<'_>) -> Exhibit {
    let all = figures.of("cnq.memory");
    let check = |workload: Workload| {
        let kib = of(&all, workload).queue(&cnq(10_000));
        Check::at_most(format!("CNQ with k = 10,000, KiB, {}", workload.0), kib, 1024.0).undecidable()
    };
    Exhibit {
        name: "Figure 3.12: peak memory",
        file: "fig-3-12",
        claim: "BBQ and CNQ keep to the 1 MB that they begin with; others take 100 MB to 1 GB more.",
        difference: "This cannot be tested here: the measured pages are those that the process touched, threads' stacks among them; and LLDQ, LRUQ and \
                     RADQ are over bounded rings here.",
        pictures: vec![all.over_threads("Peak memory", |_| true, &[]).into()],
        checks: WORKLOADS.into_iter().map(check).collect(),
    }
}
