//! Queues of C and C++, called through functions that `cpp/peers.cpp` makes of them; each call is
//! one call of a function, as in a C++ program with a queue that is not in headers. They are built
//! by the feature `cpp-peers`.
//!
//! DPDK's `rte_ring` is there in all its ways to synchronise: by head and tail with waiting in turn
//! (`mp_mc`), with a relaxed tail (`rts`), with head and tail in one word (`hts`), and for one
//! thread on either side (`sp_sc`). `moodycamel` is unordered between producers, and holds as many
//! items of each of them: 64, 4096 or 65536.
//!
//! xenium's bounded k-FIFO queue is beside CNQ, because there is an order `k` to choose.

use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::Arc;

use super::kind::{Ends, Item, Kind, Receiver, Sender};
use super::subject::{Subject, subject_of};
use aqueduct_measure::rounds::Threads;

/// Returns all of this build.
pub(super) fn all() -> Vec<Box<dyn Subject>> {
    vec![
        subject_of::<rte_mp_mc::Queue>(),
        subject_of::<rte_rts::Queue>(),
        subject_of::<rte_hts::Queue>(),
        subject_of::<rte_sp_sc::Queue>(),
        subject_of::<boost_queue::Queue>(),
        subject_of::<boost_spsc::Queue>(),
        subject_of::<moodycamel::Queue>(),
        subject_of::<tbb::Queue>(),
    ]
}

