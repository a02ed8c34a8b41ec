//! Clients in which one of two consumers is late: it pops once, while another thread goes through a
//! lap and more.
//!
//! Most are about consumers that use fetch-and-add. All executions would be too many to explore,
//! because the late consumer meets the others in every block. So main goes on only while no thread
//! has intervened, and the late consumer can be stopped forever after a number of steps: those that
//! it takes to reach the one situation that a client is about.

use std::num::NonZeroU64;
use std::sync::{Arc, Mutex};

use aqueduct_model::thread;

use super::{Shape, SliceForm};
use crate::clients::Client;
use crate::clients::threads::{Pop, PopSlice, Push, PushSlice};

/// The next step: items go in or come out, one or as many as a block has entries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Do {
    Push,
    PushBlock,
    Pop,
    PopBlock,
    /// The late consumer pops.
    Late,
}

use Do::{Late, Pop as Take, PopBlock, Push as Put, PushBlock};

#[derive(Clone, Copy, Debug)]
struct Plan {
    shape: Shape,
    /// Main's steps before the threads part.
    before: &'static [Do],
    /// Main's steps while the late consumer pops.
    turns: &'static [Do],
    /// Whether a third thread pushes an item.
    helped: bool,
    /// The number of steps after which the late consumer stops; `None` if it does not.
    stops: Option<usize>,
}

/// The items popped so far, none of them twice. The list is not part of the execution, so the last
/// thread to add its items sees all.
#[derive(Debug, Default)]
struct Came(Mutex<Vec<u64>>);

impl Came {
    fn add(&self, items: impl IntoIterator<Item = u64>) {
        let mut all = self.0.lock().expect("nobody panics here");
        all.extend(items);
        all.sort_unstable();
        let is_twice = all.windows(2).any(|two| two[0] == two[1]);
        let text = format!("{all:?}");
        drop(all);
        assert!(!is_twice, "an item came twice: {text}");
    }
}

/// A thread's ends of the queue.
struct Ends<F: SliceForm> {
    producer: F::Producer,
    consumer: F::Consumer,
    size: usize,
    went: Vec<u64>,
    came: Arc<Came>,
}

impl<F: SliceForm> Ends<F> {
    /// Takes a step. Returns whether all of it could be done.
    fn does(&mut self, what: Do) -> bool {
        let first = self.went.last().map_or(1, |last| last + 1);
        let item = |number| NonZeroU64::new(number).expect("numbers start with 1");
        let (asked, done) = match what {
            Do::Push => (1, usize::from(self.producer.push(item(first)).is_ok())),
            Do::PushBlock => {
                let items: Vec<_> = (first..).take(self.size).map(item).collect();
                (self.size, self.producer.push_slice(&items))
            }
            Do::Pop | Do::Late => {
                let item = self.consumer.pop().ok();
                self.came.add(item.map(NonZeroU64::get));
                (1, usize::from(item.is_some()))
            }
            Do::PopBlock => {
                let mut items = vec![NonZeroU64::MAX; self.size];
                let count = self.consumer.pop_slice(&mut items);
                self.came.add(items[..count].iter().map(|item| item.get()));
                (self.size, count)
            }
        };
        if matches!(what, Do::Push | Do::PushBlock) {
            self.went.extend((first..).take(done));
        }
        asked == done
    }
}

fn run<F: SliceForm>(plan: Plan) {
    let (mut producers, mut consumers) = F::make(plan.shape, 2, 2);
    let came = Arc::<Came>::default();
    let mut late = consumers.pop().expect("two of them");
    let (producer, consumer) = (producers.remove(0), consumers.remove(0));
    let mut main = Ends::<F> { producer, consumer, size: plan.shape.size, went: Vec::new(), came: Arc::clone(&came) };
    for &what in plan.before {
        if what == Do::Late {
            came.add(late.pop().ok().map(NonZeroU64::get));
        } else {
            assert!(main.does(what), "nobody else is there");
        }
    }
    let pops = Arc::clone(&came);
    let late = thread::spawn(move || pops.add(late.pop().ok().map(NonZeroU64::get)));
    let helper = plan.helped.then(|| {
        let mut producer = producers.remove(0);
        thread::spawn(move || producer.push(NonZeroU64::new(100).expect("not 0")).is_ok())
    });
    let _ = plan.turns.iter().all(|&what| main.does(what));
    if plan.stops.is_some() {
        return;
    }
    late.join().expect("ends");
    let mut went = main.went.clone();
    went.extend(helper.is_some_and(|helper| helper.join().expect("ends")).then_some(100));
    while main.does(Do::Pop) {}
    assert_eq!(*came.0.lock().expect("all is over"), went, "what came and what went");
}

/// More events than any execution has. A consumer that loops on old values soon has more.
const EVENTS: u32 = 200;

