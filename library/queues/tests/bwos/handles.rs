//! The handles' traits, and what their methods return.

use aqueduct::bwos::{fifo, lifo};
use static_assertions::{assert_impl_all, assert_not_impl_any};

use crate::common::{Form, both};
use aqueduct::queue::Closed;

assert_impl_all!(lifo::Owner<u8>: Send, std::fmt::Debug);
assert_impl_all!(fifo::Owner<u8>: Send, std::fmt::Debug);
assert_not_impl_any!(lifo::Owner<u8>: Sync, Clone);
assert_not_impl_any!(fifo::Owner<u8>: Sync, Clone);
assert_impl_all!(lifo::Stealer<u8>: Send, Sync, Clone, std::fmt::Debug);
assert_impl_all!(fifo::Stealer<u8>: Send, Sync, Clone, std::fmt::Debug);
assert_not_impl_any!(lifo::Stealer<std::rc::Rc<u8>>: Send, Sync);
assert_not_impl_any!(fifo::Stealer<std::rc::Rc<u8>>: Send, Sync);

fn they_know_of_each_other<F: Form<u8>>() {
    let (owner, stealer) = F::make(2, 2);
    let other = stealer.clone();
    assert!(!owner.is_closed() && !other.is_closed());
    drop(stealer);
    assert!(!owner.is_closed(), "there is another one");
    drop(owner);
    assert!(other.is_closed());
    let (owner, stealer) = F::make(2, 2);
    drop(stealer);
    assert!(owner.is_closed());
}
both!(know: they_know_of_each_other);
