//! The cycle that keeps an execution from being an interleaving of its threads.
//!
//! An execution is sequentially consistent if and only if sb, rf, mo and fr together have no cycle.
//! So a cycle is the reason why an interleaving cannot explain the execution.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::{EdgeKind, ExecutionGraph, GraphEdge};

/// The cost of an edge between threads, in steps within one: a cycle with fewer of these is easier
/// to understand.
const COMMUNICATION: u64 = 1 << 20;

/// The most events from which a cycle is searched.
const STARTS: usize = 256;

/// A step of a path: an event and the edge to it.
#[derive(Clone, Copy)]
struct Hop {
    from: usize,
    kind: EdgeKind,
}

/// All steps that a cycle can take, by the event where they begin.
type Steps = Vec<Vec<(usize, EdgeKind)>>;

impl ExecutionGraph {
    /// Marks a shortest cycle of sb, rf, mo and fr, if there is one, and adds a note.
    /// Returns whether there is one.
    ///
    /// It is the reason why the execution is not an interleaving of its threads.
    pub fn mark_cycle(&mut self) -> bool {
        let core = self.core();
        let steps = self.steps(&core);
        let starts = (0..self.events.len()).filter(|&event| core[event]).take(STARTS);
        let cycle = starts.filter_map(|start| shortest(&steps, start)).min_by_key(|(cost, _)| *cost);
        let Some((_, cycle)) = cycle else { return false };
        for edge in &cycle {
            self.mark(edge);
        }
        let note =
            format!("No interleaving of the threads does this, as the cycle in red shows: {}.", self.describe(&cycle));
        self.notes.push(note);
        true
    }

    /// Returns the events that can lie on a cycle: events without a way in, or without a way out,
    /// are removed repeatedly.
    fn core(&self) -> Vec<bool> {
        let mut core = vec![true; self.events.len()];
        for forwards in [true, false] {
            let ends = |edge: &GraphEdge| if forwards { (edge.from, edge.to) } else { (edge.to, edge.from) };
            let mut ways_in = vec![0_usize; core.len()];
            let mut out = vec![Vec::new(); core.len()];
            for edge in self.edges.iter().filter(|edge| edge.kind != EdgeKind::Conflict) {
                let (from, to) = ends(edge);
                if core[from] && core[to] {
                    ways_in[to] += 1;
                    out[from].push(to);
                }
            }
            let mut free: Vec<usize> = (0..core.len()).filter(|&event| core[event] && ways_in[event] == 0).collect();
            while let Some(event) = free.pop() {
                core[event] = false;
                for &to in &out[event] {
                    ways_in[to] -= 1;
                    if ways_in[to] == 0 {
                        free.push(to);
                    }
                }
            }
        }
        core
    }

    /// Returns the steps within the core, including those that follow from mo and fr.
    fn steps(&self, core: &[bool]) -> Steps {
        let mut steps: Steps = vec![Vec::new(); core.len()];
        let mut overwriting: Vec<Option<usize>> = vec![None; core.len()];
        for edge in self.edges.iter().filter(|edge| edge.kind == EdgeKind::ModificationOrder) {
            overwriting[edge.from] = Some(edge.to);
        }
        for edge in self.edges.iter().filter(|edge| edge.kind != EdgeKind::Conflict) {
            let mut to = Some(edge.to);
            while let Some(write) = to {
                if core[edge.from] && core[write] && write != edge.from {
                    steps[edge.from].push((write, edge.kind));
                }
                let goes_on = matches!(edge.kind, EdgeKind::ModificationOrder | EdgeKind::FromReads);
                to = if goes_on { overwriting[write] } else { None };
            }
        }
        steps
    }

    fn mark(&mut self, step: &GraphEdge) {
        let same = |edge: &&mut GraphEdge| (edge.from, edge.to, edge.kind) == (step.from, step.to, step.kind);
        match self.edges.iter_mut().find(same) {
            Some(edge) => edge.marked = true,
            None => self.edges.push(GraphEdge { marked: true, ..*step }),
        }
        // The events that the cycle only passes within a thread matter less.
        if step.kind != EdgeKind::ProgramOrder {
            self.events[step.from].marked = true;
            self.events[step.to].marked = true;
        }
    }

    /// Returns the cycle as text, with the steps within a thread taken together.
    fn describe(&self, cycle: &[GraphEdge]) -> String {
        let begin = cycle.iter().position(|edge| edge.kind != EdgeKind::ProgramOrder).unwrap_or(0);
        let turned = || cycle[begin..].iter().chain(&cycle[..begin]);
        let mut text = turned().next().map_or_else(String::new, |edge| self.events[edge.from].name.clone());
        let mut edges = turned().peekable();
        while let Some(edge) = edges.next() {
            let inside = edge.kind == EdgeKind::ProgramOrder;
            if inside && edges.peek().is_some_and(|next| next.kind == EdgeKind::ProgramOrder) {
                continue;
            }
            text += &format!(" {} {}", edge.kind, self.events[edge.to].name);
        }
        text
    }
}

/// Returns the cheapest cycle through an event, and its cost.
fn shortest(steps: &Steps, start: usize) -> Option<(u64, Vec<GraphEdge>)> {
    let mut costs = vec![u64::MAX; steps.len()];
    let mut hops: Vec<Option<Hop>> = vec![None; steps.len()];
    let mut reached = BinaryHeap::from([Reverse((0, start))]);
    while let Some(Reverse((cost, event))) = reached.pop() {
        if event == start && cost > 0 {
            break;
        }
        for &(to, kind) in &steps[event] {
            let inside = matches!(kind, EdgeKind::ProgramOrder | EdgeKind::Thread);
            let next = cost + if inside { 1 } else { COMMUNICATION };
            if next < costs[to] {
                costs[to] = next;
                hops[to] = Some(Hop { from: event, kind });
                reached.push(Reverse((next, to)));
            }
        }
    }
    let mut cycle = Vec::new();
    let mut to = start;
    loop {
        let hop = hops[to]?;
        cycle.push(GraphEdge { from: hop.from, to, kind: hop.kind, marked: true });
        to = hop.from;
        if to == start {
            break;
        }
    }
    cycle.reverse();
    Some((costs[start], cycle))
}
