//! Groups of records: comparisons side by side, matrices, and the best queue of each.

use super::family::Family;
use super::matrix::{self, Grid, Matrices, Place};
use crate::names::{Bench, Queue, Sample};
use crate::record::{Payload, Record, Role, WORD};
use crate::rounds::Threads;
use crate::unit::{Better, Unit};

/// All conditions but the queue and the loads: figures of one setting can be compared.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// The measured quantity.
    pub bench: Bench,
    /// The place of the value.
    pub payload: Payload,
    /// Items per synchronisation.
    pub batch: usize,
    /// Bytes of an item.
    pub item_bytes: usize,
    /// Capacity asked for, in items; 0 if the figures differ in it.
    pub capacity: usize,
    /// Number of producing threads.
    pub producers: usize,
    /// Number of consuming threads.
    pub consumers: usize,
    /// Unit of every figure.
    pub unit: Unit,
}

impl Setting {
    /// Makes the setting in which `record` was measured.
    pub fn of(record: &Record) -> Self {
        Self {
            bench: record.bench.clone(),
            payload: record.payload,
            batch: record.batch,
            item_bytes: record.item_bytes,
            capacity: record.capacity,
            producers: record.producers,
            consumers: record.consumers,
            unit: record.unit,
        }
    }

    /// Returns which of two figures is better.
    pub fn better(&self) -> Better {
        self.unit.better()
    }

    /// Whether the figures explain others: see [`Unit::explains`].
    pub fn explains(&self) -> bool {
        self.unit.explains()
    }

    /// Returns the unit, and the better direction if it has one.
    pub fn unit_words(&self) -> String {
        if self.explains() {
            return self.unit.to_string();
        }
        format!("{}, {}", self.unit, self.better().words())
    }

    /// Returns `embedded payload, batches of 32, capacity 4096` and the like.
    pub fn words(&self) -> String {
        let threads = match (self.producers, self.consumers) {
            (1, 1) => String::new(),
            (producers, consumers) => format!(", {}, {}", count(producers, "producer"), count(consumers, "consumer")),
        };
        format!("{}{threads}", self.words_without_threads())
    }

    /// Returns [`words`](Self::words) without the threads.
    pub fn words_without_threads(&self) -> String {
        let capacity = if self.capacity == 0 { String::new() } else { format!(", capacity {}", self.capacity) };
        format!("{} payload, {}{capacity}", payload_word(self.payload), self.items())
    }

    /// Returns `2x2 threads, batches of 32` and the like; for one thread on either side only the
    /// items.
    pub fn words_in_short(&self) -> String {
        match (self.producers, self.consumers) {
            (1, 1) => self.items(),
            (producers, consumers) => format!("{} threads, {}", Threads::new(producers, consumers), self.items()),
        }
    }

    /// Returns `single items`, `batches of 32`, or `single items of 64 bytes`.
    pub fn items(&self) -> String {
        let bytes = if self.item_bytes == WORD { String::new() } else { format!(" of {} bytes", self.item_bytes) };
        match self.batch {
            0 => format!("random batches{bytes}"),
            1 => format!("single items{bytes}"),
            batch if bytes.is_empty() => format!("batches of {batch}"),
            batch => format!("batches of {batch} items{bytes}"),
        }
    }
}

/// Returns `1 consumer`, `2 consumers` and the like.
fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// Returns the word for `payload`, which the JSON lines use, too.
pub fn payload_word(payload: Payload) -> &'static str {
    match payload {
        Payload::Embedded => "embedded",
        Payload::Indirect => "indirect",
    }
}

/// Returns the name of a pair of emulated loads: a named regime, or the loads themselves.
pub fn regime(producer_load_ns: u32, consumer_load_ns: u32) -> String {
    match (producer_load_ns, consumer_load_ns) {
        (0, 0) => "NOLOAD: no emulated load".to_owned(),
        (0, 10) => "FP: fast producer, loads 0 and 10 ns".to_owned(),
        (20, 10) => "FC: fast consumer, loads 20 and 10 ns".to_owned(),
        (producer, consumer) => format!("loads {producer} and {consumer} ns"),
    }
}

/// One queue's line in a panel.
#[derive(Clone, Debug)]
pub struct Row<'a> {
    /// The figure.
    pub record: &'a Record,
    /// The origin of the queue.
    pub role: Role,
    /// Speed relative to the best peer of the panel; above 1 is faster.
    pub to_best_peer: Option<f64>,
    /// Speed relative to each of the panel's bounds, in the order of [`Panel::bounds`].
    pub to_bounds: Vec<Option<f64>>,
}

/// All queues under one condition, best first within each role.
#[derive(Clone, Debug)]
pub struct Panel<'a> {
    /// The measured quantity, and how it was measured.
    pub setting: Setting,
    /// Emulated loads of producer and consumer, in nanoseconds.
    pub loads: (u32, u32),
    /// Whether the setting was measured under other loads, too.
    pub has_other_loads: bool,
    /// Ours, then peers, then bounds; best first in each.
    pub rows: Vec<Row<'a>>,
    /// The bounds, in the order of their rows.
    pub bounds: Vec<&'a Queue>,
    /// The best peer, if any was measured.
    pub best_peer: Option<&'a Queue>,
}

