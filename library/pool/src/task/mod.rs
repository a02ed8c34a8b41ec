//! Tasks: futures that run on a pool's workers, beside its jobs.
//!
//! ```
//! use aqueduct_pool::task;
//!
//! let greeting = task::block_on(async {
//!     let name = task::spawn(async { "world" });
//!     format!("hello, {}", name.await.expect("it does not panic"))
//! });
//! assert_eq!(greeting, "hello, world");
//! ```
//!
//! | you need | take |
//! | --- | --- |
//! | a future that runs beside the caller | [`spawn`], [`ThreadPool::spawn_task`](crate::ThreadPool::spawn_task) |
//! | a future's result, in code that is not `async` | [`block_on`], [`Task::join`] |
//! | to let other tasks run in the middle of a long one | [`yield_now`] |
//! | timers | [`time`](crate::time) |
//! | input and output | a crate with its own reactor, such as `async-io` |
//! | workers that drive a reactor | [`ThreadPoolBuilder::park_handler`](crate::ThreadPoolBuilder::park_handler) |
//!
//! # Guarantees
//! - One worker at a time polls a task. A task is polled again after each wake-up that comes after
//!   its last poll began.
//! - A woken task is in a queue from which any worker can take it, also while its own worker is
//!   busy with a long poll.
//! - A worker runs the task that it woke last next, and the others in the order in which they were
//!   woken. After some such tasks in a row, it takes the oldest one first. Work from outside comes
//!   first at least before every 62nd job or task.
//! - A worker without work uses no processor time.
//! - A pool that is dropped aborts its tasks: each future is dropped, at the latest when its poll
//!   ends, and the pool's threads end afterwards. Later tasks are aborted at once. (Jobs of
//!   [`spawn`](crate::spawn()) run.)
//!
//! # Wakers that panic
//! A pool calls wakers that are not its own: those of awaiters in other executors, of timers, and
//! of the reactors of [park handlers](crate::ThreadPoolBuilder::park_handler). A panic of such a
//! waker ends in the pool, after the panic hook has reported it. The pool's threads go on, and so
//! do all others that wait for them. Only what that waker should have woken may wait forever. A
//! panic in a waker's `clone` arrives at the future that is being polled.
//!
//! # Costs
//! A task is one allocation. A message between two tasks of one worker wakes no other worker. While
//! workers take tasks, the timers' thread looks at them once in a while, and wakes another worker
//! if one of them does not come to its tasks.
//!
//! # How it works
//! `state.rs` has the rules of a task's word, `queue.rs` the rules of the workers' queues.

mod block_on;
mod error;
pub(crate) mod handle;
mod list;
pub(crate) mod next;
pub(crate) mod queue;
pub(crate) mod raw;
mod round;
mod spawn;
mod state;
pub(crate) mod watch;
mod yields;

pub use block_on::block_on;
pub(crate) use block_on::block_on_in;
pub use error::TaskError;
pub use handle::{AbortHandle, Task};
pub use spawn::spawn;
pub(crate) use spawn::spawn_in;
pub use yields::{YieldNow, yield_now};
