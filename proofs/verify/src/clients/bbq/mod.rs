//! The clients of BBQ: every form, with one to four threads on either side.

use std::num::NonZeroU64;

use super::{ends, library};
use aqueduct_model::thread;

use crate::clients::Client;
use crate::clients::threads::calls;
use crate::clients::threads::{Form, PopSlice, Push, PushSlice};

pub(crate) mod crowd;
pub mod drop_old;
pub(crate) mod drop_old_slow;
pub(crate) mod late_consumer;
pub(crate) mod stalls;
pub mod world;

/// The division of a queue, and its first lap.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// The number of blocks.
    pub blocks: usize,
    /// The number of entries of a block.
    pub size: usize,
    /// The number of blocks beyond those that the capacity needs.
    pub spare: usize,
    /// The first lap.
    pub lap: usize,
    /// The number of laps for which readers of a drop-old queue have rested before.
    pub rested: usize,
}

/// The first lap in which a producer that opens a block renews the block's resting words: half of a
/// quarter of all lap numbers.
pub const RENEWING_LAP: usize = 1 << (usize::BITS - usize::BITS / 4 - 3);

impl Shape {
    /// Makes a shape that starts in the last lap but one before lap numbers wrap.
    pub const fn new(blocks: usize, size: usize) -> Self {
        let last = usize::MAX >> (usize::BITS / 4);
        Self { blocks, size, spare: 0, lap: last, rested: 0 }
    }

    /// Returns the least number of items that fit.
    pub const fn capacity(self) -> usize {
        (self.blocks - 1 - self.spare) * self.size
    }
}

/// The state before the threads part, and the number of calls of each thread.
pub type Plan = calls::Plan<Shape>;

/// Runs a plan. `Full` is allowed from the capacity on, and required when every entry is taken.
fn recorded<F: Form<Shape = Shape>>(plan: Plan) {
    let Shape { blocks, size, .. } = plan.shape;
    calls::recorded::<F>(plan, plan.shape.capacity()..=blocks * size);
}

/// A form that carries plain words.
pub(crate) trait SliceForm:
    Form<Shape = Shape, Item = NonZeroU64, Producer: PushSlice<NonZeroU64>, Consumer: PopSlice<NonZeroU64>>
{
}

impl<F> SliceForm for F where
    F: Form<Shape = Shape, Item = NonZeroU64, Producer: PushSlice<NonZeroU64>, Consumer: PopSlice<NonZeroU64>>
{
}

/// Slices of two in and of two out: each item comes once, those of one producer in order.
pub(crate) fn slices<F>(plan: calls::Plan<F::Shape>)
where
    F: Form<Item = NonZeroU64, Producer: PushSlice<NonZeroU64>, Consumer: PopSlice<NonZeroU64>>,
{
    let (mut producers, mut consumers) = F::make(plan.shape, plan.pushes.len(), plan.pops.len());
    let item = |number: u64| NonZeroU64::new(number).expect("numbers start with 1");
    let mut filled = Vec::new();
    for number in 1..=plan.filled as u64 {
        if producers[0].push(item(number)).is_err() {
            break;
        }
        filled.push(number);
    }
    let pushing = producers.into_iter().zip(plan.pushes).enumerate().map(|(thread, (mut producer, &pushes))| {
        let base = 100 * (thread as u64 + 1);
        thread::spawn(move || {
            let items: Vec<NonZeroU64> = (1..=pushes as u64).map(|number| item(base + number)).collect();
            let count = producer.push_slice(&items);
            (base + 1..=base + count as u64).collect::<Vec<u64>>()
        })
    });
    let pushing: Vec<_> = pushing.collect();
    let take = |consumer: &mut F::Consumer, most: usize| {
        let mut items = vec![NonZeroU64::MAX; most];
        let count = consumer.pop_slice(&mut items);
        items.truncate(count);
        items.into_iter().map(NonZeroU64::get).collect::<Vec<u64>>()
    };
    let mut last = consumers.pop().expect("a consumer");
    let popping: Vec<_> = consumers
        .into_iter()
        .zip(plan.pops)
        .map(|(mut consumer, &pops)| thread::spawn(move || take(&mut consumer, pops)))
        .collect();
    let mut came = vec![take(&mut last, *plan.pops.last().expect("a consumer"))];
    let mut went = vec![filled];
    went.extend(pushing.into_iter().map(|thread| thread.join().expect("ends")));
    came.extend(popping.into_iter().map(|thread| thread.join().expect("ends")));
    came.push(take(&mut last, 64));
    for part in &came {
        for lane in &went {
            let places: Vec<_> = part.iter().filter_map(|item| lane.iter().position(|other| other == item)).collect();
            assert!(places.is_sorted(), "{part:?} is not in the order of {lane:?}");
        }
    }
    let sorted = |lists: Vec<Vec<u64>>| {
        let mut all = lists.concat();
        all.sort_unstable();
        all
    };
    assert_eq!(sorted(came), sorted(went), "what came and what went");
}

