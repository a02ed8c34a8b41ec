//! A queue of many producers and consumers that can be wrong.

#![allow(dead_code, unused_imports, reason = "each test takes a part of it")]

use std::sync::Arc;

use aqueduct_bench_mpmc::mpmc::{Ends, Item, Kind, Receiver, Sender, Threads};

#[path = "../../../measure/tests/faulty/mod.rs"]
mod faulty;
pub(crate) use faulty::*;

/// A queue of many producers and consumers that does `WRONG`.
pub(crate) struct Broken<const WRONG: u8>;

#[derive(Clone)]
pub(crate) struct End(Arc<Store>);

impl Sender for End {
    fn push(&mut self, item: Item) -> bool {
        self.0.push(item)
    }
}

impl Receiver for End {
    fn pop(&mut self) -> Option<Item> {
        let mut items = self.0.items();
        if self.0.wrong == REVERSES { items.pop_back() } else { items.pop_front() }
    }
}

impl<const WRONG: u8> Kind for Broken<WRONG> {
    const NAME: &'static str = "test/broken";
    type Sender = End;
    type Receiver = End;

    fn open(capacity: usize, threads: Threads) -> Result<Ends<Self>, String> {
        let end = End(Store::new(WRONG, capacity));
        Ok((vec![end.clone(); threads.producers], vec![end; threads.consumers]))
    }
}