/// The functions of one queue, and its kind.
macro_rules! peer {
    ($module:ident = $name:literal, $most:expr, batches: $batches:literal) => {
        pub(crate) mod $module {
            use super::*;

            unsafe extern "C" {
                #[link_name = concat!("aqueduct_", stringify!($module), "_open")]
                fn open(capacity: usize, order: usize) -> *mut c_void;
                #[link_name = concat!("aqueduct_", stringify!($module), "_close")]
                fn close(queue: *mut c_void);
                #[link_name = concat!("aqueduct_", stringify!($module), "_sender")]
                fn sender(queue: *mut c_void) -> *mut c_void;
                #[link_name = concat!("aqueduct_", stringify!($module), "_receiver")]
                fn receiver(queue: *mut c_void) -> *mut c_void;
                #[link_name = concat!("aqueduct_", stringify!($module), "_drop_sender")]
                fn drop_sender(end: *mut c_void);
                #[link_name = concat!("aqueduct_", stringify!($module), "_drop_receiver")]
                fn drop_receiver(end: *mut c_void);
                #[link_name = concat!("aqueduct_", stringify!($module), "_push")]
                fn push(end: *mut c_void, item: Item) -> bool;
                #[link_name = concat!("aqueduct_", stringify!($module), "_pop")]
                fn pop(end: *mut c_void, item: *mut Item) -> bool;
                #[link_name = concat!("aqueduct_", stringify!($module), "_push_slice")]
                fn push_slice(end: *mut c_void, items: *const Item, count: usize) -> usize;
                #[link_name = concat!("aqueduct_", stringify!($module), "_pop_slice")]
                fn pop_slice(end: *mut c_void, items: *mut Item, count: usize) -> usize;
            }

            /// The queue. It is closed when the last handle is dropped.
            pub(crate) struct Queue(NonNull<c_void>);

            // SAFETY: the queues are made to be used by several threads, through handles.
            unsafe impl Send for Queue {}
            // SAFETY: the queues are made to be used by several threads, through handles.
            unsafe impl Sync for Queue {}

            impl Drop for Queue {
                fn drop(&mut self) {
                    // SAFETY: opened, and closed once.
                    unsafe { close(self.0.as_ptr()) };
                }
            }

            /// A producing thread's handle.
            pub(crate) struct To(NonNull<c_void>, #[expect(dead_code, reason = "keeps it open")] Arc<Queue>);
            /// A consuming thread's handle.
            pub(crate) struct From(NonNull<c_void>, #[expect(dead_code, reason = "keeps it open")] Arc<Queue>);

            // SAFETY: a handle is of one thread at a time, and may be of another one later.
            unsafe impl Send for To {}
            // SAFETY: a handle is of one thread at a time, and may be of another one later.
            unsafe impl Send for From {}

            impl Drop for To {
                fn drop(&mut self) {
                    // SAFETY: made by `sender`, and dropped once, before its queue.
                    unsafe { drop_sender(self.0.as_ptr()) };
                }
            }

            impl Drop for From {
                fn drop(&mut self) {
                    // SAFETY: made by `receiver`, and dropped once, before its queue.
                    unsafe { drop_receiver(self.0.as_ptr()) };
                }
            }

            impl Kind for Queue {
                const NAME: &'static str = $name;
                const BATCHES: bool = $batches;
                const MOST_PRODUCERS: usize = $most;
                const MOST_CONSUMERS: usize = $most;
                type Sender = To;
                type Receiver = From;

                fn open(capacity: usize, threads: Threads) -> Result<Ends<Self>, String> {
                    Self::in_order(1, capacity, threads)
                }
            }

            impl Queue {
                /// Returns a queue that pops one of the `order` oldest items, if it can be asked
                /// for that.
                pub(crate) fn in_order(order: usize, capacity: usize, threads: Threads) -> Result<Ends<Self>, String> {
                    let refused = || format!("{} cannot hold {capacity} items", $name);
                    // SAFETY: the function returns null on failure.
                    let opened = unsafe { open(capacity, order) };
                    let queue = Arc::new(NonNull::new(opened).map(Self).ok_or_else(refused)?);
                    // SAFETY: the queue is open.
                    let to = || Some(To(NonNull::new(unsafe { sender(queue.0.as_ptr()) })?, Arc::clone(&queue)));
                    // SAFETY: the queue is open.
                    let from = || Some(From(NonNull::new(unsafe { receiver(queue.0.as_ptr()) })?, Arc::clone(&queue)));
                    let senders: Option<_> = (0..threads.producers).map(|_| to()).collect();
                    let receivers: Option<_> = (0..threads.consumers).map(|_| from()).collect();
                    senders.zip(receivers).ok_or_else(refused)
                }
            }

            impl Sender for To {
                #[inline(always)]
                fn push(&mut self, item: Item) -> bool {
                    // SAFETY: the handle is alive, and of this thread.
                    unsafe { push(self.0.as_ptr(), item) }
                }

                #[inline(always)]
                fn push_slice(&mut self, items: &[Item]) -> usize {
                    // SAFETY: the handle is alive, and of this thread; the slice has that length.
                    unsafe { push_slice(self.0.as_ptr(), items.as_ptr(), items.len()) }
                }
            }

            impl Receiver for From {
                #[inline(always)]
                fn pop(&mut self) -> Option<Item> {
                    let mut item = Item::MIN;
                    // SAFETY: the handle is alive, and of this thread; items that come are items
                    // that were pushed.
                    unsafe { pop(self.0.as_ptr(), &raw mut item) }.then_some(item)
                }

                #[inline(always)]
                fn pop_slice(&mut self, items: &mut [Item]) -> usize {
                    // SAFETY: the handle is alive, and of this thread; the slice has room for its
                    // length.
                    unsafe { pop_slice(self.0.as_ptr(), items.as_mut_ptr(), items.len()) }
                }
            }
        }
    };
}

peer!(rte_mp_mc = "rte_ring/mp_mc", usize::MAX, batches: true);
peer!(rte_rts = "rte_ring/rts", usize::MAX, batches: true);
peer!(rte_hts = "rte_ring/hts", usize::MAX, batches: true);
peer!(rte_sp_sc = "rte_ring/sp_sc", 1, batches: true);
peer!(boost_queue = "boost/lockfree_queue", usize::MAX, batches: false);
peer!(boost_spsc = "boost/lockfree_spsc_queue", 1, batches: true);
peer!(moodycamel = "moodycamel/concurrent_queue", usize::MAX, batches: true);
peer!(tbb = "tbb/concurrent_bounded_queue", usize::MAX, batches: false);
peer!(kfifo = "xenium/kirsch_bounded_kfifo_queue", usize::MAX, batches: false);
