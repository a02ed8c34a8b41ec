//! BBQ's forms and their clients, on the library that `super` names.

mod drop_old_forms;
mod each;
mod forms;

use std::num::NonZeroU64;

use super::{ends, library};
use crate::clients::Client;
use crate::clients::bbq::crowd::{
    slow_ones, three_adders, three_adders_of_a_block, three_consumers, three_producers, three_producers_and_laps, walks,
};
use crate::clients::bbq::drop_old::{any, many_producers, only_reader, walks as drop_old_walks};
use crate::clients::bbq::drop_old_slow;
use crate::clients::bbq::stalls::{drop_old, retry_new};
use crate::clients::bbq::{
    late_consumer, one_by_one, slices_of, slices_of_lines, two_consumers, two_consumers_of_laps, two_consumers_who_add,
    two_of_either, two_producers,
};
use crate::clients::item::{Boxed, Wide};
use crate::progress::many_threads::Subject;
pub use drop_old_forms::{Mpmc as DropOldMpmc, Mpsc as DropOldMpsc, Spmc as DropOldSpmc, Spsc as DropOldSpsc};
use each::EachOf;
pub use forms::{Faaq, FaaqShared, Mpmc, Mpsc, Shared, Spmc, Spsc};

/// Returns the clients, by form.
pub fn clients() -> Vec<Client> {
    let mut list = Vec::new();
    one_by_one::<Spsc<Boxed>, Spsc<Wide<5>>>(&mut list, "bbq-spsc");
    one_by_one::<Mpsc<Boxed>, Mpsc<Wide<5>>>(&mut list, "bbq-mpsc");
    one_by_one::<Spmc<Boxed>, Spmc<Wide<5>>>(&mut list, "bbq-spmc");
    one_by_one::<Mpmc<Boxed>, Mpmc<Wide<5>>>(&mut list, "bbq-mpmc");
    one_by_one::<Shared<Boxed>, Shared<Wide<5>>>(&mut list, "bbq-shared");
    two_producers::<Mpsc<Boxed>>(&mut list, "bbq-mpsc");
    two_producers::<Mpmc<Boxed>>(&mut list, "bbq-mpmc");
    two_producers::<Shared<Boxed>>(&mut list, "bbq-shared");
    two_consumers::<Spmc<Boxed>>(&mut list, "bbq-spmc");
    two_consumers_of_laps::<Spmc<Boxed>>(&mut list, "bbq-spmc");
    two_consumers::<Mpmc<Boxed>>(&mut list, "bbq-mpmc");
    two_consumers_of_laps::<Mpmc<Boxed>>(&mut list, "bbq-mpmc");
    two_consumers::<Shared<Boxed>>(&mut list, "bbq-shared");
    two_consumers_of_laps::<Shared<Boxed>>(&mut list, "bbq-shared");
    two_of_either::<Mpmc<Boxed>>(&mut list, "bbq-mpmc");
    two_of_either::<Shared<Boxed>>(&mut list, "bbq-shared");
    three_producers::<Mpsc<Boxed>>(&mut list, "bbq-mpsc");
    three_producers::<Mpmc<Boxed>>(&mut list, "bbq-mpmc");
    three_producers::<Shared<Boxed>>(&mut list, "bbq-shared");
    three_producers_and_laps::<Mpsc<Boxed>>(&mut list, "bbq-mpsc");
    three_producers_and_laps::<Mpmc<Boxed>>(&mut list, "bbq-mpmc");
    three_consumers::<Spmc<Boxed>>(&mut list, "bbq-spmc");
    three_consumers::<Mpmc<Boxed>>(&mut list, "bbq-mpmc");
    three_consumers::<Shared<Boxed>>(&mut list, "bbq-shared");
    slow_ones::<Mpsc<Boxed>>(&mut list, "bbq-mpsc");
    slow_ones::<Spmc<Boxed>>(&mut list, "bbq-spmc");
    slow_ones::<Mpmc<Boxed>>(&mut list, "bbq-mpmc");
    slow_ones::<Shared<Boxed>>(&mut list, "bbq-shared");
    slices_of::<Spsc<NonZeroU64>>(&mut list, "bbq-spsc", &[3], &[2]);
    slices_of::<Mpsc<NonZeroU64>>(&mut list, "bbq-mpsc", &[2, 2], &[2]);
    slices_of::<Spmc<NonZeroU64>>(&mut list, "bbq-spmc", &[3], &[2, 2]);
    slices_of::<Mpmc<NonZeroU64>>(&mut list, "bbq-mpmc", &[2, 1], &[2]);
    late_consumer::opener::<Mpmc<NonZeroU64>>(&mut list, "bbq-mpmc");
    slices_of::<Shared<NonZeroU64>>(&mut list, "bbq-shared", &[3], &[2, 1]);
    slices_of::<EachOf<Spsc<NonZeroU64>>>(&mut list, "bbq-spsc-each", &[3], &[2]);
    slices_of::<EachOf<Mpsc<NonZeroU64>>>(&mut list, "bbq-mpsc-each", &[2, 2], &[2]);
    slices_of::<EachOf<Spmc<NonZeroU64>>>(&mut list, "bbq-spmc-each", &[3], &[2, 2]);
    slices_of_lines::<Spsc<NonZeroU64>>(&mut list, "bbq-spsc");
    slices_of_lines::<Mpsc<NonZeroU64>>(&mut list, "bbq-mpsc");
    slices_of_lines::<EachOf<Spsc<NonZeroU64>>>(&mut list, "bbq-spsc-each");
    slices_of_lines::<EachOf<Mpsc<NonZeroU64>>>(&mut list, "bbq-mpsc-each");
    any::<DropOldSpmc>(&mut list, "bbq-drop_old_spmc");
    any::<DropOldMpmc>(&mut list, "bbq-drop_old_mpmc");
    many_producers::<DropOldMpmc>(&mut list, "bbq-drop_old_mpmc");
    drop_old_slow::clients::<DropOldSpmc>(&mut list, "bbq-drop_old_spmc");
    drop_old_slow::clients::<DropOldMpmc>(&mut list, "bbq-drop_old_mpmc");
    any::<DropOldSpsc>(&mut list, "bbq-drop_old_spsc");
    only_reader::<DropOldSpsc>(&mut list, "bbq-drop_old_spsc");
    any::<DropOldMpsc>(&mut list, "bbq-drop_old_mpsc");
    only_reader::<DropOldMpsc>(&mut list, "bbq-drop_old_mpsc");
    many_producers::<DropOldMpsc>(&mut list, "bbq-drop_old_mpsc");
    drop_old_slow::clients::<DropOldMpsc>(&mut list, "bbq-drop_old_mpsc");
    list
}

