//! Dependencies of a thread's writes: the reads on which a write depends, by its value or by a
//! branch before it.

use super::{Action, Code, Instruction, Machine, Value, Visible};

/// Reads of one thread, by their number there, as bits.
pub type Reads = u64;

/// A thread in the middle of its run, with the reads on which its slots and its place in the
/// program depend.
#[derive(Debug, Clone)]
pub struct Tracked {
    machine: Machine,
    /// For each slot, the reads on which its value depends.
    slots: Vec<Reads>,
    /// The reads on which the branches so far depend.
    branches: Reads,
    /// The number of reads so far.
    reads: u32,
}

impl Tracked {
    /// Makes thread number `thread` of `code`, before its first access.
    ///
    /// # Panics
    ///
    /// If `code` has no such thread.
    pub fn new(code: &Code, thread: usize) -> Tracked {
        let slots = vec![0; code.threads[thread].slots];
        let machine = Machine { thread, next: 0, slots: vec![0; slots.len()], blocked: false };
        let mut tracked = Tracked { machine, slots, branches: 0, reads: 0 };
        tracked.run_silent(code);
        tracked
    }

    /// Returns the thread's next step.
    pub fn action(&self, code: &Code) -> Action {
        self.machine.action(code)
    }

    /// Returns the thread's registers.
    pub fn registers(&self, code: &Code) -> &[i32] {
        self.machine.registers(code)
    }

    /// Returns the reads on which the next step depends, if the step is a write.
    pub fn depends_on(&self, code: &Code) -> Reads {
        let from = match &code.threads[self.machine.thread].instructions[self.machine.next] {
            Instruction::Visible { kind: Visible::Store { value, .. }, .. } => self.reads_in(value),
            Instruction::Visible { kind: Visible::Rmw { operand, .. }, .. } => self.reads_in(operand),
            Instruction::Visible { kind: Visible::CompareExchange { expected, desired, .. }, .. } => {
                self.slots[*expected] | self.reads_in(desired)
            }
            _ => 0,
        };
        from | self.branches
    }

    /// Continues after the access that [`action`](Self::action) named, as [`Machine::answer`] does.
    ///
    /// # Panics
    ///
    /// If the thread reads more than 64 times.
    pub fn answer(&mut self, code: &Code, read: i32, succeeded: bool) {
        let instruction = code.threads[self.machine.thread].instructions.get(self.machine.next);
        if let Some(Instruction::Visible { kind, .. }) = instruction {
            let this = 1_u64.checked_shl(self.reads).expect("a litmus program has few reads");
            match kind {
                Visible::Load { into, .. } | Visible::Rmw { into, .. } => {
                    (self.machine.slots[*into], self.slots[*into]) = (read, this);
                    self.reads += 1;
                }
                Visible::CompareExchange { into, seen, expected, .. } => {
                    let both = this | self.slots[*expected];
                    (self.machine.slots[*seen], self.slots[*seen]) = (read, this);
                    (self.machine.slots[*into], self.slots[*into]) = (i32::from(succeeded), both);
                    self.reads += 1;
                }
                Visible::Store { .. } | Visible::Fence(_) => {}
            }
            self.machine.next += 1;
            self.run_silent(code);
        }
    }

    /// Runs to the next access as [`Machine::run_silent`] does, and notes the dependencies of slots
    /// and branches.
    fn run_silent(&mut self, code: &Code) {
        while let Some(instruction) = code.threads[self.machine.thread].instructions.get(self.machine.next) {
            match instruction {
                Instruction::Visible { .. } => return,
                Instruction::Compute { into, value } => self.slots[*into] = self.reads_in(value),
                Instruction::JumpIfZero { value, .. } => self.branches |= self.reads_in(value),
                Instruction::Jump { .. } | Instruction::CountIteration { .. } => {}
            }
            self.machine.step(code);
            if self.machine.blocked {
                return;
            }
        }
    }

    fn reads_in(&self, value: &Value) -> Reads {
        match value {
            Value::Constant(_) => 0,
            Value::Slot(slot) => self.slots[*slot],
            Value::Unary(_, a) => self.reads_in(a),
            Value::Binary(_, a, b) => self.reads_in(a) | self.reads_in(b),
        }
    }
}
