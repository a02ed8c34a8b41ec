//! Z35: tokio #2361, its run queue. A worker steals into its own queue, and counts the free slots
//! from its own head.
//!
//! Slots that a thief has claimed and still copies from count as free, and are overwritten. The
//! repaired form counts from the thieves' head.

use std::sync::Arc;

use super::super::spawn;
use super::run_queue::{RoomFrom, RunQueue};

/// A thief steals from a full queue, while its owner empties it and puts in tasks that it has
/// stolen elsewhere.
fn client(room_from: RoomFrom) {
    let queue = Arc::new(RunQueue::<2, 16>::new());
    queue.push(1, room_from);
    queue.push(2, room_from);
    let thief = {
        let queue = Arc::clone(&queue);
        spawn(move || queue.steal())
    };
    let elsewhere = RunQueue::<2, 16>::new();
    elsewhere.push(3, room_from);
    while queue.pop().is_some() {}
    if let Some(task) = elsewhere.steal() {
        queue.push(task, room_from);
    }
    let stolen = thief.join().unwrap();
    let left = queue.pop();
    assert!(stolen.is_none() || stolen != left, "a task was taken twice");
}

pub(crate) fn broken() {
    client(RoomFrom::Owners);
}

pub(crate) fn repaired() {
    client(RoomFrom::Thieves);
}
