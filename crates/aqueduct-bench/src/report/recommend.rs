//! Which of our queues for what, by nothing but the figures of this run.

use std::fmt::Write;

use anstyle::{AnsiColor, Style};

use super::role::Role;
use super::sheet::{Panel, Row, Sheet};
use super::snippet::{self, Usage, carries_words_only};
use super::text;
use crate::record::{Payload, Record};
use crate::statistics::quantile;

/// One answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recommendation {
    /// What somebody may need of a queue.
    pub need: &'static str,
    /// The queue of ours that does it best here.
    pub queue: String,
    /// The figures that say so, and what they compare to.
    pub why: String,
    /// Lines to paste.
    pub code: String,
}

/// A need, and the measurement that answers it.
struct Need {
    words: &'static str,
    bench: &'static str,
    payload: Payload,
    usage: Usage,
    /// Whether a queue may hold a few items more than it was asked for.
    may_hold_more: bool,
}

const SINGLE: Need = Need {
    words: "Many single items",
    bench: "spsc.throughput",
    payload: Payload::Embedded,
    usage: Usage::Single,
    may_hold_more: true,
};

const NEEDS: [Need; 6] = [
    SINGLE,
    Need { words: "Lowest latency: the other side must see an item at once", bench: "spsc.pingpong", ..SINGLE },
    Need { words: "Items that come in batches", usage: Usage::Batch, ..SINGLE },
    Need {
        words: "Pointers: Box, Arc, buffers from a pool",
        payload: Payload::Indirect,
        usage: Usage::Pointer,
        ..SINGLE
    },
    Need { words: "Exactly bounded: not one item more than the capacity", may_hold_more: false, ..SINGLE },
    Need { words: "Both ends on one thread, or hardly any traffic", bench: "spsc.uncontended", ..SINGLE },
];

/// The queue that we recommend where the figures cannot tell two apart.
const DEFAULT: &str = "aqueduct/ring";

/// Our queues that are full with exactly the capacity asked for. The others hold some items more,
/// because their slots come by the line or by the partition. A test pushes into each to see.
pub const EXACTLY_BOUNDED: [&str; 4] =
    ["aqueduct/lamport", "aqueduct/lazy_lamport", "aqueduct/batched_lamport", "aqueduct/fast_forward"];

/// An answer for every need that `records` can answer.
pub fn recommend(records: &[Record]) -> Vec<Recommendation> {
    let sheet = Sheet::of(records);
    NEEDS.iter().filter_map(|need| answer(need, &sheet)).collect()
}

fn answer(need: &Need, sheet: &Sheet<'_>) -> Option<Recommendation> {
    let panel = panel_for(need, sheet)?;
    let pick = pick(need, panel)?;
    Some(Recommendation {
        need: need.words,
        queue: pick.record.queue.clone(),
        why: why(need, panel, pick),
        code: snippet::code(&pick.record.queue, need.usage, panel.setting.capacity),
    })
}

/// The panel without emulated load that answers `need`: for batches the one with the greatest batch.
fn panel_for<'s, 'a>(need: &Need, sheet: &'s Sheet<'a>) -> Option<&'s Panel<'a>> {
    let fits = |panel: &&Panel<'_>| {
        let setting = &panel.setting;
        setting.bench == need.bench
            && setting.payload == need.payload
            && panel.loads == (0, 0)
            && (setting.batch > 1) == (need.usage == Usage::Batch)
            && candidates(need, panel).next().is_some()
    };
    sheet.panels.iter().filter(fits).max_by_key(|panel| panel.setting.batch)
}

/// Our queues that may answer `need`, best first.
fn candidates<'p, 'a>(need: &Need, panel: &'p Panel<'a>) -> impl Iterator<Item = &'p Row<'a>> {
    let may_hold_more = need.may_hold_more;
    panel.of_role(Role::Ours).filter(move |row| may_hold_more || EXACTLY_BOUNDED.contains(&row.record.queue.as_str()))
}

/// The best of ours; the default one where the runs cannot tell the two apart.
fn pick<'p, 'a>(need: &Need, panel: &'p Panel<'a>) -> Option<&'p Row<'a>> {
    let best = candidates(need, panel).next()?;
    let default = candidates(need, panel).find(|row| row.record.queue == DEFAULT);
    Some(default.filter(|row| indistinct(row.record, best.record)).unwrap_or(best))
}

fn why(need: &Need, panel: &Panel<'_>, pick: &Row<'_>) -> String {
    let unit = &panel.setting.unit;
    let mut why = format!("{} {unit}", text::figure(pick.record.median));
    if let Some(peer) = panel.of_role(Role::Peer).next() {
        let figure = text::figure(peer.record.median);
        let name = &peer.record.queue;
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
    let equals: Vec<&str> = candidates(need, panel)
        .filter(|row| row.record.queue != pick.record.queue && indistinct(row.record, pick.record))
        .map(|row| row.record.queue.as_str())
        .collect();
    if !equals.is_empty() {
        why += &format!(" The runs cannot tell it from {}.", equals.join(" or "));
    }
    why
}

/// Whether the runs of `a` and `b` cannot tell the two apart: their medians are within 3 % of each
/// other, or each median lies inside the middle half of the other's runs.
fn indistinct(a: &Record, b: &Record) -> bool {
    let inside = |value: f64, of: &Record| quantile(&of.runs, 0.25) <= value && value <= quantile(&of.runs, 0.75);
    (a.median - b.median).abs() <= 0.03 * a.median.abs().max(b.median.abs())
        || (inside(a.median, b) && inside(b.median, a))
}

/// The recommendations for a terminal.
pub fn render(picks: &[Recommendation]) -> String {
    let heading = Style::new().bold();
    let name = AnsiColor::Cyan.on_default().bold();
    let mut out = format!("{heading}Which queue for what, on this machine{heading:#}\n");
    if picks.is_empty() {
        out.push_str("None of our queues was measured in a way that speaks for it.\n");
    }
    for pick in picks {
        let _ = writeln!(out, "\n{heading}{}{heading:#}: {name}{}{name:#}", pick.need, pick.queue);
        let _ = writeln!(out, "  {}", pick.why.replace(". ", ".\n  "));
        for line in pick.code.lines() {
            let indent = if line.is_empty() { "" } else { "      " };
            let _ = writeln!(out, "{indent}{line}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::fixture;

    fn of(records: &[Record], need: &str) -> Recommendation {
        recommend(records).into_iter().find(|found| found.need.starts_with(need)).expect("an answer")
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
    fn queues_that_the_runs_cannot_tell_apart_are_named_and_the_default_wins() {
        let mut records = fixture::records();
        let runs = [415.0, 424.0, 429.0];
        records.push(fixture::record("spsc.throughput", "aqueduct/fast_forward", "Mitems/s", &runs));
        let found = of(&records, "Many single items");
        assert_eq!(found.queue, "aqueduct/ring");
        assert!(found.why.contains("The runs cannot tell it from aqueduct/fast_forward."), "{}", found.why);
    }

    #[test]
    fn a_queue_of_words_comes_with_the_best_one_for_any_type() {
        let mut records = fixture::records();
        records.push(fixture::record("spsc.throughput", "aqueduct/fast_forward", "Mitems/s", &[800.0]));
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
        records.retain(|record| record.peer);
        assert_eq!(recommend(&records), []);
    }
}
