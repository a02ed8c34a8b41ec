//! Derived types pass through the queues that need plain ones. The page of `aqueduct::plain` has
//! types that do not compile.

use aqueduct::bbq::drop_old;
use aqueduct::nblfq::wide;
use aqueduct::plain::{Bytemuck, Plain, Zerocopy};

#[derive(Clone, Copy, PartialEq, Debug, Plain)]
#[repr(i16)]
enum Kind {
    Below = -3,
    Above = 300,
}

#[derive(Clone, Copy, PartialEq, Debug, Plain)]
#[repr(transparent)]
struct Id([u8; 2]);

#[derive(Clone, Copy, PartialEq, Debug, Plain)]
#[repr(C)]
struct Event {
    time: u64,
    value: f32,
    kind: Kind,
    id: Id,
}

#[derive(Clone, Copy, PartialEq, Debug, Plain)]
#[repr(C, packed)]
struct Packed(u8, u32);

#[derive(Clone, Copy, PartialEq, Debug, Plain)]
#[repr(C)]
struct Nothing;

/// Pushes an item and reads it, byte for byte.
fn passes<T: Plain + PartialEq + std::fmt::Debug>(item: T) {
    let (mut producer, mut reader) = drop_old::mpmc::new(10).expect("a small queue");
    producer.push(item).expect("it overwrites");
    assert_eq!((reader.latest(1), reader.read()), (vec![item], Ok(item)));
}

#[test]
fn derived_types_pass() {
    passes(Event { time: u64::MAX, value: -0.5, kind: Kind::Above, id: Id([1, 2]) });
    passes([Kind::Below, Kind::Above]);
    passes(Packed(1, 2));
    passes(Nothing);
}

#[test]
fn derived_types_of_a_word_pass_beside_a_counter() {
    static WORDS: wide::Queue<[Id; 4], 4> = wide::Queue::new();
    if let Ok(queue) = WORDS.open() {
        let word = [Id([1, 2]), Id([3, 4]), Id([5, 6]), Id([7, 8])];
        queue.push(word).expect("there is room");
        assert_eq!(queue.pop(), Ok(word));
    }
}

#[test]
fn types_of_other_crates_pass_in_their_wrappers() {
    passes(Bytemuck([1_u16, 2]));
    passes(Zerocopy([1_u16, 2]));
    assert_eq!((Bytemuck::from(7), Zerocopy::from(7).0), (Bytemuck(7), 7));
}
