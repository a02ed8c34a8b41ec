//! Litmus text to [`Program`], or an error with line, column and the accepted forms.
//!
//! The accepted language is the part of herd7's C that RC11 covers: `atomic_int*` locations behind
//! the `atomic_*_explicit` functions, `int*` locations behind `*e`, `int` registers, `if`, `while`,
//! fences, and a final `exists`, `forall` or `~exists`. All else is an error, never a guess.

mod condition;
mod expression;
mod lexer;
mod statement;

use std::fmt;

use crate::ast::{Location, LocationKind, Program, Thread};
use lexer::{Lexer, Position, Token};

/// The maximum nesting of brackets, blocks and operators, so that a damaged file cannot exhaust the
/// stack.
const DEPTH_LIMIT: usize = 64;

/// The maximum number of operators of a statement or the condition, so that a damaged file cannot
/// exhaust the stack.
const OPERATOR_LIMIT: usize = 1000;

/// The error of a text that is not a litmus test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseError {
    /// The line of the offending text, from 1.
    pub line: usize,
    /// The column of the offending text, from 1, in characters.
    pub column: usize,
    /// The error, and the accepted forms.
    pub message: String,
}

impl ParseError {
    fn at(position: Position, message: impl Into<String>) -> Self {
        ParseError { line: position.line, column: position.column, message: message.into() }
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for ParseError {}

/// Reads one litmus test.
///
/// # Errors
///
/// The first place where `text` leaves the accepted language. No text makes it panic.
pub fn parse(text: &str) -> Result<Program, ParseError> {
    let mut parser = Parser::new(text);
    parser.program()
}

/// Reads one litmus test from the bytes of a file.
///
/// # Errors
///
/// The errors of [`parse`], and the first byte that is not UTF-8.
pub fn parse_bytes(bytes: &[u8]) -> Result<Program, ParseError> {
    match std::str::from_utf8(bytes) {
        Ok(text) => parse(text),
        Err(error) => {
            let before = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
            let line = before.matches('\n').count() + 1;
            let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
            let message = "this byte is not UTF-8; a litmus test is plain text".to_string();
            Err(ParseError { line, column, message })
        }
    }
}

struct Parser<'t> {
    lexer: Lexer<'t>,
    /// The next token, if it has been read.
    peeked: Option<(Token, Position)>,
    depth: usize,
    /// The number of operators in the statement so far.
    operators: usize,
    locations: Vec<DeclaredLocation>,
    threads: Vec<Thread>,
}

/// A location while its kind may still be unknown.
struct DeclaredLocation {
    name: String,
    initial: i32,
    kind: Option<LocationKind>,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str) -> Self {
        Parser {
            lexer: Lexer::new(text),
            peeked: None,
            depth: 0,
            operators: 0,
            locations: Vec::new(),
            threads: Vec::new(),
        }
    }

    fn program(&mut self) -> Result<Program, ParseError> {
        let name = self.header()?;
        self.initial_state()?;
        while matches!(self.peek()?, Token::Word(word) if thread_number(word).is_some()) {
            self.thread()?;
        }
        if self.threads.is_empty() {
            return Err(self.unexpected("the first thread, `P0 (...) {`"));
        }
        let condition = self.condition()?;
        if *self.peek()? != Token::End {
            return Err(self.unexpected("nothing after the condition"));
        }
        let locations = std::mem::take(&mut self.locations)
            .into_iter()
            .map(|location| Location {
                name: location.name,
                // A location that no thread names keeps its value, whatever its kind.
                kind: location.kind.unwrap_or(LocationKind::Plain),
                initial: location.initial,
            })
            .collect();
        Ok(Program { name, locations, threads: std::mem::take(&mut self.threads), condition })
    }

