//! The number of ways to place queens on a chessboard, one in each row, with none in reach of
//! another.

use std::hint::black_box;

use aqueduct_measure::unit::Unit;

use super::Program;
use crate::fork::Pool;

/// The answers for 0, 1, 2, ... queens.
const ANSWERS: [u64; 13] = [1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2_680, 14_200];

pub(super) struct Queens {
    count: usize,
}

impl Program for Queens {
    type Scratch = u64;

    fn new(size: usize) -> Self {
        Self { count: size }
    }

    fn scratch(&self) -> u64 {
        0
    }

    fn parts(&self) -> (f64, Unit) {
        (1.0, Unit::Us)
    }

    fn run<P: Pool>(&self, answer: &mut u64, context: &mut P::Context<'_>) {
        let all = (1 << black_box(self.count)) - 1;
        *answer = next_row::<P>(context, Board { all, columns: 0, left: 0, right: 0 });
    }

    fn is_right(&self, answer: &u64) -> bool {
        *answer == ANSWERS[self.count]
    }
}

/// A bit for each column: all columns, and those that queens of earlier rows reach in the next row.
#[derive(Clone, Copy)]
struct Board {
    all: u32,
    columns: u32,
    left: u32,
    right: u32,
}

impl Board {
    fn with(self, queen: u32) -> Self {
        Self {
            all: self.all,
            columns: self.columns | queen,
            left: (self.left | queen) << 1,
            right: (self.right | queen) >> 1,
        }
    }
}

fn next_row<P: Pool>(context: &mut P::Context<'_>, board: Board) -> u64 {
    if board.columns == board.all {
        return 1;
    }
    each_of::<P>(context, board, board.all & !(board.columns | board.left | board.right))
}

/// Returns the number of ways with the next row's queen in one of these columns.
fn each_of<P: Pool>(context: &mut P::Context<'_>, board: Board, columns: u32) -> u64 {
    let first = columns & columns.wrapping_neg();
    let others = columns ^ first;
    if first == 0 {
        return 0;
    }
    if others == 0 {
        return next_row::<P>(context, board.with(first));
    }
    let (a, b) = P::join(
        context,
        |context| next_row::<P>(context, board.with(first)),
        |context| each_of::<P>(context, board, others),
    );
    a + b
}
