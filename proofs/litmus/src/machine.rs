//! A program lowered to instructions, and one thread of it stepping from access to access.
//!
//! The driver of a [`Machine`] (the oracle, the runner) performs the accesses and answers with the
//! values; the machine executes everything in between. A compare-exchange is three accesses, as in
//! C: a plain read of the expected value, the compare-exchange, and on failure a plain write of the
//! value seen.

pub mod dependencies;
mod lowering;

use crate::ast::{BinaryOp, MemoryOrder, Program, RmwOp, UnaryOp};
use lowering::Lowering;

/// A program's threads as instructions.
#[derive(Debug, Clone)]
pub struct Code {
    threads: Vec<ThreadCode>,
    loop_bound: u32,
}

#[derive(Debug, Clone)]
struct ThreadCode {
    instructions: Vec<Instruction>,
    registers: usize,
    slots: usize,
}

/// An expression without memory access; registers and temporaries are slots.
#[derive(Debug, Clone)]
enum Value {
    Constant(i32),
    Slot(usize),
    Unary(UnaryOp, Box<Value>),
    Binary(BinaryOp, Box<Value>, Box<Value>),
}

#[derive(Debug, Clone)]
enum Instruction {
    Compute { into: usize, value: Value },
    JumpIfZero { value: Value, target: usize },
    Jump { target: usize },
    CountIteration { counter: usize },
    Visible { line: usize, kind: Visible },
}

#[derive(Debug, Clone)]
enum Visible {
    Load { into: usize, location: usize, order: Option<MemoryOrder> },
    Store { location: usize, value: Value, order: Option<MemoryOrder> },
    Rmw { into: usize, op: RmwOp, location: usize, operand: Value, order: MemoryOrder },
    CompareExchange { into: usize, seen: usize, location: usize, expected: usize, desired: Value, cas: CasOrders },
    Fence(MemoryOrder),
}

/// Orderings and strength of a compare-exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CasOrders {
    /// The ordering of the read-modify-write.
    pub success: MemoryOrder,
    /// The ordering of a failure.
    pub failure: MemoryOrder,
    /// Whether it may fail although it read the expected value.
    pub weak: bool,
}

/// The next step of a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// A load; plain when `order` is `None`.
    Load {
        /// The location.
        location: usize,
        /// The ordering.
        order: Option<MemoryOrder>,
    },
    /// A store; plain when `order` is `None`.
    Store {
        /// The location.
        location: usize,
        /// The value.
        value: i32,
        /// The ordering.
        order: Option<MemoryOrder>,
    },
    /// An unconditional read-modify-write.
    Rmw {
        /// The function.
        op: RmwOp,
        /// The location.
        location: usize,
        /// Its second argument.
        operand: i32,
        /// The ordering.
        order: MemoryOrder,
    },
    /// A compare-exchange, its expected value already read.
    CompareExchange {
        /// The location.
        location: usize,
        /// The value that it compares with.
        expected: i32,
        /// The value that it stores.
        desired: i32,
        /// Orderings and strength.
        cas: CasOrders,
    },
    /// A fence, never relaxed.
    Fence(MemoryOrder),
    /// A loop reached its bound, so the thread stops forever.
    Blocked,
    /// The thread is at its end.
    Done,
}

impl Code {
    /// Lowers `program`; a loop whose condition still holds after `loop_bound` iterations blocks
    /// its thread.
    pub fn new(program: &Program, loop_bound: u32) -> Code {
        let threads =
            program.threads.iter().map(|thread| Lowering::thread(thread.registers.len(), &thread.body)).collect();
        Code { threads, loop_bound }
    }

    /// Returns the number of threads.
    pub fn thread_count(&self) -> usize {
        self.threads.len()
    }
}

/// One thread in the middle of its run.
#[derive(Debug, Clone)]
pub struct Machine {
    thread: usize,
    next: usize,
    slots: Vec<i32>,
    blocked: bool,
}

