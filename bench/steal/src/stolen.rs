//! An owner and a thief that gets a fixed share of the items.
//!
//! As in J. Wang's thesis (section 4.6.2), the ratio of the owner's puts and gets leaves the share
//! to the thief, and the thief idles while it is ahead of its share. The owner fills the queue,
//! takes its own share out, and fills again. If the thief is behind by more than a filling's share,
//! the owner waits for it before it fills: so every queue is measured with the same share. The time
//! that the owner is not waiting is measured too. The thief publishes its number of items after
//! every 32 of them, and where it can get no more. The line of that number moves from core to core;
//! publishing each item would be most of the cost of a theft.

use std::hint::black_box;
use std::mem::ManuallyDrop;
use std::time::{Duration, Instant};

use super::kind::{Kind, Owner, Room, Thief, all_came, drain, item};
use super::pair::{End, Line, idle, pair};
use aqueduct_measure::items::Item;
use aqueduct_measure::rounds::Fault;

/// One measurement with a thief.
#[derive(Clone, Copy, Debug)]
pub struct Stolen {
    /// Items of a filling: what the queue can hold.
    pub capacity: usize,
    /// The number of blocks, for a queue whose number of blocks can be chosen.
    pub blocks: Option<usize>,
    /// Items that the owner pushes.
    pub items: u64,
    /// The percentage of them that is for the thief.
    pub percent: u32,
    /// Items that the thief steals per call; 1 is the single-item interface.
    pub batch: usize,
    /// True if the thief takes nothing, and reads the number of items in place of each theft.
    pub only_looks: bool,
    /// The cores of owner and thief.
    pub cores: [Option<usize>; 2],
    /// The time limit of the owner's wait for the thief, after which the run counts as broken.
    pub patience: Duration,
}

impl Stolen {
    /// Returns the thief's share of `items`.
    fn share(&self, items: u64) -> u64 {
        items / 100 * u64::from(self.percent) + items % 100 * u64::from(self.percent) / 100
    }

    /// Returns the number of items that `acts` acts of the thief take out.
    fn taken_by(&self, acts: u64) -> u64 {
        if self.only_looks { 0 } else { acts }
    }
}

/// The result of a measurement with a thief.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shared {
    /// Items that went through the queue while the clock ran.
    pub items: u64,
    /// Items that were stolen, the last few after that.
    pub stolen: u64,
    /// The owner's operations that pushed or took an item.
    pub operations: u64,
    /// The time that it took.
    pub elapsed: Duration,
    /// The part of it in which the owner pushed and took items.
    pub busy: Duration,
}

impl Shared {
    /// Million items per second, taken by the owner or by the thief.
    #[must_use]
    pub fn mitems_per_second(&self) -> f64 {
        self.items as f64 / self.elapsed.as_secs_f64().max(1e-9) / 1e6
    }

    /// Million pairs of the owner's operations per second, without the time of its waits for the
    /// thief. It is what [`mitems_per_second`](super::Drained::mitems_per_second) is of the owner
    /// alone.
    #[must_use]
    pub fn owner_mitems_per_second(&self) -> f64 {
        self.operations as f64 / 2.0 / self.busy.as_secs_f64().max(1e-9) / 1e6
    }
}

/// The messages between owner and thief.
struct Board {
    end: End,
    /// Items that the thief may have stolen by now.
    quota: Line,
    stolen: Line,
}

/// The result of the owner's work.
struct Owned<O> {
    owner: O,
    pushed: u64,
    popped: u64,
    sum: u64,
    /// Items that owner and thief had taken when the clock stopped.
    taken: u64,
    elapsed: Duration,
    busy: Duration,
    stuck: bool,
}

/// Runs the measurement on a fresh queue of that kind.
pub(super) fn stolen<K: Kind>(spec: &Stolen) -> Result<Shared, Fault> {
    let (owner, thief) = K::open(Room { capacity: spec.capacity, blocks: spec.blocks, percent: spec.percent })
        .map_err(Fault::Refused)?;
    let board = Board { end: End::new(spec.patience), quota: Line::default(), stolen: Line::default() };
    let robs = || if spec.only_looks { look(&board, thief) } else { rob(spec, &board, thief) };
    let (owned, robbed) = pair(spec.cores, &board.end, || work(spec, &board, owner), robs)?;
    check(spec, owned, robbed)
}