/// The clients of FAAQ that have tens or hundreds of thousands of executions.
const LARGE: [&str; 1] = ["faaq/slices"];

/// Returns the clients of FAAQ.
pub fn faaq_clients() -> Vec<Client> {
    let mut list = Vec::new();
    one_by_one::<Faaq<Boxed>, Faaq<Wide<5>>>(&mut list, "faaq");
    one_by_one::<FaaqShared<Boxed>, FaaqShared<Wide<5>>>(&mut list, "faaq-shared");
    two_producers::<Faaq<Boxed>>(&mut list, "faaq");
    two_producers::<FaaqShared<Boxed>>(&mut list, "faaq-shared");
    two_consumers::<Faaq<Boxed>>(&mut list, "faaq");
    two_consumers_who_add::<Faaq<Boxed>>(&mut list, "faaq");
    two_consumers::<FaaqShared<Boxed>>(&mut list, "faaq-shared");
    two_consumers_who_add::<FaaqShared<Boxed>>(&mut list, "faaq-shared");
    two_of_either::<Faaq<Boxed>>(&mut list, "faaq");
    two_of_either::<FaaqShared<Boxed>>(&mut list, "faaq-shared");
    three_producers::<Faaq<Boxed>>(&mut list, "faaq");
    three_adders::<Faaq<Boxed>>(&mut list, "faaq");
    three_adders_of_a_block::<Faaq<Boxed>>(&mut list, "faaq");
    three_producers::<FaaqShared<Boxed>>(&mut list, "faaq-shared");
    three_adders::<FaaqShared<Boxed>>(&mut list, "faaq-shared");
    slow_ones::<Faaq<Boxed>>(&mut list, "faaq");
    slow_ones::<FaaqShared<Boxed>>(&mut list, "faaq-shared");
    slices_of::<Faaq<NonZeroU64>>(&mut list, "faaq", &[3], &[2, 2]);
    slices_of::<FaaqShared<NonZeroU64>>(&mut list, "faaq-shared", &[2, 1], &[2]);
    late_consumer::clients::<Faaq<NonZeroU64>>(&mut list, "faaq");
    late_consumer::opener::<Faaq<NonZeroU64>>(&mut list, "faaq");
    late_consumer::adder::<Faaq<NonZeroU64>>(&mut list, "faaq");
    for client in &mut list {
        client.big = LARGE.contains(&&*client.name);
    }
    list
}

/// Returns the clients that have too many executions to explore them all.
pub fn walked() -> Vec<Client> {
    let mut list = Vec::new();
    walks::<Mpsc<Boxed>>(&mut list, "bbq-mpsc");
    walks::<Spmc<Boxed>>(&mut list, "bbq-spmc");
    walks::<Mpmc<Boxed>>(&mut list, "bbq-mpmc");
    walks::<Shared<Boxed>>(&mut list, "bbq-shared");
    walks::<Faaq<Boxed>>(&mut list, "faaq");
    walks::<FaaqShared<Boxed>>(&mut list, "faaq-shared");
    drop_old_walks::<DropOldSpmc>(&mut list, "bbq-drop_old_spmc");
    drop_old_walks::<DropOldMpmc>(&mut list, "bbq-drop_old_mpmc");
    list
}

/// Returns the forms in which threads are stopped.
pub fn stalls() -> Vec<Subject> {
    vec![
        retry_new::<Spsc<Boxed>>("bbq-spsc"),
        retry_new::<Mpsc<Boxed>>("bbq-mpsc"),
        retry_new::<Spmc<Boxed>>("bbq-spmc"),
        retry_new::<Mpmc<Boxed>>("bbq-mpmc"),
        retry_new::<Shared<Boxed>>("bbq-shared"),
        retry_new::<Faaq<Boxed>>("faaq"),
        retry_new::<FaaqShared<Boxed>>("faaq-shared"),
        drop_old::<DropOldSpmc>("bbq-drop_old_spmc"),
        drop_old::<DropOldMpmc>("bbq-drop_old_mpmc"),
    ]
}
