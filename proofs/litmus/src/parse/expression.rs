//! Values: constants, registers, operators, memory accesses.

use super::lexer::Position;
use super::{ParseError, Parser, Token};
use crate::ast::{Access, BinaryOp, Expr, LocationKind, MemoryOrder, RmwOp, UnaryOp};

/// The names that a thread may use.
pub(super) struct Scope {
    pub(super) parameters: Vec<usize>,
    /// Every register ever declared in the thread.
    pub(super) registers: Vec<String>,
    /// The registers whose block is still open.
    pub(super) visible: Vec<usize>,
}

impl Scope {
    pub(super) fn new(parameters: Vec<usize>) -> Self {
        Scope { parameters, registers: Vec::new(), visible: Vec::new() }
    }

    /// Returns a new register, or the one of that name whose block has ended.
    pub(super) fn declare(&mut self, name: &str, at: Position) -> Result<usize, ParseError> {
        let known = self.registers.iter().position(|register| register == name);
        if known.is_some_and(|register| self.visible.contains(&register)) {
            return Err(ParseError::at(at, format!("register `{name}` is already declared; assign it without `int`")));
        }
        let register = known.unwrap_or_else(|| {
            self.registers.push(name.to_string());
            self.registers.len() - 1
        });
        self.visible.push(register);
        Ok(register)
    }

    pub(super) fn register(&self, name: &str, at: Position) -> Result<usize, ParseError> {
        let found = self.visible.iter().find(|register| self.registers[**register] == name);
        found.copied().ok_or_else(|| {
            let message = format!(
                "`{name}` is no register here; declare it with `int {name} = ...;`, read memory with `*{name}`"
            );
            ParseError::at(at, message)
        })
    }
}

/// The binary operators, from loosest to tightest, as in C.
const BINARY: [(&str, u8, BinaryOp); 14] = [
    ("||", 1, BinaryOp::LogicalOr),
    ("&&", 2, BinaryOp::LogicalAnd),
    ("|", 3, BinaryOp::Or),
    ("^", 4, BinaryOp::Xor),
    ("&", 5, BinaryOp::And),
    ("==", 6, BinaryOp::Equal),
    ("!=", 6, BinaryOp::NotEqual),
    ("<=", 7, BinaryOp::LessEqual),
    (">=", 7, BinaryOp::GreaterEqual),
    ("<", 7, BinaryOp::Less),
    (">", 7, BinaryOp::Greater),
    ("+", 8, BinaryOp::Add),
    ("-", 8, BinaryOp::Sub),
    ("*", 9, BinaryOp::Mul),
];

