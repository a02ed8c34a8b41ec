//! The entries by name.

use crate::worlds;

/// The kind of execution that shows a bug.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Memory {
    /// An interleaving shows the bug.
    Interleaving,
    /// Only weak memory shows the bug.
    Weak,
}

/// A bug, compiled for every checker.
#[derive(Debug)]
pub struct Entry {
    /// A short name, as `Z1`.
    pub id: &'static str,
    /// The project that had it, and the error.
    pub about: &'static str,
    /// The kind of execution that shows it.
    pub memory: Memory,
    /// The broken and the repaired program, for each checker that is compiled in.
    pub(crate) programs: &'static [[fn(); 2]],
}

macro_rules! entries {
    ($($id:literal, $($module:ident)::+, $memory:ident, $about:literal;)*) => {
        /// Every entry.
        pub const ENTRIES: &[Entry] = &[$(Entry {
            id: $id,
            about: $about,
            memory: Memory::$memory,
            programs: &[
                [worlds::aqueduct::entries::$($module)::+::broken, worlds::aqueduct::entries::$($module)::+::repaired],
                #[cfg(feature = "rivals")]
                [worlds::loom::entries::$($module)::+::broken, worlds::loom::entries::$($module)::+::repaired],
                #[cfg(feature = "rivals")]
                [worlds::shuttle::entries::$($module)::+::broken, worlds::shuttle::entries::$($module)::+::repaired],
            ],
        }),*];
    };
}

entries! {
    "L1", l1_rmw_reads_old, Weak, "a read-modify-write comes before the reset that it should count on";
    "L2a", l2a_failed_exchange_reads_old, Weak, "a compare-exchange that fails reads an old value";
    "L2b", l2b_rmw_store_buffering, Weak, "store buffering whose reads are read-modify-writes";
    "L3", l3_two_stores_each, Weak, "two threads' first stores outlive their second ones (2+2W)";
    "L4", l4_old_news, Weak, "a value that eight stores have followed is still read";
    "L5", l5_weak_exchange_once, Interleaving, "a weak compare-exchange fails without a reason";
    "L6", l6_look_then_close, Interleaving, "a look, then a store, beside another thread's look";
    "L7", l7_swap_against_store, Interleaving, "a store that comes after a swap is forgotten";
    "Z1", z01_ring_head_then_tail, Weak, "DPDK's ring: a new head with an old tail";
    "Z3a", z03_spsc_publication::producer, Weak, "SPSC rings (DPDK, jack, Linux's tty): the producer's index outruns its write";
    "Z3b", z03_spsc_publication::consumer, Weak, "SPSC rings (DPDK, FreeBSD): the consumer's index outruns its read";
    "Z4", z04_mcs_late_locked, Weak, "MCS lock, Linux's qspinlock: unlocked before the mark lands, and waits forever";
    "Z6", z06_last_one_frees, Weak, "moodycamel: the last consumer frees a block without having acquired it";
    "Z11a", z11_lone_fence::no_partner, Weak, "iceoryx2's queue: a fence without a partner";
    "Z11b", z11_lone_fence::wrong_way, Weak, "iceoryx's free list: a release fence where acquire was meant";
    "Z12", z12_lapped_reader, Weak, "OCaml's runtime events: a lapped reader takes a new event for an old one";
    "Z13", z13_writer_waits_for_readers, Weak, "parking_lot's RwLock: a writer comes in through a failed relaxed exchange";
    "Z15", z15_lost_wakeup::no_fence, Weak, "io_uring, libbpf: a wake-up lost to store buffering";
    "Z15b", z15_lost_wakeup::one_fence, Weak, "folly's ParkingLot: a wake-up lost although one side has a fence";
    "Z17", z17_notify_skipped, Weak, "event-listener: a notification is skipped while the first listener comes";
    "Z18", z18_try_then_disconnected, Interleaving, "flume: empty, then disconnected; a message sent in between is lost";
    "Z19", z19_waker_kept, Interleaving, "thingbuf: a task that has moved is woken where it was";
    "Z20", z20_parked_bit_cleared_late, Interleaving, "parking_lot: the bit of sleepers is cleared after the queue is let go";
    "Z21", z21_permit_dropped_after_close, Interleaving, "tokio's mpsc: a permit dropped after the close wakes nobody";
    "Z23", z23_list_half_initialised, Interleaving, "crossbeam's list: a receiver goes before it sees the first block";
    "Z24", z24_list_null_erases_block, Interleaving, "crossbeam's list: storing null erases a block that came late";
    "Z25", z25_list_block_freed_twice, Interleaving, "crossbeam's list: the first block is freed twice";
    "Z26", z26_block_end_erases_bit, Interleaving, "crossbeam's list: the end of a block erases the disconnection";
    "Z27", z27_counter_frees_early, Interleaving, "crossbeam's counter: freed while the other side disconnects";
    "Z29", z29_oneshot_waker_after_gone, Interleaving, "oneshot: a receiver that has gone touches its waker";
    "Z30", z30_weak_upgrade_wipes_count, Interleaving, "async-channel: a failed upgrade wipes out the count of another";
    "Z32", z32_node_resets_tag, Interleaving, "boost.lockfree: a node used again begins with tag zero again";
    "Z34", z34_head_wraps, Interleaving, "tokio's run queue: narrow indices wrap under a thief";
    "Z35", z35_steal_into_while_stolen_from, Interleaving, "tokio's run queue: stealing into a queue that is stolen from";
    "Z37", z37_cached_limit_adds, Interleaving, "disruptor-rs: a cached limit grows too far";
    "Z39", z39_linked_before_published, Interleaving, "JCTools: an empty queue says that it is not";
    "Z41", z41_len_underflows, Interleaving, "tokio's mpsc: the length falls below zero when the channel closes";
    "Z42", z42_abort_then_take, Interleaving, "Rust's mpsc: a message taken after a time-out is counted twice";
    "Z44", z44_bbq_wrongly_busy, Interleaving, "BBQ, drop-old: busy, though another producer has made room";
    "Z45", z45_bbq_for_ever_round, Interleaving, "BBQ, drop-old: the consumer goes round the blocks forever";
    "Z46", z46_bbq_reader_without_fence, Weak, "BBQ, drop-old: the reader's look comes before its copy";
    "Z47", z47_bwos_thief_resets, Interleaving, "BWoS: a thief's reset undoes the owner's takeover";
    "Z48", z48_empty_then_disconnected, Interleaving, "crossfire: empty, then all senders gone; a message sent in between is lost";
    "Z49", z49_unpolled_send_leaks, Interleaving, "crossfire: a send that is dropped before its first poll forgets its message";
    "Z50", z50_dropped_receive_drops, Interleaving, "kanal: a receive that is dropped drops the message that it was handed";
    "Z51", z51_dropped_receive_keeps_wakeup, Interleaving, "flume: a receive that is dropped keeps the wake-up that it has not used";
    "Z52", z52_wake_of_a_notified_task, Weak, "tokio: a wake-up of a task that is notified already publishes nothing";
    "Z53", z53_seat_claimed_without_acquire, Weak, "forte: a seat that another thread has used meanwhile is claimed without acquire";
    "Z54", z54_latch_frees_its_frame, Weak, "forte: a relaxed latch frees its frame under the thread that sets it";
    "Z55", z55_put_back_beyond_capacity, Interleaving, "kanal: a receive that is dropped puts its message back into a full queue";
    "Z56", z56_done_before_its_message, Interleaving, "kanal: a receive that is polled again ends before its message is there";
    "Z57", z57_batch_goes_on_after_an_error, Interleaving, "kanal: a batch goes on after an error, and loses the messages that came back";
}
