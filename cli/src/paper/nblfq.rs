//! The NBLFQ paper, section VI.

use super::exhibit::{Check, Exhibit};
use super::figures::{Figures, Number, doublings, list};

const NBLFQ: &str = "aqueduct/nblfq";
const NBLFQ2: &str = "aqueduct/nblfq_wide";

/// The queues, by the paper's names where it has them.
const QUEUES: [(&str, &str); 13] = [
    (NBLFQ, "NBLFQ"),
    (NBLFQ2, "NBLFQ 2"),
    ("published/scqp", "SCQ2"),
    ("published/scqd", "SCQD"),
    ("published/ncq", "NCQ"),
    ("published/lcrq", "LCRQ"),
    ("published/michael_scott", "MS"),
    ("published/wcq", "wCQ"),
    ("published/ymc", "wfqueue (YMC)"),
    ("published/loo", "LOO"),
    ("published/cr_turn", "CRTurn"),
    ("crossbeam-queue/array_queue", "ArrayQueue"),
    ("aqueduct/bbq_mpmc", "bbq::mpmc"),
];

pub(super) fn lines(cores: usize, quick: bool) -> Vec<String> {
    let pace = if quick { " --rounds 3 --slice 20" } else { "" };
    let names: Vec<&str> = QUEUES.iter().map(|(name, _)| *name).collect();
    let threads = list(&doublings(cores / 2));
    vec![format!("bench nblfq pairs single processes threads --threads {threads} --queues {}{pace}", names.join(","))]
}

/// Whether a queue is one of those that the paper measures, and not ours.
fn is_rival(name: &str) -> bool {
    name.starts_with("published/")
}

pub(super) fn exhibits(figures: &Figures<'_>) -> Vec<Exhibit> {
    let pairs = figures.of("nblfq.pairs");
    let one = pairs.at((1, 1));
    let most = pairs.threads(|_| true).last().copied().unwrap_or_default();
    let all = pairs.at(most);
    let single = figures.of("nblfq.single.p50");
    let apart = figures.of("nblfq.processes.p50");
    vec![
        Exhibit {
            name: "Figures 4 to 7: producers and consumers",
            file: "fig-4",
            claim: "With one producer and one consumer NBLFQ is about twice as fast as the second best queue, and NBLFQ 2 slightly slower than \
                    NBLFQ; with many, SCQ2 and LCRQ are among the best and NBLFQ is in the pack.",
            difference: "Of the paper's 17 queues the 11 that are here take part.",
            pictures: vec![pairs.over_threads("Items per second", |_| true, &QUEUES).into()],
            checks: vec![
                Check::times("NBLFQ over the best of the paper's others, 1x1", one.ratio_to_best(NBLFQ, is_rival), 2.0),
                Check::times("NBLFQ over NBLFQ 2, 1x1", one.ratio(NBLFQ, NBLFQ2), 1.0),
                Check::times("the best of SCQ2 and LCRQ over NBLFQ, most threads", better_of(&all), 1.0),
            ],
        },
        Exhibit {
            name: "Figures 8 to 11: latency of one thread in a communication library",
            file: "fig-8",
            claim: "NBLFQ has the best latency on all machines; the second best queue costs 5 to 16 % more.",
            difference: "Two nodes in one process, and in a process each, over a datagram socket, in place of NewMadeleine over InfiniBand: the network \
                         takes longer, so the queue's share is smaller. A message takes microseconds here, and a queue nanoseconds: this \
                         experiment cannot tell the queues apart.",
            pictures: vec![
                single.over_threads("Round trip of a message, median", |_| true, &QUEUES).into(),
                apart.over_threads("Round trip of a message between processes, median", |_| true, &QUEUES).into(),
            ],
            checks: vec![
                Check::times("NBLFQ over the best of the paper's others", single.ratio_to_best(NBLFQ, is_rival), 1.05)
                    .undecidable(),
                Check::times("NBLFQ over NBLFQ 2", single.ratio(NBLFQ, NBLFQ2), 1.0).undecidable(),
                Check::times(
                    "NBLFQ over the best of the paper's others, two processes",
                    apart.ratio_to_best(NBLFQ, is_rival),
                    1.05,
                )
                .undecidable(),
            ],
        },
        threads(figures),
        retries(),
    ]
}

fn better_of(figures: &Figures<'_>) -> Option<Number> {
    let best = figures.best(|name| ["published/scqp", "published/lcrq"].contains(&name))?;
    Some(best.over(&figures.queue(NBLFQ)?))
}

fn threads(figures: &Figures<'_>) -> Exhibit {
    let all = figures.of("nblfq.threads.p50");
    let checks = all.threads(|_| true).into_iter().map(|at| {
        let ratio = all.at(at).ratio_to_best(NBLFQ, is_rival);
        Check::times(format!("NBLFQ over the best of the paper's others, {} threads a node", at.0), ratio, 1.0)
            .undecidable()
    });
    let label = |threads: &usize| threads.to_string();
    let chart =
        all.chart("Round trip of a message, median", "threads of a node", |it| Some(it.producers), label, &QUEUES);
    Exhibit {
        name: "Figures 12 to 15: latency of many threads",
        file: "fig-12",
        claim: "NBLFQ has the best latency for any number of threads.",
        difference: "As in figures 8 to 11; a worker of each node serves its socket.",
        pictures: vec![chart.into()],
        checks: checks.collect(),
    }
}

/// The program counts no exchanges, so the statements have no figures.
fn retries() -> Exhibit {
    Exhibit {
        name: "Figures 1 and 16: failed exchanges",
        file: "fig-16",
        claim: "Of NBLFQ's compare-exchanges at most 3.5 % fail in the communication library, of NBLFQ 2's at most 7 %: contention is low.",
        difference: "The program does not count exchanges. Where they were counted (two cores, `results/papers.md`), 0.02 and 0.04 of a hundred \
                     operations failed. Between two messages over a socket threads hardly ever meet at a queue, so this could not \
                     decide the claim. The baseline of figure 1 is a queue of that library, which is not here.",
        pictures: Vec::new(),
        checks: vec![
            Check::at_most("NBLFQ, failed for 100 operations, any number of threads", None, 3.5),
            Check::at_most("NBLFQ 2, failed for 100 operations, any number of threads", None, 7.0),
        ],
    }
}
