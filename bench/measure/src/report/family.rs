//! Benches that look at one measurement from several sides, quantiles for example: reports show
//! them as one table.

use super::sheet::Setting;
use crate::names::{Bench, Facet, Queue};
use crate::record::{Record, Role};

/// One queue's line in a family's table.
#[derive(Clone, Debug)]
pub struct FamilyRow<'a> {
    /// The queue.
    pub queue: &'a Queue,
    /// The origin of the queue.
    pub role: Role,
    /// A record for each facet of the family, if there is one.
    pub cells: Vec<Option<&'a Record>>,
}

/// All facets of one measurement under one condition.
#[derive(Clone, Debug)]
pub struct Family<'a> {
    /// The measured quantity, and how it was measured; the bench is the family's name.
    pub setting: Setting,
    /// The facets, in their order.
    pub facets: Vec<Facet>,
    /// The queues: ours, then peers, then bounds, each by the first facet, the better first.
    pub rows: Vec<FamilyRow<'a>>,
}

impl<'a> Family<'a> {
    /// Returns the families among `records`, in the order in which they first appear. If a figure
    /// comes twice, the later one stands.
    pub fn all(records: &[&'a Record]) -> Vec<Self> {
        let mut families: Vec<Self> = Vec::new();
        for &record in records {
            let Some(facet) = record.bench.facet else { continue };
            let bench = Bench { facet: None, ..record.bench.clone() };
            let setting = Setting { bench, ..Setting::of(record) };
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
        let row = self.rows.iter().position(|row| *row.queue == record.queue).unwrap_or_else(|| {
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

    /// Returns `2x4: two producers, four consumers` and the like, for a heading.
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
        let record = |bench: &str, facet, queue: &str, median: f64| {
            fixture::record(Bench::side(format!("mpmc.latency.{bench}"), facet), queue, Unit::Ns, &[median])
        };
        let records = [
            record("push", Facet::Max, "gil/mpmc", 900.0),
            record("push", Facet::P50, "gil/mpmc", 50.0),
            record("pop", Facet::P50, "gil/mpmc", 40.0),
            record("push", Facet::P50, "aqueduct/bbq_mpmc", 60.0),
            record("push", Facet::P50, "gil/spmc", 45.0),
            fixture::record("mpmc.latency", "gil/mpmc", Unit::Ns, &[1.0]),
        ];
        let families = Family::all(&records.iter().collect::<Vec<_>>());
        let [push, pop] = &families[..] else { panic!("{families:?}") };
        assert_eq!((&*push.setting.bench.name, &*pop.setting.bench.name), ("mpmc.latency.push", "mpmc.latency.pop"));
        assert_eq!(push.facets, [Facet::P50, Facet::Max]);
        let lines: Vec<(&str, Vec<Option<f64>>)> = push
            .rows
            .iter()
            .map(|row| (&*row.queue.name, row.cells.iter().map(|cell| cell.map(|c| c.median)).collect()))
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