impl Parser<'_> {
    /// Reads a whole value.
    pub(super) fn value(&mut self, scope: &Scope) -> Result<Expr, ParseError> {
        self.binary(scope, 1)
    }

    fn binary(&mut self, scope: &Scope, tightness: u8) -> Result<Expr, ParseError> {
        let mut left = self.unary(scope)?;
        loop {
            let Token::Symbol(symbol) = *self.peek()? else {
                return Ok(left);
            };
            let Some((_, level, op)) = BINARY.iter().find(|(name, level, _)| *name == symbol && *level >= tightness)
            else {
                return Ok(left);
            };
            self.next()?;
            self.count_operator()?;
            let at = self.position()?;
            let right = self.binary(scope, level + 1)?;
            check_order_of_accesses(*op, &left, &right, at)?;
            left = Expr::Binary(*op, Box::new(left), Box::new(right));
        }
    }

    fn unary(&mut self, scope: &Scope) -> Result<Expr, ParseError> {
        self.enter()?;
        let expr = self.operand(scope)?;
        self.leave();
        Ok(expr)
    }

    fn operand(&mut self, scope: &Scope) -> Result<Expr, ParseError> {
        if self.eat("(")? {
            let inner = self.value(scope)?;
            self.expect(")", "`)` or an operator (`+ - * & | ^ == != < <= > >= && ||`)")?;
            return Ok(inner);
        }
        if self.eat("-")? {
            if matches!(self.peek()?, Token::Number(_)) {
                return Ok(Expr::Constant(self.digits(true)?));
            }
            return Ok(Expr::Unary(UnaryOp::Negate, Box::new(self.unary(scope)?)));
        }
        if self.eat("!")? {
            return Ok(Expr::Unary(UnaryOp::Not, Box::new(self.unary(scope)?)));
        }
        if self.eat("~")? {
            return Ok(Expr::Unary(UnaryOp::Complement, Box::new(self.unary(scope)?)));
        }
        if self.eat("*")? {
            let location = self.plain_location(scope)?;
            return Ok(Expr::Access(Box::new(Access::Load { location, order: None })));
        }
        if matches!(self.peek()?, Token::Number(_)) {
            return Ok(Expr::Constant(self.digits(false)?));
        }
        let (word, at) =
            self.word("a value: a number, a register, `*e`, an `atomic_..._explicit(...)` call, or `(`")?;
        if word.starts_with("atomic_") {
            let access = self.atomic_call(&word, at, scope)?;
            return Ok(Expr::Access(Box::new(access)));
        }
        Ok(Expr::Register(scope.register(&word, at)?))
    }

    /// Reads, after its name, the arguments of a function that yields a value.
    pub(super) fn atomic_call(&mut self, name: &str, at: Position, scope: &Scope) -> Result<Access, ParseError> {
        if name == "atomic_load_explicit" {
            self.expect("(", "`(`")?;
            let location = self.atomic_location(scope)?;
            self.expect(",", "`,`")?;
            let order = self.memory_order(&["relaxed", "acquire", "seq_cst"], "a load")?;
            self.expect(")", "`)`")?;
            return Ok(Access::Load { location, order: Some(order) });
        }
        if let Some(op) = RmwOp::ALL.into_iter().find(|op| op.c_name() == name) {
            self.expect("(", "`(`")?;
            let location = self.atomic_location(scope)?;
            self.expect(",", "`,`")?;
            let operand = self.argument(scope)?;
            self.expect(",", "`,`")?;
            let order = self.memory_order(&["relaxed", "acquire", "release", "acq_rel", "seq_cst"], "this function")?;
            self.expect(")", "`)`")?;
            return Ok(Access::Rmw { op, location, operand, order });
        }
        match name {
            "atomic_compare_exchange_strong_explicit" => self.compare_exchange(scope, false),
            "atomic_compare_exchange_weak_explicit" => self.compare_exchange(scope, true),
            "atomic_store_explicit" | "atomic_thread_fence" => {
                Err(ParseError::at(at, format!("`{name}` has no value; it is a statement of its own")))
            }
            _ => Err(ParseError::at(at, format!("unknown function `{name}`; {}", known_functions()))),
        }
    }

    fn compare_exchange(&mut self, scope: &Scope, weak: bool) -> Result<Access, ParseError> {
        self.expect("(", "`(`")?;
        let location = self.atomic_location(scope)?;
        self.expect(",", "`,`")?;
        let expected = self.plain_location(scope)?;
        self.expect(",", "`,`")?;
        let desired = self.argument(scope)?;
        self.expect(",", "`,`")?;
        let success = self.memory_order(&["relaxed", "acquire", "release", "acq_rel", "seq_cst"], "a success")?;
        self.expect(",", "`,`")?;
        let failure = self.memory_order(&["relaxed", "acquire", "seq_cst"], "a failure, which is a load")?;
        self.expect(")", "`)`")?;
        Ok(Access::CompareExchange { location, expected, desired, success, failure, weak })
    }

    /// Reads an argument: a value without memory access, whose order in C would be unspecified.
    pub(super) fn argument(&mut self, scope: &Scope) -> Result<Expr, ParseError> {
        let at = self.position()?;
        let value = self.value(scope)?;
        if value.access().is_some() {
            return Err(ParseError::at(at, "an argument cannot access memory; assign it to a register first"));
        }
        Ok(value)
    }

    pub(super) fn memory_order(&mut self, accepted: &[&str], what: &str) -> Result<MemoryOrder, ParseError> {
        let list = accepted.iter().map(|order| format!("`memory_order_{order}`")).collect::<Vec<_>>().join(", ");
        let (word, at) = self.word(&format!("a memory order: {list}"))?;
        let found = MemoryOrder::ALL.into_iter().find(|order| order.c_name() == word);
        match found {
            Some(order) if accepted.iter().any(|name| word.strip_prefix("memory_order_") == Some(name)) => Ok(order),
            _ => Err(ParseError::at(at, format!("`{word}` does not fit {what}, which takes {list}"))),
        }
    }

    pub(super) fn atomic_location(&mut self, scope: &Scope) -> Result<usize, ParseError> {
        self.location(scope, LocationKind::Atomic)
    }

    pub(super) fn plain_location(&mut self, scope: &Scope) -> Result<usize, ParseError> {
        self.location(scope, LocationKind::Plain)
    }

    fn location(&mut self, scope: &Scope, kind: LocationKind) -> Result<usize, ParseError> {
        let wanted = match kind {
            LocationKind::Atomic => "a parameter of type `atomic_int*`",
            LocationKind::Plain => "a parameter of type `int*`",
        };
        let (name, at) = self.word(wanted)?;
        let found = scope.parameters.iter().copied().find(|location| self.locations[*location].name == name);
        let Some(location) = found else {
            return Err(ParseError::at(at, format!("`{name}` is no parameter of this thread; expected {wanted}")));
        };
        if self.locations[location].kind != Some(kind) {
            return Err(ParseError::at(at, format!("`{name}` has the wrong type here; expected {wanted}")));
        }
        Ok(location)
    }
}

/// Allows one access per expression, on the left: C leaves the order of operands open, and skips
/// the right side of `&&` and `||`.
fn check_order_of_accesses(op: BinaryOp, left: &Expr, right: &Expr, at: Position) -> Result<(), ParseError> {
    let logical = matches!(op, BinaryOp::LogicalAnd | BinaryOp::LogicalOr);
    if right.access().is_some() && (logical || left.access().is_some()) {
        let message = if logical {
            "the right side of `&&` and `||` cannot access memory; use a register, or an `if` inside an `if`"
        } else {
            "one value cannot access memory twice; assign one of them to a register first"
        };
        return Err(ParseError::at(at, message));
    }
    Ok(())
}

fn known_functions() -> String {
    let rmws = RmwOp::ALL.map(|op| format!("`{}`", op.c_name())).join(", ");
    format!(
        "accepted are `atomic_load_explicit`, `atomic_store_explicit`, {rmws}, \
         `atomic_compare_exchange_strong_explicit`, `atomic_compare_exchange_weak_explicit` and `atomic_thread_fence`"
    )
}
