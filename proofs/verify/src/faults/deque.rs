//! A small LIFO queue with faults on request: the clients have to find each.

use std::sync::Arc;

use aqueduct_model::sync::atomic::{AtomicUsize, Ordering};
use aqueduct_model::thread;

use crate::clients::Client;

/// The fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// The queue is right.
    None,
    /// A thief that goes on to the next block resets its `s_pos`, as the paper's first version did
    /// (Z47 in our bug zoo).
    ThiefResets,
    /// The owner resets `s_cnt`, and grants with a relaxed store, so that an increment before the
    /// reset is lost (L1).
    RelaxedGrant,
    /// Thieves keep no lap with their block's number, so a slow thief skips a block that was
    /// refilled meanwhile.
    SkipsRefilled,
}

/// The number of blocks of one entry each. A block's number counts on: its remainder is its index,
/// the rest its lap.
const BLOCKS: usize = 3;

#[derive(Default)]
struct Block {
    s_pos: AtomicUsize,
    s_cnt: AtomicUsize,
    entry: AtomicUsize,
}

/// The value of the `s_pos` of a closed block.
const CLOSED: usize = 0;
const GRANTED: usize = 1;
const USED_UP: usize = 2;

fn word(number: usize, state: usize) -> usize {
    number << 2 | state
}

#[derive(Default)]
struct Shared {
    blocks: [Block; BLOCKS],
    bottom: AtomicUsize,
}

impl Shared {
    fn block(&self, number: usize) -> &Block {
        &self.blocks[number % BLOCKS]
    }
}

/// The owner. Its position in the top block is whether that block holds an item of its own.
struct Owner {
    shared: Arc<Shared>,
    fault: Fault,
    top: usize,
    has: bool,
}

impl Owner {
    fn new(fault: Fault) -> Self {
        let shared = Shared::default();
        for number in 0..BLOCKS {
            shared.block(number).s_pos.store(word(number, USED_UP), Ordering::Relaxed);
            shared.block(number).s_cnt.store(1, Ordering::Relaxed);
            // Under another fault, an item that is not visible yet counts as a visible one.
            shared.block(number).entry.store(1, Ordering::Relaxed);
        }
        shared.bottom.store(BLOCKS, Ordering::Relaxed);
        let mut owner = Self { shared: Arc::new(shared), fault, top: BLOCKS, has: false };
        owner.enter(BLOCKS);
        owner
    }

    fn enter(&mut self, number: usize) {
        let block = self.shared.block(number);
        if self.fault == Fault::RelaxedGrant {
            block.s_cnt.store(0, Ordering::Relaxed);
        }
        block.s_pos.store(word(number, CLOSED), Ordering::Relaxed);
        (self.top, self.has) = (number, false);
    }

    fn push(&mut self, item: usize) -> bool {
        if self.has {
            let read = self.shared.block(self.top + 1).s_cnt.load(Ordering::Acquire);
            let rounds = if self.fault == Fault::RelaxedGrant { 1 } else { (self.top + 1) / BLOCKS };
            if read != rounds {
                return false;
            }
            let grant = if self.fault == Fault::RelaxedGrant { Ordering::Relaxed } else { Ordering::Release };
            self.shared.block(self.top).s_pos.store(word(self.top, GRANTED), grant);
            self.enter(self.top + 1);
        }
        self.shared.block(self.top).entry.store(item, Ordering::Relaxed);
        self.has = true;
        true
    }

    fn pop(&mut self) -> usize {
        if !self.has {
            let below = self.shared.block(self.top - 1);
            if below.s_pos.load(Ordering::Relaxed) != word(self.top - 1, GRANTED)
                || below.s_pos.swap(word(self.top - 1, CLOSED), Ordering::Relaxed) != word(self.top - 1, GRANTED)
            {
                return 0;
            }
            self.top -= 1;
        }
        self.has = false;
        self.shared.block(self.top).entry.load(Ordering::Relaxed)
    }
}

/// Steals an item. Returns 0 if there is none.
fn steal(shared: &Shared, fault: Fault) -> usize {
    let mut at = shared.bottom.load(Ordering::Relaxed);
    for _ in 0..=BLOCKS {
        let block = shared.block(at);
        let found = block.s_pos.load(Ordering::Relaxed);
        // Without laps, a thief identifies a block by its content.
        let number = if fault == Fault::SkipsRefilled { found >> 2 } else { at };
        if found == word(number, GRANTED) {
            let claimed =
                block.s_pos.compare_exchange(found, word(number, USED_UP), Ordering::Acquire, Ordering::Relaxed);
            if claimed.is_err() {
                return 0;
            }
            let item = block.entry.load(Ordering::Relaxed);
            block.s_cnt.fetch_add(1, Ordering::Release);
            return item;
        }
        if found != word(number, USED_UP) && found >> 2 != number + BLOCKS {
            return 0;
        }
        let next = if fault == Fault::SkipsRefilled { BLOCKS + (at + 1) % BLOCKS } else { at + 1 };
        if fault == Fault::ThiefResets && shared.block(next).s_pos.load(Ordering::Relaxed) == word(next, GRANTED) {
            shared.block(next).s_pos.store(word(next, GRANTED), Ordering::Relaxed);
        }
        at = match shared.bottom.compare_exchange(at, next, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => next,
            Err(other) => other,
        };
    }
    0
}

fn spawn(owner: &Owner, steals: usize) -> thread::JoinHandle<usize> {
    let (shared, fault) = (Arc::clone(&owner.shared), owner.fault);
    thread::spawn(move || (0..steals).map(|_| steal(&shared, fault)).sum())
}

/// The owner goes down to a block that a thief comes up to. Each item comes once.
fn meeting(fault: Fault) {
    let mut owner = Owner::new(fault);
    assert!([1, 2, 4].into_iter().all(|item| owner.push(item)));
    let thief = spawn(&owner, 2);
    let mut came = owner.pop() + owner.pop();
    came += thief.join().expect("a model thread that fails ends the execution");
    came += owner.pop() + owner.pop();
    assert_eq!(came, 7, "the sum of what came");
}

/// The owner fills a block again that thieves have emptied.
fn again(fault: Fault) {
    let mut owner = Owner::new(fault);
    let thief = spawn(&owner, 2);
    assert!([1, 1, 1].into_iter().all(|item| owner.push(item)));
    let stolen = thief.join().expect("a model thread that fails ends the execution");
    assert!((0..stolen).all(|_| owner.push(1)), "full, though {stolen} items were stolen");
}

/// After all other threads, a thief finds the granted items.
fn found(fault: Fault) {
    let mut owner = Owner::new(fault);
    assert!([1, 1].into_iter().all(|item| owner.push(item)));
    let thief = spawn(&owner, 2);
    let mut stolen = steal(&owner.shared, fault);
    for _ in 0..3 {
        owner.push(1);
        stolen += steal(&owner.shared, fault);
    }
    stolen += thief.join().expect("a model thread that fails ends the execution");
    let granted = owner.shared.blocks.iter().filter(|block| block.s_pos.load(Ordering::Relaxed) & 3 == GRANTED).count();
    let more: usize = (0..granted).map(|_| steal(&owner.shared, fault)).sum();
    assert_eq!(more, granted, "after {stolen} were stolen");
}

/// Returns the clients of a queue with that fault.
#[must_use]
pub fn clients(fault: Fault) -> Vec<Client> {
    let client = |name: &str, run: fn(Fault)| Client::new(format!("bwos-broken/{name}"), move || run(fault));
    vec![client("meeting", meeting), client("again", again), client("found", found)]
}