impl Machine {
    /// Makes thread number `thread` of `code`, before its first access.
    ///
    /// # Panics
    ///
    /// If `code` has no such thread.
    pub fn new(code: &Code, thread: usize) -> Machine {
        let slots = vec![0; code.threads[thread].slots];
        let mut machine = Machine { thread, next: 0, slots, blocked: false };
        machine.run_silent(code);
        machine
    }

    /// Returns the thread's next step.
    pub fn action(&self, code: &Code) -> Action {
        if self.blocked {
            return Action::Blocked;
        }
        let Some(Instruction::Visible { kind, .. }) = self.thread_code(code).instructions.get(self.next) else {
            return Action::Done;
        };
        match kind {
            Visible::Load { location, order, .. } => Action::Load { location: *location, order: *order },
            Visible::Store { location, value, order } => {
                Action::Store { location: *location, value: self.evaluate(value), order: *order }
            }
            Visible::Rmw { op, location, operand, order, .. } => {
                Action::Rmw { op: *op, location: *location, operand: self.evaluate(operand), order: *order }
            }
            Visible::CompareExchange { location, expected, desired, cas, .. } => Action::CompareExchange {
                location: *location,
                expected: self.slots[*expected],
                desired: self.evaluate(desired),
                cas: *cas,
            },
            Visible::Fence(order) => Action::Fence(*order),
        }
    }

    /// Returns the line in the file of the next access, 0 if it has none.
    pub fn line(&self, code: &Code) -> usize {
        match self.thread_code(code).instructions.get(self.next) {
            Some(Instruction::Visible { line, .. }) => *line,
            _ => 0,
        }
    }

    /// Continues after the access that [`action`](Self::action) named.
    ///
    /// `read` is the value that the access read, `succeeded` is true if a compare-exchange stored.
    /// Accesses that read nothing ignore both.
    pub fn answer(&mut self, code: &Code, read: i32, succeeded: bool) {
        if let Some(Instruction::Visible { kind, .. }) = self.thread_code(code).instructions.get(self.next) {
            match kind {
                Visible::Load { into, .. } | Visible::Rmw { into, .. } => self.slots[*into] = read,
                Visible::CompareExchange { into, seen, .. } => {
                    self.slots[*seen] = read;
                    self.slots[*into] = i32::from(succeeded);
                }
                Visible::Store { .. } | Visible::Fence(_) => {}
            }
            self.next += 1;
            self.run_silent(code);
        }
    }

    /// Returns the registers of the thread, in the order of
    /// [`Thread::registers`](crate::ast::Thread::registers).
    pub fn registers(&self, code: &Code) -> &[i32] {
        &self.slots[..self.thread_code(code).registers]
    }

    fn thread_code<'c>(&self, code: &'c Code) -> &'c ThreadCode {
        &code.threads[self.thread]
    }

    fn evaluate(&self, value: &Value) -> i32 {
        match value {
            Value::Constant(value) => *value,
            Value::Slot(slot) => self.slots[*slot],
            Value::Unary(op, a) => op.apply(self.evaluate(a)),
            Value::Binary(op, a, b) => op.apply(self.evaluate(a), self.evaluate(b)),
        }
    }

    fn run_silent(&mut self, code: &Code) {
        while self.step(code) {}
    }

    /// Runs one instruction that no other thread sees. Returns whether there was one.
    fn step(&mut self, code: &Code) -> bool {
        match self.thread_code(code).instructions.get(self.next) {
            None | Some(Instruction::Visible { .. }) => return false,
            Some(Instruction::Compute { into, value }) => {
                self.slots[*into] = self.evaluate(value);
                self.next += 1;
            }
            Some(Instruction::JumpIfZero { value, target }) => {
                self.next = if self.evaluate(value) == 0 { *target } else { self.next + 1 };
            }
            Some(Instruction::Jump { target }) => self.next = *target,
            Some(Instruction::CountIteration { counter }) => {
                if self.slots[*counter] as u32 == code.loop_bound {
                    self.blocked = true;
                    return false;
                }
                self.slots[*counter] += 1;
                self.next += 1;
            }
        }
        true
    }
}
