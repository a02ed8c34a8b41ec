//! BBQ's clients with three and four threads on a side: at a block's last entry, at the next
//! block's opening, and in one block.

use super::Shape;
use crate::clients::Client;
use crate::clients::threads::Form;
use crate::clients::threads::calls::Plan;
use crate::clients::threads::crowd::{self, run};
use crate::clients::threads::slow;

fn add<F: Form<Shape = Shape>>(list: &mut Vec<Client>, form: &str, program: &str, plan: Plan<Shape>) {
    let Shape { blocks, size, .. } = plan.shape;
    let full = plan.shape.capacity()..=blocks * size;
    list.push(Client::new(format!("{form}/{program}"), move || run::<F>(plan, full.clone())));
}

const PUSHES: Plan<Shape> = Plan { shape: Shape::new(2, 1), before: 0, filled: 0, pushes: &[1, 1, 1], pops: &[1] };
const POPS: Plan<Shape> = Plan { pushes: &[1], pops: &[1, 1, 1], ..PUSHES };
/// Blocks of two, three and four.
const TWO: Shape = Shape::new(2, 2);
const THREE: Shape = Shape::new(2, 3);
const FOUR: Shape = Shape::new(2, 4);

/// Three and four producers come to a block that is used up, and to the next one, which one of them
/// opens.
pub(crate) fn three_producers<F: Form<Shape = Shape>>(list: &mut Vec<Client>, form: &str) {
    add::<F>(list, form, "3x1", Plan { pops: &[2], ..PUSHES });
    add::<F>(list, form, "3x1-full", Plan { filled: 2, ..PUSHES });
    // One producer gets the block's last entry.
    add::<F>(list, form, "3x1-last", Plan { shape: TWO, filled: 1, ..PUSHES });
    add::<F>(list, form, "3x1-blocks", Plan { shape: Shape::new(3, 1), ..PUSHES });
    add::<F>(list, form, "4x1", Plan { shape: FOUR, pushes: &[1, 1, 1, 1], pops: &[0], ..PUSHES });
    add::<F>(list, form, "4x1-last", Plan { shape: TWO, filled: 1, pushes: &[1, 1, 1, 1], pops: &[0], ..PUSHES });
}

/// Two of three producers do a lap while the third one is slow.
pub(crate) fn three_producers_and_laps<F: Form<Shape = Shape>>(list: &mut Vec<Client>, form: &str) {
    add::<F>(list, form, "3x1-slow", Plan { filled: 1, pushes: &[1, 1, 2], ..PUSHES });
}

/// Consumers come to a block that is used up, and to the next one; or all are in one block, which
/// is free when the slowest has marked its entry.
pub(crate) fn three_consumers<F: Form<Shape = Shape>>(list: &mut Vec<Client>, form: &str) {
    add::<F>(list, form, "1x3", Plan { pushes: &[2], ..POPS });
    add::<F>(list, form, "1x3-full", Plan { filled: 2, ..POPS });
    add::<F>(list, form, "1x3-last", Plan { shape: TWO, before: 1, filled: 3, ..POPS });
    add::<F>(list, form, "1x3-block", Plan { shape: THREE, filled: 6, ..POPS });
    add::<F>(list, form, "1x4", Plan { shape: FOUR, filled: 4, pushes: &[0], pops: &[1, 1, 1, 1], ..POPS });
    add::<F>(list, form, "1x4-wide", Plan { shape: TWO, filled: 4, pushes: &[0], pops: &[1, 1, 1, 1], ..POPS });
}

/// The programs of `three_consumers` for consumers that add. All executions of four in one block
/// are too many.
pub(crate) fn three_adders<F: Form<Shape = Shape>>(list: &mut Vec<Client>, form: &str) {
    add::<F>(list, form, "1x3", Plan { pushes: &[2], ..POPS });
    add::<F>(list, form, "1x3-full", Plan { filled: 2, ..POPS });
    add::<F>(list, form, "1x3-last", Plan { shape: TWO, before: 1, filled: 2, pushes: &[0], ..POPS });
    add::<F>(list, form, "1x4", Plan { filled: 2, pushes: &[0], pops: &[1, 1, 1, 1], ..POPS });
}

/// Three consumers give the block over to fetch-and-add, or add.
pub(crate) fn three_adders_of_a_block<F: Form<Shape = Shape>>(list: &mut Vec<Client>, form: &str) {
    add::<F>(list, form, "1x3-block", Plan { shape: THREE, filled: 6, ..POPS });
}

/// Adds clients with two and three slow threads, in blocks of one, two and three.
pub(crate) fn slow_ones<F: Form<Shape = Shape>>(list: &mut Vec<Client>, form: &str) {
    for (size, shape) in [("", Shape::new(2, 1)), ("-two", TWO), ("-three", THREE)] {
        let full = shape.capacity()..=shape.blocks * shape.size;
        let name = |what: &str| format!("{form}/{what}{size}");
        list.extend(slow::clients::<F>(name, shape, shape.size, &full));
    }
}

/// Adds clients with too many executions to explore them all.
pub(crate) fn walks<F: Form<Shape = Shape>>(list: &mut Vec<Client>, form: &str) {
    for (size, shape) in [("", Shape::new(2, 1)), ("-two", TWO), ("-three", THREE), ("-four", FOUR)] {
        for (program, plan) in crowd::walks(shape, shape.capacity()) {
            let plan = Plan {
                pushes: if F::MANY_PRODUCERS { plan.pushes } else { &[4] },
                pops: if F::MANY_CONSUMERS { plan.pops } else { &[4] },
                ..plan
            };
            add::<F>(list, form, &format!("walk-{program}{size}"), plan);
        }
    }
}
