//! The steps of a client's two threads, and the checks at each step.
//!
//! The producer numbers the accepted items 1, 2, 3 and so on; a refused item gives its number to
//! the next. So the next item of the consumer is determined: order, loss and duplicates are one
//! comparison.

use aqueduct_model::hint::await_some;
use aqueduct_model::{await_until, thread};

use crate::clients::item::Item;
use crate::clients::spsc::queue::{
    BatchConsumer, BatchProducer, Close, Consumer, Producer, Queue, RunConsumer, SliceConsumer, SliceProducer,
};

/// The producer's end, and the counts that its steps need.
#[allow(missing_debug_implementations)]
pub struct Pushing<Q: Queue> {
    end: Q::Producer,
    /// The number of items that the queue has accepted.
    taken: u64,
    /// The number of items that passed through the queue before the threads began.
    before: u64,
}

/// The consumer's end, and the numbers that its checks need.
#[allow(missing_debug_implementations)]
pub struct Popping<Q: Queue> {
    end: Q::Consumer,
    /// The number of the last popped item.
    last: u64,
    /// Whether a forgotten batch may have swallowed items.
    gaps: bool,
}

impl<Q: Queue> Pushing<Q> {
    /// Returns the producer's end.
    pub fn end(&mut self) -> &mut Q::Producer {
        &mut self.end
    }

    /// Returns the number of items that passed through the queue before the threads began.
    pub fn before(&self) -> u64 {
        self.before
    }
}

impl<Q: Queue> Popping<Q> {
    /// Returns the consumer's end.
    pub fn end(&mut self) -> &mut Q::Consumer {
        &mut self.end
    }

    fn got(&mut self, item: Q::Item) {
        self.saw(&item);
    }

    /// Asserts that this item is the next one.
    pub fn saw(&mut self, item: &Q::Item) {
        let number = item.number();
        if self.gaps {
            assert!(number > self.last, "item {number} came after item {}", self.last);
        } else {
            assert_eq!(number, self.last + 1, "item {number} came after item {}", self.last);
        }
        self.last = number;
    }
}

/// A step of a thread.
pub type Step<S> = fn(&mut S);

/// The end of a client.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// Each thread drops its end when it is done. Items that are left are dropped with the queue.
    Drop,
    /// One thread gets both ends, checks all answers of the queue, and empties it.
    Settle,
}

/// The steps of a whole client.
#[derive(Debug)]
pub struct Script<Q: Queue> {
    /// The number of items that pass through the queue before the threads begin. If there are any,
    /// it is then empty.
    pub before: usize,
    /// The number of items in the queue when the threads begin, or as many as fit.
    pub filled: usize,
    /// The producer's steps.
    pub producer: &'static [Step<Pushing<Q>>],
    /// The consumer's steps.
    pub consumer: &'static [Step<Popping<Q>>],
    /// Whether the scripts forget batches, so that items may never come.
    pub gaps: bool,
    /// The end of the client.
    pub end: End,
}

impl<Q: Queue> Clone for Script<Q> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<Q: Queue> Copy for Script<Q> {}

impl<Q: Queue> Script<Q> {
    /// A script without steps that ends with [`End::Settle`].
    pub const EMPTY: Self = Self { before: 0, filled: 0, producer: &[], consumer: &[], gaps: false, end: End::Settle };

    /// Returns this script with `before` items through the queue first.
    pub const fn before(self, before: usize) -> Self {
        Self { before, ..self }
    }

    /// Returns this script with `filled` items in the queue first, or as many as fit.
    pub const fn filled(self, filled: usize) -> Self {
        Self { filled, ..self }
    }

    /// Returns this script with permission to lose the items of forgotten batches.
    pub const fn gaps(self) -> Self {
        Self { gaps: true, ..self }
    }

    /// Returns this script with this end.
    pub const fn ending(self, end: End) -> Self {
        Self { end, ..self }
    }

    /// Returns this script with these steps.
    pub const fn does(self, producer: &'static [Step<Pushing<Q>>], consumer: &'static [Step<Popping<Q>>]) -> Self {
        Self { producer, consumer, ..self }
    }

    /// Runs the script once. The model calls it for each execution.
    pub fn run(&self, queue: Q) {
        let (producer, consumer) = queue.ends();
        let mut pushing = Pushing::<Q> { end: producer, taken: 0, before: self.before as u64 };
        let mut popping = Popping::<Q> { end: consumer, last: 0, gaps: self.gaps };
        for _ in 0..self.before {
            push_accepted(&mut pushing);
            pop_some(&mut popping);
        }
        if self.before > 0 {
            // A consumer that reports late reports now, at any position in a line or partition.
            assert!(popping.end.pop().is_none(), "an item that nobody pushed");
        }
        for _ in 0..self.filled {
            if !try_push(&mut pushing) {
                break;
            }
        }
        let (steps, end) = (self.producer, self.end);
        let thread = thread::spawn(move || {
            steps.iter().for_each(|step| step(&mut pushing));
            (end == End::Settle).then_some(pushing)
        });
        self.consumer.iter().for_each(|step| step(&mut popping));
        match end {
            End::Drop => drop((popping, thread)),
            End::Settle => {
                let pushing = thread.join().expect("a model thread that fails ends the execution");
                settle(queue, pushing.expect("the producer comes back"), popping);
            }
        }
    }
}

