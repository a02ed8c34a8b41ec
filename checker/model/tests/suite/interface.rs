//! The model has the interface of `std` that programs use, under its names: one list of uses,
//! compiled for both.

mod native {
    use std::cell::{Cell, RefCell};
    use std::time::Duration;
    use std::{sync, thread, thread_local};

    include!("interface/list.rs");
}

mod ours {
    use std::cell::{Cell, RefCell};
    use std::time::Duration;

    use aqueduct_model::{sync, thread, thread_local};

    include!("interface/list.rs");
}

#[test]
fn the_list_is_compiled_for_both() {
    assert_eq!(native::ALL.len(), ours::ALL.len());
}
