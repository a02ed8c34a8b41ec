//! A virtual Ethernet switch whose ports are aqueduct's SPSC queues.

pub mod drops;
pub mod frame;
pub mod mac;
pub mod pcap;
pub mod placement;
pub mod ports;
pub mod replay;
pub mod switch;
pub mod table;
pub mod workload;