/// A number of items that no client's queue can hold.
const ALL: usize = 64;

fn add(list: &mut Vec<Client>, form: &str, program: &str, run: impl Fn() + Send + Sync + 'static) {
    list.push(Client::new(format!("{form}/{program}"), run));
}

fn add_big(list: &mut Vec<Client>, form: &str, program: &str, run: impl Fn() + Send + Sync + 'static) {
    add(list, form, program, run);
    if let Some(client) = list.last_mut() {
        client.big = true;
    }
}

pub(crate) fn one_by_one<F: Form<Shape = Shape>, W: Form<Shape = Shape>>(list: &mut Vec<Client>, form: &str) {
    let small = Plan { shape: Shape::new(2, 1), before: 0, filled: 0, pushes: &[3], pops: &[3] };
    let wide = Plan { shape: Shape::new(2, 2), ..small };
    let three = Plan { shape: Shape::new(3, 1), ..small };
    add(list, form, "1x1", move || recorded::<F>(small));
    add(list, form, "1x1-wide", move || recorded::<F>(wide));
    add(list, form, "1x1-lines", move || recorded::<W>(wide));
    add(list, form, "1x1-three", move || recorded::<F>(three));
    add(list, form, "1x1-lap", move || recorded::<F>(Plan { before: 3, ..wide }));
    add(list, form, "1x1-laps", move || recorded::<F>(Plan { before: 4, pushes: &[4], pops: &[4], ..small }));
    add(list, form, "1x1-full", move || recorded::<F>(Plan { filled: ALL, pushes: &[2], ..small }));
    add(list, form, "1x1-full-wide", move || recorded::<F>(Plan { filled: ALL, before: 1, pushes: &[2], ..wide }));
    add(list, form, "1x1-full-three", move || recorded::<F>(Plan { filled: ALL, pushes: &[2], ..three }));
    add(list, form, "1x1-drop", move || calls::dropped::<F>(Plan { filled: 1, pushes: &[2], pops: &[1], ..wide }));
    add(list, form, "1x1-drop-full", move || {
        calls::dropped::<F>(Plan { filled: ALL, pushes: &[1], pops: &[2], ..small })
    });
}

pub(crate) fn two_producers<F: Form<Shape = Shape>>(list: &mut Vec<Client>, form: &str) {
    let small = Plan { shape: Shape::new(2, 1), before: 0, filled: 0, pushes: &[1, 1], pops: &[2] };
    let wide = Plan { shape: Shape::new(2, 2), ..small };
    add(list, form, "2x1", move || recorded::<F>(small));
    add(list, form, "2x1-wide", move || recorded::<F>(wide));
    add(list, form, "2x1-lap", move || recorded::<F>(Plan { before: 3, ..wide }));
    add(list, form, "2x1-full", move || recorded::<F>(Plan { filled: 1, ..small }));
    add(list, form, "2x1-full-wide", move || recorded::<F>(Plan { filled: 3, ..wide }));
    add(list, form, "2x1-drop", move || calls::dropped::<F>(Plan { filled: 1, pops: &[1], ..wide }));
}