/// Pushes all items and takes those that are not the thief's.
fn work<O: Owner>(spec: &Stolen, board: &Board, owner: O) -> Owned<O> {
    /// Cycles without a push after which the queue counts as stuck.
    const MOST_REFUSALS: u32 = 10_000_000;
    // The handle lives in a local, where it can live in registers, as in a user's loop.
    let mut owner = ManuallyDrop::new(owner);
    let (mut pushed, mut popped, mut sum) = (0, 0, 0_u64);
    let slack = spec.share(spec.capacity as u64) / 2;
    let (mut busy, mut stuck, mut refusals) = (Duration::ZERO, false, 0_u32);
    let begin = Instant::now();
    while pushed < spec.items && !stuck {
        let before = pushed;
        let known = board.stolen.get();
        let inside = pushed - popped - spec.taken_by(known);
        let room = (spec.capacity as u64).saturating_sub(inside).min(spec.items - pushed);
        let started = Instant::now();
        while pushed < before + room && owner.push(item(pushed + 1)) {
            pushed += 1;
        }
        board.quota.set(spec.share(pushed));
        let own = pushed - spec.taken_by(spec.share(pushed));
        while popped < own
            && let Some(item) = owner.pop()
        {
            popped += 1;
            sum = sum.wrapping_add(item.get());
        }
        busy += started.elapsed();
        // A queue that accepts no item is full of items for the thief. If the thief has had its
        // share, the owner does not wait for it; a queue that still refuses is stuck.
        refusals = if pushed == before { refusals + 1 } else { 0 };
        let share = spec.share(pushed);
        let enough = if refusals > 0 { share.min(known + 1) } else { share.saturating_sub(slack) };
        // Locals whose addresses are not taken can live in registers.
        let (mut more, mut of_more) = (0, 0);
        stuck = refusals > MOST_REFUSALS || !wait_for_thief(board, enough, &mut *owner, &mut more, &mut of_more);
        (popped, sum) = (popped + more, sum.wrapping_add(of_more));
    }
    let elapsed = begin.elapsed();
    let taken = popped + spec.taken_by(board.stolen.get());
    Owned { owner: ManuallyDrop::into_inner(owner), pushed, popped, sum, taken, elapsed, busy, stuck }
}

/// Waits until that many items are stolen, and returns whether they were. Now and then, the owner
/// takes an item and puts it back, as an owner with work would: an idle owner gives no items away.
/// An item that it cannot put back counts as taken.
#[cold]
#[inline(never)]
fn wait_for_thief(board: &Board, enough: u64, owner: &mut impl Owner, popped: &mut u64, sum: &mut u64) -> bool {
    let mut in_hand = None;
    let put_back = || {
        in_hand = in_hand.or_else(|| owner.pop());
        in_hand = in_hand.filter(|&item| !owner.push(item));
    };
    let is_enough = board.end.wait_until(|| board.stolen.get() >= enough, put_back);
    if let Some(item) = in_hand {
        *popped += 1;
        *sum = sum.wrapping_add(item.get());
    }
    is_enough
}

/// Items that a thief gets before it publishes their number.
const UNPUBLISHED: u64 = 32;

/// Steals as much as it may until the run is over. Returns the number of items, and their sum.
fn rob(spec: &Stolen, board: &Board, thief: impl Thief) -> (u64, u64) {
    let mut thief = ManuallyDrop::new(thief);
    let mut items = vec![Item::MIN; spec.batch];
    let (mut stolen, mut published, mut sum, mut failures) = (0, 0, 0_u64, 0);
    while !board.end.is_over() {
        let allowed = board.quota.get().saturating_sub(stolen).min(spec.batch as u64) as usize;
        let got = match allowed {
            0 => 0,
            1.. if spec.batch == 1 => thief.steal_one().map_or(0, |item| {
                items[0] = item;
                1
            }),
            _ => thief.steal_batch(&mut items[..allowed]),
        };
        failures = if got == 0 { failures } else { 0 };
        sum = items[..got].iter().fold(sum, |sum, item| sum.wrapping_add(item.get()));
        stolen += got as u64;
        if stolen >= published + UNPUBLISHED || (got == 0 && stolen > published) {
            board.stolen.set(stolen);
            published = stolen;
        }
        if got == 0 {
            idle(&mut failures);
        }
    }
    drop(ManuallyDrop::into_inner(thief));
    (stolen, sum)
}

/// Reads the number of items as often as it may, until the run is over. Returns that it got
/// nothing.
fn look(board: &Board, thief: impl Thief) -> (u64, u64) {
    let thief = ManuallyDrop::new(thief);
    let (mut looks, mut failures) = (0, 0);
    while !board.end.is_over() {
        if looks < board.quota.get() {
            black_box(thief.estimate());
            looks += 1;
            // As often as a stealing thief publishes its number of items.
            if looks.is_multiple_of(UNPUBLISHED) {
                board.stolen.set(looks);
            }
            failures = 0;
        } else {
            board.stolen.set(looks);
            idle(&mut failures);
        }
    }
    drop(ManuallyDrop::into_inner(thief));
    (0, 0)
}

/// Empties the queue. Returns the figures, if all items came, each once.
fn check(spec: &Stolen, owned: Owned<impl Owner>, (stolen, of_stolen): (u64, u64)) -> Result<Shared, Fault> {
    let Owned { mut owner, pushed, popped, sum, taken, elapsed, busy, stuck } = owned;
    let operations = pushed + popped;
    let (left, of_left) = drain(&mut owner);
    let came = popped + left + stolen;
    all_came(pushed, (came, sum.wrapping_add(of_left).wrapping_add(of_stolen)))?;
    if stuck {
        return Err(Fault::Stuck { popped: came, wanted: spec.items });
    }
    Ok(Shared { items: taken, stolen, operations, elapsed, busy })
}
