//! The BWoS paper, section 6.

use aqueduct_measure::record::Record;

use super::exhibit::{Check, Exhibit, Picture};
use super::figures::{Figures, Number};

const LIFO: &str = "aqueduct/bwos_lifo";
const FIFO: &str = "aqueduct/bwos_fifo";
/// What the paper calls ABP.
const ABP: &str = "published/taskflow_unbounded";
const TOKIO: &str = "published/tokio_run_queue";
/// The shares of stolen items.
const PERCENTS: [u32; 4] = [0, 10, 20, 50];

pub(super) fn lines(_cores: usize, quick: bool) -> Vec<String> {
    let pace = if quick { " --rounds 3 --slice 20" } else { "" };
    vec![
        format!("bench steal alone stolen blocks --batch 1{pace}"),
        format!("bench steal pool --factors 0,10,100{pace}"),
    ]
}

pub(super) fn exhibits(figures: &Figures<'_>) -> Vec<Exhibit> {
    vec![motivation(figures), lifo(figures), fifo(figures), blocks(figures), pool(figures)]
}

/// Returns the figures of all shares in one order, each with its share as its batch.
fn by_share(figures: &Figures<'_>, what: &str, order: &str) -> Vec<Record> {
    let of_share = |percent: u32| {
        let found = figures.of(&format!("bwos.{what}_{percent}.{order}")).filter(|record| record.batch == 1).records();
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
    figures.of(&format!("bwos.stolen_{percent}.{order}")).filter(|record| record.batch == 1)
}

/// Returns by how many per cent the owner does less where `percent` per cent are stolen.
fn drop_of(figures: &Figures<'_>, name: &str, percent: u32, order: &str) -> Option<Number> {
    let owner = |percent: u32| {
        figures.of(&format!("bwos.owner_{percent}.{order}")).filter(|record| record.batch == 1).queue(name)
    };
    Some(owner(percent)?.with(&owner(0)?, |with, without| 100.0 * (1.0 - with / without)))
}

fn is_rival(name: &str) -> bool {
    !name.starts_with("aqueduct") && !name.starts_with("bound/")
}

fn motivation(figures: &Figures<'_>) -> Exhibit {
    let alone = |order: &str| figures.of(&format!("bwos.alone.{order}"));
    let share = |order: &str, bound: &str| {
        let of_order = alone(order);
        Some(of_order.best(is_rival)?.over(&of_order.queue(bound)?))
    };
    Exhibit {
        name: "Figures 4.1a and 4.1b: what theft costs other queues",
        file: "fig-4-1",
        claim: "Without any thief other queues reach less than 0.19 (LIFO) and 0.25 (FIFO) of an array without theft, and a thief that takes a few per \
                cent makes their owners much slower: 71.9 % with 20 % stolen.",
        difference: "Of figures 4.1c to f and table 4.1 there is nothing yet: they need \
                     a length that others read, a web server, a second socket and the processor's counters.",
        pictures: vec![
            over_shares(figures, "owner", "lifo", "What the owner does while it does not wait, LIFO"),
            over_shares(figures, "owner", "fifo", "What the owner does while it does not wait, FIFO"),
        ],
        checks: vec![
            Check::at_most("the best other LIFO queue over the array", share("lifo", "bound/array_stack"), 0.19),
            Check::at_most("the best other FIFO queue over the array", share("fifo", "bound/array_ring"), 0.25),
            Check::at_least("ABP's owner slower by, %, 20 % stolen", drop_of(figures, ABP, 20, "lifo"), 71.9),
        ],
    }
}

fn lifo(figures: &Figures<'_>) -> Exhibit {
    let (none, ten) = (stolen(figures, 0, "lifo"), stolen(figures, 10, "lifo"));
    let alone = figures.of("bwos.alone.lifo");
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
    let alone = figures.of("bwos.alone.fifo");
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
    let all = figures.filter(|record| record.bench.name.starts_with("bwos.blocks_alone"));
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
    let of = |percent: u32, order: &str| figures.of(&format!("bwos.pool_{percent}.{order}"));
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
        difference: "Near and far members are halves of the list of cores, not sockets. The best policy of each queue counts.",
        pictures: vec![bars(100, "lifo", "LIFO"), bars(100, "fifo", "FIFO")],
        checks: vec![
            Check::times("LIFO, over ABP, factor 0", over(0, "lifo", LIFO, ABP), 4.69),
            Check::times("FIFO, over tokio's queue, factor 0", over(0, "fifo", FIFO, TOKIO), 2.68),
            Check::times("LIFO, over ABP, factor 100 %", over(100, "lifo", LIFO, ABP), 7.9),
            Check::times("FIFO, over tokio's queue, factor 100 %", over(100, "fifo", FIFO, TOKIO), 6.45),
        ],
    }
}
