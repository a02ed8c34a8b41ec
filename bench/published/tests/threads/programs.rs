//! Small programs on the queues: in the end each item has come once, and each producer's in order,
//! if the queue keeps one.

use std::sync::Arc;

use aqueduct_model::thread;

use super::super::memory::Slot;
use super::super::program::{Program, Which};
use super::block_fifo::{self, BlockFifo};
use super::cr_turn::{self, CrTurn};
use super::loo::Loo;
use super::random_dequeue::{self, Rdq};
use super::segment_queue::{self, Sq};
use super::segments::{self, Bsq};
use super::time_stamped::{self, Rtsq};
use super::unbounded_segments::{self, Usq};
use super::wcq::{self, Patience, Wcq};
use super::ymc::{self, Ymc};

/// A thread's end of a queue.
trait End: Send + 'static {
    fn push(&mut self, item: u64) -> bool;
    fn pop(&mut self) -> Option<u64>;
}

impl<const N: usize> End for Arc<Loo<N>> {
    fn push(&mut self, item: u64) -> bool {
        Loo::push(self, item);
        true
    }

    fn pop(&mut self) -> Option<u64> {
        Loo::pop(self)
    }
}

/// An end whose pushes always succeed.
macro_rules! end {
    ($end:ty) => {
        impl End for $end {
            fn push(&mut self, item: u64) -> bool {
                <$end>::push(self, item);
                true
            }

            fn pop(&mut self) -> Option<u64> {
                <$end>::pop(self)
            }
        }
    };
}

end!(CrTurn);
end!(Ymc<1, 0, 0>);
end!(Ymc<2, 1, 0>);

/// Ends whose pushes return whether they succeeded.
macro_rules! refusing_end {
    ($($end:ty),+) => { $(
        impl End for $end {
            fn push(&mut self, item: u64) -> bool {
                <$end>::push(self, item)
            }

            fn pop(&mut self) -> Option<u64> {
                <$end>::pop(self)
            }
        }
    )+ };
}

refusing_end!(Wcq<u64, Impatient>, Wcq<u64, AsPublished>, Bsq, Usq, Sq, Rdq, Rtsq, BlockFifo<1>);

#[derive(Debug)]
struct Impatient;

impl Patience for Impatient {
    const PUSHES: u32 = 1;
    const POPS: u32 = 1;
    const HELPS_AFTER: u32 = 1;
    const LOOKS: u32 = 0;
}

/// The numbers of [`Impatient`], with the paper's records of steps.
#[derive(Debug)]
struct AsPublished;

impl Patience for AsPublished {
    const PUSHES: u32 = 1;
    const POPS: u32 = 1;
    const HELPS_AFTER: u32 = 1;
    const LOOKS: u32 = 0;
    const AS_PUBLISHED: bool = true;
}

fn shared<const N: usize>(ends: usize) -> Vec<Arc<Loo<N>>> {
    let queue = Arc::new(Loo::new());
    vec![queue; ends]
}

pub(crate) fn run(program: Program) {
    let Program(which, _, parts) = program;
    let ends = parts.len();
    match which {
        Which::Loo1 => run_on(shared::<1>(ends), program),
        Which::Ymc1 => run_on(ymc::new::<1, 0, 0>(ends), program),
        Which::Ymc2 => run_on(ymc::new::<2, 1, 0>(ends), program),
        Which::PublishedWcq => run_on(wcq::new::<u64, AsPublished>(2, ends), program),
        Which::Wcq => run_on(wcq::new::<u64, Impatient>(2, ends), program),
        Which::CrTurn => run_on(cr_turn::new(ends), program),
        Which::Loo2 => run_on(shared::<2>(ends), program),
        Which::Bsq(k) => run_on(segments::new(k, 2, ends).expect("a small queue"), program),
        Which::Usq(k) => run_on(unbounded_segments::new(k, ends), program),
        Which::Sq(k) => run_on(segment_queue::new(k, ends), program),
        Which::Rdq(k) => run_on(random_dequeue::new(k, ends), program),
        Which::Rtsq => run_on(time_stamped::new(ends), program),
        Which::BlockFifo(blocks) => run_on(block_fifo::new::<1>(blocks, 2, ends), program),
    }
}

/// The largest number of items of a thread.
const EACH: usize = 10;

/// The data that belongs to each item.
type Made = Arc<[Slot<u64>]>;

/// A thread's end, and what it has done.
struct Thread<E> {
    end: E,
    number: usize,
    made: Made,
    pushed: Vec<u64>,
    popped: Vec<u64>,
}

impl<E: End> Thread<E> {
    fn act(&mut self, part: &str) {
        for call in part.chars() {
            if call == '+' { self.push() } else { _ = self.pop() }
        }
    }

    fn push(&mut self) {
        let item = (self.number * EACH + self.pushed.len() + 1) as u64;
        // SAFETY: the checker reports accesses that race before they can do harm.
        unsafe { self.made[item as usize].write(item) };
        if self.end.push(item) {
            self.pushed.push(item);
        }
    }

    fn pop(&mut self) -> bool {
        let item = self.end.pop();
        if let Some(item) = item {
            // SAFETY: as in `push`. It is a race, if the queue does not order it.
            assert_eq!(unsafe { self.made[item as usize].read() }, item);
            self.popped.push(item);
        }
        item.is_some()
    }
}

/// Runs each part on a thread of its own, the last one on this, and then empties the queue.
fn run_on<E: End>(ends: Vec<E>, Program(which, before, parts): Program) {
    let made: Made = (0..=EACH * ends.len()).map(|_| Slot::empty()).collect();
    let thread =
        |(number, end)| Thread { end, number, made: Arc::clone(&made), pushed: Vec::new(), popped: Vec::new() };
    let mut threads: Vec<Thread<E>> = ends.into_iter().enumerate().map(thread).collect();
    let mut here = threads.pop().expect("a part");
    here.act(before);
    let (last, others) = parts.split_last().expect("a part");
    let others: Vec<_> = (threads.into_iter().zip(others))
        .map(|(mut thread, part)| {
            thread::spawn(move || {
                thread.act(part);
                thread
            })
        })
        .collect();
    here.act(last);
    let others: Vec<Thread<E>> = others.into_iter().map(|thread| thread.join().unwrap()).collect();
    while here.pop() {}
    let (mut pushed, mut popped): (Vec<u64>, Vec<u64>) = Default::default();
    for thread in others.iter().chain([&here]) {
        for number in 0..parts.len() {
            let of_one = thread.popped.iter().filter(|&&item| (item as usize - 1) / EACH == number);
            assert!(!which.keeps_order() || of_one.is_sorted(), "a thread got {:?}", thread.popped);
        }
        pushed.extend(&thread.pushed);
        popped.extend(&thread.popped);
    }
    pushed.sort_unstable();
    popped.sort_unstable();
    assert_eq!(popped, pushed, "each item comes once");
}
