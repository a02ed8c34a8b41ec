//! A virtual Ethernet switch whose ports are aqueduct's SPSC queues.

pub mod frame;
pub mod mac;
pub mod pcap;
