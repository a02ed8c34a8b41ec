//! An execution as a table: one row per event, one column per thread.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::graph::Graph;
use crate::graph::clock::Clock;
use crate::graph::event::{Event, EventId, Kind, LocId, NO_LOC, RmwOp, Site};
use crate::runtime::heap::Allocations;
use crate::runtime::state::thread_name;

/// If a table has more than twice as many rows, only this number at the beginning and at the end is
/// shown.
const LONG: usize = 50;

/// The events of an execution, numbered so that each comes after those on which it depends.
pub(crate) struct Trace<'a> {
    pub(super) graph: &'a Graph,
    allocations: &'a Allocations,
    line: Vec<EventId>,
    steps: BTreeMap<EventId, usize>,
    names: BTreeMap<LocId, String>,
}

/// Formats the place of a call. A destructor is called by code that the compiler makes.
pub(crate) fn place(site: Site) -> String {
    if site.file().starts_with("/rustc/") { "a value is dropped".to_owned() } else { site.to_string() }
}

impl<'a> Trace<'a> {
    /// Returns the trace of the part of a graph that `keep` holds.
    pub(crate) fn new(graph: &'a Graph, allocations: &'a Allocations, keep: &Clock) -> Self {
        let line = graph.linearize(keep);
        let mut steps = BTreeMap::new();
        let mut names = BTreeMap::new();
        let mut step = 0;
        for &id in &line {
            let event = graph.event(id);
            let second_half = event.label.kind == Kind::Write && event.exclusive;
            if !second_half && event.label.kind != Kind::End {
                step += 1;
            }
            steps.insert(id, step);
            if event.loc != NO_LOC {
                let next = names.len();
                names.entry(event.loc).or_insert_with(|| letter(next));
            }
        }
        Self { graph, allocations, line, steps, names }
    }

    /// Returns the name of an event's row, such as `#3`.
    pub(crate) fn step(&self, id: EventId) -> String {
        match self.steps.get(&id) {
            Some(step) => format!("#{step}"),
            None => "the initial value".to_owned(),
        }
    }

    /// Describes an event, with its row and place.
    pub(crate) fn describe(&self, id: EventId) -> String {
        let event = self.graph.event(id);
        format!("{} {} by {} at {}", self.step(id), self.text(id), thread_name(id.thread()), place(event.label.site))
    }

    /// Describes an event, and the source of its value.
    fn text(&self, id: EventId) -> String {
        let event = self.graph.event(id);
        match event.label.kind {
            Kind::Read => format!("{} from {}", self.action(id), self.step(event.rf)),
            Kind::Write if event.exclusive => self.text(EventId::new(id.thread(), id.index() - 1)),
            _ => self.action(id),
        }
    }

    /// Describes an event's operation, with values.
    pub(super) fn action(&self, id: EventId) -> String {
        let event = self.graph.event(id);
        let name = self.name(event.loc);
        let label = &event.label;
        let mode = label.mode.name();
        match label.kind {
            Kind::Read if label.op.is_load() => {
                format!("{name}.load({mode}) = {}", self.value(event.value, event))
            }
            Kind::Read => self.modification(id, name),
            Kind::Write => format!("{name}.store({}, {mode})", self.value(event.value, event)),
            Kind::Fence => format!("fence({mode})"),
            Kind::LightFence => format!("light_fence({mode})"),
            Kind::HeavyFence => format!("heavy_fence({mode})"),
            Kind::CellRead => format!("read {name}{}", range(event)),
            Kind::CellWrite => format!("write {name}{}", range(event)),
            Kind::Create => format!("spawn {}", thread_name(label.operand as usize)),
            Kind::Join => format!("join {}", thread_name(label.operand as usize)),
            Kind::End => "end".to_owned(),
            Kind::Alloc => format!("allocate {name}"),
            Kind::Free => format!("free {name}"),
        }
    }

    /// Formats a value; an address in an allocation gets the allocation's name.
    fn value(&self, value: u64, event: &Event) -> String {
        if event.label.bits == 1 {
            return (value != 0).to_string();
        }
        let pointed = self.allocations.find(value as usize);
        match pointed.and_then(|(loc, offset)| Some((self.names.get(&loc)?, offset))) {
            Some((name, 0)) => format!("&{name}"),
            Some((name, offset)) => format!("&{name}+{offset}"),
            None if value > 0xffff_ffff => format!("{value:#x}"),
            None => value.to_string(),
        }
    }

