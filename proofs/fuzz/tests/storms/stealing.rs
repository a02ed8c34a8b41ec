//! BWoS in both orders: seven thieves steal from an owner that now and then stands still, with
//! requests and seizures. Each item comes once.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering::SeqCst};
use std::thread;
use std::time::Duration;

use aqueduct::bwos::{Geometry, Steal, fifo, lifo};
use aqueduct_fuzz::Random;

use crate::weather::{storm, threads};

/// By item: the number of times that it came.
struct Seen(Vec<AtomicU8>);

impl Seen {
    /// Boxed items, so that a memory checker sees one that is read twice or not at all.
    fn take(&self, item: Box<usize>) {
        assert_eq!(self.0[*item].fetch_add(1, SeqCst), 0, "item {item} came twice");
    }
}

macro_rules! round_of {
    ($order:ident, $random:expr) => {{
        let random: &mut Random = $random;
        let geometry = Geometry::new(2 + random.below(4), 1 + random.below(9)).expect("a small queue");
        let (mut owner, stealer) = $order::with_geometry::<Box<usize>>(geometry).expect("a small queue");
        let items = 2000 + random.below(3000);
        let seen = Seen((0..items).map(|_| AtomicU8::new(0)).collect());
        let ended = AtomicBool::new(false);
        thread::scope(|scope| {
            for _ in 1..threads() {
                let (stealer, mut random, seen, ended) = (stealer.clone(), random.fork(), &seen, &ended);
                scope.spawn(move || {
                    let (mut own, _stealer) = $order::new::<Box<usize>>(64).expect("a small queue");
                    loop {
                        let is_last = ended.load(SeqCst);
                        let got = match random.below(5) {
                            0 | 1 => stealer.steal(),
                            2 => stealer.steal_batch_and_pop(&mut own, 1 + random.below(8)),
                            3 => {
                                stealer.request();
                                thread::yield_now();
                                stealer.seize()
                            }
                            _ => stealer.seize(),
                        };
                        let found = matches!(got, Steal::Success(_));
                        if let Steal::Success(item) = got {
                            seen.take(item);
                        }
                        own.drain().for_each(|item| seen.take(item));
                        if is_last && !found && stealer.is_empty() {
                            break;
                        }
                    }
                });
            }
            let mut next = 0;
            while next < items {
                match random.below(16) {
                    0..=8 => match owner.push(Box::new(next)) {
                        Ok(()) => next += 1,
                        Err(_) => owner.pop().into_iter().for_each(|item| seen.take(item)),
                    },
                    9..=13 => owner.pop().into_iter().for_each(|item| seen.take(item)),
                    14 if random.one_in(8) => thread::sleep(Duration::from_micros(random.below(200) as u64)),
                    14 => thread::yield_now(),
                    _ => assert!(owner.len() <= next, "more items than were pushed"),
                }
            }
            // Thieves take the rest, or the owner does.
            if random.one_in(2) {
                owner.drain().for_each(|item| seen.take(item));
            }
            drop(owner);
            ended.store(true, SeqCst);
        });
        for (item, count) in seen.0.iter().enumerate() {
            assert_eq!(count.load(SeqCst), 1, "item {item} of {items}, {geometry:?}");
        }
        items
    }};
}

#[test]
fn each_item_comes_once() {
    storm(
        "work stealing",
        "items",
        |random| {
            if random.one_in(2) { round_of!(lifo, random) } else { round_of!(fifo, random) }
        },
    );
}
