//! Linearizability: whether what concurrent calls returned can be explained by calls that came one after the other.
//!
//! A client wraps each call on the object under test in [`History::call`], and calls [`History::check`] at its end. In
//! each execution that the model explores, the check looks for an order of the calls that a sequential specification
//! allows and that respects what happened before what. If there is none, the execution fails, with the calls as a table.
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
//! Ready ones are [`Fifo`] (with a capacity if wanted), [`DropOld`] (overwrites, and counts what is lost), [`KFifo`],
//! [`Stack`], [`Deque`] (work stealing, LIFO or FIFO) and [`Register`]. Others implement [`Spec`].
//!
//! A result that is right only because another call was in the way, such as `Busy`, is declared so, by
//! [`Spec::excused_by_overlap`] or from outside with [`Spurious`]. It is then allowed, and changes nothing, if another
//! call of the history overlaps with it. Without such a call it is an error.
//!
//! # Which call comes first
//!
//! The executions of a weak memory model have no clock that all threads share. A call comes before another one if its
//! last event *happens before* the beginning of the other: both are of one thread, or the threads synchronized in
//! between, by a join, a spawn, or a release that was acquired. Two calls without such a path overlap, in whatever order
//! the model ran them. So a `Pop` that a relaxed flag told of a `Push` may still find nothing, and one that acquired the
//! flag may not. A call without any event stands between the events of its thread that are around it.
//!
//! The same weakness lets right programs fail a strict specification. A ring of one producer and one consumer that uses
//! release and acquire may say `Full` to the one and `Empty` to the other where no order of the calls has both, since each
//! looks at an old index. Such results are to be declared, by [`Spurious`]; or the ring needs `SeqCst`.
//!
//! # What is not checked
//!
//! - An execution that ends before the check: a thread that waits for ever in it is looked at in another one.
//! - Calls in a round of [`await_until`](crate::await_until) that fails. The model takes such rounds back, and the
//!   history does too. What they returned is checked where a client calls in a loop of its own, with a bound.
//! - Histories of more than [`MAX_CALLS`] calls, which are refused.
//!
//! # Cost
//!
//! Recording adds no events and no executions. The search tries orders depth first, and remembers the sets of calls and
//! the states from which no order goes on. Calls that an order explains cost microseconds. That none does takes time
//! exponential in the number of calls that all overlap with each other: milliseconds for a dozen, most of a minute for
//! twenty.

mod checker;
mod history;
mod record;
mod spec;
mod specs;

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
