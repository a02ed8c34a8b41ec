//! How to sleep, wake and close around these queues. This module has no items.
//!
//! No operation of a queue waits: a push into a full queue and a pop from an empty one return an
//! error. A thread that has nothing else to do can try again, yield, or sleep until another thread
//! has changed the queue.
//!
//! # Reactions to an error
//! | error | what it means | what to do |
//! | --- | --- | --- |
//! | [`PopError::Empty`] | there is no item | sleep until a producer has pushed or been dropped |
//! | [`PushError::Full`] | there is no room | sleep until a consumer has popped or been dropped |
//! | `Busy` | another thread is in the middle of an operation | yield and retry; or sleep if that thread wakes others |
//!
//! To sleep and to wake take microseconds each. Before it sleeps, a thread that expects an answer
//! soon tries a few more times, with [`std::hint::spin_loop`] or [`std::thread::yield_now`] in
//! between.
//!
//! A record counts as pushed when its grant is committed, and as popped when it is dropped. The
//! items of a batch count as pushed or popped when the batch is published or released. Wake other
//! threads after that.
//!
//! In two queues, a failed operation may never be followed by one that wakes the thread. There,
//! yield or sleep for a limited time:
//! - [`cnq`](crate::cnq): a pop is `Busy` because of another consumer's items, and it can succeed
//!   when that consumer pauses.
//! - [`bwos`](crate::bwos): a thief that finds nothing makes a steal request, and the owner's next
//!   operation, of any kind, makes items visible.
//!
//! # The lost wake-up
//! A consumer finds the queue empty, publishes that it sleeps, and sleeps. A producer pushes,
//! observes no sleeper, and wakes no thread. Each of the two threads writes one place and then
//! reads another, and processors may let the reads come first (store buffering): the producer
//! misses the sleeper, and the consumer misses the item. The queues' own orderings do not prevent
//! that. Two things do:
//! - the consumer tries once more after it has published that it sleeps, and
//! - there is a `fence(SeqCst)` between the write and the read in *both* threads: after the push,
//!   and before the last pop.
//!
//! Then at least one of the two threads observes the other's write. A lock around "try again, then
//! sleep" keeps a wake-up from falling between the two; [`Condvar`] releases it and sleeps in one
//! step. A fence for each push costs about as much as an atomic exchange; after a batch, one is
//! enough.
//!
//! # Closing
//! A queue closes when all handles of one side have been dropped. The other side's handles then
//! return `true` from `is_closed`.
//! - **Read `is_closed` before the last pop.** If it returns `true` and the pop after it returns
//!   `Empty`, no item will follow. In the other order, a producer can push and be dropped between
//!   the two, and the consumer misses its item.
//! - **Drop the handle, then wake.** If a thread wakes the others and drops its handle afterwards,
//!   they find the queue open, and sleep forever. Fields are dropped in the order in which they are
//!   declared, so a struct has its handle first, and after it a field that wakes when it is
//!   dropped. `Option<Producer>` with `take()` in `drop` does as well.
//! - **A push succeeds without a consumer.** Its item is dropped with the queue. Producers that
//!   should stop check `is_closed` before they push. An item that is pushed while the last consumer
//!   is being dropped is dropped, too.
//! - Queues that threads share by reference ([`bbq::Queue`](crate::bbq::Queue),
//!   [`nblfq::Queue`](crate::nblfq::Queue)) have no sides. Use a flag of your own: store it with
//!   Release before the wake, and load it with Acquire before the last pop.
//!
//! # Examples
//! A channel whose senders wait for room and whose receiver waits for items
//! (`examples/waiting/channel.rs`). For other numbers of threads, put [`mpmc`](crate::mpmc),
//! [`spmc`](crate::spmc) or [`spsc`](crate::spsc) in the place of `mpsc`.
//! ```
//! use std::sync::atomic::Ordering::{Relaxed, SeqCst};
//! use std::sync::atomic::{AtomicUsize, fence};
//! use std::sync::{Arc, Condvar, Mutex};
//!
//! use aqueduct::error::{CapacityError, PopError};
//! use aqueduct::mpsc;
//!
//! /// Threads sleep here until another thread has changed the queue.
//! pub(crate) struct Bell {
//!     waiting: AtomicUsize,
//!     lock: Mutex<()>,
//!     rung: Condvar,
//! }
//!
//! impl Bell {
//!     pub(crate) const fn new() -> Self {
//!         Self { waiting: AtomicUsize::new(0), lock: Mutex::new(()), rung: Condvar::new() }
//!     }
//!
//!     /// Wakes all threads that wait. Call it after the change.
//!     pub(crate) fn ring(&self) {
//!         // Ordering: SeqCst pairs with the fence in `wait`. Either this thread sees that the other
//!         // one waits, or the other one's next attempt sees the change.
//!         fence(SeqCst);
//!         if self.waiting.load(Relaxed) > 0 {
//!             // A thread that holds the lock has made its last attempt and does not sleep yet.
//!             drop(self.lock.lock().unwrap());
//!             self.rung.notify_all();
//!         }
//!     }
//!
//!     /// Repeats `attempt` until it returns something, and sleeps in between. `attempt` must not ring
//!     /// this bell.
//!     pub(crate) fn wait<R>(&self, mut attempt: impl FnMut() -> Option<R>) -> R {
//!         if let Some(result) = attempt() {
//!             return result;
//!         }
//!         let mut guard = self.lock.lock().unwrap();
//!         self.waiting.fetch_add(1, Relaxed);
//!         // Ordering: SeqCst pairs with the fence in `ring`.
//!         fence(SeqCst);
//!         let result = loop {
//!             match attempt() {
//!                 Some(result) => break result,
//!                 None => guard = self.rung.wait(guard).unwrap(),
//!             }
//!         };
//!         self.waiting.fetch_sub(1, Relaxed);
//!         result
//!     }
//! }
//!
//! /// A hold on both bells that rings them when it is dropped.
//! #[derive(Clone)]
//! struct Bells(Arc<(Bell, Bell)>);
//!
//! impl Bells {
//!     fn items(&self) -> &Bell {
//!         &self.0.0
//!     }
//!
//!     fn room(&self) -> &Bell {
//!         &self.0.1
//!     }
//! }
//!
//! impl Drop for Bells {
//!     fn drop(&mut self) {
//!         self.items().ring();
//!         self.room().ring();
//!     }
//! }
//!
//! /// Fields are dropped in the order in which they are declared: the bells ring after the handle is
//! /// gone.
//! pub(crate) struct Sender<T> {
//!     producer: mpsc::Producer<T>,
//!     bells: Bells,
//! }
//!
//! /// The handle is the first field, so that the bells ring after it is gone.
//! pub(crate) struct Receiver<T> {
//!     consumer: mpsc::Consumer<T>,
//!     bells: Bells,
//! }
//!
//! /// Makes a channel for at least `capacity` items.
//! pub(crate) fn channel<T: Send>(capacity: usize) -> Result<(Sender<T>, Receiver<T>), CapacityError> {
//!     let (producer, consumer) = mpsc::new(capacity)?;
//!     let bells = Bells(Arc::new((Bell::new(), Bell::new())));
//!     Ok((Sender { producer, bells: bells.clone() }, Receiver { consumer, bells }))
//! }
//!
//! impl<T> Clone for Sender<T> {
//!     fn clone(&self) -> Self {
//!         Self { producer: self.producer.clone(), bells: self.bells.clone() }
//!     }
//! }
//!
//! impl<T> Sender<T> {
//!     /// Waits for room. Gives the item back if the receiver is gone.
//!     pub(crate) fn send(&mut self, item: T) -> Result<(), T> {
//!         let mut next = Some(item);
//!         let sent = self.bells.room().wait(|| {
//!             let item = next.take()?;
//!             if self.producer.is_closed() {
//!                 return Some(Err(item));
//!             }
//!             match self.producer.push(item) {
//!                 Ok(()) => Some(Ok(())),
//!                 Err(error) => {
//!                     next = Some(error.into_inner());
//!                     None
//!                 }
//!             }
//!         });
//!         self.bells.items().ring();
//!         sent
//!     }
//! }
//!
//! impl<T> Receiver<T> {
//!     /// Waits for an item. Returns `None` when all senders are gone and all items have been
//!     /// received.
//!     pub(crate) fn recv(&mut self) -> Option<T> {
//!         let item = self.bells.items().wait(|| {
//!             // Before the pop: a sender can push and go between the two.
//!             let is_closed = self.consumer.is_closed();
//!             match self.consumer.pop() {
//!                 Ok(item) => Some(Some(item)),
//!                 Err(PopError::Empty) if is_closed => Some(None),
//!                 Err(_) => None,
//!             }
//!         });
//!         self.bells.room().ring();
//!         item
//!     }
//! }
//!
//! let (mut sender, mut receiver) = channel(4)?;
//! let thread = std::thread::spawn(move || (0..1000).all(|number| sender.send(number).is_ok()));
//! let mut sum = 0;
//! while let Some(number) = receiver.recv() {
//!     sum += number;
//! }
//! assert_eq!(sum, 499_500);
//! assert!(thread.join().is_ok_and(|all_sent| all_sent));
//! # Ok::<(), CapacityError>(())
//! ```
//!
//! In `examples/async_task`, a task receives what threads send, and the bell keeps a waker. In
//! `examples/select`, one thread waits for several queues, for a limited time.
//!
//! # Correctness
//! - A thread sleeps only if its attempt after its fence has failed, and it has held the lock
//!   since.
//! - A fence follows the change for which the thread waits. If that fence comes before the thread's
//!   own, its attempt sees the change. Otherwise the ringing thread sees `waiting`, takes the lock,
//!   which it gets only when the other thread sleeps, and wakes it.
//! - A consumer that sleeps has found no item, and a producer that sleeps at least `capacity`
//!   items, so the two sides do not both sleep.
//!
//! The model checker explores this source, over ten of the queues, for both sides and for closing:
//! no thread sleeps forever. With either fence weaker, it finds an execution in which one does.
//!
//! [`PopError::Empty`]: crate::error::PopError::Empty
//! [`PushError::Full`]: crate::error::PushError::Full
//! [`Condvar`]: std::sync::Condvar
