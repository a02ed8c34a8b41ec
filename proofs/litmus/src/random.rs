//! Random programs for property tests, and the shrinking of those that show a difference.
//!
//! Programs are small enough for the oracle: up to four threads, three atomic locations, and about
//! ten accesses. Each [`Flavour`] leans towards one corner of the memory model, because uniformly
//! random programs miss most corners.

mod cycle;
mod handover;
mod shrink;

pub use fastrand::Rng;
pub use shrink::shrink;

use crate::ast::{
    Access, BinaryOp, Condition, Expr, Location, LocationKind, MemoryOrder, Program, Proposition, Quantifier, RmwOp,
    Statement, StatementKind, Thread,
};

/// The corner of the memory model that a random program tends to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flavour {
    /// No special corner.
    Mixed,
    /// Read-modify-writes and compare-exchanges, strong and weak, on one or two locations.
    Rmw,
    /// `seq_cst` accesses mixed with weaker ones, and `seq_cst` fences.
    SeqCst,
    /// Data handed over through a release store, later events in its location, and an acquire load.
    ReleaseSequence,
    /// A plain location handed over behind an atomic one; many of these programs race.
    Plain,
    /// Branches, loops and values that depend on values read.
    Control,
}

impl Flavour {
    /// Every flavour.
    pub const ALL: [Flavour; 6] =
        [Flavour::Mixed, Flavour::Rmw, Flavour::SeqCst, Flavour::ReleaseSequence, Flavour::Plain, Flavour::Control];

    /// Returns the weights of: load, store, exchange or fetch, compare-exchange, fence, plain
    /// access, branch, loop.
    fn weights(self) -> [u32; 8] {
        match self {
            Flavour::Mixed => [8, 8, 4, 3, 3, 0, 2, 0],
            Flavour::Rmw => [2, 3, 8, 8, 1, 0, 0, 0],
            Flavour::SeqCst => [9, 9, 2, 1, 7, 0, 0, 0],
            Flavour::ReleaseSequence | Flavour::Plain => [6, 6, 2, 1, 3, 6, 5, 0],
            Flavour::Control => [7, 6, 2, 1, 1, 0, 6, 2],
        }
    }
}

/// Returns a random program. One state of the generator always gives one program.
pub fn program(random: &mut Rng, flavour: Flavour) -> Program {
    match flavour {
        Flavour::ReleaseSequence => handover::program(random),
        Flavour::SeqCst if random.u8(..4) > 0 => cycle::program(random),
        Flavour::Plain if random.bool() => handover::program(random),
        _ => free_program(random, flavour),
    }
}

/// Returns a program without a plan.
fn free_program(random: &mut Rng, flavour: Flavour) -> Program {
    let threads = [2, 2, 2, 3, 3, 3, 3, 4, 1][random.usize(..9)];
    let atomics = match flavour {
        Flavour::Rmw => random.usize(1..3),
        _ => [1, 2, 2, 2, 3][random.usize(..5)],
    };
    let mut locations: Vec<Location> =
        ["x", "y", "z"][..atomics].iter().map(|name| location(name, LocationKind::Atomic, 0)).collect();
    let plain = (flavour.weights()[5] > 0).then(|| {
        locations.push(location("d", LocationKind::Plain, 0));
        locations.len() - 1
    });
    let longest = [0, 5, 5, 4, 3][threads];
    let mut maker = Maker { random, flavour, locations, atomics, plain, thread: 0, supply: Supply::new(), budget: 11 };
    let threads = (0..threads).map(|number| maker.thread(number, longest)).collect();
    finish(maker.locations, threads)
}

/// Returns a program without a condition.
fn finish(locations: Vec<Location>, threads: Vec<Thread>) -> Program {
    let condition = Condition { quantifier: Quantifier::Exists, proposition: Proposition::Constant(true) };
    Program { name: "random".to_string(), locations, threads, condition }
}

fn location(name: &str, kind: LocationKind, initial: i32) -> Location {
    Location { name: name.to_string(), kind, initial }
}

/// The supply of a thread under construction: registers by number, and values that no other store
/// writes.
#[derive(Debug)]
struct Supply {
    registers: usize,
    value: i32,
}

impl Supply {
    fn new() -> Self {
        Supply { registers: 0, value: 0 }
    }

    fn register(&mut self) -> usize {
        self.registers += 1;
        self.registers - 1
    }

    /// Makes a new register with the value of `access`.
    fn take(&mut self, access: Access) -> StatementKind {
        StatementKind::Assign { register: self.register(), value: Expr::Access(Box::new(access)) }
    }

    fn value(&mut self) -> i32 {
        self.value += 1;
        self.value
    }

    /// Returns the names of the registers so far. The next thread begins with none.
    fn end_of_thread(&mut self) -> Vec<String> {
        (0..std::mem::take(&mut self.registers)).map(|number| format!("r{number}")).collect()
    }
}

struct Maker<'r> {
    random: &'r mut Rng,
    flavour: Flavour,
    locations: Vec<Location>,
    atomics: usize,
    plain: Option<usize>,
    thread: usize,
    supply: Supply,
    /// The number of statements that may still be made, in all threads together.
    budget: usize,
}

