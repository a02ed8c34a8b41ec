//! Recommends a queue for each need, by nothing but the figures of this run.

use std::fmt::Write;

use anstyle::{AnsiColor, Style};

use super::sheet::{Panel, Row, Sheet};
use super::snippet::{self, Usage, carries_words_only};
use super::text;
use crate::names::Queue;
use crate::record::{Payload, Record, Role};
use crate::statistics::median_interval;

/// One answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recommendation {
    /// A user's need.
    pub need: &'static str,
    /// Our best queue for it on this machine.
    pub queue: Queue,
    /// Another queue of ours, if the runs are too noisy to tell which of the two is better.
    pub contender: Option<Queue>,
    /// The figures that support the answer, and the figures that they are compared to.
    pub why: String,
    /// The lines of `Cargo.toml`.
    pub dependency: &'static str,
    /// Lines to paste.
    pub code: String,
}

impl Recommendation {
    /// Returns the queue's name, or the contenders'.
    #[must_use]
    pub fn answer(&self) -> String {
        match &self.contender {
            Some(other) => format!("too noisy to tell {} from {other}", self.queue),
            None => self.queue.to_string(),
        }
    }
}

/// How a program depends on the library.
const DEPENDENCY: &str = concat!("[dependencies]\naqueduct = \"", env!("CARGO_PKG_VERSION"), "\"");

/// Fewest rounds from which anything is advised.
pub const FEWEST_ROUNDS: usize = 3;

/// A need, and the measurement that answers it.
struct Need {
    words: &'static str,
    bench: &'static str,
    payload: Payload,
    usage: Usage,
    /// Numbers of producers and consumers.
    threads: fn(usize, usize) -> bool,
    /// Our queues that may answer it.
    takes: fn(&Queue) -> bool,
    /// A note for users.
    note: &'static str,
}

const SINGLE: Need = Need {
    words: "Many single items",
    bench: "spsc.throughput",
    payload: Payload::Embedded,
    usage: Usage::Single,
    threads: |producers, consumers| (producers, consumers) == (1, 1),
    // Its two rings are those of `ring`.
    takes: |queue| *queue != "aqueduct/duplex",
    note: "",
};

const MANY: Need =
    Need { words: "Many producers, many consumers", bench: "bbq.throughput", threads: |p, c| p > 1 && c > 1, ..SINGLE };

const NEEDS: [Need; 20] = [
    SINGLE,
    Need { words: "Lowest latency: the other side must see an item at once", bench: "spsc.pingpong", ..SINGLE },
    Need { words: "Items that come in batches", usage: Usage::Batch, ..SINGLE },
    Need {
        words: "Pointers: Box, Arc, buffers from a pool",
        payload: Payload::Indirect,
        usage: Usage::Pointer,
        ..SINGLE
    },
    Need {
        words: "Exactly bounded: not one item more than the capacity",
        takes: |queue| EXACTLY_BOUNDED.contains(&queue.name.as_str()),
        ..SINGLE
    },
    Need { words: "Both ends on one thread, or hardly any traffic", bench: "spsc.uncontended", ..SINGLE },
    Need { words: "Many producers, one consumer", threads: |p, c| p > 1 && c == 1, ..MANY },
    Need { words: "One producer, many consumers", threads: |p, c| p == 1 && c > 1, ..MANY },
    MANY,
    Need { words: "Many producers, many consumers, items in batches", usage: Usage::Batch, ..MANY },
    Need {
        words: "Only the last items: one producer overwrites what is not read",
        bench: "drop_old.written",
        ..SINGLE
    },
    Need {
        words: "Only the last items: many producers overwrite what is not read",
        bench: "drop_old.written",
        threads: |p, c| p > 1 && c == 1,
        ..SINGLE
    },
    Need { words: "Records of any length, one producer, one consumer", bench: "records.throughput", ..SINGLE },
    Need { words: "Records of any length, many producers, many consumers", bench: "records.throughput", ..MANY },
    Need {
        words: "Work stealing, the newest task first",
        bench: "bwos.stolen_10.lifo",
        note: HIDDEN,
        takes: is_stolen_from,
        ..SINGLE
    },
    Need {
        words: "Work stealing, the oldest task first",
        bench: "bwos.stolen_10.fifo",
        note: HIDDEN,
        takes: is_stolen_from,
        ..SINGLE
    },
    Need {
        words: "Many threads, and an order that may be off by less than k",
        bench: "cnq.throughput",
        takes: |queue| queue.name.starts_with("aqueduct/cnq_"),
        ..MANY
    },
    Need {
        words: "Lock-free: a stalled thread holds up nobody; signal handlers, `static` queues",
        bench: "nblfq.pairs",
        takes: |queue| queue.name.starts_with("aqueduct/nblfq"),
        threads: |_, _| true,
        ..SINGLE
    },
    Need {
        words: "Requests and responses, one at a time",
        bench: "spsc.pingpong",
        takes: |queue| *queue == "aqueduct/duplex",
        ..SINGLE
    },
    Need {
        words: "Submissions and completions, some at a time",
        bench: "exchange.io_uring",
        usage: Usage::Exchange,
        ..SINGLE
    },
];

