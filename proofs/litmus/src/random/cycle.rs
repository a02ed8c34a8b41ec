//! Programs with a critical cycle.
//!
//! Thread `i` accesses location `i`, then location `i + 1`; the last thread accesses the first
//! location again. One of the outcomes closes the cycle, and the orderings and fences on the way
//! decide whether the model allows it.

use super::{Rng, Supply, finish, location};
use crate::ast::{Access, Expr, LocationKind, MemoryOrder, Program, RmwOp, Statement, StatementKind, Thread};

/// Returns a random program with such a cycle, with two to four threads.
pub(super) fn program(random: &mut Rng) -> Program {
    let length = [2, 2, 3, 3, 3, 4][random.usize(..6)];
    // In a shorter ring of locations some neighbours share a location.
    let ring = if length > 2 && random.u8(..3) == 0 { length - 1 } else { length };
    let locations = ["x", "y", "z", "w"][..ring].iter().map(|name| location(name, LocationKind::Atomic, 0)).collect();
    let mut extras = 2;
    let threads = (0..length)
        .map(|number| {
            let mut maker = Maker { random, supply: Supply::new(), ring };
            maker.thread(number, &mut extras)
        })
        .collect();
    finish(locations, threads)
}

struct Maker<'r> {
    random: &'r mut Rng,
    supply: Supply,
    /// The number of locations.
    ring: usize,
}

impl Maker<'_> {
    /// Returns the two accesses of the cycle, perhaps a fence between, perhaps one of the `extras`
    /// that are left.
    fn thread(&mut self, number: usize, extras: &mut usize) -> Thread {
        let (first, second) = (number % self.ring, (number + 1) % self.ring);
        let mut body = Vec::new();
        if *extras > 0 && self.random.u8(..4) == 0 {
            *extras -= 1;
            body.push(self.access(first));
        }
        body.push(self.access(first));
        match self.random.u8(..8) {
            0..3 => body.push(StatementKind::Fence(MemoryOrder::SeqCst)),
            3 => body.push(StatementKind::Fence(MemoryOrder::ALL[self.random.usize(1..4)])),
            _ => {}
        }
        body.push(self.access(second));
        if *extras > 0 && self.random.u8(..4) == 0 {
            *extras -= 1;
            let anywhere = self.random.usize(..self.ring);
            body.push(self.access(anywhere));
        }
        let registers = self.supply.end_of_thread();
        let body = body.into_iter().map(Statement::from).collect();
        Thread { parameters: (0..self.ring).collect(), registers, body }
    }

    fn access(&mut self, location: usize) -> StatementKind {
        match self.random.u8(..9) {
            0..4 => {
                let order = self.order(MemoryOrder::Acquire);
                self.supply.take(Access::Load { location, order: Some(order) })
            }
            4..8 => {
                let value = Expr::Constant(self.supply.value());
                StatementKind::Store { location, value, order: Some(self.order(MemoryOrder::Release)) }
            }
            _ => {
                let operand = Expr::Constant(self.supply.value());
                let order = self.order(MemoryOrder::AcqRel);
                self.supply.take(Access::Rmw { op: RmwOp::Exchange, location, operand, order })
            }
        }
    }

    /// Returns `seq_cst`, an ordering that synchronizes, or relaxed.
    fn order(&mut self, synchronizing: MemoryOrder) -> MemoryOrder {
        match self.random.u8(..8) {
            0..4 => MemoryOrder::SeqCst,
            4..7 => synchronizing,
            _ => MemoryOrder::Relaxed,
        }
    }
}
