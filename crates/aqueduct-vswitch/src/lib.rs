//! A virtual Ethernet switch whose ports are aqueduct's SPSC queues.