const HIDDEN: &str =
    "Items in the owner's present block are not visible to thieves until its next operation: it suits short tasks.";

fn is_stolen_from(queue: &Queue) -> bool {
    queue.name.starts_with("aqueduct/bwos_")
}

/// The queue that we recommend where the figures cannot tell two apart.
const DEFAULT: &str = "aqueduct/ring";

/// Our queues that are full with exactly the capacity asked for. The others hold some items more,
/// because their slots come by the line or by the partition. A test pushes into each to see.
pub const EXACTLY_BOUNDED: [&str; 4] =
    ["aqueduct/lamport", "aqueduct/lazy_lamport", "aqueduct/batched_lamport", "aqueduct/fast_forward"];

/// Returns an answer for every need that `records` can answer, from at least [`FEWEST_ROUNDS`] rounds.
pub fn recommend(records: &[Record]) -> Vec<Recommendation> {
    let sheet = Sheet::of(records);
    NEEDS.iter().filter_map(|need| answer(need, &sheet)).collect()
}

fn answer(need: &Need, sheet: &Sheet<'_>) -> Option<Recommendation> {
    let panel = panel_for(need, sheet)?;
    let (pick, contender) = pick(need, panel)?;
    let (queue, contender) = (&pick.record.queue, contender.map(|row| row.record));
    Some(Recommendation {
        need: need.words,
        code: snippet::code(queue, need.usage, panel.setting.capacity)?,
        queue: queue.clone(),
        why: why(need, panel, pick, contender),
        contender: contender.map(|record| record.queue.clone()),
        dependency: DEPENDENCY,
    })
}

/// Returns the panel without emulated load that answers `need`: the one with the greatest batch, and the most
/// threads.
fn panel_for<'s, 'a>(need: &Need, sheet: &'s Sheet<'a>) -> Option<&'s Panel<'a>> {
    let fits = |panel: &&Panel<'_>| {
        let setting = &panel.setting;
        let batch = match need.usage {
            Usage::Single | Usage::Pointer => setting.batch == 1,
            Usage::Batch => setting.batch > 1,
            // The random sizes.
            Usage::Exchange => setting.batch == 0,
        };
        setting.bench == need.bench
            && setting.payload == need.payload
            && (need.threads)(setting.producers, setting.consumers)
            && panel.loads == (0, 0)
            && batch
            && candidates(need, panel).next().is_some()
    };
    let size = |panel: &&Panel<'_>| {
        let setting = &panel.setting;
        (setting.batch, setting.producers + setting.consumers)
    };
    sheet.panels.iter().filter(fits).max_by_key(size)
}

/// Returns our queues that may answer `need`, best first.
fn candidates<'p, 'a>(need: &Need, panel: &'p Panel<'a>) -> impl Iterator<Item = &'p Row<'a>> {
    let takes = need.takes;
    panel.of_role(Role::Ours).filter(move |row| {
        // A queue without batches that moved their items one by one does not answer a need for batches.
        row.record.runs.len() >= FEWEST_ROUNDS && takes(&row.record.queue) && !row.record.item_by_item
    })
}

/// Returns our best queue, and the next one if the runs cannot tell which of the two is better; of such two the
/// default one is first.
fn pick<'p, 'a>(need: &Need, panel: &'p Panel<'a>) -> Option<(&'p Row<'a>, Option<&'p Row<'a>>)> {
    let mut all = candidates(need, panel);
    let best = all.next()?;
    let others: Vec<&Row<'_>> = all.filter(|row| indistinct(row.record, best.record)).collect();
    match others.iter().find(|row| row.record.queue == DEFAULT) {
        Some(default) => Some((default, Some(best))),
        None => Some((best, others.first().copied())),
    }
}

