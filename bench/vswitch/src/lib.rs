//! A virtual Ethernet switch whose ports are aqueduct's SPSC queues: section 6 of Maffione,
//! Lettieri and Rizzo (2018, "the SPSC paper" in this crate).
//!
//! - [`switch`]: one thread forwards frames between ports, each of a transmit and a receive queue
//!   ([`ports`]). Only pointers cross the queues ([`frame`]).
//! - [`workload`] and [`measure`]: the forwarding rate for each kind of queue under the paper's two
//!   workloads.
//! - [`replay`]: forwards a capture ([`pcap`]) and accounts for every frame.
//! - [`command`]: `aqueduct vswitch`.

pub mod command;
pub mod drops;
pub mod frame;
pub mod mac;
pub mod measure;
pub mod memory;
mod other_ports;
pub mod pcap;
pub mod placement;
pub mod ports;
pub mod replay;
pub mod switch;
pub mod table;
pub mod workload;
