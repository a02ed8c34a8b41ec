//! Small programs on the queues: in the end each item has come once, and each producer's in order.

use std::sync::Arc;

use aqueduct_model::thread;

use super::super::memory::Slot;
use super::super::program::{Program, Which};
use super::cr_turn::{self, CrTurn};
use super::loo::Loo;

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

fn shared<const N: usize>(ends: usize) -> Vec<Arc<Loo<N>>> {
    let queue = Arc::new(Loo::new());
    vec![queue; ends]
}

pub(crate) fn run(program: Program) {
    let Program(which, before, parts) = program;
    let ends = parts.len();
    match which {
        Which::Loo1 => run_on(shared::<1>(ends), before, parts),
        Which::CrTurn => run_on(cr_turn::new(ends), before, parts),
        Which::Loo2 => run_on(shared::<2>(ends), before, parts),
    }
}

/// The largest number of items of a thread.
const EACH: usize = 10;

/// What belongs to each item.
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
fn run_on<E: End>(ends: Vec<E>, before: &str, parts: &'static [&'static str]) {
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
            assert!(of_one.is_sorted(), "a thread got {:?}", thread.popped);
        }
        pushed.extend(&thread.pushed);
        popped.extend(&thread.popped);
    }
    pushed.sort_unstable();
    popped.sort_unstable();
    assert_eq!(popped, pushed, "each item comes once");
}
