//! Items of any size and alignment.

use crate::common::{Form, Owns, SHAPES, Steals, both};
use aqueduct::queue::Pop;

/// An item that can be told from others, as far as its size allows.
trait Numbered: Send + 'static {
    fn number(number: usize) -> Self;
    fn is(&self, number: usize) -> bool;
}

impl Numbered for () {
    fn number(_number: usize) -> Self {}

    fn is(&self, _number: usize) -> bool {
        true
    }
}

impl Numbered for u8 {
    fn number(number: usize) -> Self {
        number as u8
    }

    fn is(&self, number: usize) -> bool {
        *self == number as u8
    }
}

impl Numbered for String {
    fn number(number: usize) -> Self {
        number.to_string()
    }

    fn is(&self, number: usize) -> bool {
        *self == number.to_string()
    }
}

impl Numbered for [u64; 37] {
    fn number(number: usize) -> Self {
        [number as u64; 37]
    }

    fn is(&self, number: usize) -> bool {
        *self == [number as u64; 37]
    }
}

#[repr(align(512))]
struct Aligned(usize);

impl Numbered for Aligned {
    fn number(number: usize) -> Self {
        Self(number)
    }

    fn is(&self, number: usize) -> bool {
        assert!(std::ptr::from_ref(self).is_aligned());
        self.0 == number
    }
}

fn items_come_as_they_went<T: Numbered, F: Form<T>>() {
    for (blocks, size) in SHAPES {
        let (mut owner, stealer) = F::make(blocks, size);
        let mut went = 0;
        for _ in 0..3 {
            let count = owner.fill((went..).map(T::number));
            let (stolen, popped) = (stealer.steal_granted().success(), owner.pop().expect("it is full"));
            let (first, last) = (went, went + count - 1);
            if F::NEWEST {
                assert!(popped.is(last) && stolen.is_none_or(|item| item.is(first)));
            } else {
                assert!(popped.is(first) && stolen.is_none_or(|item| (first + 1..=last).any(|number| item.is(number))));
            }
            while owner.pop().is_ok() {}
            went += count;
        }
    }
}
both!(nothing: items_come_as_they_went::<()>);
both!(bytes: items_come_as_they_went::<u8>);
both!(strings: items_come_as_they_went::<String>);
both!(large: items_come_as_they_went::<[u64; 37]>);
both!(aligned: items_come_as_they_went::<Aligned>);
