//! Linearizability: whether a sequence of calls explains the results of concurrent calls.
//!
//! A client wraps each call on the object under test in [`History::call`], and calls
//! [`History::check`] at its end. In each execution that the model explores, the check looks for an
//! order of the calls that a sequential specification allows and that respects happens-before. If
//! there is none, the execution fails, with the calls as a table.
//!
//! ```
//! use std::collections::VecDeque;
//! use std::sync::Arc;
//!
//! use aqueduct_model::linearizability::{Fifo, History, QueueOp, QueueResult};
//! use aqueduct_model::sync::Mutex;
//! use aqueduct_model::{model, thread};
//!
//! model(|| {
//!     let queue = Arc::new(Mutex::new(VecDeque::new()));
//!     let history = Arc::new(History::new(Fifo::new()));
//!     let (theirs, recorded) = (Arc::clone(&queue), Arc::clone(&history));
//!     let producer = thread::spawn(move || {
//!         recorded.call(QueueOp::Push(1), || {
//!             theirs.lock().unwrap().push_back(1);
//!             QueueResult::Pushed
//!         });
//!     });
//!     history.call(QueueOp::Pop, || queue.lock().unwrap().pop_front().into());
//!     producer.join().unwrap();
//!     history.check();
//! });
//! ```
//!
//! # Specifications
//!
//! Ready ones are [`Fifo`] (with a capacity if wanted), [`DropOld`] (overwrites, and counts lost
//! items), [`KFifo`], [`Stack`], [`Deque`] (work stealing, LIFO or FIFO) and [`Register`]. Others
//! implement [`Spec`].
//!
//! Some results are right only because another call was in the way, such as `Busy`. They are
//! declared by [`Spec::excused_by_overlap`], or from outside with [`Spurious`]. Such a result is
//! then allowed, and changes nothing, if another call of the history overlaps with its call.
//! Without such a call it is an error.
//!
//! # The order of calls
//!
//! The executions of a weak memory model have no clock that all threads share. A call comes before
//! another one if its last event *happens before* the beginning of the other: both are of one
//! thread, or the threads synchronized in between, by a join, a spawn, or a release that was
//! acquired. Two calls without such a path overlap, in whatever order the model ran them. So a
//! `Pop` of a thread that has read a relaxed flag raised after a `Push` may still find nothing, and
//! the `Pop` of a thread that acquired the flag may not. A call without any event stands between
//! the events of its thread that are around it.
//!
//! This weakness lets right programs fail a strict specification. A ring of one producer and one
//! consumer that uses release and acquire may return `Full` to one side and `Empty` to the other
//! although no order of the calls has both, because each reads an old index. Declare such results
//! by [`Spurious`], or use `SeqCst` in the ring.
//!
//! # Every client
//!
//! Whether an object is linearizable depends on its client: threads that synchronize with each
//! other, or that make several calls, order calls that would overlap otherwise.
//! [`History::check_for_every_client`] checks an execution for all these clients at once, by adding
//! orders of calls to it that the memory model allows. A client in which each thread makes one call
//! then stands for all that make the same calls: for three pushes and three pops, six threads and
//! one test. It is the method of Relinche (Golovin, Kokologiannakis and Vafeiadis, 2025).
//!
//! ```should_panic
//! use std::sync::Arc;
//!
//! use aqueduct_model::linearizability::RegisterOp::{Read, Write};
//! use aqueduct_model::linearizability::RegisterResult::{self, Value, Written};
//! use aqueduct_model::linearizability::{History, Register};
//! use aqueduct_model::sync::atomic::{AtomicUsize, Ordering::{Acquire, Release}};
//! use aqueduct_model::{model, thread};
//!
//! // Two copies of a number: a write goes to both, and readers read one or the other.
//! model(|| {
//!     let shared = Arc::new((History::new(Register::new(0)), [AtomicUsize::new(0), AtomicUsize::new(0)]));
//!     let spawn = |call: fn(&[AtomicUsize; 2]) -> RegisterResult<usize>, input| {
//!         let shared = Arc::clone(&shared);
//!         thread::spawn(move || _ = shared.0.call(input, || call(&shared.1)))
//!     };
//!     let threads = [
//!         spawn(|copies| { copies[0].store(1, Release); copies[1].store(1, Release); Written }, Write(1)),
//!         spawn(|copies| Value(copies[0].load(Acquire)), Read),
//!         spawn(|copies| Value(copies[1].load(Acquire)), Read),
//!     ];
//!     threads.into_iter().for_each(|thread| thread.join().unwrap());
//!     shared.0.check(); // Passes: the calls can come in any order.
//!     shared.0.check_for_every_client(); // A client reads 1 from one copy, and then 0 from the other.
//! });
//! ```
//!
//! Executions that a check leaves out because they differ only in the order in which owners of an
//! [`Arc`](crate::sync::Arc) are dropped
//! ([`Config::all_drop_orders`](crate::Config::all_drop_orders)) may be those of another client:
//! calls on objects should not drop such owners.
//!
//! # Synchronization
//!
//! Results can be linearizable although nothing synchronizes: a relaxed push and a relaxed pop pass
//! an item on, but not the memory that it points to. A specification declares by
//! [`Spec::synchronizes`] which calls happen before which, or is wrapped in [`Synchronized`]. Two
//! calls synchronize if the events before the first happen before those after the second.
//!
//! # Limits
//!
//! - An execution that ends before the check: a thread that waits forever in it is examined in
//!   another execution.
//! - Calls in a round of [`await_until`](crate::await_until) that fails. The model takes such
//!   rounds back, and the history does too. Their results are checked if a client calls in a loop
//!   of its own, with a bound.
//! - Histories of more than [`MAX_CALLS`] calls, which are refused.
//!
//! # Cost
//!
//! Recording adds no events and no executions, and neither does the check for every client. That
//! builds the graph of the execution anew for each pair of calls that overlap, and more often where
//! calls have many orders.
//!
//! The search tries orders depth first, and remembers the sets of calls and the states from which
//! no order continues. Calls that an order explains cost microseconds. To find that no order exists
//! takes time exponential in the number of calls that all overlap with each other: milliseconds for
//! a dozen, most of a minute for twenty.

mod checker;
mod clients;
mod history;
mod record;
mod spec;
mod specs;
mod synchronized;

pub use checker::NotLinearizable;
pub use history::History;
pub use record::{MAX_CALLS, Record};
pub use spec::{Spec, Spurious};
pub use specs::Item;
pub use specs::deque::{Deque, DequeOp};
pub use specs::drop_old::DropOld;
pub use specs::fifo::Fifo;
pub use specs::k_fifo::KFifo;
pub use specs::queue::{QueueOp, QueueResult};
pub use specs::register::{Register, RegisterOp, RegisterResult};
pub use specs::stack::Stack;
pub use synchronized::Synchronized;