fn why(need: &Need, panel: &Panel<'_>, pick: &Row<'_>, contender: Option<&Record>) -> String {
    let unit = &panel.setting.unit;
    let mut why = format!("{} {unit}", text::figure(pick.record.median));
    if let Some(other) = contender {
        why += &format!(
            " ({}), {}: {} ({})",
            interval(pick.record),
            other.queue,
            text::figure(other.median),
            interval(other)
        );
    }
    if let Some(peer) = panel.of_role(Role::Peer).next() {
        let figure = text::figure(peer.record.median);
        let name = peer.record.queue_words();
        match pick.to_best_peer {
            _ if indistinct(pick.record, peer.record) => {
                why += &format!("; the runs cannot tell it from the best peer ({name}, {figure})");
            }
            Some(ratio) if ratio >= 1.0 => {
                why += &format!(", {ratio:.2} times as fast as the best peer ({name}, {figure})");
            }
            Some(ratio) => {
                let times = 1.0 / ratio;
                why += &format!(". A peer is {times:.2} times as fast here: {name}, {figure} {unit}");
            }
            None => {}
        }
    }
    for (bound, to_bound) in panel.bounds.iter().zip(&pick.to_bounds) {
        if let Some(to_bound) = to_bound {
            why += &format!("; {:.0} % of the bound {}", to_bound * 100.0, text::bound(bound));
        }
    }
    why.push('.');
    if carries_words_only(&pick.record.queue) && need.usage != Usage::Pointer {
        why += " It carries pointers and non-zero words only";
        let any = candidates(need, panel).find(|row| !carries_words_only(&row.record.queue));
        if let Some(any) = any {
            why += &format!("; for any type: {}, {} {unit}", any.record.queue, text::figure(any.record.median));
        }
        why.push('.');
    }
    if !need.note.is_empty() {
        why.push(' ');
        why += need.note;
    }
    why
}

/// Returns the interval of the median, in words.
fn interval(record: &Record) -> String {
    let (least, greatest) = median_interval(&record.runs);
    format!("{} .. {}", text::figure(least), text::figure(greatest))
}

/// Whether the runs of `a` and `b` cannot tell which is better, because the intervals of their medians overlap.
fn indistinct(a: &Record, b: &Record) -> bool {
    let ((a_least, a_greatest), (b_least, b_greatest)) = (median_interval(&a.runs), median_interval(&b.runs));
    a_least <= b_greatest && b_least <= a_greatest
}

/// Returns the recommendations for a terminal; nothing if there are none.
pub fn render(picks: &[Recommendation]) -> String {
    let heading = Style::new().bold();
    let name = AnsiColor::Cyan.on_default().bold();
    if picks.is_empty() {
        return String::new();
    }
    let mut out = format!("{heading}{TITLE}{heading:#}\n");
    for pick in picks {
        let _ = writeln!(out, "\n{heading}{}{heading:#}: {name}{}{name:#}", pick.need, pick.answer());
        let _ = writeln!(out, "  {}", in_lines(&pick.why));
        for line in pick.dependency.lines().chain([""]).chain(pick.code.lines()) {
            let indent = if line.is_empty() { "" } else { "      " };
            let _ = writeln!(out, "{indent}{line}");
        }
    }
    out
}

/// Puts each sentence on a line. The two points of a spread, as in `1 .. 2`, end no sentence.
fn in_lines(text: &str) -> String {
    text.replace(". ", ".\n  ").replace("..\n  ", ".. ")
}