impl Maker<'_> {
    fn thread(&mut self, number: usize, longest: usize) -> Thread {
        self.thread = number;
        let length = self.random.usize(1..=longest);
        let body = self.block(length, 0);
        let registers = self.supply.end_of_thread();
        // Every thread names every location that is not the expected value of another thread's
        // compare-exchange.
        let own = format!("e{number}_");
        let shared = |location: &Location| !location.name.starts_with('e') || location.name.starts_with(&own);
        let parameters = (0..self.locations.len()).filter(|index| shared(&self.locations[*index])).collect();
        Thread { parameters, registers, body }
    }

    fn block(&mut self, length: usize, depth: usize) -> Vec<Statement> {
        let mut body = Vec::new();
        for _ in 0..length {
            if self.budget > 0 {
                self.budget -= 1;
                let kind = self.statement(depth);
                body.push(kind.into());
            }
        }
        body
    }

    fn statement(&mut self, depth: usize) -> StatementKind {
        let weights = self.flavour.weights();
        let mut ticket = self.random.u32(..weights.iter().sum::<u32>());
        let choice = weights.iter().position(|weight| {
            let here = ticket < *weight;
            ticket = ticket.wrapping_sub(*weight);
            here
        });
        match choice {
            Some(1) => StatementKind::Store {
                location: self.atomic(),
                value: self.value(),
                order: Some(self.order(&[MemoryOrder::Relaxed, MemoryOrder::Release, MemoryOrder::SeqCst])),
            },
            Some(2) => {
                let access = Access::Rmw {
                    op: RmwOp::ALL[[0, 0, 1, 1, 1, 2, 3, 4, 5][self.random.usize(..9)]],
                    location: self.atomic(),
                    operand: self.value(),
                    order: self.order(&MemoryOrder::ALL),
                };
                self.take(access)
            }
            Some(3) => {
                let access = self.compare_exchange();
                self.take(access)
            }
            Some(4) => StatementKind::Fence(self.order(&MemoryOrder::ALL[1..])),
            Some(5) => self.plain_access(),
            Some(6) if depth < 2 && self.supply.registers > 0 => self.branch(depth),
            Some(7) if depth < 1 => self.wait(),
            _ => {
                let access = self.load();
                self.take(access)
            }
        }
    }

    /// Makes a new register with the value of `access`, or, seldom, discards the value.
    fn take(&mut self, access: Access) -> StatementKind {
        if self.random.u8(..10) == 0 {
            return StatementKind::Discard(access);
        }
        self.supply.take(access)
    }

    fn load(&mut self) -> Access {
        let orders = [MemoryOrder::Relaxed, MemoryOrder::Acquire, MemoryOrder::SeqCst];
        Access::Load { location: self.atomic(), order: Some(self.order(&orders)) }
    }

    fn compare_exchange(&mut self) -> Access {
        let count = self.locations.iter().filter(|location| location.kind == LocationKind::Plain).count();
        let wanted = self.random.i32(0..3);
        self.locations.push(location(&format!("e{}_{count}", self.thread), LocationKind::Plain, wanted));
        Access::CompareExchange {
            location: self.atomic(),
            expected: self.locations.len() - 1,
            desired: self.value(),
            success: self.order(&MemoryOrder::ALL),
            failure: self.order(&[MemoryOrder::Relaxed, MemoryOrder::Acquire, MemoryOrder::SeqCst]),
            weak: self.random.u8(..3) == 0,
        }
    }

    fn plain_access(&mut self) -> StatementKind {
        let Some(location) = self.plain else {
            let access = self.load();
            return self.take(access);
        };
        if self.random.bool() {
            return StatementKind::Store { location, value: self.value(), order: None };
        }
        self.supply.take(Access::Load { location, order: None })
    }

    fn branch(&mut self, depth: usize) -> StatementKind {
        let register = Expr::Register(self.random.usize(..self.supply.registers));
        let constant = Expr::Constant(self.random.i32(0..3));
        let op = [BinaryOp::Equal, BinaryOp::Equal, BinaryOp::NotEqual, BinaryOp::Less][self.random.usize(..4)];
        let length = self.random.usize(1..3);
        let then = self.block(length, depth + 1);
        let otherwise = if self.random.u8(..3) == 0 { self.block(1, depth + 1) } else { Vec::new() };
        StatementKind::If { condition: Expr::Binary(op, Box::new(register), Box::new(constant)), then, otherwise }
    }

    /// Makes `while (x == 0) { maybe something }`.
    fn wait(&mut self) -> StatementKind {
        let load = Expr::Access(Box::new(self.load()));
        let constant = Expr::Constant(self.random.i32(0..2));
        let body = if self.random.u8(..4) == 0 { self.block(1, 1) } else { Vec::new() };
        StatementKind::While { condition: Expr::Binary(BinaryOp::Equal, Box::new(load), Box::new(constant)), body }
    }

    fn atomic(&mut self) -> usize {
        self.random.usize(..self.atomics)
    }

    /// Makes a value: mostly a small constant, sometimes one that depends on a register.
    fn value(&mut self) -> Expr {
        if self.supply.registers > 0 && self.random.u8(..5) == 0 {
            let register = Expr::Register(self.random.usize(..self.supply.registers));
            return Expr::Binary(BinaryOp::Add, Box::new(register), Box::new(Expr::Constant(1)));
        }
        Expr::Constant(self.random.i32(1..4))
    }

    /// Returns one of `orders`. The flavour decides the share of strong ones.
    fn order(&mut self, orders: &[MemoryOrder]) -> MemoryOrder {
        if self.flavour == Flavour::SeqCst && self.random.u8(..5) < 3 {
            return MemoryOrder::SeqCst;
        }
        orders[self.random.usize(..orders.len())]
    }
}