fn client<F: SliceForm>(form: &str, what: &str, plan: Plan) -> Client {
    let client = Client::new(format!("{form}/late-{what}"), move || run::<F>(plan));
    match plan.stops {
        Some(steps) => client.stopping(steps),
        None => client.with_events(EVENTS),
    }
}

/// The late consumer opens a block for a new lap, and is late to move the head there. The other
/// consumer's position is in that same block, in the lap before. It must not go on from there
/// without the head: no thread would move the head any more.
pub(crate) fn opener<F: SliceForm>(list: &mut Vec<Client>, form: &str) {
    let before = &[Put, Late, Put, Late, Put];
    let turns = &[Take, Put, Take, Put, Take];
    let plan = Plan { shape: Shape::new(2, 1), before, turns, helped: false, stops: None };
    list.push(client::<F>(form, "opener", plan));
}

/// The clients of consumers that add, each with the ordering that it needs.
pub(crate) fn clients<F: SliceForm>(list: &mut Vec<Client>, form: &str) {
    let plan = Plan { shape: Shape::new(2, 2), before: &[], turns: &[], helped: false, stops: None };
    let mut add = |what: &str, plan: Plan| list.push(client::<F>(form, what, plan));
    // The late consumer has seen a block given over, and finds it so a lap later: it sees the items
    // there if it sees the opening,
    add(
        "taken",
        Plan {
            before: &[PushBlock, PushBlock, Late],
            turns: &[Take, PopBlock, PushBlock, Take],
            stops: Some(4),
            ..plan
        },
    );
    // also if it found another opening, of the old lap, first,
    let three = Plan { shape: Shape::new(2, 3), ..plan };
    let turns = &[Take, Take, PopBlock, PushBlock, Take];
    add("added", Plan { before: &[PushBlock, PushBlock, Late], turns, stops: Some(8), ..three });
    // and it sees the blocks that were opened before, if the block is closed.
    let before = &[PushBlock, PushBlock, Late, Take, PushBlock];
    add("closed", Plan { before, turns: &[PopBlock, PopBlock], ..plan });
    // It finds the mark, and then the word of a later lap: so the mark is outdated.
    let turns = &[PopBlock, PopBlock, PushBlock, Take];
    add("mark", Plan { before: &[PushBlock, PushBlock], turns, stops: Some(12), ..plan });
    // It finds the block open in a later lap: so the entries' marks are of the last lap at the
    // earliest.
    let turns = &[Put, Take, Put, Take, Put, Take, PushBlock, PopBlock, Put, Take];
    add("opened", Plan { turns, stops: Some(12), ..three });
    // So are they where it has just failed to take an entry (in the very first lap, where a handle
    // tries again at once),
    let first = Shape { lap: 0, ..three.shape };
    let turns = &[Take, Put, Take, Put, Take, PushBlock, PopBlock, Put, Take];
    add("exchanged", Plan { shape: first, before: &[Put], turns, stops: Some(15), ..three });
    // or to give the block over.
    let turns = &[Put, Take, Take, PushBlock, PopBlock, Put, Take];
    add("given", Plan { turns, helped: true, stops: Some(11), ..plan });
    // It finds a new head: so it finds the head's block open.
    let blocks = Plan { shape: Shape::new(3, 1), ..plan };
    add("head", Plan { before: &[Put, Put, Put, Late, Take], turns: &[Take], ..blocks });
}

/// Two consumers go beyond the end of a block, and the late one goes on to the next block; then the
/// first block is open to additions a lap later. The value that the late one found when it brought
/// the word back was of the lap before.
fn beyond<F: SliceForm>() {
    const SIZE: usize = 4;
    let (mut producers, mut consumers) = F::make(Shape::new(2, SIZE), 1, 3);
    let mut producer = producers.remove(0);
    let items = |first: u64| [0, 1, 2, 3].map(|more| NonZeroU64::new(first + more).expect("not 0"));
    assert_eq!([1, 5].map(|first| producer.push_slice(&items(first))), [SIZE; 2], "nobody else is there");
    for (consumer, number) in consumers.iter_mut().zip(1..) {
        assert_eq!(consumer.pop().ok().map(NonZeroU64::get), Some(number), "nobody else is there");
    }
    let mut late = consumers.remove(0);
    thread::spawn(move || late.pop_slice(&mut [NonZeroU64::MAX; SIZE]));
    let main = &mut consumers[0];
    let _ = main.pop().is_ok() && producer.push_slice(&items(9)) == SIZE && main.pop().is_ok();
}

/// The client of the word that a consumer brings back after an addition beyond the end. The late
/// consumer may stop once it has had the time to claim entries of the next block.
pub(crate) fn adder<F: SliceForm>(list: &mut Vec<Client>, form: &str) {
    list.push(Client::new(format!("{form}/late-beyond"), beyond::<F>).stopping(12));
}