    fn modification(&self, id: EventId, name: &str) -> String {
        let event = self.graph.event(id);
        let label = &event.label;
        let old = self.value(event.value, event);
        let new = label.op.apply(event.value, label.operand, u32::from(label.bits));
        let method = method(label.op);
        let (arguments, outcome) = if label.op.compares() {
            let arguments = format!(
                "{}, {}, {}, {}",
                self.value(label.expected, event),
                self.value(label.operand, event),
                label.mode.name(),
                label.failure.name()
            );
            let outcome = match (event.exclusive, event.spurious) {
                (true, _) => format!("= Ok({old})"),
                (false, false) => format!("= Err({old})"),
                (false, true) => format!("= Err({old}), spuriously"),
            };
            (arguments, outcome)
        } else {
            let arguments = format!("{}, {}", self.value(label.operand, event), label.mode.name());
            let outcome = match event.exclusive {
                true => format!("= {old}, now {}", self.value(new, event)),
                false => format!("= {old}, waits"),
            };
            (arguments, outcome)
        };
        format!("{name}.{method}({arguments}) {outcome}")
    }

    /// Returns the events that have a row: all but the ends of threads, and one for both halves of
    /// a read-modify-write.
    pub(super) fn rows(&self) -> Vec<EventId> {
        (self.line.iter().copied())
            .filter(|&id| {
                let event = self.graph.event(id);
                event.label.kind != Kind::End && !(event.label.kind == Kind::Write && event.exclusive)
            })
            .collect()
    }

    /// Returns the locations that have names here.
    pub(super) fn locations(&self) -> impl Iterator<Item = LocId> {
        self.names.keys().copied()
    }

    /// Returns a location's name, or nothing if it has none.
    pub(super) fn name(&self, loc: LocId) -> &str {
        self.names.get(&loc).map_or("", String::as_str)
    }

    /// Returns the value that the location of `read` has before any write.
    pub(super) fn initial(&self, read: EventId) -> String {
        let event = self.graph.event(read);
        self.value(self.graph.loc(event.loc).initial, event)
    }

    /// Returns the table.
    pub(crate) fn table(&self) -> String {
        let rows = self.rows();
        let mut widths: BTreeMap<usize, usize> = BTreeMap::new();
        for &id in &rows {
            let width = widths.entry(id.thread()).or_default();
            *width = (*width).max(self.text(id).len()).max(thread_name(id.thread()).len());
        }
        let mut out = String::from("     ");
        for (&thread, &width) in &widths {
            let _ = write!(out, "| {:width$} ", thread_name(thread));
        }
        out.push_str("| where\n");
        let left_out = rows.len().saturating_sub(2 * LONG);
        for (at, &id) in rows.iter().enumerate() {
            if left_out > 1 && (LONG..LONG + left_out).contains(&at) {
                if at == LONG {
                    let _ = writeln!(out, "   ... {left_out} more ...");
                }
                continue;
            }
            let _ = write!(out, "{:>4} ", self.step(id));
            for (&thread, &width) in &widths {
                let text = if thread == id.thread() { self.text(id) } else { String::new() };
                let _ = write!(out, "| {text:width$} ");
            }
            let _ = writeln!(out, "| {}", place(self.graph.event(id).label.site));
        }
        self.orders(&mut out);
        out
    }

    /// Writes the modification orders that do not follow from the rows.
    fn orders(&self, out: &mut String) {
        for (&loc, name) in &self.names {
            let writes: Vec<EventId> =
                (self.graph.loc(loc).mo.iter().copied()).filter(|id| self.steps.contains_key(id)).collect();
            if writes.len() > LONG {
                let _ = writeln!(out, "     {name} has {} writes", writes.len());
            } else if writes.len() > 1 {
                let steps: Vec<String> = writes.iter().map(|&w| self.step(w)).collect();
                let _ = writeln!(out, "     modification order of {name}: {}", steps.join(", "));
            }
        }
    }
}

fn letter(index: usize) -> String {
    let letter = char::from(b'a' + (index % 26) as u8);
    match index / 26 {
        0 => letter.to_string(),
        round => format!("{letter}{round}"),
    }
}

fn range(event: &Event) -> String {
    let (offset, length) = (event.label.operand, event.label.expected);
    if offset == 0 && length <= 1 { String::new() } else { format!("[{offset}..{}]", offset + length) }
}

/// Returns the name of an operation's method.
pub(super) fn method(op: RmwOp) -> &'static str {
    match op {
        RmwOp::None | RmwOp::Await => "load",
        RmwOp::Swap => "swap",
        RmwOp::Add | RmwOp::Carry | RmwOp::Share | RmwOp::AddUnless => "fetch_add",
        RmwOp::Sub => "fetch_sub",
        RmwOp::And => "fetch_and",
        RmwOp::Nand => "fetch_nand",
        RmwOp::Or => "fetch_or",
        RmwOp::Xor => "fetch_xor",
        RmwOp::MaxSigned | RmwOp::MaxUnsigned => "fetch_max",
        RmwOp::MinSigned | RmwOp::MinUnsigned => "fetch_min",
        RmwOp::CompareExchange | RmwOp::Lock => "compare_exchange",
        RmwOp::CompareExchangeWeak => "compare_exchange_weak",
    }
}