/// The heading of all recommendations.
pub const TITLE: &str = "Which queue for what, on this machine";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::fixture;
    use crate::unit::Unit;

    fn of(records: &[Record], need: &str) -> Recommendation {
        recommend(records).into_iter().find(|found| found.need.starts_with(need)).expect("an answer")
    }

    #[test]
    fn each_sentence_has_a_line() {
        assert_eq!(in_lines("190 (47.1 .. 199). It is ours."), "190 (47.1 .. 199).\n  It is ours.");
    }

    #[test]
    fn the_best_measured_queue_is_recommended_with_its_figures() {
        let found = of(&fixture::records(), "Many single items");
        assert_eq!(found.queue, "aqueduct/ring");
        assert_eq!(
            found.why,
            "420 Mitems/s, 1.54 times as fast as the best peer (ringbuf/heap, 273); \
             46 % of the bound batch_512."
        );
    }

    #[test]
    fn a_faster_peer_is_named() {
        let mut records = fixture::records();
        records.retain(|record| record.queue != "aqueduct/ring");
        let found = of(&records, "Many single items");
        assert_eq!(found.queue, "aqueduct/lamport");
        assert!(found.why.contains("A peer is 4.48 times as fast here: ringbuf/heap"), "{}", found.why);
    }

    #[test]
    fn where_the_intervals_of_the_medians_overlap_both_contenders_are_named_and_the_default_is_first() {
        let mut records = fixture::records();
        let runs = [425.0, 429.0, 434.0];
        records.push(fixture::record("spsc.throughput", "aqueduct/fast_forward", Unit::Mitems, &runs));
        let found = of(&records, "Many single items");
        assert_eq!(found.answer(), "too noisy to tell aqueduct/ring from aqueduct/fast_forward");
        let both = "420 Mitems/s (410 .. 432), aqueduct/fast_forward: 429 (425 .. 434), 1.54 times";
        assert!(found.why.starts_with(both), "{}", found.why);
        assert!(found.code.contains("spsc::ring::new(4096)"), "{}", found.code);
    }

    #[test]
    fn where_they_do_not_overlap_the_better_one_is_recommended() {
        let mut records = fixture::records();
        let runs = [433.0, 434.0, 435.0];
        records.push(fixture::record("spsc.throughput", "aqueduct/batched_lamport", Unit::Mitems, &runs));
        assert_eq!(of(&records, "Many single items").answer(), "aqueduct/batched_lamport");
    }

    #[test]
    fn fewer_than_three_rounds_are_no_ground_for_advice() {
        let mut records = fixture::records();
        records.iter_mut().for_each(|record| record.runs.truncate(2));
        assert_eq!(recommend(&records), []);
        assert_eq!(render(&[]), "");
    }

    #[test]
    fn every_family_has_its_answer_from_the_figures_with_most_threads() {
        let mut records = Vec::new();
        let mut add = |bench: &str, queue: &str, (producers, consumers): (usize, usize), batch| {
            let Ok(queue) = queue.parse::<Queue>();
            let record = fixture::record(bench, queue, Unit::Mitems, &[10.0, 11.0, 12.0]);
            records.push(Record { producers, consumers, batch, ..record });
        };
        add("bbq.throughput", "aqueduct/bbq_mpmc", (2, 2), 1);
        add("bbq.throughput", "aqueduct/faaq", (4, 4), 1);
        add("bbq.throughput", "aqueduct/bbq_queue", (2, 2), 32);
        add("bbq.throughput", "aqueduct/bbq_mpsc", (4, 1), 1);
        add("bbq.throughput", "aqueduct/bbq_spmc", (1, 4), 1);
        add("drop_old.written", "aqueduct/bbq_drop_old_mpmc", (2, 0), 1);
        add("drop_old.written", "aqueduct/bbq_drop_old_mpmc", (2, 1), 1);
        add("drop_old.written", "aqueduct/bbq_drop_old_spmc", (1, 1), 1);
        add("records.throughput", "aqueduct/records_spsc", (1, 1), 1);
        add("records.throughput", "aqueduct/records_mpmc", (2, 2), 1);
        add("bwos.stolen_10.lifo", "aqueduct/bwos_lifo", (1, 1), 1);
        add("bwos.stolen_10.fifo", "aqueduct/bwos_fifo", (1, 1), 1);
        add("cnq.throughput", "aqueduct/bbq_mpmc", (2, 2), 1);
        add("cnq.throughput", "aqueduct/cnq_bbq[k=1000]", (2, 2), 1);
        add("nblfq.pairs", "aqueduct/bbq_mpmc", (1, 1), 1);
        add("nblfq.pairs", "aqueduct/nblfq", (1, 1), 1);
        add("spsc.pingpong", "aqueduct/duplex", (1, 1), 1);
        add("exchange.io_uring", "aqueduct/bbq_mpmc", (1, 1), 1);
        add("exchange.io_uring", "aqueduct/bbq_spsc", (1, 1), 0);
        let found = recommend(&records);
        let queues: Vec<String> = found.iter().map(|one| one.queue.to_string().replace("aqueduct/", "")).collect();
        assert_eq!(
            queues,
            [
                "bbq_mpsc",
                "bbq_spmc",
                "faaq",
                "bbq_queue",
                "bbq_drop_old_spmc",
                "bbq_drop_old_mpmc",
                "records_spsc",
                "records_mpmc",
                "bwos_lifo",
                "bwos_fifo",
                "cnq_bbq[k=1000]",
                "nblfq",
                "duplex",
                "bbq_spsc"
            ]
        );
        for one in found {
            assert!(one.dependency.starts_with("[dependencies]\naqueduct = \"0."), "{}", one.dependency);
            assert!(one.code.contains("::new") || one.code.contains("::with_tube"), "{}: {}", one.queue, one.code);
        }
    }

    #[test]
    fn a_queue_of_words_comes_with_the_best_one_for_any_type() {
        let mut records = fixture::records();
        records.push(fixture::record("spsc.throughput", "aqueduct/fast_forward", Unit::Mitems, &[800.0, 801.0, 802.0]));
        let found = of(&records, "Many single items");
        assert_eq!(found.queue, "aqueduct/fast_forward");
        assert!(found.why.contains("non-zero words only; for any type: aqueduct/ring, 420 Mitems/s."), "{}", found.why);
    }

    #[test]
    fn who_needs_an_exact_bound_is_given_a_queue_that_has_one() {
        assert_eq!(of(&fixture::records(), "Exactly bounded").queue, "aqueduct/lamport");
    }

    #[test]
    fn nothing_is_recommended_without_a_measurement_of_ours() {
        let mut records = fixture::records();
        records.retain(|record| record.is_peer());
        assert_eq!(recommend(&records), []);
    }
}
