//! The BWoS paper, section 6.

use aqueduct_measure::record::Record;

use super::exhibit::{Check, Exhibit, Picture};
use super::figures::{Figures, Number, list};

const LIFO: &str = "aqueduct/bwos_lifo";
const FIFO: &str = "aqueduct/bwos_fifo";
/// The queue that the paper calls ABP.
const ABP: &str = "published/taskflow_unbounded";
const TOKIO: &str = "published/tokio_run_queue";
/// The shares of stolen items, and of looks at a queue's size.
const PERCENTS: [u32; 5] = [0, 1, 10, 20, 50];

/// Returns the experiments that are repeated for each placement of the two threads.
pub(super) fn placed(quick: bool) -> Vec<String> {
    let pace = if quick { " --rounds 3 --slice 20" } else { "" };
    vec![format!("bench steal stolen looked --stolen 0,1,20 --batch 1{pace}")]
}

pub(super) fn lines(_cores: usize, quick: bool) -> Vec<String> {
    let pace = if quick { " --rounds 3 --slice 20" } else { "" };
    vec![
        format!("bench steal alone blocks --batch 1{pace}"),
        format!("bench steal stolen looked lines --stolen {} --batch 1{pace}", list(&PERCENTS.map(|it| it as usize))),
        format!("bench steal pool --factors 0,10,100{pace}"),
    ]
}

pub(super) fn exhibits(figures: &Figures<'_>) -> Vec<Exhibit> {
    let mut all = vec![
        motivation(figures),
        sizes(figures),
        lines_of_cache(figures),
        nodes(figures),
        lifo(figures),
        fifo(figures),
    ];
    all.extend([blocks(figures), pool(figures)]);
    all.extend(elsewhere());
    all
}

/// The paper's figures that are not measured here.
fn elsewhere() -> [Exhibit; 4] {
    [
        Exhibit::without_figures(
            "Table 4.2: statistics of the verification",
            "table-4-2",
            "With two blocks of two entries and two thieves LIFO BWoS has 1.39 million executions, FIFO BWoS 1.43 million, ABP 2.05 million. BWoS needs \
             no sequentially consistent barrier, ABP four.",
            "It is of the checker and not of a machine: `aqueduct verify --barriers` (feature `checkers`) prints barriers by kind, executions and time for \
             each queue.",
        ),
        Exhibit::without_figures(
            "Figures 4.1d, 4.13 to 4.15: web servers on tokio",
            "fig-4-13",
            "With BWoS in place of tokio's run queue a web server answers 12.3 % more requests with 6.7 % less latency and 60.9 % less processor time, a \
             remote-call server 32.9 % more, five frameworks 82.7 % more; batches of other sizes change little.",
            "It takes tokio with its queue exchanged, and a second machine that sends requests. `aqueduct bench pool` (feature `pools`) has the pool on \
             these deques beside tokio, and tasks of tokio's shapes.",
        ),
        Exhibit::without_figures(
            "Figure 4.12: the garbage collector of Java",
            "fig-4-12",
            "With BWoS as its task queue 17 of 23 programs are faster, by 3.55 % on average and 25.3 % at best.",
            "It takes a Java virtual machine with its queue exchanged for one in C++, which is not written.",
        ),
        Exhibit::without_figures(
            "Figure 4.16: the runtime of Go",
            "fig-4-16",
            "With BWoS in place of Go's run queue nine libraries for JSON are 25.8 % faster on average.",
            "It takes the runtime of Go with its queue written in Go. Go's queue itself, written after its description, is in figure 4.10.",
        ),
    ]
}

/// Returns the figures of all shares in one order, each with its share as its batch.
fn by_share(figures: &Figures<'_>, what: &str, order: &str) -> Vec<Record> {
    let of_share = |percent: u32| {
        let found = figures.of(&format!("steal.{what}_{percent}.{order}")).filter(|record| record.batch == 1).records();
        found.into_iter().map(move |record| Record { batch: percent as usize, ..record })
    };
    PERCENTS.into_iter().flat_map(of_share).collect()
}

fn over_shares(figures: &Figures<'_>, what: &str, order: &str, title: &str) -> Picture {
    let records = by_share(figures, what, order);
    let label = |percent: &usize| percent.to_string();
    Figures::all(&records).chart(title, "stolen, %", |record| Some(record.batch), label, &[]).into()
}

fn stolen<'a>(figures: &Figures<'a>, percent: u32, order: &str) -> Figures<'a> {
    figures.of(&format!("steal.stolen_{percent}.{order}")).filter(|record| record.batch == 1)
}

