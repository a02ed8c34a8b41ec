//! The queues of `aqueduct::spsc` as kinds under test.

use aqueduct::spsc;

use super::kind::{Ends, Kind, Receiver, Sender, Word};
use super::subject::{Subject, subject_of};

/// All our queues, the recommended one first.
pub(super) fn all() -> Vec<Box<dyn Subject>> {
    vec![
        subject_of::<Ring>(),
        subject_of::<Lamport>(),
        subject_of::<LazyLamport>(),
        subject_of::<BatchedLamport>(),
        subject_of::<FastForward>(),
        subject_of::<ImprovedFastForward>(),
        subject_of::<BatchedImprovedFastForward>(),
    ]
}

/// A kind for one module of `aqueduct::spsc`.
macro_rules! kind {
    ($kind:ident = $name:literal, $module:ident, batches: $batches:literal) => {
        struct $kind;

        impl Kind for $kind {
            const NAME: &'static str = $name;
            const PEER: bool = false;
            const BATCHES: bool = $batches;
            type Sender<T: Word> = spsc::$module::Producer<T>;
            type Receiver<T: Word> = spsc::$module::Consumer<T>;

            fn open<T: Word>(capacity: usize) -> Result<Ends<Self, T>, String> {
                spsc::$module::queue(capacity).map_err(|error| error.to_string())
            }
        }
    };
}

/// A module's producer as a sender.
macro_rules! sender {
    ($module:ident $(, $batches:ident)?) => {
        impl<T: Word> Sender<T> for spsc::$module::Producer<T> {
            #[inline(always)]
            fn push(&mut self, item: T) -> bool {
                spsc::$module::Producer::push(self, item).is_ok()
            }

            $(sender!(@$batches);)?
        }
    };
    (@batches) => {
        #[inline(always)]
        fn push_batch(&mut self, wanted: usize, make: &mut impl FnMut() -> T) -> usize {
            let mut batch = self.batch(wanted);
            let count = batch.space().min(wanted);
            for _ in 0..count {
                // Cannot fail: the batch has that much space.
                let _ = batch.push(make());
            }
            batch.publish();
            count
        }
    };
}

/// A module's consumer as a receiver.
macro_rules! receiver {
    ($module:ident $(, $batches:ident)?) => {
        impl<T: Word> Receiver<T> for spsc::$module::Consumer<T> {
            #[inline(always)]
            fn pop(&mut self, take: &mut impl FnMut(T)) -> usize {
                match spsc::$module::Consumer::pop(self) {
                    Ok(item) => {
                        take(item);
                        1
                    }
                    Err(_) => 0,
                }
            }

            $(receiver!(@$batches);)?
        }
    };
    (@batches) => {
        #[inline(always)]
        fn pop_batch(&mut self, wanted: usize, take: &mut impl FnMut(T)) -> usize {
            self.batch(wanted).fold(0, |count, item| {
                take(item);
                count + 1
            })
        }
    };
}

kind!(Ring = "aqueduct/ring", stamped_line, batches: true);
sender!(stamped_line, batches);
receiver!(stamped_line, batches);

kind!(Lamport = "aqueduct/lamport", lamport, batches: false);
sender!(lamport);
receiver!(lamport);

kind!(LazyLamport = "aqueduct/lazy_lamport", lazy_lamport, batches: false);
sender!(lazy_lamport);
receiver!(lazy_lamport);

kind!(BatchedLamport = "aqueduct/batched_lamport", batched_lamport, batches: true);
sender!(batched_lamport, batches);
receiver!(batched_lamport, batches);

kind!(FastForward = "aqueduct/fast_forward", fast_forward, batches: false);
sender!(fast_forward);
receiver!(fast_forward);

kind!(ImprovedFastForward = "aqueduct/improved_fast_forward", improved_fast_forward, batches: false);
sender!(improved_fast_forward);

// The improved queue and its batched form differ in their producers only; they share the consumer.
kind!(BatchedImprovedFastForward = "aqueduct/batched_improved_fast_forward", batched_improved_fast_forward, batches: true);
sender!(batched_improved_fast_forward, batches);
receiver!(batched_improved_fast_forward, batches);