pub(crate) fn two_consumers<F: Form<Shape = Shape>>(list: &mut Vec<Client>, form: &str) {
    let small = Plan { shape: Shape::new(2, 1), before: 0, filled: 0, pushes: &[2], pops: &[1, 1] };
    let wide = Plan { shape: Shape::new(2, 2), ..small };
    add(list, form, "1x2", move || recorded::<F>(small));
    add(list, form, "1x2-wide", move || recorded::<F>(wide));
    add(list, form, "1x2-lap", move || recorded::<F>(Plan { before: 3, filled: 1, pushes: &[1], ..wide }));
    add(list, form, "1x2-full", move || recorded::<F>(Plan { filled: ALL, pushes: &[1], ..small }));
    add(list, form, "1x2-full-wide", move || recorded::<F>(Plan { filled: ALL, pushes: &[1], ..wide }));
    add(list, form, "1x2-drop", move || calls::dropped::<F>(Plan { filled: ALL, pushes: &[1], ..wide }));
}

/// One consumer does a lap and enters the next; the other one may have seen nothing of it.
pub(crate) fn two_consumers_of_laps<F: Form<Shape = Shape>>(list: &mut Vec<Client>, form: &str) {
    let small = Plan { shape: Shape::new(2, 1), before: 0, filled: 0, pushes: &[3], pops: &[1, 3] };
    let wide = Plan { shape: Shape::new(2, 2), ..small };
    add(list, form, "1x2-laps", move || recorded::<F>(small));
    add_big(list, form, "1x2-laps-wide", move || {
        recorded::<F>(Plan { before: 1, pushes: &[4], pops: &[1, 4], ..wide })
    });
}

/// Blocks of three: for the last entry alone, a block is not given over to consumers that add.
pub(crate) fn two_consumers_who_add<F: Form<Shape = Shape>>(list: &mut Vec<Client>, form: &str) {
    let three = Plan { shape: Shape::new(2, 3), before: 0, filled: 2, pushes: &[1], pops: &[2, 1] };
    add(list, form, "1x2-block-of-three", move || recorded::<F>(three));
    add(list, form, "1x2-block-of-three-filled", move || recorded::<F>(Plan { filled: 3, ..three }));
}

pub(crate) fn two_of_either<F: Form<Shape = Shape>>(list: &mut Vec<Client>, form: &str) {
    let small = Plan { shape: Shape::new(2, 1), before: 0, filled: 1, pushes: &[1, 1], pops: &[1, 1] };
    let wide = Plan { shape: Shape::new(2, 2), ..small };
    add(list, form, "2x2", move || recorded::<F>(small));
    add(list, form, "2x2-wide", move || recorded::<F>(wide));
}

pub(crate) fn slices_of<F: SliceForm>(
    list: &mut Vec<Client>,
    form: &str,
    pushes: &'static [usize],
    pops: &'static [usize],
) {
    let plan = Plan { shape: Shape::new(2, 2), before: 0, filled: 0, pushes, pops };
    add(list, form, "slices", move || slices::<F>(plan));
    add(list, form, "slices-full", move || slices::<F>(Plan { filled: 3, ..plan }));
}

/// A slice that begins in the middle of a line, goes over the end of a block of two lines, and is
/// popped while it is pushed.
pub(crate) fn slices_of_lines<F: SliceForm>(list: &mut Vec<Client>, form: &str) {
    let plan = Plan { shape: Shape::new(2, 9), before: 0, filled: 5, pushes: &[12], pops: &[12] };
    add(list, form, "slices-lines", move || slices::<F>(plan));
}