    /// Reads `C name`, then quotes and information lines up to the initial state.
    fn header(&mut self) -> Result<String, ParseError> {
        match self.next()? {
            (Token::Word(word), _) if word == "C" => {}
            (token, at) => {
                let found = token.describe();
                return Err(ParseError::at(at, format!("a C litmus test starts with `C NAME`, not with {found}")));
            }
        }
        let (name, at) = self.lexer.rest_of_line();
        if name.is_empty() || name.contains(['{', '"']) {
            return Err(ParseError::at(at, "expected the name of the test after `C`, alone on its line"));
        }
        loop {
            if self.lexer.at_information_line()? {
                self.lexer.rest_of_line();
            } else if *self.peek()? == Token::Quote {
                self.next()?;
            } else {
                return Ok(name.to_string());
            }
        }
    }

    /// Reads `{ x = 0; int e = 1; }`.
    fn initial_state(&mut self) -> Result<(), ParseError> {
        self.expect("{", "the initial state, `{ x = 0; ... }`")?;
        while !self.eat("}")? {
            let kind = self.location_type()?;
            let bracket = self.eat("[")?;
            let (name, at) = self.word("a location, as in `x = 0;`, or `}`")?;
            if bracket {
                self.expect("]", "`]`")?;
            }
            check_location_name(&name, at)?;
            if self.locations.iter().any(|location| location.name == name) {
                return Err(ParseError::at(at, format!("`{name}` has two initial values; give it one")));
            }
            let initial = if self.eat("=")? { self.signed_number()? } else { 0 };
            self.expect(";", "`;` after the initial value")?;
            self.locations.push(DeclaredLocation { name, initial, kind });
        }
        Ok(())
    }

    /// Reads `atomic_int`, `int`, or nothing.
    fn location_type(&mut self) -> Result<Option<LocationKind>, ParseError> {
        let kind = match self.peek()? {
            Token::Word(word) if word == "atomic_int" => LocationKind::Atomic,
            Token::Word(word) if word == "int" => LocationKind::Plain,
            _ => return Ok(None),
        };
        self.next()?;
        Ok(Some(kind))
    }

    /// Reads `P0 (atomic_int* x, int* e) { ... }`.
    fn thread(&mut self) -> Result<(), ParseError> {
        let (header, at) = self.word("a thread")?;
        let number = thread_number(&header);
        if number != Some(self.threads.len()) {
            let wanted = self.threads.len();
            return Err(ParseError::at(
                at,
                format!("threads are numbered in order; expected `P{wanted}`, not `{header}`"),
            ));
        }
        let parameters = self.parameters()?;
        self.lexer.in_body = true;
        let thread = self.thread_body(parameters)?;
        self.threads.push(thread);
        Ok(())
    }

    fn parameters(&mut self) -> Result<Vec<usize>, ParseError> {
        let mut parameters = Vec::new();
        self.expect("(", "the parameters, as in `(atomic_int* x, int* e)`")?;
        if matches!(self.peek()?, Token::Word(word) if word == "void") {
            self.next()?;
            self.expect(")", "`)` after `void`")?;
            return Ok(parameters);
        }
        if self.eat(")")? {
            return Ok(parameters);
        }
        loop {
            let Some(kind) = self.location_type()? else {
                return Err(self.unexpected("a parameter, `atomic_int* x` or `int* e`"));
            };
            self.expect("*", "`*`: parameters are pointers, `atomic_int* x` or `int* e`")?;
            let (name, at) = self.word("the parameter's name")?;
            check_location_name(&name, at)?;
            let location = self.declare_parameter(&name, kind, at)?;
            if parameters.contains(&location) {
                return Err(ParseError::at(at, format!("`{name}` is a parameter twice")));
            }
            parameters.push(location);
            if self.eat(")")? {
                return Ok(parameters);
            }
            self.expect(",", "`,` or `)` after a parameter")?;
        }
    }

    fn declare_parameter(&mut self, name: &str, kind: LocationKind, at: Position) -> Result<usize, ParseError> {
        let found = self.locations.iter().position(|location| location.name == name);
        let index = found.unwrap_or_else(|| {
            self.locations.push(DeclaredLocation { name: name.to_string(), initial: 0, kind: None });
            self.locations.len() - 1
        });
        if *self.locations[index].kind.get_or_insert(kind) != kind {
            let message = format!("`{name}` is both `atomic_int` and `int`; every mention must have the same type");
            return Err(ParseError::at(at, message));
        }
        Ok(index)
    }

