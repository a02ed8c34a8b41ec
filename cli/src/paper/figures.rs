//! Figures by bench, queue and threads, and charts of them.

use aqueduct_measure::names::{Bench, Queue};
use aqueduct_measure::record::Record;
use aqueduct_measure::report::svg::{Chart, Column, Series};
use aqueduct_measure::unit::Better;

/// The sign between the name of a queue and a placement of its threads that is not the usual one.
pub(super) const AT: char = '@';

/// Some of the figures of a run.
#[derive(Clone, Debug)]
pub(super) struct Figures<'a>(Vec<&'a Record>);

/// A number over the medians, and its values in each round.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Number {
    /// The number computed from the medians.
    pub(super) value: f64,
    /// The number computed from each round; empty where the rounds are not comparable.
    pub(super) rounds: Vec<f64>,
}

impl Number {
    fn of(record: &Record) -> Self {
        Self { value: record.median, rounds: record.runs.clone() }
    }

    /// Returns a number without values of its rounds.
    pub(super) fn whole(value: f64) -> Self {
        Self { value, rounds: Vec::new() }
    }

    /// Applies `of` to two numbers, round by round: the queues of a round are measured one after
    /// the other.
    pub(super) fn with(&self, other: &Self, of: impl Fn(f64, f64) -> f64) -> Self {
        let same = self.rounds.len() == other.rounds.len();
        let pairs = self.rounds.iter().zip(&other.rounds).filter(|_| same);
        Self { value: of(self.value, other.value), rounds: pairs.map(|(&mine, &theirs)| of(mine, theirs)).collect() }
    }

    /// Returns its quotient by another one.
    pub(super) fn over(&self, other: &Self) -> Self {
        self.with(other, |mine, theirs| mine / theirs)
    }

    /// Returns how many times as good it is as another one, where both are positive.
    fn times_as_good(&self, other: &Self, better: Better) -> Option<Self> {
        better.ratio(self.value, other.value)?;
        Some(match better {
            Better::More => self.over(other),
            Better::Less => other.over(self),
        })
    }
}

/// Numbers of producers and consumers.
pub(super) type Threads = (usize, usize);

impl<'a> Figures<'a> {
    pub(super) fn all(records: &'a [Record]) -> Self {
        Self(records.iter().collect())
    }

    /// Returns the figures for which `is_wanted` is true.
    pub(super) fn filter(&self, is_wanted: impl Fn(&Record) -> bool) -> Self {
        Self(self.0.iter().copied().filter(|record| is_wanted(record)).collect())
    }

    /// Returns the figures of a bench, or of one side of it, as `nblfq.single.p50`.
    pub(super) fn of(&self, bench: &str) -> Self {
        let Ok(bench) = bench.parse::<Bench>();
        self.filter(|record| record.bench == bench)
    }

    /// Returns the figures with those threads.
    pub(super) fn at(&self, (producers, consumers): Threads) -> Self {
        self.filter(|record| (record.producers, record.consumers) == (producers, consumers))
    }

    /// Returns the numbers of threads for which `is_wanted` is true, in rising order.
    pub(super) fn threads(&self, is_wanted: impl Fn(Threads) -> bool) -> Vec<Threads> {
        let mut all: Vec<Threads> = self.0.iter().map(|it| (it.producers, it.consumers)).collect();
        all.sort_unstable();
        all.dedup();
        all.retain(|&threads| is_wanted(threads));
        all
    }

    /// Returns the figure of a queue, by its text in files, if it is the only one of it.
    pub(super) fn queue(&self, text: &str) -> Option<Number> {
        let Ok(queue) = text.parse::<Queue>();
        let mut found = self.0.iter().filter(|record| record.queue == queue);
        let first = found.next()?;
        found.next().is_none().then(|| Number::of(first))
    }

    fn better(&self) -> Better {
        self.0.first().map_or(Better::More, |record| record.unit.better())
    }

    /// Returns the best figure of the queues for which `is_wanted` is true.
    pub(super) fn best(&self, is_wanted: impl Fn(&str) -> bool) -> Option<Number> {
        let wanted = self.0.iter().filter(|record| is_wanted(&record.queue.name));
        let better = |a: &Record, b: &Record| self.better().is_better(a.median, b.median);
        wanted.copied().reduce(|best, next| if better(next, best) { next } else { best }).map(Number::of)
    }

    /// Returns how many times as good `name` is as the best of the others.
    pub(super) fn ratio_to_best(&self, name: &str, is_other: impl Fn(&str) -> bool) -> Option<Number> {
        self.queue(name)?.times_as_good(&self.best(|other| other != name && is_other(other))?, self.better())
    }

    /// Returns how many times as good `name` is as `other`.
    pub(super) fn ratio(&self, name: &str, other: &str) -> Option<Number> {
        self.queue(name)?.times_as_good(&self.queue(other)?, self.better())
    }