/// Returns the owner's loss of throughput, in per cent, where `percent` per cent of the items are
/// stolen.
fn drop_of(figures: &Figures<'_>, name: &str, percent: u32, order: &str) -> Option<Number> {
    let owner = |percent: u32| {
        figures.of(&format!("steal.owner_{percent}.{order}")).filter(|record| record.batch == 1).queue(name)
    };
    Some(owner(percent)?.with(&owner(0)?, |with, without| 100.0 * (1.0 - with / without)))
}

fn is_rival(name: &str) -> bool {
    !name.starts_with("aqueduct") && !name.starts_with("bound/")
}

fn motivation(figures: &Figures<'_>) -> Exhibit {
    let alone = |order: &str| figures.of(&format!("steal.alone.{order}"));
    let share = |order: &str, bound: &str| {
        let of_order = alone(order);
        Some(of_order.best(is_rival)?.over(&of_order.queue(bound)?))
    };
    Exhibit {
        name: "Figures 4.1a and 4.1b: the cost of theft in other queues",
        file: "fig-4-1",
        claim: "Without any thief other queues reach less than 0.19 (LIFO) and 0.25 (FIFO) of an array without theft, and a thief that takes a few per \
                cent makes their owners much slower: 17.8 % with 1 % stolen, 71.9 % with 20 %.",
        difference: "ABP is Taskflow's queue, written after its description.",
        pictures: vec![
            over_shares(figures, "owner", "lifo", "What the owner does while it does not wait, LIFO"),
            over_shares(figures, "owner", "fifo", "What the owner does while it does not wait, FIFO"),
        ],
        checks: vec![
            Check::at_most("the best other LIFO queue over the array", share("lifo", "bound/array_stack"), 0.19),
            Check::at_most("the best other FIFO queue over the array", share("fifo", "bound/array_ring"), 0.25),
            Check::at_least("ABP's owner slower by, %, 1 % stolen", drop_of(figures, ABP, 1, "lifo"), 17.8),
            Check::at_least("ABP's owner slower by, %, 20 % stolen", drop_of(figures, ABP, 20, "lifo"), 71.9),
        ],
    }
}

/// The share of looks at a queue's size, in per cent, for which the thesis has a claim.
const LOOKS: u32 = 1;

fn sizes(figures: &Figures<'_>) -> Exhibit {
    let slower = |figures: &Figures<'_>, name: &str, order: &str| {
        let owner = |percent: u32| figures.of(&format!("steal.looked_{percent}.{order}")).queue(name);
        Some(owner(LOOKS)?.with(&owner(0)?, |with, without| 100.0 * (1.0 - with / without)))
    };
    let far = figures.placed("two_nodes");
    let far = Figures::all(&far);
    Exhibit {
        name: "Figure 4.1c: the cost of reading the size",
        file: "fig-4-1c",
        claim: "A thread of another NUMA node that reads the size as often as 1 % of the owner's operations makes ABP's owner 34.4 % slower.",
        difference: "Two threads of one node; of two where the machine has them. Our thieves read a word of each block.",
        pictures: vec![
            over_shares(figures, "looked", "lifo", "What the owner does while others ask for the size, LIFO"),
            over_shares(figures, "looked", "fifo", "What the owner does while others ask for the size, FIFO"),
        ],
        checks: vec![
            Check::at_least("ABP's owner slower by, %, 1 % looks", slower(figures, ABP, "lifo"), 34.4),
            Check::at_least("ABP's owner slower by, %, 1 % looks, two nodes", slower(&far, ABP, "lifo"), 34.4),
        ],
    }
}

fn lines_of_cache(figures: &Figures<'_>) -> Exhibit {
    const SETS: [(&str, &str); 2] = [("bound/set_of_1", "1 line"), ("bound/set_of_64", "64 lines")];
    let of_act = |act: &str| -> Vec<Record> {
        let of_share = |percent: u32| {
            let found = figures.of(&format!("steal.lines_{act}_{percent}")).records();
            found.into_iter().map(move |record| Record { batch: percent as usize, ..record })
        };
        PERCENTS.into_iter().flat_map(of_share).collect()
    };
    let picture = |act: &str, title: &str| -> Picture {
        let records = of_act(act);
        let label = |percent: &usize| percent.to_string();
        Figures::all(&records).chart(title, "turns, %", |record| Some(record.batch), label, &SETS).into()
    };
    let more = |act: &str| figures.of(&format!("steal.lines_{act}_10")).ratio(SETS[1].0, SETS[0].0);
    Exhibit {
        name: "Figures 4.1e and 4.1f: one cache line, and 64",
        file: "fig-4-1e",
        claim: "A thread that writes a cache line is much slower beside another one that writes or reads it; where both draw one of 64 lines each time, it \
                is much faster than that.",
        difference: "\"Much\" is taken as 1.25 times, with the second thread at it in a tenth of its turns. This experiment cannot decide it: the first \
                     thread only stores, and does not wait until another core has given up the line.",
        pictures: vec![
            picture("written", "Writes of the first thread per second, the second one writes"),
            picture("read", "Writes of the first thread per second, the second one reads"),
        ],
        checks: vec![
            Check::times("64 lines over one, the second thread writes", more("written"), 1.25).undecidable(),
            Check::times("64 lines over one, the second thread reads", more("read"), 1.25).undecidable(),
        ],
    }
}

