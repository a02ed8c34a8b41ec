//! The requested number of items fits, at any place; an impossible number is refused.

use aqueduct::bwos::{Geometry, fifo, lifo};
use aqueduct::error::CapacityError;

use crate::common::{Form, LAPS, Owns, SHAPES, both};
use aqueduct::queue::{Len, Pop, Push};

fn what_is_asked_fits<F: Form<usize>>() {
    for capacity in (1..200).chain([1000, 4096]) {
        let (mut owner, _stealer) = F::for_capacity(capacity);
        assert_eq!(owner.capacity(), capacity);
        for _ in 0..3 {
            assert!(owner.fill(0..2 * capacity + 100) >= capacity, "capacity {capacity}");
            while owner.pop().is_ok() {}
        }
    }
}
both!(asked: what_is_asked_fits);

fn it_fits_wherever_the_queue_is<F: Form<usize>>() {
    for (blocks, size) in SHAPES {
        for lap in LAPS {
            let (mut owner, _stealer) = F::starting_at(blocks, size, lap);
            for _ in 0..3 * blocks * size {
                let count = owner.fill(0..owner.capacity());
                assert_eq!(count, owner.capacity(), "{blocks}x{size} from {lap}");
                (0..count - 1).for_each(|_| assert!(owner.pop().is_ok()));
                assert!(owner.pop().is_ok() && owner.pop().is_err() && owner.push(0).is_ok() && owner.pop().is_ok());
            }
        }
    }
}
both!(anywhere: it_fits_wherever_the_queue_is);

#[test]
fn the_impossible_is_refused() {
    assert_eq!(lifo::new::<u8>(0).map(drop), Err(CapacityError::Zero));
    assert_eq!(fifo::new::<u8>(0).map(drop), Err(CapacityError::Zero));
    // 2^40 bytes where addresses have 64 bits.
    type Large = [u8; 1 << (usize::BITS * 5 / 8)];
    let many = 1 << (usize::BITS * 15 / 32);
    let Err(CapacityError::TooLarge { asked, max }) = lifo::new::<Large>(many).map(drop) else {
        panic!("it is too large")
    };
    assert!(asked == many && max > 1000 && max < asked, "{max}");
    assert!(matches!(Geometry::new(1, 1), Err(CapacityError::Geometry { blocks: 1, block_size: 1, .. })));
    let most = (1 << (usize::BITS / 4)) - 1;
    let large = Geometry::new(most, most).expect("possible for small items");
    assert!(matches!(fifo::with_geometry::<Large>(large).map(drop), Err(CapacityError::TooLarge { .. })));
}
