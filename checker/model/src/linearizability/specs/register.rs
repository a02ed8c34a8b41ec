//! A shared variable.

use super::Item;
use crate::linearizability::Spec;

/// A call on a register.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RegisterOp<T> {
    /// Returns the value.
    Read,
    /// Sets the value.
    Write(T),
    /// Sets the value and returns the old one.
    Swap(T),
    /// Sets the value if it is the expected one, and returns the old one.
    CompareExchange {
        /// The expected value.
        expected: T,
        /// The new value.
        new: T,
    },
}

/// The result of a call on a register.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RegisterResult<T> {
    /// The value was written.
    Written,
    /// The value that a `Read`, a `Swap`, or a `CompareExchange` that wrote has found.
    Value(T),
    /// The value that a `CompareExchange` found instead of the expected one. If it is the expected
    /// one, that is an error: see [`Spurious`](super::super::Spurious).
    Failed(T),
}

/// A variable that is read and written as a whole.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Register<T> {
    value: T,
}

impl<T: Item> Register<T> {
    /// Makes a register with this value.
    #[must_use]
    pub fn new(value: T) -> Self {
        Self { value }
    }
}

impl<T: Item> Spec for Register<T> {
    type Input = RegisterOp<T>;
    type Output = RegisterResult<T>;

    fn apply(&mut self, input: &RegisterOp<T>, output: &RegisterResult<T>) -> bool {
        let (new, right) = match (input, output) {
            (RegisterOp::Read, RegisterResult::Value(old)) => (None, *old == self.value),
            (RegisterOp::Write(new), RegisterResult::Written) => (Some(new), true),
            (RegisterOp::Swap(new), RegisterResult::Value(old)) => (Some(new), *old == self.value),
            (RegisterOp::CompareExchange { expected, new }, RegisterResult::Value(old)) => {
                (Some(new), *old == self.value && old == expected)
            }
            (RegisterOp::CompareExchange { expected, .. }, RegisterResult::Failed(old)) => {
                (None, *old == self.value && old != expected)
            }
            _ => (None, false),
        };
        if let Some(new) = new {
            self.value = new.clone();
        }
        right
    }
}