/// Checks all answers of both ends while they rest.
fn settle<Q: Queue>(queue: Q, mut pushing: Pushing<Q>, mut popping: Popping<Q>) {
    let capacity = queue.capacity();
    assert_eq!(pushing.end.capacity(), capacity);
    let left = popping.end.len();
    if !popping.gaps {
        assert_eq!(left as u64, pushing.taken - popping.last, "items counted by the consumer at rest");
    }
    assert_eq!(popping.end.is_empty(), left == 0, "empty at rest");
    assert!(pushing.end.len() >= left, "items counted by the producer at rest");
    assert_eq!(pushing.end.is_empty(), pushing.end.len() == 0, "empty for the producer at rest");
    let full = pushing.end.is_full();
    if Q::EXACT && !popping.gaps {
        assert_eq!(pushing.end.len(), left, "items counted by the producer at rest");
        assert_eq!(full, left == capacity, "full at rest");
    }
    assert!(!full || left >= capacity || popping.gaps, "full with fewer items than were asked for");
    assert_eq!(try_push(&mut pushing), !full, "a push at rest, against what the producer said");
    while let Some(item) = popping.end.pop() {
        popping.got(item);
    }
    assert!(popping.gaps || popping.last == pushing.taken, "items are missing at rest");
    drop(pushing);
    assert!(popping.end.is_closed() && popping.end.is_empty(), "the producer has gone, and nothing is left");
}

fn try_push<Q: Queue>(pushing: &mut Pushing<Q>) -> bool {
    let taken = pushing.end.push(Item::new(pushing.taken + 1)).is_ok();
    pushing.taken += u64::from(taken);
    taken
}

/// Returns items with numbers from `taken + 1` on. The caller raises `taken` by those that are
/// accepted.
fn numbered<T: Item>(taken: u64, count: usize) -> impl Iterator<Item = T> {
    (taken + 1..).take(count).map(T::new)
}

/// Pushes once, and accepts a refusal.
pub fn push<Q: Queue>(pushing: &mut Pushing<Q>) {
    try_push(pushing);
}

/// Pushes once. There must be room.
pub fn push_accepted<Q: Queue>(pushing: &mut Pushing<Q>) {
    assert!(try_push(pushing), "a push was refused while there was room");
}

/// Waits until there is room, and pushes.
pub fn push_waiting<Q: Queue>(pushing: &mut Pushing<Q>) {
    await_until(|| !pushing.end.is_full());
    push_accepted(pushing);
}

/// Retries a push with the item that came back, until the queue accepts it.
pub fn push_retrying<Q: Queue>(pushing: &mut Pushing<Q>) {
    let mut item = Some(Item::new(pushing.taken + 1));
    await_until(|| {
        item = item.take().and_then(|item| pushing.end.push(item).err());
        item.is_none()
    });
    pushing.taken += 1;
}

/// Pushes once if `is_full` is false. The push must then succeed.
pub fn push_into_room<Q: Queue>(pushing: &mut Pushing<Q>) {
    if !pushing.end.is_full() {
        push_accepted(pushing);
    }
}

/// Pushes once. Before, `len` must not be more than the queue has ever accepted.
pub fn push_counting<Q: Queue>(pushing: &mut Pushing<Q>) {
    let len = pushing.end.len() as u64;
    assert!(len <= pushing.taken, "{len} items counted after {} pushes", pushing.taken);
    push(pushing);
}

/// Pushes once if the consumer has gone. The item is dropped with the queue.
pub fn push_if_abandoned<Q: Queue>(pushing: &mut Pushing<Q>) {
    if pushing.end.is_closed() {
        try_push(pushing);
    }
}

/// Pushes up to `N` items in one batch.
pub fn push_batch<Q: Queue<Producer: BatchProducer>, const N: usize>(pushing: &mut Pushing<Q>) {
    let count = pushing.end.batch(N, &mut numbered(pushing.taken, N), Close::Properly);
    pushing.taken += count as u64;
}

/// Pushes up to `N` items in one batch, and forgets it.
pub fn push_forgotten_batch<Q: Queue<Producer: BatchProducer>, const N: usize>(pushing: &mut Pushing<Q>) {
    let count = pushing.end.batch(N, &mut numbered(pushing.taken, N), Close::Forgotten);
    pushing.taken += count as u64;
}

/// Writes up to `N` items in place in one batch.
pub fn push_runs<Q: Queue<Producer: BatchProducer>, const N: usize>(pushing: &mut Pushing<Q>) {
    let count = pushing.end.runs(N, &mut numbered(pushing.taken, N));
    pushing.taken += count as u64;
}