/// Returns the owner's delay in nanoseconds for each stolen item, where a fifth is stolen.
fn penalty(figures: &Figures<'_>, name: &str) -> Option<Number> {
    let owner = |percent: u32| {
        figures.of(&format!("steal.owner_{percent}.lifo")).filter(|record| record.batch == 1).queue(name)
    };
    // A million pairs of operations a second are 500 ns for each operation. Of 10 operations, one
    // loses an item to the thief: 5 are pushes, 4 are pops, and the thief takes the fifth item.
    Some(owner(20)?.with(&owner(0)?, |with, without| 9.0 * (500.0 / with - 500.0 / without)))
}

fn nodes(figures: &Figures<'_>) -> Exhibit {
    let far = figures.placed("two_nodes");
    let far = Figures::all(&far);
    let saved = |name: &str| Some(penalty(&far, name)?.over(&penalty(figures, name)?));
    Exhibit {
        name: "Table 4.1: the owner's cost of a theft, on one node and on two",
        file: "table-4-1",
        claim: "Each theft from an ABP queue costs its owner 170 ns if the thief is on its NUMA node, and 278 ns if it is on another.",
        difference: "Where a fifth of the items is stolen, over the time in which the owner does not wait. What the thief itself waits for memory is not \
                     measured: the thesis reads it from a counter of Intel's. Two nodes only where the machine has them.",
        pictures: Vec::new(),
        checks: vec![
            Check::at_least("ABP, ns for each theft", penalty(figures, ABP), 170.0),
            Check::at_least("ABP, ns for each theft, two nodes", penalty(&far, ABP), 278.0),
            Check::times("ABP, two nodes over one", saved(ABP), 278.0 / 170.0),
        ],
    }
}

fn lifo(figures: &Figures<'_>) -> Exhibit {
    let (none, ten) = (stolen(figures, 0, "lifo"), stolen(figures, 10, "lifo"));
    let alone = figures.of("steal.alone.lifo");
    Exhibit {
        name: "Figure 4.9: LIFO",
        file: "fig-4-9",
        claim: "LIFO BWoS is 4.55 times as fast as ABP without theft and 12.59 times with 10 % stolen, 10.7 % slower than an array, and 20 % stolen make \
                it 0.53 % slower.",
        difference: "ABP is Taskflow's queue, written after its description; others are measured, too. What an owner loses is counted over the time in which \
                     it does not wait for the thief.",
        pictures: vec![over_shares(figures, "stolen", "lifo", "Puts, gets and steals per second, LIFO")],
        checks: vec![
            Check::times("over ABP, alone", alone.ratio(LIFO, ABP), 4.55),
            Check::times("over ABP, a thief that steals nothing", none.ratio(LIFO, ABP), 4.55),
            Check::times("over ABP, 10 % stolen", ten.ratio(LIFO, ABP), 12.59),
            Check::times("over the best other queue, alone", alone.ratio_to_best(LIFO, is_rival), 1.0),
            Check::times("over the best other queue, 10 % stolen", ten.ratio_to_best(LIFO, is_rival), 1.0),
            Check::at_least("of the array's speed, alone", ratio(&alone, LIFO, "bound/array_stack"), 0.893),
            Check::at_most("owner slower by, %, 20 % stolen", drop_of(figures, LIFO, 20, "lifo"), 0.53),
        ],
    }
}

fn ratio(figures: &Figures<'_>, name: &str, bound: &str) -> Option<Number> {
    Some(figures.queue(name)?.over(&figures.queue(bound)?))
}

