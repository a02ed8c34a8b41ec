//! Capsules of two items: the four ends of a capsule's life (3.4.2), and their combinations.

use aqueduct_under_model::tube::Tube;

use super::recorded::{Again, Call, Does, Pause, Plan, run};
use crate::clients::Client;

const NONE: &[Does] = &[];
const ONE: &[Does] = &[Call];
const TWO: &[Does] = &[Call, Call];
const THREE: &[Does] = &[Call, Call, Call];
const AGAIN: &[Does] = &[Call, Again, Call];
const PAUSE: &[Does] = &[Call, Pause, Call];

pub(super) fn clients<U: Tube + 'static>(list: &mut Vec<Client>, name: &str) {
    let mut add = |client: &str, plan: Plan| {
        list.push(Client::new(format!("cnq-{name}/{client}"), move || run::<U>(plan)));
    };
    let plan = Plan { capsules: 2, size: 2, filled: (0, 0), producers: &[THREE], consumers: &[THREE] };
    // 1: used to the end. 2: the producer goes.
    add("full", plan);
    add("gone", Plan { producers: &[AGAIN], consumers: &[TWO], ..plan });
    add("paused", Plan { producers: &[PAUSE], ..plan });
    // 3: closed, by a consumer that goes on, or by another producer that is too far ahead.
    add("closed", Plan { producers: &[TWO, ONE], consumers: &[TWO], ..plan });
    add("closed-ahead", Plan { capsules: 4, filled: (1, 0), producers: &[ONE, THREE], consumers: &[ONE], ..plan });
    // 4: the consumer goes.
    add("fragment", Plan { producers: &[TWO], consumers: &[AGAIN], ..plan });
    add("fragment-paused", Plan { producers: &[THREE], consumers: &[PAUSE], ..plan });
    add("fragment-taken", Plan { filled: (4, 0), producers: &[NONE], consumers: &[ONE, TWO], ..plan });
    add("fragment-open", Plan { producers: &[TWO], consumers: &[ONE, ONE], ..plan });
    add("both-go", Plan { producers: &[AGAIN], consumers: &[AGAIN], ..plan });
    // A producer that comes to its lane when one of a later lap has been there.
    add("late", Plan { capsules: 4, producers: &[TWO, THREE], consumers: &[ONE], ..plan });
    // Two of either, with capsules to close, and all windows.
    add("2x2", Plan { producers: &[TWO, ONE], consumers: &[TWO, ONE], ..plan });
    add("2x2-wide", Plan { capsules: 4, filled: (1, 0), producers: &[ONE, TWO], consumers: &[ONE, ONE], ..plan });
    add("2x2-lap", Plan { filled: (3, 1), producers: &[ONE, ONE], consumers: &[ONE, ONE], ..plan });
    add("window", Plan { capsules: 4, filled: (6, 0), producers: &[NONE], consumers: &[TWO, THREE], ..plan });
    add(
        "window-one",
        Plan { capsules: 4, size: 1, filled: (4, 0), producers: &[NONE], consumers: &[TWO, TWO], ..plan },
    );
    add("big-2x2", Plan { producers: &[TWO, TWO], consumers: &[TWO, TWO], ..plan });
    list.last_mut().expect("just added").big = true;
}
