//! A program as litmus text, from which [`parse`](crate::parse::parse) reads the program again.

use std::fmt::{self, Display, Formatter, Write};

use crate::ast::{
    Access, BinaryOp, Condition, Expr, LocationKind, Program, Proposition, Quantifier, Statement, StatementKind,
    Thread, UnaryOp,
};

impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "C {}\n{{", self.name)?;
        for location in &self.locations {
            writeln!(f, "  {} = {};", location.name, location.initial)?;
        }
        writeln!(f, "}}\n")?;
        for (number, thread) in self.threads.iter().enumerate() {
            let mut printer = Printer { out: String::new(), program: self, thread, indent: 1 };
            printer.thread(number)?;
            writeln!(f, "{}", printer.out)?;
        }
        self.write_condition(f)
    }
}

impl Program {
    fn write_condition(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Condition { quantifier, proposition } = &self.condition;
        let word = match quantifier {
            Quantifier::Exists => "exists",
            Quantifier::Forall => "forall",
            Quantifier::NotExists => "~exists",
        };
        write!(f, "{word} ")?;
        self.write_proposition(f, proposition)?;
        f.write_char('\n')
    }

    fn write_proposition(&self, f: &mut Formatter<'_>, proposition: &Proposition) -> fmt::Result {
        match proposition {
            Proposition::Constant(value) => write!(f, "{value}"),
            Proposition::Register { thread, register, value } => {
                write!(f, "{thread}:{}={value}", self.threads[*thread].registers[*register])
            }
            Proposition::Location { location, value } => {
                write!(f, "{}={value}", self.locations[*location].name)
            }
            Proposition::Not(inner) => {
                f.write_char('~')?;
                self.write_proposition(f, inner)
            }
            Proposition::And(left, right) | Proposition::Or(left, right) => {
                let operator = if matches!(proposition, Proposition::And(..)) { "/\\" } else { "\\/" };
                f.write_char('(')?;
                self.write_proposition(f, left)?;
                write!(f, " {operator} ")?;
                self.write_proposition(f, right)?;
                f.write_char(')')
            }
        }
    }
}

struct Printer<'p> {
    out: String,
    program: &'p Program,
    thread: &'p Thread,
    indent: usize,
}

impl Printer<'_> {
    fn thread(&mut self, number: usize) -> fmt::Result {
        let parameters = self.thread.parameters.iter().map(|location| {
            let location = &self.program.locations[*location];
            let kind = match location.kind {
                LocationKind::Atomic => "atomic_int",
                LocationKind::Plain => "int",
            };
            format!("{kind}* {}", location.name)
        });
        let parameters = parameters.collect::<Vec<_>>().join(", ");
        writeln!(self.out, "P{number} ({parameters}) {{")?;
        for register in &self.thread.registers {
            writeln!(self.out, "  int {register};")?;
        }
        self.block(&self.thread.body)?;
        writeln!(self.out, "}}")
    }

    fn block(&mut self, body: &[Statement]) -> fmt::Result {
        for statement in body {
            write!(self.out, "{:width$}", "", width = 2 * self.indent)?;
            self.statement(&statement.kind)?;
            self.out.push('\n');
        }
        Ok(())
    }

    fn nested(&mut self, body: &[Statement]) -> fmt::Result {
        self.out.push_str("{\n");
        self.indent += 1;
        self.block(body)?;
        self.indent -= 1;
        write!(self.out, "{:width$}}}", "", width = 2 * self.indent)
    }

    fn statement(&mut self, kind: &StatementKind) -> fmt::Result {
        match kind {
            StatementKind::Assign { register, value } => {
                let value = self.expr(value);
                write!(self.out, "{} = {value};", self.thread.registers[*register])
            }
            StatementKind::Discard(access) => {
                let access = self.access(access);
                write!(self.out, "{access};")
            }
            StatementKind::Store { location, value, order } => {
                let value = self.expr(value);
                let location = &self.program.locations[*location].name;
                match order {
                    Some(order) => write!(self.out, "atomic_store_explicit({location}, {value}, {});", order.c_name()),
                    None => write!(self.out, "*{location} = {value};"),
                }
            }
            StatementKind::Fence(order) => {
                write!(self.out, "atomic_thread_fence({});", order.c_name())
            }
            StatementKind::If { condition, then, otherwise } => {
                let condition = self.expr(condition);
                write!(self.out, "if ({condition}) ")?;
                self.nested(then)?;
                if !otherwise.is_empty() {
                    self.out.push_str(" else ");
                    self.nested(otherwise)?;
                }
                Ok(())
            }
            StatementKind::While { condition, body } => {
                let condition = self.expr(condition);
                write!(self.out, "while ({condition}) ")?;
                self.nested(body)
            }
        }
    }

    fn access(&self, access: &Access) -> String {
        let name = |location: &usize| &self.program.locations[*location].name;
        match access {
            Access::Load { location, order: Some(order) } => {
                format!("atomic_load_explicit({}, {})", name(location), order.c_name())
            }
            Access::Load { location, order: None } => format!("*{}", name(location)),
            Access::Rmw { op, location, operand, order } => {
                format!("{}({}, {}, {})", op.c_name(), name(location), self.expr(operand), order.c_name())
            }
            Access::CompareExchange { location, expected, desired, success, failure, weak } => format!(
                "atomic_compare_exchange_{}_explicit({}, {}, {}, {}, {})",
                if *weak { "weak" } else { "strong" },
                name(location),
                name(expected),
                self.expr(desired),
                success.c_name(),
                failure.c_name()
            ),
        }
    }

    fn expr(&self, expr: &Expr) -> String {
        match expr {
            Expr::Constant(value) => value.to_string(),
            Expr::Register(register) => self.thread.registers[*register].clone(),
            Expr::Access(access) => self.access(access),
            Expr::Unary(op, a) => format!("{}{}", unary_symbol(*op), self.operand(a)),
            Expr::Binary(op, a, b) => {
                format!("{} {} {}", self.operand(a), op.symbol(), self.operand(b))
            }
        }
    }

    fn operand(&self, expr: &Expr) -> String {
        match expr {
            Expr::Unary(..) | Expr::Binary(..) => format!("({})", self.expr(expr)),
            _ => self.expr(expr),
        }
    }
}

fn unary_symbol(op: UnaryOp) -> char {
    match op {
        UnaryOp::Negate => '-',
        UnaryOp::Not => '!',
        UnaryOp::Complement => '~',
    }
}

impl BinaryOp {
    fn symbol(self) -> &'static str {
        match self {
            BinaryOp::LogicalOr => "||",
            BinaryOp::LogicalAnd => "&&",
            BinaryOp::Or => "|",
            BinaryOp::Xor => "^",
            BinaryOp::And => "&",
            BinaryOp::Equal => "==",
            BinaryOp::NotEqual => "!=",
            BinaryOp::Less => "<",
            BinaryOp::LessEqual => "<=",
            BinaryOp::Greater => ">",
            BinaryOp::GreaterEqual => ">=",
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
        }
    }
}
