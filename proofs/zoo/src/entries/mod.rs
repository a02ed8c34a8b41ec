//! The entries. Each file is compiled once for each checker: `super::super` is its backend.
//!
//! An entry is a core that takes the difference of its forms as a parameter (a const generic or a
//! function), a client, and the two functions `broken` and `repaired`. Two bugs of one core share a
//! file, and each has a module of its own in it. Files without a number have the shared code of
//! several entries.

mod list_channel;
mod run_queue;
mod signal;

pub(crate) mod cursor;
pub(crate) mod l1_rmw_reads_old;
pub(crate) mod l2a_failed_exchange_reads_old;
pub(crate) mod l2b_rmw_store_buffering;
pub(crate) mod l3_two_stores_each;
pub(crate) mod l4_old_news;
pub(crate) mod l5_weak_exchange_once;
pub(crate) mod l6_look_then_close;
pub(crate) mod l7_swap_against_store;
pub(crate) mod z01_ring_head_then_tail;
pub(crate) mod z03_spsc_publication;
pub(crate) mod z04_mcs_late_locked;
pub(crate) mod z06_last_one_frees;
pub(crate) mod z11_lone_fence;
pub(crate) mod z12_lapped_reader;
pub(crate) mod z13_writer_waits_for_readers;
pub(crate) mod z15_lost_wakeup;
pub(crate) mod z17_notify_skipped;
pub(crate) mod z18_try_then_disconnected;
pub(crate) mod z19_waker_kept;
pub(crate) mod z20_parked_bit_cleared_late;
pub(crate) mod z21_permit_dropped_after_close;
pub(crate) mod z23_list_half_initialised;
pub(crate) mod z24_list_null_erases_block;
pub(crate) mod z25_list_block_freed_twice;
pub(crate) mod z26_block_end_erases_bit;
pub(crate) mod z27_counter_frees_early;
pub(crate) mod z29_oneshot_waker_after_gone;
pub(crate) mod z30_weak_upgrade_wipes_count;
pub(crate) mod z32_node_resets_tag;
pub(crate) mod z34_head_wraps;
pub(crate) mod z35_steal_into_while_stolen_from;
pub(crate) mod z37_cached_limit_adds;
pub(crate) mod z39_linked_before_published;
pub(crate) mod z41_len_underflows;
pub(crate) mod z42_abort_then_take;
pub(crate) mod z44_bbq_wrongly_busy;
pub(crate) mod z45_bbq_for_ever_round;
pub(crate) mod z46_bbq_reader_without_fence;
pub(crate) mod z47_bwos_thief_resets;
pub(crate) mod z48_empty_then_disconnected;
pub(crate) mod z49_unpolled_send_leaks;
pub(crate) mod z50_dropped_receive_drops;
pub(crate) mod z51_dropped_receive_keeps_wakeup;
pub(crate) mod z52_wake_of_a_notified_task;
pub(crate) mod z53_seat_claimed_without_acquire;
pub(crate) mod z54_latch_frees_its_frame;
pub(crate) mod z55_put_back_beyond_capacity;
pub(crate) mod z56_done_before_its_message;
pub(crate) mod z57_batch_goes_on_after_an_error;
