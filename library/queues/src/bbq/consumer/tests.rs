//! Tests that consumers of each form note their distance from the producers.

use super::super::items::Items;
use super::super::memory::Geometry;
use super::super::producer::ProducerSide;
use super::super::ring::Ring;
use super::super::side::{Adding, Multi, Single};
use super::{ConsumerSide, many, single};

/// A consumer's count of how often it found itself too close behind the producers.
trait Close {
    fn close(&self) -> u32;
}

impl Close for single::State {
    fn close(&self) -> u32 {
        self.distance.close()
    }
}

impl<B> Close for many::State<B> {
    fn close(&self) -> u32 {
        self.distance.close()
    }
}

/// Pops `count` items in slices of `most` from a block that holds 50, all committed.
///
/// Returns how often the consumer found itself too close behind the producers.
fn close<P: ProducerSide, C: ConsumerSide<State: Close>>(count: usize, most: usize) -> u32 {
    let geometry = Geometry::new(2, 64).expect("a small queue");
    let ring = Ring::new(Items::<u32, P, C>::new(), geometry, 128, 1).expect("a small queue");
    let (mut producer, mut consumer) = (P::start(&ring, ring.first()), C::start(&ring, ring.first()));
    assert_eq!(P::push_slice(&ring, &mut producer, &[7; 50]), 50);
    let mut items = [0; 50];
    for part in items[..count].chunks_mut(most) {
        assert_eq!(C::pop_slice(&ring, &mut consumer, part), part.len());
    }
    consumer.close()
}

#[test]
fn a_consumer_that_takes_the_last_item_is_close_and_no_other() {
    type Close = fn(usize, usize) -> u32;
    let forms: [(&str, Close); 5] = [
        ("spsc", close::<Single, Single>),
        ("mpsc", close::<Multi, Single>),
        ("spmc", close::<Single, Multi>),
        ("mpmc", close::<Multi, Multi>),
        ("faaq", close::<Multi, Adding>),
    ];
    for (form, close) in forms {
        for most in [1, 3, 8, 13] {
            assert_eq!(close(30, most), 0, "{form}: 20 items are left, slices of {most}");
            assert_eq!(close(50, most), 1, "{form}: none is left, slices of {most}");
        }
    }
}

#[test]
fn a_consumer_that_comes_to_the_producers_block_is_close() {
    fn close<P: ProducerSide>(pushed: usize) -> u32 {
        let geometry = Geometry::new(4, 128).expect("a small queue");
        let ring = Ring::new(Items::<u32, P, Single>::new(), geometry, 384, 1).expect("a small queue");
        let (mut producer, mut consumer) =
            (P::start(&ring, ring.first()), <Single as ConsumerSide>::start(&ring, ring.first()));
        assert_eq!(P::push_slice(&ring, &mut producer, &[7; 384][..pushed]), pushed);
        assert_eq!(Single::pop_slice(&ring, &mut consumer, &mut [0; 129]), 129);
        consumer.close()
    }
    for close in [close::<Single>, close::<Multi>] {
        assert_eq!([close(128 + 100), close(256), close(256 + 1)], [1, 1, 0]);
    }
}