impl<'a> Panel<'a> {
    fn new(setting: Setting, loads: (u32, u32), has_other_loads: bool, mut records: Vec<&'a Record>) -> Self {
        let better = setting.better();
        records.sort_by(|a, b| {
            let by_figure = match better {
                Better::More => b.median.total_cmp(&a.median),
                Better::Less => a.median.total_cmp(&b.median),
            };
            a.role.cmp(&b.role).then(by_figure)
        });
        let compares = !setting.explains();
        let of_role = |role| records.iter().copied().filter(move |r| compares && r.role == role);
        let best_peer = of_role(Role::Peer).next();
        let bounds: Vec<&Record> = of_role(Role::Bound).collect();
        let rows = records
            .iter()
            .map(|&record| Row {
                record,
                role: record.role,
                to_best_peer: best_peer.and_then(|best| better.ratio(record.median, best.median)),
                to_bounds: bounds.iter().map(|bound| better.ratio(record.median, bound.median)).collect(),
            })
            .collect();
        Self {
            loads,
            has_other_loads,
            rows,
            bounds: bounds.iter().map(|bound| &bound.queue).collect(),
            best_peer: best_peer.map(|best| &best.queue),
            setting,
        }
    }

    /// Returns the rows of one role, best first.
    pub fn of_role(&self, role: Role) -> impl Iterator<Item = &Row<'a>> {
        self.rows.iter().filter(move |row| row.role == role)
    }

    /// Returns the regime's name if the bench has emulated loads, else nothing.
    pub fn loaded(&self) -> Option<String> {
        let has_loads = self.loads != (0, 0) || self.has_other_loads;
        has_loads.then(|| regime(self.loads.0, self.loads.1))
    }
}

/// All records in the order in which a report shows them.
#[derive(Clone, Debug, Default)]
pub struct Sheet<'a> {
    /// Comparisons of the queues under one condition each.
    pub panels: Vec<Panel<'a>>,
    /// Benches that look at one measurement from several sides.
    pub families: Vec<Family<'a>>,
    /// Figures over a grid of loads, or of divisions.
    pub matrices: Vec<Matrices<'a>>,
}

/// The number of pairs of loads from which the figures of a setting are shown as matrices.
const MATRIX_FROM: usize = 6;

impl<'a> Sheet<'a> {
    /// Groups `records`. Benches keep the order in which they first appear, distributions after
    /// their bench. If one queue was measured twice under one condition, the record with more runs
    /// stands, and of equals the later one.
    pub fn of(records: &'a [Record]) -> Self {
        let (divided, others): (Vec<&Record>, Vec<&Record>) =
            records.iter().partition(|record| record.queue.blocks().is_some());
        let (facets, plain): (Vec<&Record>, Vec<&Record>) =
            others.into_iter().partition(|record| record.bench.facet.is_some());
        let mut settings: Vec<(Setting, Vec<&'a Record>)> = Vec::new();
        for record in plain {
            let setting = Setting::of(record);
            match settings.iter_mut().find(|(known, _)| *known == setting) {
                Some((_, members)) => add_or_replace(members, record),
                None => settings.push((setting, vec![record])),
            }
        }
        let benches: Vec<Bench> = settings.iter().map(|(setting, _)| setting.bench.clone()).collect();
        settings.sort_by_key(|(setting, _)| place(&setting.bench, &benches));
        let mut sheet = Self { families: Family::all(&facets), ..Self::default() };
        for (setting, members) in settings {
            sheet.add(setting, &members);
        }
        sheet.matrices.extend(matrix::sweeps(&divided));
        sheet
    }

    fn add(&mut self, setting: Setting, members: &[&'a Record]) {
        let mut loads: Vec<(u32, u32)> = members.iter().map(|member| loads_of(member)).collect();
        loads.sort_unstable();
        loads.dedup();
        if loads.len() >= MATRIX_FROM {
            let place = |record: &&'a Record| {
                let (across, up) = loads_of(record);
                Place { queue: &record.queue.name, across, up, record }
            };
            self.matrices.push(Matrices::new(setting, Grid::Loads, &members.iter().map(place).collect::<Vec<_>>()));
            return;
        }
        let has_others = loads.len() > 1;
        for pair in loads {
            let of_pair = members.iter().copied().filter(|r| loads_of(r) == pair).collect();
            self.panels.push(Panel::new(setting.clone(), pair, has_others, of_pair));
        }
    }
}

/// Returns the place of `bench` in a report: the place of its first record, or, for a distribution,
/// of its bench.
fn place(bench: &Bench, benches: &[Bench]) -> (usize, bool) {
    let first = |bench: &Bench| benches.iter().position(|known| known == bench);
    let rounds = Bench { sample: Sample::Rounds, ..bench.clone() };
    (first(&rounds).or_else(|| first(bench)).unwrap_or(0), bench.is_distribution())
}

fn add_or_replace<'a>(members: &mut Vec<&'a Record>, record: &'a Record) {
    let same = |known: &&mut &Record| known.queue == record.queue && loads_of(known) == loads_of(record);
    match members.iter_mut().find(same) {
        Some(known) if known.runs.len() <= record.runs.len() => *known = record,
        Some(_) => {}
        None => members.push(record),
    }
}

fn loads_of(record: &Record) -> (u32, u32) {
    (record.producer_load_ns, record.consumer_load_ns)
}
