//! Programs with a handover: a writer passes data through a flag to a reader, and other threads
//! write the flag.
//!
//! The reader reads the data if it saw the flag. Release sequences, fences and orderings decide
//! whether that is ordered.

use super::{Rng, Supply, finish, location};
use crate::ast::{Access, BinaryOp, Expr, LocationKind, MemoryOrder, Program, RmwOp, Statement, StatementKind, Thread};

/// The locations: the data, then the flag.
const DATA: usize = 0;
const FLAG: usize = 1;

/// Returns a random program with such a handover.
pub(super) fn program(random: &mut Rng) -> Program {
    let mut maker = Maker { plain: random.bool(), random, supply: Supply::new(), last_of_writer: 1 };
    let mut threads = vec![maker.writer()];
    for _ in 0..maker.random.usize(..3) {
        threads.push(maker.meddler());
    }
    threads.push(maker.reader());
    let kind = if maker.plain { LocationKind::Plain } else { LocationKind::Atomic };
    let locations = vec![location("d", kind, 0), location("y", LocationKind::Atomic, 0)];
    finish(locations, threads)
}

struct Maker<'r> {
    random: &'r mut Rng,
    /// True if the data is not atomic.
    plain: bool,
    /// The source of values: every store to the flag has one of its own.
    supply: Supply,
    /// The last value that the writer gave to the flag.
    last_of_writer: i32,
}

impl Maker<'_> {
    fn writer(&mut self) -> Thread {
        let mut body = vec![self.data_store()];
        let fence = self.one_in(4);
        if fence {
            body.push(StatementKind::Fence(MemoryOrder::Release));
        }
        let order = if fence || self.one_in(5) { MemoryOrder::Relaxed } else { MemoryOrder::Release };
        body.push(self.flag_store(order));
        for _ in 0..self.random.usize(..3) {
            let statement = self.meddling();
            body.push(statement);
        }
        self.last_of_writer = self.supply.value;
        self.thread(body)
    }

    fn meddler(&mut self) -> Thread {
        let length = self.random.usize(1..3);
        let body = std::iter::repeat_with(|| self.meddling()).take(length).collect();
        self.thread(body)
    }

    fn reader(&mut self) -> Thread {
        let fence = self.one_in(4);
        let order = if fence || self.one_in(6) { MemoryOrder::Relaxed } else { MemoryOrder::Acquire };
        let seen = self.supply.take(Access::Load { location: FLAG, order: Some(order) });
        let mut body = vec![seen];
        if fence {
            body.push(StatementKind::Fence(MemoryOrder::Acquire));
        }
        let order = (!self.plain).then_some(MemoryOrder::Relaxed);
        let look = self.supply.take(Access::Load { location: DATA, order });
        if self.plain {
            // Only a reader that saw the flag may read: after the writer's last value, or after
            // any.
            let wanted = if self.random.bool() { self.last_of_writer } else { self.random.i32(1..=self.supply.value) };
            let wanted = Box::new(Expr::Constant(wanted));
            let condition = Expr::Binary(BinaryOp::Equal, Box::new(Expr::Register(0)), wanted);
            body.push(StatementKind::If { condition, then: vec![look.into()], otherwise: Vec::new() });
        } else {
            body.push(look);
        }
        self.thread(body)
    }

    /// Returns a statement that continues a release sequence of the flag, or breaks it.
    fn meddling(&mut self) -> StatementKind {
        let order = MemoryOrder::ALL[[0, 0, 0, 1, 2, 3][self.random.usize(..6)]];
        if self.one_in(3) {
            return self.flag_store(if order.releases() { MemoryOrder::Release } else { MemoryOrder::Relaxed });
        }
        let op = if self.random.bool() { RmwOp::Add } else { RmwOp::Exchange };
        let operand = Expr::Constant(self.supply.value());
        self.supply.take(Access::Rmw { op, location: FLAG, operand, order })
    }

    fn data_store(&mut self) -> StatementKind {
        let order = (!self.plain).then_some(MemoryOrder::Relaxed);
        StatementKind::Store { location: DATA, value: Expr::Constant(1), order }
    }

    fn flag_store(&mut self, order: MemoryOrder) -> StatementKind {
        let value = Expr::Constant(self.supply.value());
        StatementKind::Store { location: FLAG, value, order: Some(order) }
    }

    fn thread(&mut self, body: Vec<StatementKind>) -> Thread {
        let registers = self.supply.end_of_thread();
        Thread { parameters: vec![DATA, FLAG], registers, body: body.into_iter().map(Statement::from).collect() }
    }

    fn one_in(&mut self, many: u8) -> bool {
        self.random.u8(..many) == 0
    }
}