    fn signed_number(&mut self) -> Result<i32, ParseError> {
        let negative = self.eat("-")?;
        self.digits(negative)
    }

    /// Reads a number whose sign, if it has one, has been read.
    fn digits(&mut self, negative: bool) -> Result<i32, ParseError> {
        match self.next()? {
            (Token::Number(digits), at) => {
                let text = if negative { format!("-{digits}") } else { digits };
                text.parse().map_err(|_| ParseError::at(at, format!("`{text}` does not fit an `int` (32 bits)")))
            }
            (token, at) => Err(ParseError::at(at, format!("expected a number, not {}", token.describe()))),
        }
    }

    /// Enters one more level of nesting; [`leave`](Self::leave) ends it.
    fn enter(&mut self) -> Result<(), ParseError> {
        self.depth += 1;
        if self.depth > DEPTH_LIMIT {
            let message = format!("this nests deeper than {DEPTH_LIMIT} levels; split it up");
            let at = self.position()?;
            return Err(ParseError::at(at, message));
        }
        Ok(())
    }

    /// Counts one more operator in this statement.
    fn count_operator(&mut self) -> Result<(), ParseError> {
        self.operators += 1;
        if self.operators > OPERATOR_LIMIT {
            let at = self.position()?;
            return Err(ParseError::at(at, format!("more than {OPERATOR_LIMIT} operators here; split this up")));
        }
        Ok(())
    }

    fn leave(&mut self) {
        self.depth -= 1;
    }

    fn peek(&mut self) -> Result<&Token, ParseError> {
        if self.peeked.is_none() {
            self.peeked = Some(self.lexer.next()?);
        }
        Ok(&self.peeked.as_ref().expect("just filled").0)
    }

    fn position(&mut self) -> Result<Position, ParseError> {
        self.peek()?;
        Ok(self.peeked.as_ref().expect("just filled").1)
    }

    fn next(&mut self) -> Result<(Token, Position), ParseError> {
        match self.peeked.take() {
            Some(token) => Ok(token),
            None => self.lexer.next(),
        }
    }

    fn at_symbol(&mut self, symbol: &str) -> Result<bool, ParseError> {
        Ok(matches!(self.peek()?, Token::Symbol(found) if *found == symbol))
    }

    fn eat(&mut self, symbol: &str) -> Result<bool, ParseError> {
        let found = self.at_symbol(symbol)?;
        if found {
            self.peeked = None;
        }
        Ok(found)
    }

    fn expect(&mut self, symbol: &str, what: &str) -> Result<(), ParseError> {
        if self.eat(symbol)? { Ok(()) } else { Err(self.unexpected(what)) }
    }

    fn word(&mut self, what: &str) -> Result<(String, Position), ParseError> {
        match self.peek()? {
            Token::Word(_) => match self.next()? {
                (Token::Word(word), at) => Ok((word, at)),
                (token, _) => unreachable!("peeked a word, got {token:?}"),
            },
            _ => Err(self.unexpected(what)),
        }
    }

    /// Returns the error for a next token that does not fit.
    fn unexpected(&mut self, wanted: &str) -> ParseError {
        match self.next() {
            Ok((token, at)) => ParseError::at(at, format!("expected {wanted}, not {}", token.describe())),
            Err(error) => error,
        }
    }
}

/// Returns 3 for `P3`.
fn thread_number(word: &str) -> Option<usize> {
    let digits = word.strip_prefix('P')?;
    if digits.is_empty() || (digits.len() > 1 && digits.starts_with('0')) {
        return None;
    }
    digits.parse().ok()
}

/// Refuses words that cannot name a location or a register.
fn check_location_name(name: &str, at: Position) -> Result<(), ParseError> {
    let reserved = ["int", "atomic_int", "if", "else", "while", "void", "exists", "forall", "not", "true", "false"];
    let is_reserved = reserved.contains(&name) || name.starts_with("atomic_") || name.starts_with("memory_order");
    if is_reserved {
        return Err(ParseError::at(at, format!("`{name}` is a word of the language and cannot be a name")));
    }
    Ok(())
}
