//! A destructor that panics: the rest is dropped all the same, and once.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::common::{Form, Ledger, Steals, Token, both};
use aqueduct::queue::{Pop, Push};

struct Exploding {
    token: Token,
    explodes: bool,
}

impl Drop for Exploding {
    fn drop(&mut self) {
        assert!(!self.explodes, "item {} explodes, as the test wants", self.token.number);
    }
}

fn the_rest_is_dropped<F: Form<Exploding>>() {
    for explodes in 0..7 {
        let ledger = Ledger::new(7);
        let (mut owner, stealer) = F::make(3, 3);
        for number in 0..7 {
            assert!(owner.push(Exploding { token: ledger.token(number), explodes: number == explodes }).is_ok());
        }
        let outcome = catch_unwind(AssertUnwindSafe(|| drop((owner, stealer))));
        assert!(outcome.is_err());
        ledger.assert_all_dropped_once(&format!("item {explodes} explodes"));
    }
}
both!(remains: the_rest_is_dropped);

fn the_queue_goes_on<F: Form<Exploding>>() {
    let ledger = Ledger::new(5);
    let (mut owner, stealer) = F::make(3, 2);
    let item = |number| Exploding { token: ledger.token(number), explodes: number == 0 };
    assert!(owner.push(item(0)).is_ok());
    assert!(catch_unwind(AssertUnwindSafe(|| drop(owner.pop()))).is_err());
    for number in 1..5 {
        assert!(owner.push(item(number)).is_ok());
    }
    assert!(stealer.steal().success().is_some_and(|item| item.token.number > 0));
    drop((owner, stealer));
    ledger.assert_all_dropped_once("after a panic");
}
both!(goes_on: the_queue_goes_on);
