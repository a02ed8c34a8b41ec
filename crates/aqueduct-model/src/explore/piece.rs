//! The remaining work of an exploration, in pieces that can be saved.

use serde::{Deserialize, Serialize};

use super::{Alternative, Choice, Explorer};
use crate::graph::Graph;
use crate::graph::rules::Rules;

/// A choice, with the graph in which it is made.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Piece {
    graph: Graph,
    choice: Choice,
    alternatives: Vec<Alternative>,
}

impl Explorer {
    /// Splits the remaining work into pieces, the oldest choice first. The present run must be over.
    pub(crate) fn into_pieces(mut self) -> Vec<Piece> {
        let split = std::iter::from_fn(|| self.split());
        let piece = |part: Self| {
            Some(Piece { choice: *part.choices.first()?, graph: part.graph, alternatives: part.alternatives })
        };
        split.filter_map(piece).collect()
    }

    /// Makes an explorer of one piece. It begins with [`Explorer::backtrack`].
    pub(crate) fn of_piece(piece: Piece, rules: Rules) -> Self {
        let Piece { mut graph, choice, alternatives } = piece;
        graph.rules = rules;
        Self { graph, choices: vec![choice], alternatives, ..Self::default() }
    }
}
