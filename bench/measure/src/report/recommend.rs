//! Recommends a queue for each need, by nothing but the figures of this run.

use super::guide::{Guide, Need, Offer, Usage};
use super::sheet::{Panel, Row, Sheet};
use super::text;
use crate::names::Queue;
use crate::record::{Record, Role};
use crate::statistics::median_interval;

/// One answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Recommendation {
    /// A user's need.
    pub need: &'static str,
    /// The need in a word or two, if it is one of those that a summary has.
    pub(super) short: Option<&'static str>,
    /// Our best queue for it on this machine.
    pub queue: Queue,
    /// Its path in the library.
    pub path: &'static str,
    /// The path in the library of another queue of ours that is as good here.
    pub as_good: Option<&'static str>,
    /// The comparison of our queue with the best peer.
    pub(super) peer: Beside,
    /// The figures that support the answer, and the figures that they are compared to.
    pub why: String,
    /// Lines to paste.
    pub code: String,
}

/// A queue beside the best peer.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Beside {
    /// No peer was measured.
    Nobody,
    /// The runs do not decide which is better.
    Undecided(String),
    /// The ratio of our queue's speed to that of the peer of that name.
    Times(f64, String),
}

impl Recommendation {
    /// Returns the queue to take, by its path in the library, and another one that is as good.
    #[must_use]
    pub fn answer(&self) -> String {
        match self.as_good {
            Some(other) => format!("Take {} ({other} is as good here)", self.path),
            None => format!("Take {}", self.path),
        }
    }
}

/// The lines of a program's dependency on the library.
pub const DEPENDENCY: &str = concat!("[dependencies]\naqueduct = \"", env!("CARGO_PKG_VERSION"), "\"");

/// The advice for `Cargo.toml` until there is a release.
pub const UNRELEASED: &str = "Until it is released: aqueduct = { path = \"PATH/library/queues\" }.";

/// The least number of rounds for any advice.
pub const FEWEST_ROUNDS: usize = 3;

/// The share of the best median from which on a queue counts as good as the best.
const AS_GOOD: f64 = 0.9;

/// Returns an answer for every need of `guides` that `records` can answer, from at least
/// [`FEWEST_ROUNDS`] rounds.
pub fn recommend(records: &[Record], guides: &[Guide]) -> Vec<Recommendation> {
    let sheet = Sheet::of(records);
    guides.iter().flat_map(|guide| guide.needs).filter_map(|need| answer(need, &sheet)).collect()
}

fn answer(need: &Need, sheet: &Sheet<'_>) -> Option<Recommendation> {
    let panel = panel_for(need, sheet)?;
    let (pick, as_good) = pick(need, panel)?;
    let queue = &pick.row.record.queue;
    Some(Recommendation {
        need: need.words,
        short: need.short,
        code: pick.offer.lines(queue, need.usage, panel.setting.capacity),
        queue: queue.clone(),
        path: pick.offer.path,
        peer: beside(panel, pick.row),
        why: why(need, panel, &pick, as_good.as_ref()),
        as_good: as_good.map(|other| other.offer.path),
    })
}

/// A measured queue that may answer a need.
#[derive(Clone, Copy)]
struct Candidate<'p, 'a> {
    offer: &'static Offer,
    row: &'p Row<'a>,
}

/// Compares a queue with the best peer of its panel.
fn beside(panel: &Panel<'_>, pick: &Row<'_>) -> Beside {
    let Some(peer) = panel.of_role(Role::Peer).next() else { return Beside::Nobody };
    let name = peer.record.queue_words();
    match pick.to_best_peer {
        Some(ratio) if !indistinct(pick.record, peer.record) => Beside::Times(ratio, name),
        _ => Beside::Undecided(name),
    }
}

/// Returns the panel without emulated load that answers `need`: the one with the greatest batch,
/// and the most threads.
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
fn candidates<'p, 'a>(need: &Need, panel: &'p Panel<'a>) -> impl Iterator<Item = Candidate<'p, 'a>> {
    panel.of_role(Role::Ours).filter_map(move |row| {
        // A queue without batches that moved their items one by one does not answer a need for
        // batches.
        let fits = row.record.runs.len() >= FEWEST_ROUNDS && !row.record.item_by_item;
        let offer = need.offer(&row.record.queue).filter(|_| fits)?;
        Some(Candidate { offer, row })
    })
}

