//! Block-based queues and work-stealing queues that come with their proof.
