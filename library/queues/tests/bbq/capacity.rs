//! At least the requested number of items always fits, and never more than the blocks have.

use aqueduct::bbq::Geometry;

use crate::common::{Form, Patterned, PopEnd, PushEnd, SliceForm, aligned, entries, every_form, geometries, room};
use aqueduct::queue::{Len, Pop, PopSlice, PushSlice};

/// Fills the queue, takes a part, fills it again, for some rounds.
fn fill<T: Patterned, F: Form<T>>((mut producer, mut consumer): (F::Producer, F::Consumer), geometry: Geometry) {
    let (mut pushed, mut popped) = (0, 0);
    for taken in [entries(geometry), 1, geometry.block_size(), geometry.capacity(), entries(geometry) + 1] {
        let fit = room(geometry, pushed, popped);
        let (added, refused) = producer.push_all((pushed..).map(T::of));
        assert_eq!((added, refused), (fit, Some(T::of(pushed + added))), "{geometry:?}, {popped} popped");
        pushed += added;
        assert!(pushed - popped >= producer.capacity(), "full with {} items", pushed - popped);
        assert!(pushed - popped <= entries(geometry), "{} items are in {geometry:?}", pushed - popped);
        assert!(consumer.drain().take(taken).eq((popped..pushed).take(taken).map(T::of)), "{geometry:?}");
        popped = pushed.min(popped + taken);
    }
}

fn what_was_asked_for_fits<T: Patterned, F: Form<T>>() {
    // All of them for a word, where a line has 7 entries; fewer for the others, because 1000 items
    // of 300 bytes are many.
    let stride = if size_of::<T>() == 8 { 1 } else { 5 + size_of::<T>() / 10 };
    let large = [256, 300, 1000, 4095, 4096, 5001].into_iter().take(if size_of::<T>() <= 8 { 6 } else { 2 });
    for capacity in (1..=20).chain((21..=300).step_by(stride)).chain(large) {
        let geometry = Geometry::for_capacity(capacity).expect("a small capacity");
        assert!(geometry.capacity() >= capacity);
        // A form whose blocks have fewer entries at most divides that otherwise.
        if geometry.block_size() > F::MOST {
            continue;
        }
        let (producer, consumer) = F::new(capacity).expect("a small queue");
        assert_eq!((producer.capacity(), consumer.capacity()), (capacity, capacity));
        if let (Some(producer), Some(consumer)) = (producer.another(), consumer.another()) {
            assert_eq!((producer.capacity(), consumer.capacity()), (capacity, capacity));
        }
        fill::<T, F>((producer, consumer), geometry);
    }
}

every_form!(nothing: what_was_asked_for_fits::<[u8; 0]>);
every_form!(byte: what_was_asked_for_fits::<[u8; 1]>);
every_form!(three_bytes: what_was_asked_for_fits::<[u8; 3]>);
every_form!(word: what_was_asked_for_fits::<[u64; 1]>);
every_form!(three_words: what_was_asked_for_fits::<[u64; 3]>);
every_form!(five_words: what_was_asked_for_fits::<[u64; 5]>);
every_form!(three_hundred_bytes: what_was_asked_for_fits::<[u8; 300]>);
every_form!(aligned_to_256: what_was_asked_for_fits::<aligned::To256<3>>);

/// More entries than one block can have.
#[cfg(target_pointer_width = "64")]
fn large_queues_hold_as_much<T: Patterned, F: SliceForm<T>>() {
    for capacity in [65_535, 65_536, 70_001] {
        let (mut producer, mut consumer) = F::new(capacity).expect("a queue");
        let items: Vec<_> = (0..2 * capacity).map(T::of).collect();
        let pushed = producer.push_slice(&items);
        let geometry = Geometry::for_capacity(capacity).expect("a capacity that is possible");
        assert_eq!(pushed, entries(geometry));
        let mut popped = vec![T::of(0); 2 * capacity];
        assert_eq!(consumer.pop_slice(&mut popped), pushed);
        assert!(popped[..pushed] == items[..pushed], "the items came out as they went in");
    }
}
#[cfg(target_pointer_width = "64")]
every_form!(large: large_queues_hold_as_much::<[u64; 1]>);

fn geometries_hold_what_they_say<T: Patterned, F: Form<T>>() {
    for geometry in geometries() {
        let (producer, consumer) = F::divided(geometry).expect("a small queue");
        assert_eq!((producer.capacity(), consumer.capacity()), (geometry.capacity(), geometry.capacity()));
        fill::<T, F>((producer, consumer), geometry);
    }
}
every_form!(divided: geometries_hold_what_they_say::<[u64; 1]>);
every_form!(divided_of_nothing: geometries_hold_what_they_say::<[u8; 0]>);

/// The bounds of the two numbers: the most entries of a block, and the most blocks.
fn the_longest_block_and_the_most_blocks<F: SliceForm<u8>>() {
    let most = F::MOST;
    for (blocks, block_size) in [(2, most), (most, 1)] {
        let geometry = crate::common::geometry(blocks, block_size);
        let (mut producer, mut consumer) = F::divided(geometry).expect("a queue");
        let items: Vec<_> = (0..entries(geometry) + 1).map(|number| (number % 251) as u8).collect();
        let mut popped = vec![0; items.len()];
        for _ in 0..2 {
            assert_eq!(producer.push_slice(&items), entries(geometry));
            assert_eq!(consumer.pop_slice(&mut popped), entries(geometry));
            assert!(popped[..entries(geometry)] == items[..entries(geometry)]);
        }
    }
}
every_form!(extremes: the_longest_block_and_the_most_blocks);

/// A single consumer makes room with the last item of a block. From then on, and no sooner, a push
/// into the full queue succeeds.
#[test]
fn a_single_consumer_knows_when_it_has_made_room() {
    macro_rules! check {
        ($queue:path, $geometry:expr) => {{
            use $queue as queue;
            let (mut producer, mut consumer) = queue::with_geometry::<u32>($geometry).expect("a small queue");
            while producer.push(0).is_ok() {}
            for popped in 1..100 {
                assert!(consumer.pop().is_ok());
                let is_room = producer.push(0).is_ok();
                assert_eq!(consumer.may_have_made_room(), is_room, "{popped} popped of {:?}", $geometry);
                while is_room && producer.push(0).is_ok() {}
            }
        }};
    }
    for geometry in geometries() {
        check!(aqueduct::bbq::spsc, geometry);
        check!(aqueduct::mpsc, geometry);
    }
}
