//! BBQ's forms and their clients, of the library that `super` names.

mod drop_old_forms;
mod forms;

use std::num::NonZeroU64;

use super::library;
use crate::bbq::drop_old::{any, many_producers};
use crate::bbq::stalls::{drop_old, retry_new};
use crate::bbq::{one_by_one, slices_of, two_consumers, two_of_either, two_producers};
use crate::clients::Client;
use crate::item::{Boxed, Wide};
use crate::stalls::Subject;
pub use drop_old_forms::{Mpmc as DropOldMpmc, Spmc as DropOldSpmc};
pub use forms::{Mpmc, Mpsc, Shared, Spmc, Spsc};

/// The clients, by form.
pub fn clients() -> Vec<Client> {
    let mut list = Vec::new();
    one_by_one::<Spsc<Boxed>, Spsc<Wide<5>>>(&mut list, "spsc");
    one_by_one::<Mpsc<Boxed>, Mpsc<Wide<5>>>(&mut list, "mpsc");
    one_by_one::<Spmc<Boxed>, Spmc<Wide<5>>>(&mut list, "spmc");
    one_by_one::<Mpmc<Boxed>, Mpmc<Wide<5>>>(&mut list, "mpmc");
    one_by_one::<Shared<Boxed>, Shared<Wide<5>>>(&mut list, "shared");
    two_producers::<Mpsc<Boxed>>(&mut list, "mpsc");
    two_producers::<Mpmc<Boxed>>(&mut list, "mpmc");
    two_producers::<Shared<Boxed>>(&mut list, "shared");
    two_consumers::<Spmc<Boxed>>(&mut list, "spmc");
    two_consumers::<Mpmc<Boxed>>(&mut list, "mpmc");
    two_consumers::<Shared<Boxed>>(&mut list, "shared");
    two_of_either::<Mpmc<Boxed>>(&mut list, "mpmc");
    two_of_either::<Shared<Boxed>>(&mut list, "shared");
    slices_of::<Spsc<NonZeroU64>>(&mut list, "spsc", &[3], &[2]);
    slices_of::<Mpsc<NonZeroU64>>(&mut list, "mpsc", &[2, 2], &[2]);
    slices_of::<Spmc<NonZeroU64>>(&mut list, "spmc", &[3], &[2, 2]);
    slices_of::<Mpmc<NonZeroU64>>(&mut list, "mpmc", &[2, 1], &[2]);
    slices_of::<Shared<NonZeroU64>>(&mut list, "shared", &[3], &[2, 1]);
    any::<DropOldSpmc>(&mut list, "drop_old_spmc");
    any::<DropOldMpmc>(&mut list, "drop_old_mpmc");
    many_producers::<DropOldMpmc>(&mut list, "drop_old_mpmc");
    list
}

/// The forms in which threads are to be stopped.
pub fn stalls() -> Vec<Subject> {
    vec![
        retry_new::<Spsc<Boxed>>("bbq-spsc"),
        retry_new::<Mpsc<Boxed>>("bbq-mpsc"),
        retry_new::<Spmc<Boxed>>("bbq-spmc"),
        retry_new::<Mpmc<Boxed>>("bbq-mpmc"),
        retry_new::<Shared<Boxed>>("bbq-shared"),
        drop_old::<DropOldSpmc>("bbq-drop_old_spmc"),
        drop_old::<DropOldMpmc>("bbq-drop_old_mpmc"),
    ]
}
