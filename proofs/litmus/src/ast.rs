//! A litmus program as data.
//!
//! Registers and locations are named by index: registers into [`Thread::registers`], locations into
//! [`Program::locations`]. Every value is a C `int`; arithmetic wraps.

/// A whole litmus test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// The name after `C` on the first line.
    pub name: String,
    /// Shared memory, in the order of the initial state block.
    pub locations: Vec<Location>,
    /// `P0`, `P1`, ...
    pub threads: Vec<Thread>,
    /// The question about the final states.
    pub condition: Condition,
}

/// One shared variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    /// The variable's name in the test.
    pub name: String,
    /// Whether threads declare it as `atomic_int*` or as `int*`.
    pub kind: LocationKind,
    /// The variable's value before any thread runs.
    pub initial: i32,
}

/// How the threads may access a location.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LocationKind {
    /// `atomic_int*`: through the `atomic_*_explicit` functions.
    Atomic,
    /// `int*`: through `*e`, and as the expected value of a compare-exchange.
    Plain,
}

/// One thread of the test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thread {
    /// The locations that its parameter list names.
    pub parameters: Vec<usize>,
    /// Its registers, in the order of their declarations; all are 0 at the start.
    pub registers: Vec<String>,
    /// Its statements.
    pub body: Vec<Statement>,
}

/// A statement and its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// The statement's line in the file, from 1; 0 for a program without a text.
    pub line: usize,
    /// The kind of statement.
    pub kind: StatementKind,
}

impl From<StatementKind> for Statement {
    fn from(kind: StatementKind) -> Self {
        Statement { line: 0, kind }
    }
}

/// The kinds of statements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StatementKind {
    /// `r0 = value;`
    Assign {
        /// The register.
        register: usize,
        /// Its new value.
        value: Expr,
    },
    /// A memory access whose result is not used, such as `atomic_fetch_add_explicit(...);`
    Discard(Access),
    /// `atomic_store_explicit(x, value, order);`, or `*e = value;` when `order` is `None`.
    Store {
        /// The location.
        location: usize,
        /// The stored value.
        value: Expr,
        /// The ordering, or `None` for a plain store.
        order: Option<MemoryOrder>,
    },
    /// `atomic_thread_fence(order);`
    Fence(MemoryOrder),
    /// `if (condition) { then } else { otherwise }`
    If {
        /// The first branch is taken if it is not 0.
        condition: Expr,
        /// The first branch.
        then: Vec<Statement>,
        /// The second branch, which may be empty.
        otherwise: Vec<Statement>,
    },
    /// `while (condition) { body }`
    While {
        /// The loop continues while it is not 0.
        condition: Expr,
        /// The loop's body.
        body: Vec<Statement>,
    },
}

/// A value: constants, registers, operators, and at most one memory access.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expr {
    /// A number.
    Constant(i32),
    /// A register of the thread.
    Register(usize),
    /// A memory access that yields a value.
    Access(Box<Access>),
    /// An operator with one operand.
    Unary(UnaryOp, Box<Expr>),
    /// An operator with two operands.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
}

/// A memory access that yields a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Access {
    /// `atomic_load_explicit(x, order)`, or `*e` when `order` is `None`.
    Load {
        /// The location.
        location: usize,
        /// The ordering, or `None` for a plain load.
        order: Option<MemoryOrder>,
    },
    /// `atomic_exchange_explicit` and `atomic_fetch_*_explicit`; yields the old value.
    Rmw {
        /// The function.
        op: RmwOp,
        /// The location.
        location: usize,
        /// The second argument.
        operand: Expr,
        /// The ordering.
        order: MemoryOrder,
    },
    /// `atomic_compare_exchange_{strong,weak}_explicit`; yields 1 on success, else 0 after storing
    /// the value seen.
    CompareExchange {
        /// The location.
        location: usize,
        /// The plain location that holds the expected value and gets the value seen on failure.
        expected: usize,
        /// The value to store.
        desired: Expr,
        /// The ordering of the read-modify-write.
        success: MemoryOrder,
        /// The ordering of the read in a failure.
        failure: MemoryOrder,
        /// Whether it may fail although it reads the expected value.
        weak: bool,
    },
}

/// C's memory orders, without `consume`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MemoryOrder {
    /// `memory_order_relaxed`
    Relaxed,
    /// `memory_order_acquire`
    Acquire,
    /// `memory_order_release`
    Release,
    /// `memory_order_acq_rel`
    AcqRel,
    /// `memory_order_seq_cst`
    SeqCst,
}

/// The read-modify-write functions other than compare-exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RmwOp {
    /// `atomic_exchange_explicit`
    Exchange,
    /// `atomic_fetch_add_explicit`
    Add,
    /// `atomic_fetch_sub_explicit`
    Sub,
    /// `atomic_fetch_or_explicit`
    Or,
    /// `atomic_fetch_and_explicit`
    And,
    /// `atomic_fetch_xor_explicit`
    Xor,
}

/// Operators with one operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnaryOp {
    /// `-a`
    Negate,
    /// `!a`
    Not,
    /// `~a`
    Complement,
}

/// Operators with two operands, as in C.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BinaryOp {
    /// `a || b`
    LogicalOr,
    /// `a && b`
    LogicalAnd,
    /// `a | b`
    Or,
    /// `a ^ b`
    Xor,
    /// `a & b`
    And,
    /// `a == b`
    Equal,
    /// `a != b`
    NotEqual,
    /// `a < b`
    Less,
    /// `a <= b`
    LessEqual,
    /// `a > b`
    Greater,
    /// `a >= b`
    GreaterEqual,
    /// `a + b`
    Add,
    /// `a - b`
    Sub,
    /// `a * b`
    Mul,
}