fn fifo(figures: &Figures<'_>) -> Exhibit {
    let ten = stolen(figures, 10, "fifo");
    let alone = figures.of("steal.alone.fifo");
    Exhibit {
        name: "Figure 4.10: FIFO",
        file: "fig-4-10",
        claim: "FIFO BWoS is 3.55 times as fast as tokio's queue without theft and 9.41 times with 10 % stolen, 5.4 % slower than an array, and 20 % \
                stolen make it 9.35 % slower.",
        difference: "Tokio's queue is written after its description, with as much room as the others; others are measured, too.",
        pictures: vec![over_shares(figures, "stolen", "fifo", "Puts, gets and steals per second, FIFO")],
        checks: vec![
            Check::times("over tokio's queue, alone", alone.ratio(FIFO, TOKIO), 3.55),
            Check::times("over tokio's queue, 10 % stolen", ten.ratio(FIFO, TOKIO), 9.41),
            Check::times("over the best other queue, alone", alone.ratio_to_best(FIFO, is_rival), 1.0),
            Check::times("over the best other queue, 10 % stolen", ten.ratio_to_best(FIFO, is_rival), 1.0),
            Check::at_least("of the array's speed, alone", ratio(&alone, FIFO, "bound/array_ring"), 0.946),
            Check::at_most("owner slower by, %, 20 % stolen", drop_of(figures, FIFO, 20, "fifo"), 9.35),
        ],
    }
}

fn blocks(figures: &Figures<'_>) -> Exhibit {
    let all = figures.filter(|record| record.bench.name.starts_with("steal.blocks_alone"));
    let split = |record: &Record| record.queue.name.split_once(':')?.1.split_once('x')?.0.parse::<usize>().ok();
    let spread = |name: &str| {
        let enough = |record: &Record| {
            record.queue.name.starts_with(name) && split(record).is_some_and(|count| (8..=128).contains(&count))
        };
        let rates: Vec<f64> = all.filter(enough).records().iter().map(|record| record.median).collect();
        Some(Number::whole(rates.iter().copied().reduce(f64::max)? / rates.iter().copied().reduce(f64::min)?))
    };
    let plain: Vec<Record> = all
        .records()
        .into_iter()
        .filter_map(|record| {
            let (name, blocks) = (record.queue.name.split_once(':')?.0.to_owned(), split(&record)?);
            Some(Record { queue: name.into(), batch: blocks, ..record })
        })
        .collect();
    let label = |blocks: &usize| blocks.to_string();
    let chart = Figures::all(&plain).chart("Items per second, alone", "blocks", |it| Some(it.batch), label, &[]);
    Exhibit {
        name: "Section 4.6.1: block size",
        file: "blocks",
        claim: "Throughput hardly depends on the number of blocks, from 8 blocks of 64 entries on.",
        difference: "\"Hardly\" is taken as within a quarter.",
        pictures: vec![chart.into()],
        checks: vec![
            Check::at_most("LIFO, fastest over slowest from 8 blocks on", spread(LIFO), 1.25),
            Check::at_most("FIFO, fastest over slowest from 8 blocks on", spread(FIFO), 1.25),
        ],
    }
}

fn pool(figures: &Figures<'_>) -> Exhibit {
    let of = |percent: u32, order: &str| figures.of(&format!("steal.pool_{percent}.{order}"));
    let over = |percent: u32, order: &str, ours: &str, theirs: &str| {
        let all = of(percent, order);
        Some(all.best(|name| name.starts_with(ours))?.over(&all.best(|name| name.starts_with(theirs))?))
    };
    let bars = |percent: u32, order: &str, words: &str| -> Picture {
        let title = format!("Puts, gets and steals per second, balancing factor {percent} %, {words}");
        of(percent, order).over_threads(&title, |_| true, &[]).into()
    };
    Exhibit {
        name: "Figure 4.11: a pool of eight queues",
        file: "fig-4-11",
        claim: "BWoS is 4.69 times as fast as ABP and 2.68 times as fast as tokio's queue without balancing, and 7.90 and 6.45 times with it.",
        difference: "Near members have the owner's L3 cache, then its NUMA node; where all cores have both in common, near members are those on \
                     the same half of the list of cores. The best policy of each queue counts.",
        pictures: vec![bars(100, "lifo", "LIFO"), bars(100, "fifo", "FIFO")],
        checks: vec![
            Check::times("LIFO, over ABP, factor 0", over(0, "lifo", LIFO, ABP), 4.69),
            Check::times("FIFO, over tokio's queue, factor 0", over(0, "fifo", FIFO, TOKIO), 2.68),
            Check::times("LIFO, over ABP, factor 100 %", over(100, "lifo", LIFO, ABP), 7.9),
            Check::times("FIFO, over tokio's queue, factor 100 %", over(100, "fifo", FIFO, TOKIO), 6.45),
        ],
    }
}
