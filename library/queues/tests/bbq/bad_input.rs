//! Impossible sizes: the error names the possible ones, correctly.

use aqueduct::bbq::Geometry;
use aqueduct::error::CapacityError;

use crate::common::{Form, every_form};

/// The most blocks, and the most entries of one.
const MOST: usize = (1 << (usize::BITS / 4)) - 1;

fn refusal<T, F: Form<T>>(capacity: usize) -> CapacityError {
    match F::new(capacity) {
        Ok(_) => panic!("capacity {capacity} was accepted"),
        Err(error) => error,
    }
}

fn capacity_zero_is_refused<T, F: Form<T>>() {
    let error = refusal::<T, F>(0);
    assert_eq!(error, CapacityError::Zero);
    assert_eq!(error.to_string(), "capacity 0 was asked for; it must be at least 1");
}
every_form!(zero: capacity_zero_is_refused::<u64>);
every_form!(zero_of_nothing: capacity_zero_is_refused::<()>);

/// For machines whose addresses suffice for that number of blocks and entries.
#[cfg(target_pointer_width = "64")]
fn more_than_the_geometry_can_be_is_refused<T, F: Form<T>>() {
    let max = (F::MOST - 1) * F::MOST;
    for asked in [usize::MAX, usize::MAX - 1, usize::MAX / 2, max + 1] {
        let error = refusal::<T, F>(asked);
        assert_eq!(error, CapacityError::TooLarge { asked, max });
        assert_eq!(
            error.to_string(),
            format!("capacity {asked} was asked for; items of this type allow at most {max}")
        );
    }
}
#[cfg(target_pointer_width = "64")]
every_form!(more_than_all: more_than_the_geometry_can_be_is_refused::<u64>);
#[cfg(target_pointer_width = "64")]
every_form!(more_than_all_of_nothing: more_than_the_geometry_can_be_is_refused::<()>);
#[cfg(target_pointer_width = "64")]
every_form!(more_than_all_of_300: more_than_the_geometry_can_be_is_refused::<[u8; 300]>);

/// One more than the greatest capacity is refused; for the greatest itself, only memory is missing.
/// The items are so large that no machine can hold that number.
#[cfg(target_pointer_width = "64")]
fn the_greatest_capacity_is_told<T, F: Form<T>>() {
    let CapacityError::TooLarge { asked: usize::MAX, max } = refusal::<T, F>(usize::MAX) else {
        panic!("no capacity is {}", usize::MAX)
    };
    // A little more can be divided otherwise, and take less.
    for asked in (max + 1..max + 200).chain([2 * max + 1, 17 * max + 1]) {
        assert_eq!(refusal::<T, F>(asked), CapacityError::TooLarge { asked, max }, "{asked} is more than {max}");
    }
    match refusal::<T, F>(max) {
        CapacityError::Zero => assert_eq!(max, 0, "not one such item fits"),
        CapacityError::OutOfMemory { bytes } => {
            assert!(bytes / size_of::<T>() > max, "{bytes} bytes for {max} items");
            assert!(isize::try_from(bytes).is_ok());
            let text = CapacityError::OutOfMemory { bytes }.to_string();
            assert_eq!(text, format!("no memory for a queue of {bytes} bytes"));
        }
        other => panic!("{max} items are said to be possible: {other:?}"),
    }
}

#[cfg(target_pointer_width = "64")]
mod greatest {
    use super::*;

    every_form!(of_gigabytes: the_greatest_capacity_is_told::<[u8; 3 << 30]>);
    every_form!(of_more: the_greatest_capacity_is_told::<[u8; 5 << 36]>);
    every_form!(of_terabytes: the_greatest_capacity_is_told::<[u8; 1 << 40]>);
    // About 340 of them take all memory: 256 fit in four blocks of 86, and 200 do not in two of
    // 200.
    every_form!(of_much_more: the_greatest_capacity_is_told::<[u8; (1 << 63) / 350]>);
    // A queue of the least size is all that is possible.
    every_form!(of_all: the_greatest_capacity_is_told::<[u8; (1 << 61) - 1]>);
}

/// Blocks that are longer than a form's can be.
fn too_long_blocks<T, F: Form<T>>() {
    for (blocks, block_size) in [(2, MOST), (MOST, 1), (3, F::MOST + 1)] {
        let (most, Ok(geometry)) = (F::MOST, Geometry::new(blocks, block_size)) else { continue };
        if most < MOST {
            let refused = F::divided(geometry).map(drop);
            assert_eq!(refused, Err(CapacityError::Geometry { blocks, block_size, most }));
        }
    }
}
every_form!(long: too_long_blocks::<u8>);

/// The error of a geometry names its capacity, and the greatest capacity with as many blocks.
#[cfg(target_pointer_width = "64")]
fn geometries_that_take_too_much<T, F: Form<T>>() {
    let most = F::MOST;
    for (blocks, block_size) in [(100, most - 5_000), (1 + MOST / most, most), (2 + MOST / most, most * 2 / 3)] {
        let asked = (blocks - 1) * block_size;
        let geometry = Geometry::new(blocks, block_size).expect("possible for small items");
        assert_eq!(geometry.capacity(), asked);
        let error = match F::divided(geometry) {
            Ok(_) => panic!("{geometry:?} was accepted"),
            Err(error) => error,
        };
        let CapacityError::TooLarge { asked: told, max } = error else { panic!("{error:?}") };
        assert_eq!(told, asked);
        assert!(max < asked && max.is_multiple_of(blocks - 1), "{max} for {geometry:?}");
        let possible = Geometry::new(blocks, max / (blocks - 1)).map(F::divided);
        assert!(matches!(possible, Ok(Err(CapacityError::OutOfMemory { .. }))), "{max} for {geometry:?}");
        let one_more = Geometry::new(blocks, max / (blocks - 1) + 1).map(F::divided);
        assert!(matches!(one_more, Ok(Err(CapacityError::TooLarge { .. }))), "one more than {max} for {geometry:?}");
    }
}
#[cfg(target_pointer_width = "64")]
// Memory for about 82,000: as many as `for_capacity` takes for 65,535, and less than two blocks of
// them.
every_form!(divided: geometries_that_take_too_much::<[u8; (1 << 63) / 82_000]>);

#[test]
fn geometries_that_cannot_be() {
    for (blocks, block_size) in
        [(0, 0), (0, 1), (1, 1), (1, MOST), (2, 0), (MOST + 1, 1), (2, MOST + 1), (usize::MAX, 1), (2, usize::MAX)]
    {
        let error = Geometry::new(blocks, block_size).expect_err("no such geometry");
        assert_eq!(error, CapacityError::Geometry { blocks, block_size, most: MOST });
        assert_eq!(
            error.to_string(),
            format!(
                "{blocks} blocks of {block_size} entries were asked for; possible are 2 to {MOST} blocks of 1 to {MOST}"
            )
        );
    }
    for (blocks, block_size) in [(2, 1), (MOST, 1), (2, MOST), (MOST, MOST)] {
        let geometry = Geometry::new(blocks, block_size).expect("within the bounds");
        assert_eq!((geometry.blocks(), geometry.block_size()), (blocks, block_size));
        assert_eq!(geometry.capacity(), (blocks - 1) * block_size);
    }
    assert_eq!(Geometry::for_capacity(0), Err(CapacityError::Zero));
    let max = (MOST - 1) * MOST;
    assert_eq!(Geometry::for_capacity(max + 1), Err(CapacityError::TooLarge { asked: max + 1, max }));
    assert_eq!(Geometry::for_capacity(max).map(Geometry::capacity), Ok(max));
}
