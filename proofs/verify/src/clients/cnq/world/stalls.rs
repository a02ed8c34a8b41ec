//! The places where threads are stopped in CNQ: in an open capsule, at its end, with a capsule
//! behind it, and with two.

use std::marker::PhantomData;
use std::num::NonZeroU64;

use super::super::ends::End;
use super::super::library::cnq::{Consumer, Producer};
use super::super::library::tube::{IndexQueues, SequencedRing, Tube};
use super::handles;
use crate::clients::cnq::spec::Shape;
use crate::clients::cnq::stalls::Nested;
use crate::clients::threads::Form;
use crate::progress::many_threads::{Kind, Scene, Subject};
use crate::progress::one_stopped::Victim;

/// CNQ over a tube. Its shape is the number of capsules, and of items in each.
#[derive(Debug)]
struct Over<U>(PhantomData<fn() -> U>);

impl<U> Clone for Over<U> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<U> Copy for Over<U> {}

impl<U: Tube + 'static> Form for Over<U> {
    type Shape = (usize, usize);
    type Item = NonZeroU64;
    type Producer = End<Producer<NonZeroU64, U>>;
    type Consumer = End<Consumer<NonZeroU64, U>>;
    const MANY_PRODUCERS: bool = true;
    const MANY_CONSUMERS: bool = true;

    fn make(
        (capsules, size): (usize, usize),
        producers: usize,
        consumers: usize,
    ) -> (Vec<Self::Producer>, Vec<Self::Consumer>) {
        let (_queue, producers, consumers) = handles(Shape { capsules, size, producers, consumers });
        (producers.into_iter().map(End).collect(), consumers.into_iter().map(End).collect())
    }
}

const SCENES: &[Scene] = &[
    // A push into an open capsule that no thread reads, or that a consumer has begun with; into the
    // next one.
    Scene { victim: Victim::Push, before: 0, filled: 1 },
    Scene { victim: Victim::Push, before: 1, filled: 0 },
    Scene { victim: Victim::Push, before: 0, filled: 2 },
    // A pop of a capsule's first item; of its last one, with another capsule behind it, and with
    // two.
    Scene { victim: Victim::Pop, before: 0, filled: 2 },
    Scene { victim: Victim::Pop, before: 1, filled: 3 },
    Scene { victim: Victim::Pop, before: 0, filled: 5 },
    // The victim's capsule has no item.
    Scene { victim: Victim::Pop, before: 1, filled: 0 },
];

fn over<U: Tube + 'static>(name: &str, busy_pushes: bool) -> Subject {
    let (capsules, size) = (4, 2);
    let kind = Kind::Nested(Nested { capsules, size, busy_pushes });
    Subject::new::<Over<U>>(name, (capsules, size), kind, SCENES)
}

/// Returns CNQ over the tubes that take a position only if it may be read.
pub fn stalls() -> Vec<Subject> {
    vec![over::<SequencedRing>("cnq-ring", true), over::<IndexQueues>("cnq-indices", false)]
}
