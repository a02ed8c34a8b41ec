//! Characters to tokens, on demand.
//!
//! The lexer has two modes because herd's comments clash with C. Outside of thread bodies
//! `(* ... *)` is a comment; inside, it starts an expression such as `(*e + 1)`.

use super::ParseError;

/// The start of a token, both numbers from 1; columns count characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Position {
    pub(super) line: usize,
    pub(super) column: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// A name or a keyword.
    Word(String),
    /// A number without sign, possibly too big for an `int`.
    Number(String),
    /// The text between double quotes.
    Quote,
    /// An operator or a bracket.
    Symbol(&'static str),
    End,
}

impl Token {
    /// Returns the token's name in an error.
    pub(super) fn describe(&self) -> String {
        match self {
            Token::Word(text) | Token::Number(text) => format!("`{text}`"),
            Token::Quote => "a quoted string".to_string(),
            Token::Symbol(text) => format!("`{text}`"),
            Token::End => "the end of the file".to_string(),
        }
    }
}

/// The symbols, longest first, so that `==` is not two `=`.
const SYMBOLS: [&str; 34] = [
    "/\\", "\\/", "||", "&&", "==", "!=", "<=", ">=", "(", ")", "{", "}", "[", "]", ",", ";", ":", "=", "<", ">", "+",
    "-", "*", "&", "|", "^", "!", "~", "/", "%", ".", "?", "#", "@",
];

#[derive(Debug)]
pub(super) struct Lexer<'t> {
    rest: &'t str,
    position: Position,
    /// Whether the text is C: `(*` does not start a comment there.
    pub(super) in_body: bool,
}

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Lexer { rest: text, position: Position { line: 1, column: 1 }, in_body: false }
    }

    /// Returns the next token and its position.
    pub(super) fn next(&mut self) -> Result<(Token, Position), ParseError> {
        self.skip_blanks()?;
        let start = self.position;
        let Some(first) = self.rest.chars().next() else {
            return Ok((Token::End, start));
        };
        if first == '_' || first.is_ascii_alphabetic() {
            let text = self.take_while(|c| c == '_' || c.is_ascii_alphanumeric());
            return Ok((Token::Word(text.to_string()), start));
        }
        if first.is_ascii_digit() {
            let text = self.take_while(|c| c == '_' || c.is_ascii_alphanumeric());
            if text.bytes().all(|b| b.is_ascii_digit()) {
                return Ok((Token::Number(text.to_string()), start));
            }
            return Err(ParseError::at(start, format!("`{text}` is no number; numbers are decimal")));
        }
        if first == '"' {
            return self.quote(start);
        }
        if let Some(symbol) = SYMBOLS.iter().find(|symbol| self.rest.starts_with(**symbol)) {
            self.advance(symbol.len());
            return Ok((Token::Symbol(symbol), start));
        }
        Err(ParseError::at(start, format!("a litmus test has no character {first:?}")))
    }

    /// Returns the rest of the current line, trimmed, and its position. The lexer continues at the
    /// next line.
    pub(super) fn rest_of_line(&mut self) -> (&'t str, Position) {
        self.take_while(|c| c == ' ' || c == '\t');
        let start = self.position;
        let line = self.take_while(|c| c != '\n');
        (line.trim_end(), start)
    }

    /// Whether the rest of the current line has `=` before any bracket: an information line such as
    /// `Hash=12ab`.
    pub(super) fn at_information_line(&mut self) -> Result<bool, ParseError> {
        self.skip_blanks()?;
        let line = self.rest.lines().next().unwrap_or("");
        let key = line.split('=').next().unwrap_or("");
        let named = key.starts_with(|c: char| c.is_ascii_alphabetic())
            && key.trim_end().chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
        Ok(named && line.contains('='))
    }

    fn quote(&mut self, start: Position) -> Result<(Token, Position), ParseError> {
        self.advance(1);
        self.take_while(|c| c != '"');
        if self.rest.is_empty() {
            return Err(ParseError::at(start, "this quote has no closing `\"`"));
        }
        self.advance(1);
        Ok((Token::Quote, start))
    }

    fn skip_blanks(&mut self) -> Result<(), ParseError> {
        loop {
            self.take_while(char::is_whitespace);
            if self.rest.starts_with("//") {
                self.take_while(|c| c != '\n');
            } else if self.rest.starts_with("/*") {
                self.skip_comment("/*", "*/", false)?;
            } else if self.rest.starts_with("(*") && !self.in_body {
                self.skip_comment("(*", "*)", true)?;
            } else {
                return Ok(());
            }
        }
    }

    fn skip_comment(&mut self, open: &str, close: &str, nests: bool) -> Result<(), ParseError> {
        let start = self.position;
        self.advance(open.len());
        let mut depth = 1;
        while depth > 0 {
            if self.rest.starts_with(close) {
                self.advance(close.len());
                depth -= 1;
            } else if nests && self.rest.starts_with(open) {
                self.advance(open.len());
                depth += 1;
            } else if let Some(c) = self.rest.chars().next() {
                self.advance(c.len_utf8());
            } else {
                return Err(ParseError::at(start, format!("this comment has no closing `{close}`")));
            }
        }
        Ok(())
    }

    fn take_while(&mut self, keep: impl Fn(char) -> bool) -> &'t str {
        let length = self.rest.find(|c| !keep(c)).unwrap_or(self.rest.len());
        self.advance(length)
    }

    fn advance(&mut self, bytes: usize) -> &'t str {
        let (taken, rest) = self.rest.split_at(bytes);
        self.rest = rest;
        for c in taken.chars() {
            if c == '\n' {
                self.position = Position { line: self.position.line + 1, column: 1 };
            } else {
                self.position.column += 1;
            }
        }
        taken
    }
}
