//! The published queue, as a kind.

use std::sync::Arc;

use aqueduct_bench_published::drop_old::PublishedDropOld;

use super::kind::{Ends, Kind, Reader, Writer};

/// BBQ in drop-old mode as published.
pub(super) struct Published;

impl Kind for Published {
    const NAME: &'static str = "published/bbq_drop_old";
    const PEER: bool = true;
    const MOST_PRODUCERS: usize = usize::MAX;
    const COUNTS_LOST: bool = false;
    type Writer = Arc<PublishedDropOld>;
    type Reader = Arc<PublishedDropOld>;

    fn open(capacity: usize, producers: usize) -> Result<Ends<Self>, String> {
        let queue = Arc::new(PublishedDropOld::new(capacity)?);
        Ok((vec![Arc::clone(&queue); producers], queue))
    }
}

impl Writer for Arc<PublishedDropOld> {
    #[inline(always)]
    fn write(&mut self, item: u64) -> bool {
        self.push(item)
    }
}

impl Reader for Arc<PublishedDropOld> {
    #[inline(always)]
    fn read(&mut self) -> Option<u64> {
        self.pop()
    }
}
