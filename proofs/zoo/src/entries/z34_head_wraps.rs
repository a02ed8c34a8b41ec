//! Z34: tokio #5041, its run queue. Indices of 16 bits wrap during a theft.
//!
//! They wrap while a thief is between its load of the tail and its compare-exchange of the head:
//! the head has its old value again, and the thief steals tasks that were taken. Here the indices
//! have one bit. Wider indices repair it.

use std::sync::Arc;

use super::super::spawn;
use super::run_queue::{RoomFrom, RunQueue};

/// The queue has a capacity of one task: the owner pops, pushes and pops while a thief steals. No
/// task comes out twice.
fn client<const BITS: u32>() {
    let queue = Arc::new(RunQueue::<1, BITS>::new());
    queue.push(1, RoomFrom::Thieves);
    let thief = {
        let queue = Arc::clone(&queue);
        spawn(move || queue.steal())
    };
    let first = queue.pop();
    queue.push(2, RoomFrom::Thieves);
    let second = queue.pop();
    let stolen = thief.join().unwrap();
    assert!(stolen.is_none() || (stolen != first && stolen != second), "a task was taken twice");
}

pub(crate) fn broken() {
    client::<1>();
}

pub(crate) fn repaired() {
    client::<16>();
}