/// Returns the queue with the best median, and the next one that is as good; of such two the usual
/// one is first.
fn pick<'p, 'a>(need: &Need, panel: &'p Panel<'a>) -> Option<(Candidate<'p, 'a>, Option<Candidate<'p, 'a>>)> {
    let mut all = candidates(need, panel);
    let best = all.next()?;
    let best_median = best.row.record.median;
    let is_near = |row: &Row<'_>| panel.setting.better().ratio(row.record.median, best_median) >= Some(AS_GOOD);
    let is_as_good = |other: &Candidate<'_, '_>| {
        other.offer.queue != best.offer.queue && is_near(other.row) && indistinct(other.row.record, best.row.record)
    };
    let others: Vec<Candidate<'_, '_>> = all.filter(is_as_good).collect();
    match others.iter().find(|other| other.offer.usual) {
        Some(usual) => Some((*usual, Some(best))),
        None => Some((best, others.first().copied())),
    }
}

fn why(need: &Need, panel: &Panel<'_>, candidate: &Candidate<'_, '_>, as_good: Option<&Candidate<'_, '_>>) -> String {
    let pick = candidate.row;
    let unit = &panel.setting.unit;
    let mut why = format!("{} {unit}", text::figure(pick.record.median));
    if let Some(other) = as_good.map(|other| other.row.record) {
        why += &format!(" ({}: {})", other.queue, text::figure(other.median));
    }
    if let Some(peer) = panel.of_role(Role::Peer).next() {
        let figure = text::figure(peer.record.median);
        match beside(panel, pick) {
            Beside::Times(ratio, name) if ratio >= 1.0 => {
                why += &format!(", {ratio:.2} times as fast as the best peer ({name}, {figure})");
            }
            Beside::Times(ratio, name) => {
                let times = 1.0 / ratio;
                why += &format!(". A peer is {times:.2} times as fast here: {name}, {figure} {unit}");
            }
            Beside::Undecided(name) => {
                why += &format!(
                    ". Too noisy to tell it from the best peer: {} here, {figure} ({}) with {name}",
                    interval(pick.record),
                    interval(peer.record)
                );
            }
            Beside::Nobody => {}
        }
    }
    for (bound, to_bound) in panel.bounds.iter().zip(&pick.to_bounds) {
        if let Some(to_bound) = to_bound {
            why += &format!("; {:.0} % of the bound {}", to_bound * 100.0, text::bound(bound));
        }
    }
    why.push('.');
    if candidate.offer.words_only && need.usage != Usage::Pointer {
        why += " It carries pointers and non-zero words only";
        let any = candidates(need, panel).find(|other| !other.offer.words_only).map(|other| other.row);
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

/// Whether the runs of `a` and `b` do not decide which is better, because the intervals of their
/// medians overlap.
fn indistinct(a: &Record, b: &Record) -> bool {
    let ((a_least, a_greatest), (b_least, b_greatest)) = (median_interval(&a.runs), median_interval(&b.runs));
    a_least <= b_greatest && b_least <= a_greatest
}

/// The heading of all recommendations.
pub const TITLE: &str = "Which queue for what, on this machine";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::fixture;
    use crate::unit::Unit;

    fn of(records: &[Record], need: &str) -> Recommendation {
        recommend(records, &[fixture::GUIDE]).into_iter().find(|found| found.need.starts_with(need)).expect("an answer")
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
    fn where_two_of_ours_are_as_good_the_default_is_taken_and_the_other_one_named() {
        let mut records = fixture::records();
        let runs = [425.0, 429.0, 434.0];
        records.push(fixture::record("spsc.throughput", "aqueduct/fast_forward", Unit::Mitems, &runs));
        let found = of(&records, "Many single items");
        assert_eq!(found.answer(), "Take spsc::ring (spsc::fast_forward is as good here)");
        let both = "420 Mitems/s (aqueduct/fast_forward: 429), 1.54 times as fast as the best peer";
        assert!(found.why.starts_with(both), "{}", found.why);
        assert!(found.code.contains("spsc::ring::new(4096)"), "{}", found.code);
    }

    #[test]
    fn the_best_median_is_recommended_also_where_its_runs_reach_down_to_the_defaults() {
        let mut records = fixture::records();
        let mut add = |queue: &str, runs: [f64; 3]| {
            let record = fixture::record("spsc.throughput", queue, Unit::Mitems, &runs);
            records.push(Record { batch: 32, ..record });
        };
        add("aqueduct/ring", [430.0, 452.0, 500.0]);
        add("aqueduct/batched_lamport", [440.0, 810.0, 830.0]);
        add("rtrb/ring_buffer", [1070.0, 1080.0, 1090.0]);
        let found = of(&records, "Items that come in batches");
        assert_eq!(found.answer(), "Take spsc::batched_lamport");
        assert_eq!(found.why, "810 Mitems/s. A peer is 1.33 times as fast here: rtrb/ring_buffer, 1080 Mitems/s.");
    }

    #[test]
    fn only_what_cannot_be_told_from_a_peer_is_too_noisy() {
        let mut records = fixture::records();
        let runs = [280.0, 410.0, 430.0];
        records.push(fixture::record("spsc.throughput", "kanal/bounded", Unit::Mitems, &runs));
        let found = of(&records, "Many single items");
        assert_eq!(found.answer(), "Take spsc::ring");
        assert_eq!(found.peer, Beside::Undecided("kanal/bounded".to_owned()));
        let noisy = "420 Mitems/s. Too noisy to tell it from the best peer: 410 .. 432 here, 410 (280 .. 430) with kanal/bounded; ";
        assert!(found.why.starts_with(noisy), "{}", found.why);
    }

    #[test]
    fn a_queue_is_not_as_good_as_itself_with_another_parameter() {
        let of = |k| {
            let queue = Queue::with_order("aqueduct/ring", k);
            fixture::record("spsc.throughput", queue, Unit::Mitems, &[420.0, 421.0, 422.0])
        };
        assert_eq!(of_all(&[of(8), of(16)]), ["Take spsc::ring"]);
    }

    fn of_all(records: &[Record]) -> Vec<String> {
        recommend(records, &[fixture::GUIDE]).iter().map(Recommendation::answer).collect()
    }

    #[test]
    fn a_note_ends_the_reasons() {
        let record = fixture::record("spsc.pingpong", "aqueduct/ring", Unit::Ns, &[1.0, 2.0, 3.0]);
        assert_eq!(of(&[record], "Lowest latency").why, "2.00 ns. Or not.");
    }

    #[test]
    fn only_a_queue_that_the_need_takes_is_recommended() {
        let mut records = fixture::records();
        records.push(fixture::record("spsc.throughput", "aqueduct/duplex", Unit::Mitems, &[900.0, 901.0, 902.0]));
        assert_eq!(of(&records, "Many single items").queue, "aqueduct/ring");
    }

    #[test]
    fn where_they_do_not_overlap_the_better_one_is_recommended() {
        let mut records = fixture::records();
        let runs = [433.0, 434.0, 435.0];
        records.push(fixture::record("spsc.throughput", "aqueduct/batched_lamport", Unit::Mitems, &runs));
        assert_eq!(of(&records, "Many single items").answer(), "Take spsc::batched_lamport");
    }

    #[test]
    fn fewer_than_three_rounds_are_no_ground_for_advice() {
        let mut records = fixture::records();
        records.iter_mut().for_each(|record| record.runs.truncate(2));
        assert_eq!(recommend(&records, &[fixture::GUIDE]), []);
    }

    #[test]
    fn the_figures_with_most_threads_answer() {
        let of_threads = |(producers, consumers): (usize, usize), median: f64| {
            let runs = [median, median, median];
            Record {
                producers,
                consumers,
                ..fixture::record("mpmc.throughput", "aqueduct/bbq_mpmc", Unit::Mitems, &runs)
            }
        };
        let records = [of_threads((2, 2), 30.0), of_threads((4, 4), 20.0), of_threads((1, 4), 10.0)];
        assert_eq!(of(&records, "Many producers, many consumers").why, "20.0 Mitems/s.");
        assert_eq!(of(&records, "One producer").why, "10.0 Mitems/s.");
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
        assert_eq!(recommend(&records, &[fixture::GUIDE]), []);
    }
}
