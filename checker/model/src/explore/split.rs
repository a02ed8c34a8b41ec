//! Splitting an exploration in two that share nothing.

use super::schedule::Schedule;
use super::walk::Walk;
use super::{Choice, Explorer};
use crate::graph::Graph;

impl Explorer {
    /// Whether no alternative is left.
    pub(crate) fn is_done(&self) -> bool {
        let has_turns = self.schedule().is_some_and(Schedule::has_more);
        self.choices.is_empty() && !has_turns && self.walk.as_ref().is_none_or(Walk::is_last)
    }

    /// Splits off the oldest choice with its remaining alternatives. The other explorer begins with
    /// [`Explorer::backtrack`]. Returns `None` if there is nothing to split off.
    pub(crate) fn split(&mut self) -> Option<Self> {
        if let Some(walk) = &mut self.walk {
            let walk = walk.split()?;
            return Some(Self { graph: Graph::new(self.graph.rules), walk: Some(walk), ..Self::default() });
        }
        if self.schedule.is_some() {
            // The findings of one part decide what another has to explore.
            return None;
        }
        while self.frames.first().is_some_and(|frame| frame.choices == 0) {
            let frame = self.frames.remove(0);
            self.pool.push(frame.graph);
        }
        let oldest = *self.choices.first()?;
        let end = self.choices.get(1).map_or(self.alternatives.len(), |c| c.start);
        let given = self.alternatives.drain(..end).collect();
        self.choices.remove(0);
        for choice in &mut self.choices {
            choice.start -= end;
        }
        for frame in &mut self.frames {
            frame.choices -= 1;
        }
        let source = self.frames.first().map_or(&self.graph, |frame| &frame.graph);
        let mut graph = Graph::new(source.rules);
        graph.copy_from(source);
        while graph.newest() != Some(oldest.event) {
            if let Some(loc) = graph.pop() {
                graph.recycle(loc);
            }
        }
        Some(Self { graph, choices: vec![Choice { start: 0, ..oldest }], alternatives: given, ..Self::default() })
    }
}