    /// Draws the queues over the key that `key` returns for a figure; a figure without a key is
    /// left out.
    ///
    /// `captions` are the queues, each with its name in the picture; none are all, with their own
    /// names.
    pub(super) fn chart<K: Ord + Clone>(
        &self,
        title: &str,
        axis: &str,
        key: impl Fn(&Record) -> Option<K>,
        label: impl Fn(&K) -> String,
        captions: &[(&str, &str)],
    ) -> Chart {
        let mut keys: Vec<K> = self.0.iter().filter_map(|record| key(record)).collect();
        keys.sort();
        keys.dedup();
        let mut names: Vec<(String, String)> =
            captions.iter().map(|&(name, caption)| (name.to_owned(), caption.to_owned())).collect();
        if names.is_empty() {
            for name in self.0.iter().map(|record| record.queue.to_string()) {
                if !names.iter().any(|(known, _)| *known == name) {
                    names.push((name.clone(), name));
                }
            }
        }
        let series = |(name, caption): &(String, String)| {
            let of_queue: Vec<&Record> =
                self.0.iter().copied().filter(|record| record.queue.to_string() == *name).collect();
            let value = |wanted: &K| {
                let found = of_queue.iter().rev().find(|record| key(record).as_ref() == Some(wanted));
                found.map(|record| record.median)
            };
            let role = of_queue.first()?.role;
            Some(Series { name: caption.clone(), role, values: keys.iter().map(value).collect() })
        };
        Chart {
            title: title.to_owned(),
            unit: self.0.first().map_or(String::new(), |record| record.unit.to_string()),
            axis: axis.to_owned(),
            columns: Column::even(keys.iter().map(label)),
            series: names.iter().filter_map(series).collect(),
        }
    }

    /// Draws the queues over numbers of threads.
    pub(super) fn over_threads(
        &self,
        title: &str,
        is_wanted: impl Fn(Threads) -> bool,
        captions: &[(&str, &str)],
    ) -> Chart {
        let key = |record: &Record| {
            let threads = (record.producers, record.consumers);
            is_wanted(threads).then_some(threads)
        };
        self.chart(
            title,
            "producers x consumers",
            key,
            |(producers, consumers)| format!("{producers}x{consumers}"),
            captions,
        )
    }

    /// Returns the figures of a placement that is not the usual one, with the plain names of their
    /// queues.
    pub(super) fn placed(&self, placement: &str) -> Vec<Record> {
        let plain = |record: &&Record| {
            let name = record.queue.name.strip_suffix(placement)?.strip_suffix(AT)?.to_owned();
            Some(Record { queue: Queue { name, ..record.queue.clone() }, ..(*record).clone() })
        };
        self.0.iter().filter_map(plain).collect()
    }

    /// Returns the records themselves.
    pub(super) fn records(&self) -> Vec<Record> {
        self.0.iter().map(|&record| record.clone()).collect()
    }
}

/// Returns the numbers 1, 2, 4 and so on, up to `most`, which is the last one; at least 1, 2 and 4.
pub(super) fn doublings(most: usize) -> Vec<usize> {
    let most = most.clamp(4, aqueduct_measure::rounds::Threads::MOST);
    let mut counts: Vec<usize> = (0..).map(|power| 1 << power).take_while(|&count| count < most).collect();
    counts.push(most);
    counts
}

/// Writes numbers one after the other, with commas.
pub(super) fn list(numbers: &[usize]) -> String {
    numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}

/// Many producers with one consumer, or one on either side.
pub(super) fn is_mpsc((_, consumers): Threads) -> bool {
    consumers == 1
}

/// One producer with many consumers, or one on either side.
pub(super) fn is_spmc((producers, _): Threads) -> bool {
    producers == 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use aqueduct_measure::record::Role;
    use aqueduct_measure::rounds::Place;
    use aqueduct_measure::unit::Unit;

    #[test]
    fn queues_are_found_by_their_order_and_by_their_placement() {
        let place = Place { producers: 1, consumers: 1, capacity: 64, batch: 1 };
        let record = |queue: Queue, value| Record::of("test", queue, Role::Ours, place, Unit::Mitems, vec![value]);
        let records = [
            record(Queue::with_order("aqueduct/cnq_faaq", 100), 1.0),
            record(Queue::with_order("aqueduct/cnq_faaq", 1000), 2.0),
            record("aqueduct/faaq".into(), 3.0),
            record(format!("aqueduct/faaq{AT}two_nodes").into(), 4.0),
        ];
        let all = Figures::all(&records);
        let value = |figures: &Figures<'_>, text| figures.queue(text).map(|number| number.value);
        assert_eq!(value(&all, "aqueduct/cnq_faaq[k=1000]"), Some(2.0));
        assert_eq!(value(&all, "aqueduct/faaq"), Some(3.0));
        assert_eq!(value(&all, "aqueduct/cnq_faaq"), None);
        let placed = all.placed("two_nodes");
        assert_eq!(value(&Figures::all(&placed), "aqueduct/faaq"), Some(4.0));
        assert!(all.placed("siblings").is_empty());
    }
}
