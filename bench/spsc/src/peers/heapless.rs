//! `heapless`: its SPSC queue holds a fixed number of items, known when the program is built.

use std::any::Any;
use std::cell::UnsafeCell;
use std::sync::Arc;

use heapless::spsc::{Consumer, Producer, Queue};

use super::super::kind::{Ends, Kind, Receiver, Sender, Word};

/// The queue of 2^n slots, which holds one item less: its index arithmetic is fastest with this
/// number.
pub(crate) struct Heapless;

pub(crate) struct HeaplessSender<T: Word> {
    producer: Producer<'static, T>,
    _home: Home,
}

pub(crate) struct HeaplessReceiver<T: Word> {
    consumer: Consumer<'static, T>,
    _home: Home,
}

/// Keeps the queue alive for as long as either handle exists.
type Home = Arc<dyn Any>;

// SAFETY: the home is only held so that it is freed when both handles are dropped; the queue in it
// is reached through `producer` alone, which is `Send`, and words need no drop.
unsafe impl<T: Word> Send for HeaplessSender<T> {}
// SAFETY: the home is only held; the queue in it is reached through `consumer` alone, which is
// `Send`.
unsafe impl<T: Word> Send for HeaplessReceiver<T> {}

type Handles<T> = (HeaplessSender<T>, HeaplessReceiver<T>);

fn open_sized<T: Word, const SLOTS: usize>() -> Handles<T> {
    let home = Arc::new(UnsafeCell::new(Queue::<T, SLOTS>::new()));
    // SAFETY: no other reference to the queue exists yet, and it is reached through the two halves
    // only. The handles hold the home and never lend their half, so the queue outlives both halves.
    let queue: &'static mut Queue<T, SLOTS> = unsafe { &mut *home.get() };
    let (producer, consumer) = queue.split();
    let home: Home = home;
    (HeaplessSender { producer, _home: Arc::clone(&home) }, HeaplessReceiver { consumer, _home: home })
}

impl Kind for Heapless {
    const NAME: &'static str = "heapless/spsc";
    type Sender<T: Word> = HeaplessSender<T>;
    type Receiver<T: Word> = HeaplessReceiver<T>;

    fn open<T: Word>(capacity: usize) -> Result<Ends<Self, T>, String> {
        macro_rules! sizes {
            ($($slots:literal)*) => {
                match capacity.next_power_of_two() {
                    $($slots => Ok(open_sized::<T, $slots>()),)*
                    _ => Err(format!("heapless is built for 16 to 65536 items here, not for {capacity}")),
                }
            };
        }
        sizes!(16 32 64 128 256 512 1024 2048 4096 8192 16384 32768 65536)
    }
}

impl<T: Word> Sender<T> for HeaplessSender<T> {
    #[inline]
    fn push(&mut self, item: T) -> bool {
        self.producer.enqueue(item).is_ok()
    }
}

impl<T: Word> Receiver<T> for HeaplessReceiver<T> {
    #[inline]
    fn pop(&mut self, take: &mut impl FnMut(T)) -> usize {
        match self.consumer.dequeue() {
            Some(item) => {
                take(item);
                1
            }
            None => 0,
        }
    }
}
