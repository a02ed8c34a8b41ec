//! The places where threads are stopped in BBQ: at the first entry of a block and at its last.

use super::Shape;
use super::drop_old::DropOldForm;
use crate::clients::threads::Form;
use crate::progress::many_threads::{Kind, Scene, Subject};
use crate::progress::one_stopped::Victim;

/// The queue. Its first entry is a block's first.
const SHAPE: Shape = Shape::new(2, 2);

const SCENES: &[Scene] = &[
    // The only item in front of the victim's is in its block, or in the block before.
    Scene { victim: Victim::Push, before: 0, filled: 1 },
    Scene { victim: Victim::Push, before: 1, filled: 1 },
    // The other item is in the victim's block, or in the next.
    Scene { victim: Victim::Pop, before: 0, filled: 2 },
    Scene { victim: Victim::Pop, before: 1, filled: 2 },
    // The victim opens the block in which the others were a lap before.
    Scene { victim: Victim::Push, before: 4, filled: 0 },
    Scene { victim: Victim::Pop, before: 4, filled: 1 },
];

pub(crate) fn retry_new<F: Form<Shape = Shape>>(name: &str) -> Subject {
    let Shape { blocks, size, .. } = SHAPE;
    let kind = Kind::Blocks { blocks, size, busy_pops: F::MANY_PRODUCERS, busy_pushes: F::MANY_CONSUMERS };
    Subject::new::<F>(name, SHAPE, kind, SCENES)
}

pub(crate) fn drop_old<F: DropOldForm>(name: &str) -> Subject {
    let Shape { blocks, size, .. } = SHAPE;
    Subject::new::<F>(name, SHAPE, Kind::Overwrites { blocks, size, busy_pops: F::MANY_PRODUCERS }, SCENES)
}
