//! Benches that look at one measurement from several sides: `bbq.latency.push.p99` and its siblings.
//!
//! The last part of such a bench's name says which side; what is before it is the family's name. Reports show a family
//! as one table.

use super::sheet::Setting;
use crate::record::{Record, Role};

/// One side of a measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Facet {
    /// The median.
    P50,
    /// What 99 % do not exceed.
    P99,
    /// What 99.9 % do not exceed.
    P999,
    /// The greatest.
    Max,
    /// The least share of a thread.
    Least,
    /// The greatest share of a thread.
    Most,
    /// Jain's index of the shares.
    Jain,
}

impl Facet {
    const ALL: [Self; 7] = [Self::P50, Self::P99, Self::P999, Self::Max, Self::Least, Self::Most, Self::Jain];

    /// How the names of its benches end, after a dot.
    pub fn suffix(self) -> &'static str {
        match self {
            Self::P50 => "p50",
            Self::P99 => "p99",
            Self::P999 => "p999",
            Self::Max => "max",
            Self::Least => "least_share",
            Self::Most => "greatest_share",
            Self::Jain => "jain",
        }
    }

    /// What a column of it is called.
    pub fn heading(self) -> &'static str {
        match self {
            Self::P50 => "median",
            Self::P99 => "99 %",
            Self::P999 => "99.9 %",
            Self::Max => "greatest",
            Self::Least => "least share",
            Self::Most => "greatest share",
            Self::Jain => "Jain's index",
        }
    }

    /// Of a quantile the share of the values that do not exceed it.
    pub fn fraction(self) -> Option<f64> {
        match self {
            Self::P50 => Some(0.5),
            Self::P99 => Some(0.99),
            Self::P999 => Some(0.999),
            Self::Max => Some(1.0),
            Self::Least | Self::Most | Self::Jain => None,
        }
    }

    /// The family's name and the facet, if `bench` has one.
    pub fn of(bench: &str) -> Option<(&str, Self)> {
        let (family, last) = bench.rsplit_once('.')?;
        Self::ALL.into_iter().find(|facet| facet.suffix() == last).map(|facet| (family, facet))
    }
}

/// One queue's line in a family's table.
#[derive(Clone, Debug)]
pub struct FamilyRow<'a> {
    /// `CRATE/QUEUE`.
    pub queue: &'a str,
    /// Whose it is.
    pub role: Role,
    /// A record for each facet of the family, where there is one.
    pub cells: Vec<Option<&'a Record>>,
}

/// All facets of one measurement under one condition.
#[derive(Clone, Debug)]
pub struct Family<'a> {
    /// What was measured and how; the bench is the family's name.
    pub setting: Setting,
    /// The facets, in their order.
    pub facets: Vec<Facet>,
    /// The queues: ours, then peers, then bounds, each by the first facet, the better first.
    pub rows: Vec<FamilyRow<'a>>,
}

impl<'a> Family<'a> {
    /// The families among `records`, in the order in which they first appear. Where a figure comes twice, the later one
    /// stands.
    pub fn all(records: &[&'a Record]) -> Vec<Self> {
        let mut families: Vec<Self> = Vec::new();
        for &record in records {
            let Some((name, facet)) = Facet::of(&record.bench) else { continue };
            let setting = Setting { bench: name.to_owned(), ..Setting::of(record) };
            let at = families.iter().position(|known| known.setting == setting).unwrap_or_else(|| {
                families.push(Self { setting, facets: Vec::new(), rows: Vec::new() });
                families.len() - 1
            });
            families[at].add(facet, record);
        }
        families.iter_mut().for_each(Self::sort);
        families
    }

    fn add(&mut self, facet: Facet, record: &'a Record) {
        let column = self.facets.binary_search(&facet).unwrap_or_else(|place| {
            self.facets.insert(place, facet);
            self.rows.iter_mut().for_each(|row| row.cells.insert(place, None));
            place
        });
        let row = self.rows.iter().position(|row| row.queue == record.queue).unwrap_or_else(|| {
            let cells = vec![None; self.facets.len()];
            self.rows.push(FamilyRow { queue: &record.queue, role: record.role, cells });
            self.rows.len() - 1
        });
        self.rows[row].cells[column] = Some(record);
    }

    fn sort(&mut self) {
        let better = self.setting.better();
        let first = |row: &FamilyRow<'_>| row.cells.first().copied().flatten().map(|record| record.median);
        self.rows.sort_by(|a, b| {
            let by_figure = match (first(a), first(b)) {
                (Some(a), Some(b)) if better.is_better(a, b) => std::cmp::Ordering::Less,
                (Some(a), Some(b)) if better.is_better(b, a) => std::cmp::Ordering::Greater,
                _ => std::cmp::Ordering::Equal,
            };
            a.role.cmp(&b.role).then(by_figure)
        });
    }

    /// `2x4: two producers, four consumers` and so on, for a heading.
    pub fn threads(&self) -> String {
        format!("{}x{} threads", self.setting.producers, self.setting.consumers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::fixture;
    use crate::unit::Unit;

    #[test]
    fn the_facets_of_a_bench_come_together_whatever_their_order() {
        let record = |bench: &str, queue: &str, median: f64| {
            fixture::record(&format!("bbq.latency.{bench}"), queue, Unit::Ns, &[median])
        };
        let records = [
            record("push.max", "gil/mpmc", 900.0),
            record("push.p50", "gil/mpmc", 50.0),
            record("pop.p50", "gil/mpmc", 40.0),
            record("push.p50", "aqueduct/bbq_mpmc", 60.0),
            record("push.p50", "gil/spmc", 45.0),
            fixture::record("bbq.latency", "gil/mpmc", Unit::Ns, &[1.0]),
        ];
        let families = Family::all(&records.iter().collect::<Vec<_>>());
        let [push, pop] = &families[..] else { panic!("{families:?}") };
        assert_eq!((push.setting.bench.as_str(), pop.setting.bench.as_str()), ("bbq.latency.push", "bbq.latency.pop"));
        assert_eq!(push.facets, [Facet::P50, Facet::Max]);
        let lines: Vec<(&str, Vec<Option<f64>>)> = push
            .rows
            .iter()
            .map(|row| (row.queue, row.cells.iter().map(|cell| cell.map(|c| c.median)).collect()))
            .collect();
        assert_eq!(
            lines,
            [
                ("aqueduct/bbq_mpmc", vec![Some(60.0), None]),
                ("gil/spmc", vec![Some(45.0), None]),
                ("gil/mpmc", vec![Some(50.0), Some(900.0)]),
            ]
        );
    }
}
