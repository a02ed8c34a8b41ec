//! Queues of one producer and one consumer.

use std::num::NonZeroU64;

use super::checks::Promise;
use super::ends::{Ends, Pop, Push, Refusal, Refused};
use super::exchange::Subject;
use super::log::Item;
use crate::pauses::Dice;
use crate::spsc;

/// The items of all of them: some queues tell an empty slot by 0.
type Word = NonZeroU64;

fn word(item: Item) -> Word {
    Word::new(item).expect("not 0")
}

/// Returns the start of counters: 0, or soon before they wrap.
fn index(dice: &mut Dice) -> usize {
    if dice.one_in(2) { usize::MAX - dice.below(40) } else { 0 }
}

macro_rules! producers {
    ($($producer:ty),*) => {$(
        impl Push for $producer {
            fn push(&mut self, item: Item) -> Result<(), Refused> {
                self.push(word(item)).map_err(Refusal::why)
            }

            fn push_slice(&mut self, items: &[Item]) -> usize {
                let items: Vec<Word> = items.iter().copied().map(word).collect();
                self.push_slice(&items)
            }
        }
    )*};
}

macro_rules! consumers {
    ($($consumer:ty),*) => {$(
        impl Pop for $consumer {
            fn pop(&mut self) -> Result<Item, Refused> {
                self.pop().map(Word::get).map_err(Refusal::why)
            }

            fn pop_slice(&mut self, items: &mut [Item]) -> usize {
                let mut words = vec![Word::MAX; items.len()];
                let count = self.pop_slice(&mut words);
                items.iter_mut().zip(&words[..count]).for_each(|(item, word)| *item = word.get());
                count
            }
        }
    )*};
}

producers! {
    spsc::lamport::Producer<Word>,
    spsc::lazy_lamport::Producer<Word>,
    spsc::batched_lamport::Producer<Word>,
    spsc::ring::Producer<Word>,
    spsc::duplex::Producer<Word, Word>,
    spsc::fast_forward::Producer<Word>,
    spsc::improved_fast_forward::Producer<Word>,
    spsc::batched_improved_fast_forward::Producer<Word>
}

consumers! {
    spsc::lamport::Consumer<Word>,
    spsc::lazy_lamport::Consumer<Word>,
    spsc::batched_lamport::Consumer<Word>,
    spsc::ring::Consumer<Word>,
    spsc::duplex::Consumer<Word, Word>,
    spsc::fast_forward::Consumer<Word>,
    // Both improved queues have this consumer.
    spsc::improved_fast_forward::Consumer<Word>
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
