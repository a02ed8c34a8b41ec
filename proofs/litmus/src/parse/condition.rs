//! The last line: `exists`, `forall`, `~exists`.

use super::{ParseError, Parser, Token};
use crate::ast::{Condition, Proposition, Quantifier};

impl Parser<'_> {
    pub(super) fn condition(&mut self) -> Result<Condition, ParseError> {
        let wanted = "a thread, or the condition: `exists (...)`, `forall (...)` or `~exists (...)`";
        let quantifier = if self.eat("~")? {
            match self.word("`exists` after `~`")? {
                (word, _) if word == "exists" => Quantifier::NotExists,
                (word, at) => {
                    return Err(ParseError::at(at, format!("expected `exists` after `~`, not `{word}`")));
                }
            }
        } else {
            match self.word(wanted)? {
                (word, _) if word == "exists" => Quantifier::Exists,
                (word, _) if word == "forall" => Quantifier::Forall,
                (word, at) => {
                    return Err(ParseError::at(at, format!("expected {wanted}, not `{word}`")));
                }
            }
        };
        self.operators = 0;
        let proposition = self.disjunction()?;
        Ok(Condition { quantifier, proposition })
    }

    fn disjunction(&mut self) -> Result<Proposition, ParseError> {
        let mut left = self.conjunction()?;
        while self.eat("\\/")? {
            self.count_operator()?;
            left = Proposition::Or(Box::new(left), Box::new(self.conjunction()?));
        }
        Ok(left)
    }

    fn conjunction(&mut self) -> Result<Proposition, ParseError> {
        let mut left = self.proposition()?;
        while self.eat("/\\")? {
            self.count_operator()?;
            left = Proposition::And(Box::new(left), Box::new(self.proposition()?));
        }
        Ok(left)
    }

    fn proposition(&mut self) -> Result<Proposition, ParseError> {
        self.enter()?;
        let proposition = self.atom()?;
        self.leave();
        Ok(proposition)
    }

    fn atom(&mut self) -> Result<Proposition, ParseError> {
        if self.eat("(")? {
            let inner = self.disjunction()?;
            self.expect(")", "`)`, `/\\` or `\\/`")?;
            return Ok(inner);
        }
        if self.eat("~")? {
            return Ok(Proposition::Not(Box::new(self.proposition()?)));
        }
        if self.eat("[")? {
            let (name, at) = self.word("a location")?;
            self.expect("]", "`]`")?;
            return self.location_value(&name, at);
        }
        match self.next()? {
            (Token::Word(word), _) if word == "true" => Ok(Proposition::Constant(true)),
            (Token::Word(word), _) if word == "false" => Ok(Proposition::Constant(false)),
            (Token::Word(word), _) if word == "not" => Ok(Proposition::Not(Box::new(self.proposition()?))),
            (Token::Word(name), at) => self.location_value(&name, at),
            (Token::Number(number), at) => self.register_value(&number, at),
            (token, at) => {
                let found = token.describe();
                Err(ParseError::at(at, format!("expected a comparison, as in `0:r0=1` or `x=1`, not {found}")))
            }
        }
    }

    fn location_value(&mut self, name: &str, at: super::Position) -> Result<Proposition, ParseError> {
        let Some(location) = self.locations.iter().position(|location| location.name == name) else {
            return Err(ParseError::at(
                at,
                format!("no location is called `{name}`; registers are written `0:{name}`"),
            ));
        };
        self.expect("=", "`=` and a number")?;
        Ok(Proposition::Location { location, value: self.signed_number()? })
    }

    fn register_value(&mut self, number: &str, at: super::Position) -> Result<Proposition, ParseError> {
        let thread = number.parse().unwrap_or(usize::MAX);
        if thread >= self.threads.len() {
            let message = format!("there is no thread {number}; threads are 0 to {}", self.threads.len() - 1);
            return Err(ParseError::at(at, message));
        }
        self.expect(":", "`:` and a register, as in `0:r0=1`")?;
        let (name, at) = self.word("a register")?;
        let Some(register) = self.threads[thread].registers.iter().position(|register| *register == name) else {
            return Err(ParseError::at(at, format!("thread {thread} has no register `{name}`")));
        };
        self.expect("=", "`=` and a number")?;
        Ok(Proposition::Register { thread, register, value: self.signed_number()? })
    }
}
