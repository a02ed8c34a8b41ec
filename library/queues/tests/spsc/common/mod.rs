//! The scenarios' common code: the queues behind one interface, items, and a generator of random
//! numbers.

mod ends;
mod items;
mod kinds;
mod lanes;
mod random;

pub(crate) use ends::{Ending, OpenRead, OpenWrite, PopEnd, PushEnd};
pub(crate) use items::{Ledger, Number, Token, Tracked};
pub(crate) use kinds::*;
pub(crate) use random::Random;
