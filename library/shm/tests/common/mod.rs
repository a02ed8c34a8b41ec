//! Helpers of several tests.

#![allow(dead_code, reason = "not all tests use all of it")]

use std::env;

/// The number in an environment variable. Without one, it is `thorough` if thorough tests are
/// requested, or else `short`.
pub(crate) fn amount(variable: &str, short: u64, thorough: u64) -> u64 {
    match env::var(variable) {
        Ok(amount) => amount.parse().expect("a number"),
        Err(_) if env::var_os("AQUEDUCT_THOROUGH").is_some() => thorough,
        Err(_) => short,
    }
}

/// A generator of numbers (xorshift).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        (self.next() >> 16) % limit
    }
}
