//! Figures over two quantities: emulated loads on either side, or blocks and their size.

use super::sheet::Setting;
use crate::record::{Record, Role};
use crate::unit::Better;

/// The two quantities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grid {
    /// The producer's emulated load in nanoseconds to the right, the consumer's upwards.
    Loads,
    /// The number of blocks to the right, the entries of a block upwards.
    Blocks,
}

impl Grid {
    /// Returns the heading's words after the unit.
    pub fn words(self) -> &'static str {
        match self {
            Self::Loads => "by emulated load",
            Self::Blocks => "by blocks and their entries",
        }
    }

    /// Returns the name of the quantity that grows to the right.
    pub fn across(self) -> &'static str {
        match self {
            Self::Loads => "producer's load, ns",
            Self::Blocks => "blocks",
        }
    }

    /// Returns the name of the quantity that grows upwards.
    pub fn up(self) -> &'static str {
        match self {
            Self::Loads => "consumer's load, ns",
            Self::Blocks => "entries of a block",
        }
    }
}

/// One record's place on a grid.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// The queue of the matrix.
    pub queue: &'a str,
    /// The value of the quantity that grows to the right.
    pub across: u32,
    /// The value of the quantity that grows upwards.
    pub up: u32,
    /// The figure.
    pub record: &'a Record,
}

/// One queue's figures over a grid.
#[derive(Clone, Debug)]
pub struct Matrix<'a> {
    /// The queue of the matrix.
    pub queue: &'a str,
    /// Medians by the quantity that grows to the right (outer, as in [`Matrices::across`]) and the
    /// one that grows upwards.
    pub cells: Vec<Vec<Option<f64>>>,
}

/// The matrices of one setting, on one scale.
#[derive(Clone, Debug)]
pub struct Matrices<'a> {
    /// The measured quantity, and how it was measured.
    pub setting: Setting,
    /// The two quantities.
    pub grid: Grid,
    /// Values of the quantity that grows to the right, ascending.
    pub across: Vec<u32>,
    /// Values of the quantity that grows upwards, ascending.
    pub up: Vec<u32>,
    /// A matrix for each queue: ours, then peers, then bounds, in the order of the records.
    pub queues: Vec<Matrix<'a>>,
    /// Least figure of all the cells.
    pub low: f64,
    /// Greatest figure of all the cells.
    pub high: f64,
}

impl<'a> Matrices<'a> {
    /// Makes the matrices of figures that were measured under one setting. Of two figures of one
    /// place, the later one stands.
    pub fn new(setting: Setting, grid: Grid, places: &[Place<'a>]) -> Self {
        let across = values(places.iter().map(|place| place.across));
        let up = values(places.iter().map(|place| place.up));
        let mut queues: Vec<(Role, &'a str)> = Vec::new();
        for place in places {
            if !queues.iter().any(|(_, name)| *name == place.queue) {
                queues.push((place.record.role, place.queue));
            }
        }
        queues.sort_by_key(|(role, _)| *role);
        let cell = |queue: &str, across: u32, up: u32| {
            let mut of_cell =
                places.iter().filter(|place| place.queue == queue && place.across == across && place.up == up);
            of_cell.next_back().map(|place| place.record.median)
        };
        let column = |queue: &str, across: u32| up.iter().map(|&up| cell(queue, across, up)).collect();
        let queues = queues
            .into_iter()
            .map(|(_, queue)| Matrix { queue, cells: across.iter().map(|&across| column(queue, across)).collect() })
            .collect();
        let medians = || places.iter().map(|place| place.record.median);
        Self {
            setting,
            grid,
            queues,
            low: medians().fold(f64::INFINITY, f64::min),
            high: medians().fold(f64::NEG_INFINITY, f64::max),
            across,
            up,
        }
    }

    /// Returns the place of `figure` on the common scale: 0 is the worst cell of all, 1 the best.
    /// The scale is logarithmic, because rates fall with the inverse of the load and would crowd at
    /// one end.
    pub fn goodness(&self, figure: f64) -> f64 {
        let place = |value: f64| if self.low > 0.0 { value.ln() } else { value };
        let width = place(self.high) - place(self.low);
        let part = if width > 0.0 { (place(figure) - place(self.low)) / width } else { 1.0 };
        match self.setting.better() {
            Better::More => part,
            Better::Less => 1.0 - part,
        }
    }

    /// Returns the worst and the best figure of all cells: the ends of the common scale.
    pub fn ends(&self) -> (f64, f64) {
        match self.setting.better() {
            Better::More => (self.low, self.high),
            Better::Less => (self.high, self.low),
        }
    }
}

/// Returns each value once, ascending.
fn values(values: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut values: Vec<u32> = values.collect();
    values.sort_unstable();
    values.dedup();
    values
}

/// Matrices of the records of divided queues: each bench with each number of threads has its own.
pub fn sweeps<'a>(records: &[&'a Record]) -> Vec<Matrices<'a>> {
    let mut settings: Vec<(Setting, Vec<Place<'a>>)> = Vec::new();
    for &record in records {
        let Some((across, up)) = record.queue.blocks() else { continue };
        let place = Place { queue: &record.queue.name, across, up, record };
        let setting = Setting { capacity: 0, ..Setting::of(record) };
        match settings.iter_mut().find(|(known, _)| *known == setting) {
            Some((_, places)) => places.push(place),
            None => settings.push((setting, vec![place])),
        }
    }
    settings.into_iter().map(|(setting, places)| Matrices::new(setting, Grid::Blocks, &places)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::Queue;
    use crate::report::fixture;
    use crate::unit::Unit;

    #[test]
    fn a_sweep_has_a_cell_for_each_division() {
        let record = |blocks, size, median| {
            let queue = Queue::with_blocks("aqueduct/bbq_mpmc", blocks, size);
            let capacity = (blocks as usize - 1) * size as usize;
            Record { capacity, ..fixture::record("mpmc.sweep", queue, Unit::Mitems, &[median]) }
        };
        let records = [record(2, 8, 1.0), record(4, 8, 10.0), record(4, 64, 100.0)];
        let all = sweeps(&records.iter().collect::<Vec<_>>());
        let [matrices] = &all[..] else { panic!("{all:?}") };
        assert_eq!((&matrices.across[..], &matrices.up[..]), (&[2, 4][..], &[8, 64][..]));
        assert_eq!(matrices.queues[0].cells, [[Some(1.0), None], [Some(10.0), Some(100.0)]]);
        assert_eq!(matrices.goodness(10.0), 0.5);
        assert!(!matrices.setting.words().contains("capacity"), "{}", matrices.setting.words());
    }
}
