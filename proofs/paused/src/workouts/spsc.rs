//! Queues of one producer and one consumer.

use std::num::NonZeroU64;

use super::checks::Promise;
use super::ends::{Ends, Pop, Push, Refusal, Refused};
use super::exchange::Subject;
use super::log::Item;
use crate::pauses::Dice;
use crate::queue::{self, PopSlice, PushSlice};
use crate::spsc;

/// The items of all these queues, never 0: some queues mark an empty slot by 0.
type Word = NonZeroU64;

fn word(item: Item) -> Word {
    Word::new(item).expect("not 0")
}

/// Returns the start of counters: 0, or soon before they wrap.
fn index(dice: &mut Dice) -> usize {
    if dice.one_in(2) { usize::MAX - dice.below(40) } else { 0 }
}

impl<R> Push for spsc::Producer<R>
where
    Self: PushSlice<Item = Word> + Send,
{
    fn push(&mut self, item: Item) -> Result<(), Refused> {
        queue::Push::push(self, word(item)).map_err(Refusal::why)
    }

    fn push_slice(&mut self, items: &[Item]) -> usize {
        let items: Vec<Word> = items.iter().copied().map(word).collect();
        PushSlice::push_slice(self, &items)
    }
}

impl<R> Pop for spsc::Consumer<R>
where
    Self: PopSlice<Item = Word> + Send,
{
    fn pop(&mut self) -> Result<Item, Refused> {
        queue::Pop::pop(self).map(Word::get).map_err(Refusal::why)
    }

    fn pop_slice(&mut self, items: &mut [Item]) -> usize {
        let mut words = vec![Word::MAX; items.len()];
        let count = PopSlice::pop_slice(self, &mut words);
        items.iter_mut().zip(&words[..count]).for_each(|(item, word)| *item = word.get());
        count
    }
}

macro_rules! kinds {
    ($($name:ident: |$dice:ident, $capacity:ident| $make:expr;)*) => {$(
        pub(super) const $name: Subject = Subject {
            keeps_order: true,
            make: |$dice, _, _| {
                let $capacity = $dice.between(1, 20);
                let (producer, consumer) = $make.expect("a small queue");
                Ends {
                    promise: Promise::fifo($capacity),
                    producers: vec![Box::new(producer)],
                    consumers: vec![Box::new(consumer)],
                }
            },
        };
    )*};
}

kinds! {
    LAMPORT: |dice, capacity| spsc::lamport::starting_at(capacity, index(dice));
    LAZY_LAMPORT: |dice, capacity| spsc::lazy_lamport::starting_at(capacity, index(dice));
    BATCHED_LAMPORT: |dice, capacity| spsc::batched_lamport::starting_at(capacity, index(dice));
    STAMPED_LINE: |dice, capacity| {
        spsc::ring::starting_at(capacity, dice.between(1, 4), index(dice))
    };
    DUPLEX: |dice, capacity| {
        spsc::duplex::starting_at::<Word, Word>(capacity, dice.between(1, 4), index(dice))
            .map(|(client, server)| (client.producer, server.consumer))
    };
    FAST_FORWARD: |dice, capacity| spsc::fast_forward::starting_at(capacity, index(dice));
    IMPROVED_FAST_FORWARD: |dice, capacity| {
        spsc::improved_fast_forward::starting_at(capacity, dice.between(1, 6), index(dice))
    };
    BATCHED_IMPROVED_FAST_FORWARD: |dice, capacity| {
        spsc::batched_improved_fast_forward::starting_at(capacity, dice.between(1, 6), index(dice))
    };
}
