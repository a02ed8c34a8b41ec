//! The remaining work of an exploration, in pieces that can be saved.

use serde::{Deserialize, Serialize};

use super::schedule::Schedule;
use super::{Alternative, Choice, Explorer};
use crate::graph::Graph;
use crate::graph::rules::Rules;

/// A choice, with the graph in which it is made; or the rest of a search within a bound on
/// preemptions.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Piece {
    graph: Graph,
    choices: Vec<Choice>,
    alternatives: Vec<Alternative>,
    schedule: Option<Schedule>,
}

impl Explorer {
    /// Splits the remaining work into pieces, the oldest choice first. The present run must be
    /// over.
    pub(crate) fn into_pieces(mut self) -> Vec<Piece> {
        let piece = |part: Self| {
            let Self { graph, choices, alternatives, schedule, .. } = part;
            Piece { graph, choices, alternatives, schedule }
        };
        if self.schedule.is_some() {
            return vec![piece(self)];
        }
        std::iter::from_fn(|| self.split()).map(piece).collect()
    }

    /// Makes an explorer of one piece. It begins with [`Explorer::backtrack`].
    pub(crate) fn of_piece(piece: Piece, rules: Rules) -> Self {
        let Piece { mut graph, choices, alternatives, schedule } = piece;
        graph.rules = rules;
        Self { graph, choices, alternatives, schedule, ..Self::default() }
    }
}
