//! A thread's body.

use super::expression::Scope;
use super::{ParseError, Parser, Token, check_location_name};
use crate::ast::{Expr, Statement, StatementKind, Thread};

impl Parser<'_> {
    /// Reads the body with its braces. Leaves the lexer outside of C.
    pub(super) fn thread_body(&mut self, parameters: Vec<usize>) -> Result<Thread, ParseError> {
        let mut scope = Scope::new(parameters);
        let mut body = Vec::new();
        self.expect("{", "the thread's body, `{ ... }`")?;
        while !self.at_symbol("}")? {
            self.statement(&mut scope, &mut body)?;
        }
        self.lexer.in_body = false;
        self.expect("}", "`}`")?;
        Ok(Thread { parameters: scope.parameters, registers: scope.registers, body })
    }

    /// Reads a statement or a block in braces, with a scope of its own.
    fn block(&mut self, scope: &mut Scope) -> Result<Vec<Statement>, ParseError> {
        self.enter()?;
        let visible = scope.visible.len();
        let mut body = Vec::new();
        if self.eat("{")? {
            while !self.eat("}")? {
                self.statement(scope, &mut body)?;
            }
        } else {
            self.statement(scope, &mut body)?;
        }
        scope.visible.truncate(visible);
        self.leave();
        Ok(body)
    }

    /// Reads one statement into `body`. A declaration without a value and `;` alone add nothing.
    fn statement(&mut self, scope: &mut Scope, body: &mut Vec<Statement>) -> Result<(), ParseError> {
        if self.eat(";")? {
            return Ok(());
        }
        let line = self.position()?.line;
        self.operators = 0;
        if self.eat("*")? {
            let kind = self.plain_store(scope)?;
            body.push(Statement { line, kind });
            return Ok(());
        }
        if self.at_symbol("{")? {
            let inner = self.block(scope)?;
            body.extend(inner);
            return Ok(());
        }
        let wanted = "a statement: `int r = ...;`, `r = ...;`, `*e = ...;`, an `atomic_..._explicit(...)` call, \
                      `atomic_thread_fence(...)`, `if (...)` or `while (...)`; or `}`";
        let (word, at) = self.word(wanted)?;
        let kind = match word.as_str() {
            "int" => match self.declaration(scope)? {
                Some(kind) => kind,
                None => return Ok(()),
            },
            "if" => self.if_statement(scope)?,
            "while" => {
                let condition = self.bracketed(scope)?;
                let body = self.block(scope)?;
                StatementKind::While { condition, body }
            }
            "atomic_store_explicit" => self.atomic_store(scope)?,
            "atomic_thread_fence" => {
                self.expect("(", "`(` and a memory order")?;
                let order = self.memory_order(&["relaxed", "acquire", "release", "acq_rel", "seq_cst"], "a fence")?;
                self.expect(")", "`)`")?;
                self.end_of_statement()?;
                StatementKind::Fence(order)
            }
            name if name.starts_with("atomic_") => {
                let access = self.atomic_call(&word, at, scope)?;
                self.end_of_statement()?;
                StatementKind::Discard(access)
            }
            _ if self.at_symbol("=")? => {
                let register = scope.register(&word, at)?;
                self.assignment(register, scope)?
            }
            _ => {
                return Err(ParseError::at(at, format!("expected {wanted}, not `{word}`")));
            }
        };
        body.push(Statement { line, kind });
        Ok(())
    }

    /// Reads, after `int`, `r;` or `r = value;`.
    fn declaration(&mut self, scope: &mut Scope) -> Result<Option<StatementKind>, ParseError> {
        let (name, at) = self.word("the name of a register, as in `int r0 = ...;`")?;
        check_location_name(&name, at)?;
        if scope.parameters.iter().any(|location| self.locations[*location].name == name) {
            return Err(ParseError::at(at, format!("`{name}` is already a parameter of this thread")));
        }
        if self.eat(";")? {
            scope.declare(&name, at)?;
            return Ok(None);
        }
        self.expect("=", "`=` or `;` after the register")?;
        let value = self.value(scope)?;
        let register = scope.declare(&name, at)?;
        self.end_of_statement()?;
        Ok(Some(StatementKind::Assign { register, value }))
    }

    fn assignment(&mut self, register: usize, scope: &Scope) -> Result<StatementKind, ParseError> {
        self.expect("=", "`=`")?;
        let value = self.value(scope)?;
        self.end_of_statement()?;
        Ok(StatementKind::Assign { register, value })
    }

    fn if_statement(&mut self, scope: &mut Scope) -> Result<StatementKind, ParseError> {
        let condition = self.bracketed(scope)?;
        let then = self.block(scope)?;
        let mut otherwise = Vec::new();
        if matches!(self.peek()?, Token::Word(word) if word == "else") {
            self.next()?;
            otherwise = self.block(scope)?;
        }
        Ok(StatementKind::If { condition, then, otherwise })
    }

    fn bracketed(&mut self, scope: &Scope) -> Result<Expr, ParseError> {
        self.expect("(", "`(` and a condition")?;
        let condition = self.value(scope)?;
        self.expect(")", "`)` after the condition")?;
        Ok(condition)
    }

    /// Reads, after `*`, `e = value;`.
    fn plain_store(&mut self, scope: &Scope) -> Result<StatementKind, ParseError> {
        let location = self.plain_location(scope)?;
        self.expect("=", "`=`")?;
        let value = self.value(scope)?;
        self.end_of_statement()?;
        Ok(StatementKind::Store { location, value, order: None })
    }

    fn atomic_store(&mut self, scope: &Scope) -> Result<StatementKind, ParseError> {
        self.expect("(", "`(`")?;
        let location = self.atomic_location(scope)?;
        self.expect(",", "`,`")?;
        let value = self.argument(scope)?;
        self.expect(",", "`,`")?;
        let order = self.memory_order(&["relaxed", "release", "seq_cst"], "a store")?;
        self.expect(")", "`)`")?;
        self.end_of_statement()?;
        Ok(StatementKind::Store { location, value, order: Some(order) })
    }

    fn end_of_statement(&mut self) -> Result<(), ParseError> {
        self.expect(";", "`;`")
    }
}