/// The last line of a test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    /// The final states that it is about.
    pub quantifier: Quantifier,
    /// Its statement about a final state.
    pub proposition: Proposition,
}

/// The final states that a condition is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantifier {
    /// `exists`: some final state satisfies the proposition.
    Exists,
    /// `forall`: every final state satisfies it.
    Forall,
    /// `~exists`: no final state satisfies it.
    NotExists,
}

/// A statement about one final state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Proposition {
    /// `true`, `false`
    Constant(bool),
    /// `0:r0=1`: a register has a value at the end.
    Register {
        /// The thread.
        thread: usize,
        /// The register of that thread.
        register: usize,
        /// The value.
        value: i32,
    },
    /// `x=1`: a location has a value at the end.
    Location {
        /// The location.
        location: usize,
        /// The value.
        value: i32,
    },
    /// `~ p`, `not p`
    Not(Box<Proposition>),
    /// `p /\ q`
    And(Box<Proposition>, Box<Proposition>),
    /// `p \/ q`
    Or(Box<Proposition>, Box<Proposition>),
}

impl MemoryOrder {
    /// Every order, weakest first.
    pub const ALL: [MemoryOrder; 5] =
        [MemoryOrder::Relaxed, MemoryOrder::Acquire, MemoryOrder::Release, MemoryOrder::AcqRel, MemoryOrder::SeqCst];

    /// Returns its name in C.
    pub fn c_name(self) -> &'static str {
        match self {
            MemoryOrder::Relaxed => "memory_order_relaxed",
            MemoryOrder::Acquire => "memory_order_acquire",
            MemoryOrder::Release => "memory_order_release",
            MemoryOrder::AcqRel => "memory_order_acq_rel",
            MemoryOrder::SeqCst => "memory_order_seq_cst",
        }
    }

    /// Whether an access with this order takes part as an acquire.
    pub fn acquires(self) -> bool {
        matches!(self, MemoryOrder::Acquire | MemoryOrder::AcqRel | MemoryOrder::SeqCst)
    }

    /// Whether an access with this order takes part as a release.
    pub fn releases(self) -> bool {
        matches!(self, MemoryOrder::Release | MemoryOrder::AcqRel | MemoryOrder::SeqCst)
    }
}

impl RmwOp {
    /// Every function.
    pub const ALL: [RmwOp; 6] = [RmwOp::Exchange, RmwOp::Add, RmwOp::Sub, RmwOp::Or, RmwOp::And, RmwOp::Xor];

    /// Returns its name in C.
    pub fn c_name(self) -> &'static str {
        match self {
            RmwOp::Exchange => "atomic_exchange_explicit",
            RmwOp::Add => "atomic_fetch_add_explicit",
            RmwOp::Sub => "atomic_fetch_sub_explicit",
            RmwOp::Or => "atomic_fetch_or_explicit",
            RmwOp::And => "atomic_fetch_and_explicit",
            RmwOp::Xor => "atomic_fetch_xor_explicit",
        }
    }

    /// Returns the value that it stores after it reads `old`.
    pub fn apply(self, old: i32, operand: i32) -> i32 {
        match self {
            RmwOp::Exchange => operand,
            RmwOp::Add => old.wrapping_add(operand),
            RmwOp::Sub => old.wrapping_sub(operand),
            RmwOp::Or => old | operand,
            RmwOp::And => old & operand,
            RmwOp::Xor => old ^ operand,
        }
    }
}

impl UnaryOp {
    /// Returns its value, as in C but wrapping.
    pub fn apply(self, a: i32) -> i32 {
        match self {
            UnaryOp::Negate => a.wrapping_neg(),
            UnaryOp::Not => i32::from(a == 0),
            UnaryOp::Complement => !a,
        }
    }
}

impl BinaryOp {
    /// Returns its value, as in C but wrapping.
    pub fn apply(self, a: i32, b: i32) -> i32 {
        match self {
            BinaryOp::LogicalOr => i32::from(a != 0 || b != 0),
            BinaryOp::LogicalAnd => i32::from(a != 0 && b != 0),
            BinaryOp::Or => a | b,
            BinaryOp::Xor => a ^ b,
            BinaryOp::And => a & b,
            BinaryOp::Equal => i32::from(a == b),
            BinaryOp::NotEqual => i32::from(a != b),
            BinaryOp::Less => i32::from(a < b),
            BinaryOp::LessEqual => i32::from(a <= b),
            BinaryOp::Greater => i32::from(a > b),
            BinaryOp::GreaterEqual => i32::from(a >= b),
            BinaryOp::Add => a.wrapping_add(b),
            BinaryOp::Sub => a.wrapping_sub(b),
            BinaryOp::Mul => a.wrapping_mul(b),
        }
    }
}

impl Expr {
    /// Returns the first memory access in it, if any.
    pub fn access(&self) -> Option<&Access> {
        match self {
            Expr::Constant(_) | Expr::Register(_) => None,
            Expr::Access(access) => Some(access),
            Expr::Unary(_, a) => a.access(),
            Expr::Binary(_, a, b) => a.access().or_else(|| b.access()),
        }
    }
}
