//! Several producers and consumers of one queue. One at a time is killed.

use std::thread;

use crate::common::Random;
use crate::counts::{Counts, NUMBERS};
use crate::process::{Child, Notes, kills, pause, until};

/// The number of processes of each side.
pub(crate) const SIDE: usize = 3;

/// Pushes numbers. Notes in word 0 how many pushes have returned, and in word 1 that the process
/// has started.
pub(crate) fn push_numbers(notes: &Notes, mut push: impl FnMut(u64) -> bool) -> ! {
    notes.set(1, 1);
    let mut number = 0;
    while number < NUMBERS {
        if push(number) {
            number += 1;
            notes.set(0, number);
        } else {
            thread::yield_now();
        }
    }
    loop {
        thread::park();
    }
}

/// The processes that were killed.
pub(crate) struct Killed {
    /// Each producer's number, and how many of its pushes have returned.
    pushed: Vec<(u64, u64)>,
    /// The number of consumers.
    pub(crate) consumers: u64,
}

/// Keeps three producers and three consumers alive, and kills one of them at a time, and finally
/// all. Each producer has a number of its own.
pub(crate) fn kill_both_sides(random: &mut Random, produce: impl Fn(u64, &Notes), consume: impl Fn(&Notes)) -> Killed {
    let (mut started, mut killed) = (0, Killed { pushed: Vec::new(), consumers: 0 });
    let (mut producers, mut consumers) = (Vec::new(), Vec::new());
    for _ in 0..kills() {
        while producers.len() < SIDE {
            let notes = Notes::new();
            let child = Child::new(|| produce(started, &notes));
            producers.push((started, child, notes));
            started += 1;
        }
        while consumers.len() < SIDE {
            let notes = Notes::new();
            let child = Child::new(|| consume(&notes));
            consumers.push((child, notes));
        }
        let all = producers.iter().map(|(_, _, notes)| notes).chain(consumers.iter().map(|(_, notes)| notes));
        all.for_each(|notes| until(|| notes.get(1) == 1));
        pause(random);
        let which = random.below(SIDE as u64) as usize;
        if random.below(2) == 0 {
            let (process, child, notes) = producers.swap_remove(which);
            child.kill();
            killed.pushed.push((process, notes.get(0)));
        } else {
            consumers.swap_remove(which).0.kill();
            killed.consumers += 1;
        }
    }
    for (process, child, notes) in producers {
        child.kill();
        killed.pushed.push((process, notes.get(0)));
    }
    for (child, _) in consumers {
        child.kill();
        killed.consumers += 1;
    }
    killed
}

/// Numbers of items that were popped, lost, and popped twice.
pub(crate) struct Tally {
    pub(crate) came: u64,
    pub(crate) lost: u64,
    pub(crate) twice: u64,
}

impl Killed {
    /// Compares the pushed numbers with the popped ones.
    pub(crate) fn tally(&self, counts: &Counts) -> Tally {
        let mut tally = Tally { came: 0, lost: 0, twice: 0 };
        for &(process, returned) in &self.pushed {
            for (number, count) in counts.of(process).enumerate() {
                assert!(
                    count <= 2 && (count == 0 || number as u64 <= returned),
                    "{number} of {returned} came {count} times"
                );
                tally.came += u64::from(count > 0);
                tally.lost += u64::from(count == 0 && (number as u64) < returned);
                tally.twice += u64::from(count == 2);
            }
        }
        tally
    }
}
