//! Statements to instructions: branches and loops become jumps, nested accesses get temporaries.

use super::{CasOrders, Instruction, ThreadCode, Value, Visible};
use crate::ast::{Access, Expr, MemoryOrder, Statement, StatementKind, UnaryOp};

pub(super) struct Lowering {
    instructions: Vec<Instruction>,
    slots: usize,
}

impl Lowering {
    pub(super) fn thread(registers: usize, body: &[Statement]) -> ThreadCode {
        let mut lowering = Lowering { instructions: Vec::new(), slots: registers };
        lowering.block(body);
        ThreadCode { instructions: lowering.instructions, registers, slots: lowering.slots }
    }

    fn block(&mut self, body: &[Statement]) {
        for statement in body {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Statement) {
        let line = statement.line;
        match &statement.kind {
            StatementKind::Assign { register, value: Expr::Access(access) } => self.access(line, *register, access),
            StatementKind::Assign { register, value } => {
                let value = self.value(line, value);
                self.instructions.push(Instruction::Compute { into: *register, value });
            }
            StatementKind::Discard(access) => {
                let into = self.slot();
                self.access(line, into, access);
            }
            StatementKind::Store { location, value, order } => {
                let value = self.value(line, value);
                self.visible(line, Visible::Store { location: *location, value, order: *order });
            }
            // C allows a relaxed fence; it orders nothing.
            StatementKind::Fence(MemoryOrder::Relaxed) => {}
            StatementKind::Fence(order) => self.visible(line, Visible::Fence(*order)),
            StatementKind::If { condition, then, otherwise } => {
                let branch = self.branch(line, condition);
                self.block(then);
                if otherwise.is_empty() {
                    self.patch(branch);
                } else {
                    let end = self.instructions.len();
                    self.instructions.push(Instruction::Jump { target: usize::MAX });
                    self.patch(branch);
                    self.block(otherwise);
                    self.patch(end);
                }
            }
            StatementKind::While { condition, body } => {
                let counter = self.slot();
                self.instructions.push(Instruction::Compute { into: counter, value: Value::Constant(0) });
                let top = self.instructions.len();
                let exit = self.branch(line, condition);
                self.instructions.push(Instruction::CountIteration { counter });
                self.block(body);
                self.instructions.push(Instruction::Jump { target: top });
                self.patch(exit);
            }
        }
    }

    fn slot(&mut self) -> usize {
        self.slots += 1;
        self.slots - 1
    }

    fn visible(&mut self, line: usize, kind: Visible) {
        self.instructions.push(Instruction::Visible { line, kind });
    }

    /// Adds a conditional jump over the code that follows. [`patch`](Self::patch) sets its target.
    fn branch(&mut self, line: usize, condition: &Expr) -> usize {
        let value = self.value(line, condition);
        self.jump_if_zero(value)
    }

    fn jump_if_zero(&mut self, value: Value) -> usize {
        self.instructions.push(Instruction::JumpIfZero { value, target: usize::MAX });
        self.instructions.len() - 1
    }

    fn patch(&mut self, jump: usize) {
        let here = self.instructions.len();
        match &mut self.instructions[jump] {
            Instruction::JumpIfZero { target, .. } | Instruction::Jump { target } => *target = here,
            other => unreachable!("only jumps are patched, not {other:?}"),
        }
    }

    fn value(&mut self, line: usize, expr: &Expr) -> Value {
        match expr {
            Expr::Constant(value) => Value::Constant(*value),
            Expr::Register(register) => Value::Slot(*register),
            Expr::Access(access) => {
                let slot = self.slot();
                self.access(line, slot, access);
                Value::Slot(slot)
            }
            Expr::Unary(op, a) => Value::Unary(*op, Box::new(self.value(line, a))),
            Expr::Binary(op, a, b) => {
                let a = self.value(line, a);
                let b = self.value(line, b);
                Value::Binary(*op, Box::new(a), Box::new(b))
            }
        }
    }

    fn access(&mut self, line: usize, into: usize, access: &Access) {
        match access {
            Access::Load { location, order } => {
                self.visible(line, Visible::Load { into, location: *location, order: *order });
            }
            Access::Rmw { op, location, operand, order } => {
                let operand = self.value(line, operand);
                self.visible(line, Visible::Rmw { into, op: *op, location: *location, operand, order: *order });
            }
            Access::CompareExchange { location, expected, desired, success, failure, weak } => {
                let desired = self.value(line, desired);
                let wanted = self.slot();
                let seen = self.slot();
                self.visible(line, Visible::Load { into: wanted, location: *expected, order: None });
                let cas = CasOrders { success: *success, failure: *failure, weak: *weak };
                let location = *location;
                self.visible(line, Visible::CompareExchange { into, seen, location, expected: wanted, desired, cas });
                let failed = Value::Unary(UnaryOp::Not, Box::new(Value::Slot(into)));
                let done = self.jump_if_zero(failed);
                let value = Value::Slot(seen);
                self.visible(line, Visible::Store { location: *expected, value, order: None });
                self.patch(done);
            }
        }
    }
}
