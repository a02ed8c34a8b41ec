//! Every item is dropped exactly once, in whatever order handles are dropped and wherever the items
//! are.

use crate::common::{Dice, Form, LAPS, Ledger, Owns, SHAPES, Steals, Token, both};
use aqueduct::queue::{Closed, Pop, Push};

fn what_is_left_goes_with_the_queue<F: Form<Token>>() {
    for (blocks, size) in SHAPES.into_iter().take(6) {
        for left in 0..=(blocks - 1) * size {
            for stolen in 0..3 {
                for (order, lap) in (0..3).zip(LAPS) {
                    let ledger = Ledger::new(left);
                    let (mut owner, stealer) = F::starting_at(blocks, size, lap);
                    let other = stealer.clone();
                    for number in 0..left {
                        assert!(owner.push(ledger.token(number)).is_ok());
                    }
                    (0..stolen).for_each(|_| drop(stealer.steal()));
                    drop(owner.pop());
                    match order {
                        0 => drop((owner, stealer, other)),
                        1 => drop((stealer, owner, other)),
                        _ => drop((stealer, other, owner)),
                    }
                    ledger.assert_all_dropped_once(&format!("{blocks}x{size}, {left} left, {stolen} stolen, {order}"));
                }
            }
        }
    }
}
both!(left: what_is_left_goes_with_the_queue);

fn whatever_was_done_before<F: Form<Token>>() {
    let mut dice = Dice(99);
    for run in 0..400 {
        let (blocks, size) = SHAPES[dice.below(6)];
        let steps = dice.below(12 * blocks * size);
        let ledger = Ledger::new(steps);
        let (mut owner, stealer) = F::starting_at(blocks, size, LAPS[dice.below(5)]);
        for number in 0..steps {
            let token = ledger.token(number);
            match dice.below(5) {
                0 => drop(stealer.steal()),
                1 => drop(owner.pop()),
                _ => drop(owner.push(token)),
            }
        }
        drop(owner);
        assert!(stealer.is_closed());
        while dice.below(2) == 0 && stealer.steal().success().is_some() {}
        drop(stealer);
        ledger.assert_all_dropped_once(&format!("run {run}"));
    }
}
both!(random: whatever_was_done_before);

fn an_owner_that_goes_leaves_all_to_thieves<F: Form<u64>>() {
    for (blocks, size) in SHAPES {
        let (mut owner, stealer) = F::make(blocks, size);
        let count = owner.fill(0..1000) as u64;
        let gone = u64::from(owner.pop().is_ok());
        drop(owner);
        let mut came: Vec<u64> = std::iter::from_fn(|| stealer.steal().success()).collect();
        came.sort_unstable();
        assert_eq!(came, if F::NEWEST { (0..count - gone).collect::<Vec<_>>() } else { (gone..count).collect() });
    }
}
both!(leaves: an_owner_that_goes_leaves_all_to_thieves);

fn a_forgotten_handle_keeps_the_memory<F: Form<Token>>() {
    let ledger = Ledger::new(3);
    let (mut owner, stealer) = F::make(2, 2);
    for number in 0..3 {
        assert!(owner.push(ledger.token(number)).is_ok());
    }
    std::mem::forget(owner);
    assert!(!stealer.is_closed());
    drop(stealer);
    assert_eq!(ledger.drops(), [0, 0, 0]);
}
both!(forgotten: a_forgotten_handle_keeps_the_memory);
