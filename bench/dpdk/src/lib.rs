//! Packets between processes by DPDK's interface of ports, with aqueduct's queues in place of
//! DPDK's ring.
//!
//! J. Wang's thesis (section 2.6.3.1) replaces the ring in DPDK's network driver. Here, too, the
//! programs that send, forward and receive call `rte_eth_rx_burst` and `rte_eth_tx_burst`; the
//! functions behind them move packets through one queue or another. The queues lie in DPDK's
//! memory, and packets are handed on without a copy.
//!
//! - `l2fwd`: a process sends packets to another one, which exchanges their addresses and sends
//!   them back.
//! - `round_trip`: one packet at a time.
//! - `clients`: a process hands packets to two others in turn, which send them back into one queue.
//! - `stops`: one of the two is stopped at an instruction by chance. Do packets of the other client
//!   still come, and do its calls still come back?
//!
//! - `call`: a push and a pop of one thread, by a driver's functions and by DPDK's inline ones.
//! - `pipeline`: events go through two stages of DPDK's software event device.
//!
//! Each packet is checked: its order, its content, its addresses; and each event: the order of its
//! flow.

#[cfg(has_dpdk)]
mod dpdk;
#[cfg(any(has_event_device, test))]
mod events;

#[cfg(has_dpdk)]
pub use dpdk::{Experiment, Memory, Plan, follow, run, self_test};