/// Pushes up to `N` plain items as a slice.
pub fn push_slice<Q: Queue<Producer: SliceProducer>, const N: usize>(pushing: &mut Pushing<Q>) {
    let items: [Q::Item; N] = std::array::from_fn(|i| Item::new(pushing.taken + 1 + i as u64));
    pushing.taken += pushing.end.push_slice(&items) as u64;
}

/// Pops once, and accepts an empty queue.
pub fn pop<Q: Queue>(popping: &mut Popping<Q>) {
    if let Some(item) = popping.end.pop() {
        popping.got(item);
    }
}

/// Pops once. There must be an item.
pub fn pop_some<Q: Queue>(popping: &mut Popping<Q>) {
    let item = popping.end.pop().expect("nothing came while there was an item");
    popping.got(item);
}

/// Waits until there is an item, and pops it.
pub fn pop_waiting<Q: Queue>(popping: &mut Popping<Q>) {
    await_until(|| !popping.end.is_empty());
    pop_some(popping);
}

/// Retries a pop until an item comes.
pub fn pop_retrying<Q: Queue>(popping: &mut Popping<Q>) {
    let item = await_some(|| popping.end.pop());
    popping.got(item);
}

/// Pops once if `is_empty` is false. The pop must then find an item.
pub fn pop_seen<Q: Queue>(popping: &mut Popping<Q>) {
    if !popping.end.is_empty() {
        pop_some(popping);
    }
}

/// Checks that `len` is at most the `N` items that are pushed in all. If the queue counts visible
/// items, pops that number.
pub fn pop_counted<Q: Queue, const N: u64>(popping: &mut Popping<Q>) {
    let len = popping.end.len();
    assert!(len as u64 <= N - popping.last, "{len} items counted, {} of {N} popped", popping.last);
    for _ in 0..if Q::COUNTS_SEEN { len } else { 0 } {
        pop_some(popping);
    }
    pop(popping);
}

/// Pops all of the `N` items that are left, if the producer has gone.
pub fn pop_last<Q: Queue, const N: u64>(popping: &mut Popping<Q>) {
    if popping.end.is_closed() {
        while let Some(item) = popping.end.pop() {
            popping.got(item);
        }
        assert_eq!(popping.last, N, "the producer had gone and its last items did not come");
    }
}

/// Takes up to `TAKE` items out of one batch for up to `MOST`.
pub fn pop_batch<Q: Queue<Consumer: BatchConsumer>, const MOST: usize, const TAKE: usize>(popping: &mut Popping<Q>) {
    close_batch(popping, MOST, TAKE, Close::Properly);
}

/// Takes up to `TAKE` items out of one batch for up to `MOST`, and forgets the batch.
pub fn pop_forgotten_batch<Q: Queue<Consumer: BatchConsumer>, const MOST: usize, const TAKE: usize>(
    popping: &mut Popping<Q>,
) {
    close_batch(popping, MOST, TAKE, Close::Forgotten);
}

fn close_batch<Q: Queue<Consumer: BatchConsumer>>(popping: &mut Popping<Q>, most: usize, take: usize, close: Close) {
    let mut items: [Option<Q::Item>; 4] = [const { None }; 4];
    let mut count = 0;
    popping.end.batch(most, take, &mut |item| (items[count], count) = (Some(item), count + 1), close);
    items.into_iter().flatten().for_each(|item| popping.got(item));
}

/// Pops as many of `N` items as `available` returns. They must come.
pub fn pop_available<Q: Queue<Consumer: BatchConsumer>, const N: usize>(popping: &mut Popping<Q>) {
    for _ in 0..popping.end.available(N).min(N) {
        pop_some(popping);
    }
}

/// Reads up to `N` items in place, then drops them.
pub fn pop_runs<Q: Queue<Consumer: RunConsumer>, const N: usize>(popping: &mut Popping<Q>) {
    let (gaps, mut last) = (popping.gaps, popping.last);
    popping.end.runs(N, &mut |item| {
        let number = item.number();
        assert!(number == last + 1 || gaps && number > last, "item {number} came after item {last}");
        last = number;
    });
    popping.last = last;
}

/// Peeks and pops. Both must return one item.
pub fn pop_peeked<Q: Queue<Consumer: RunConsumer>>(popping: &mut Popping<Q>) {
    if let Some(number) = popping.end.peek().map(Item::number) {
        pop_some(popping);
        assert_eq!(popping.last, number, "another item came than the one in front");
    }
}

/// Pops up to `N` plain items as a slice.
pub fn pop_slice<Q: Queue<Item: Copy, Consumer: SliceConsumer>, const N: usize>(popping: &mut Popping<Q>) {
    let mut items: [Q::Item; N] = [Item::new(u64::MAX); N];
    let count = popping.end.pop_slice(&mut items);
    items[..count].iter().for_each(|item| popping.saw(item));
}
