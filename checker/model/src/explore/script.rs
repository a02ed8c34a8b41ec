//! Scripts: the next thread and the choice of its event, step by step, so that one execution can be
//! replayed.
//!
//! As text a script is `aq1:`, or `aq1c:` if the owners of an `Arc` are counted, and a token for
//! each event: the thread as a hexadecimal digit, and, unless the event reads from the last write
//! or is placed behind it, `R` (reads), `S` (reads and fails spuriously) or `W` (writes) with the
//! index in the modification order so far and a full stop.

use std::fmt;
use std::str::FromStr;

use crate::graph::Graph;
use crate::graph::clock::Clock;
use crate::graph::event::{EventId, Kind};

/// The environment variable that makes checks replay one execution.
pub(crate) const REPLAY: &str = "AQUEDUCT_REPLAY";

/// The start of a script's text.
const PREFIX: &str = "aq1:";

/// The start of the text of a script with counted owners.
const COUNTED: &str = "aq1c:";

/// The choice of one event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Turn {
    /// The event reads from the last write, goes behind it, or has no choice.
    Last,
    /// The event reads from the write at this index.
    Source { index: u32, spurious: bool },
    /// The write goes to this index.
    Place { index: u32 },
}

/// The events of one execution in order, by thread.
#[derive(Clone, Debug, Default)]
pub(crate) struct Script {
    /// Whether the owners of an `Arc` are counted.
    pub(crate) counts_owners: bool,
    pub(crate) turns: Vec<(usize, Turn)>,
}

impl Script {
    /// Returns the script of the part of a graph that `keep` holds.
    pub(crate) fn of(graph: &Graph, keep: &Clock, counts_owners: bool) -> Self {
        let line = graph.linearize(keep);
        let turns = (0..line.len()).map(|at| (line[at].thread(), turn(graph, &line[..at], line[at]))).collect();
        Self { counts_owners, turns }
    }
}

/// Returns an event's choice, given the events before it.
fn turn(graph: &Graph, before: &[EventId], id: EventId) -> Turn {
    let event = graph.event(id);
    let writes = |id: &EventId| graph.event(*id).loc == event.loc && graph.event(*id).label.kind.is_writing();
    let index_of = |mo: u32| {
        let below = before.iter().filter(|&w| writes(w) && graph.event(*w).mo < mo);
        below.count() as u32 + 1
    };
    let count = before.iter().filter(|w| writes(w)).count() as u32;
    match event.label.kind {
        Kind::Read => {
            let source = if event.rf.is_init() { 0 } else { index_of(graph.event(event.rf).mo) };
            if source == count && !event.spurious {
                Turn::Last
            } else {
                Turn::Source { index: source, spurious: event.spurious }
            }
        }
        Kind::Write if index_of(event.mo) <= count => Turn::Place { index: index_of(event.mo) },
        _ => Turn::Last,
    }
}

impl fmt::Display for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.counts_owners { COUNTED } else { PREFIX })?;
        for (thread, turn) in &self.turns {
            write!(f, "{thread:x}")?;
            match turn {
                Turn::Last => {}
                Turn::Source { index, spurious: false } => write!(f, "R{index}.")?,
                Turn::Source { index, spurious: true } => write!(f, "S{index}.")?,
                Turn::Place { index } => write!(f, "W{index}.")?,
            }
        }
        Ok(())
    }
}

/// Why a text is not a script.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct BadScript {
    /// The index of the first wrong byte.
    at: usize,
}

impl fmt::Display for BadScript {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "not a replay string: byte {} is wrong; expected `{PREFIX}` and then threads 0 to f, \
             each with at most one of R, S, W, a number and a full stop",
            self.at
        )
    }
}

impl FromStr for Script {
    type Err = BadScript;

    fn from_str(text: &str) -> Result<Self, BadScript> {
        let text = text.trim();
        let counted = text.strip_prefix(COUNTED);
        let Some(mut rest) = counted.or_else(|| text.strip_prefix(PREFIX)) else {
            return Err(BadScript { at: 0 });
        };
        let length = text.len();
        let mut turns = Vec::new();
        while let Some(first) = rest.chars().next() {
            let bad = BadScript { at: length - rest.len() };
            let thread = first.to_digit(16).ok_or_else(|| bad.clone())? as usize;
            rest = &rest[1..];
            let mut turn = Turn::Last;
            if let Some(kind @ ('R' | 'S' | 'W')) = rest.chars().next() {
                let (number, after) = rest[1..].split_once('.').ok_or_else(|| bad.clone())?;
                let index = number.parse().map_err(|_| bad)?;
                turn = match kind {
                    'W' => Turn::Place { index },
                    _ => Turn::Source { index, spurious: kind == 'S' },
                };
                rest = after;
            }
            turns.push((thread, turn));
        }
        Ok(Self { counts_owners: counted.is_some(), turns })
    }
}
