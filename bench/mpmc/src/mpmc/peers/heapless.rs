//! `heapless`: its queue holds a fixed number of items, known when the program is built. It needs
//! the feature `mpmc_large` to hold more than 128.

use std::sync::Arc;

use heapless::mpmc::{Queue, QueueView};

use super::super::kind::{Item, kind, receiver, sender};

/// The queue without its size in its type, which a thread keeps in a register beside the pointer.
type Shared = Arc<QueueView<Item>>;

/// Makes a queue. Never inlined: it is built on the stack, and the sizes would add up in the
/// caller's frame.
#[inline(never)]
fn sized<const SLOTS: usize>() -> Shared {
    #[expect(deprecated, reason = "it is not lock-free, which is no reason not to measure it")]
    let queue = Arc::new(Queue::<Item, SLOTS>::new());
    queue
}

/// Whether it is built for that many items, or the next power of two.
pub(crate) fn has(capacity: usize) -> bool {
    (16..=1 << 15).contains(&capacity.next_power_of_two())
}

fn open(capacity: usize) -> Result<Shared, String> {
    macro_rules! sizes {
        ($($slots:literal)*) => {
            match capacity.next_power_of_two() {
                $($slots => Ok(sized::<$slots>()),)*
                _ => Err(format!("heapless is built for 16 to 32768 items here, not for {capacity}")),
            }
        };
    }
    sizes!(16 32 64 128 256 512 1024 2048 4096 8192 16384 32768)
}

kind! {
    /// Vyukov's queue without padding, the number of slots a power of two.
    Heapless = "heapless/mpmc", many to many;
    Shared, Shared;
    |capacity| {
        let queue = open(capacity)?;
        (Arc::clone(&queue), queue)
    }
}
sender!(Shared, |queue, item| queue.enqueue(item).is_ok());
receiver!(Shared, |queue| queue.dequeue());
