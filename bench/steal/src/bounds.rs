//! The cost of the owner's work without any thief: arrays without atomics.
//!
//! After each operation, the compiler has forgotten the number of items ([`forget`]). Otherwise it
//! merges several pushes into one wide store, and all pops into a sum over the array without a
//! check for emptiness, which no queue could do.

use aqueduct::bwos::Steal;
use aqueduct::bwos::policy::Victim;

use super::divided::DividedRing;
use super::kind::{Kind, Order, Owner, Room, Thief};
use super::subject::{Subject, subject_of};
use aqueduct_measure::items::Item;

/// Returns all bounds.
pub(super) fn all() -> Vec<Box<dyn Subject>> {
    vec![subject_of::<ArrayStack>(), subject_of::<ArrayRing>(), subject_of::<DividedRing>()]
}

/// Makes the compiler forget the value of a number and the content of memory. Costs no instruction.
#[inline(always)]
fn forget(number: &mut usize) {
    // SAFETY: no instruction, but for its comment.
    unsafe { core::arch::asm!("/* {0} */", inout(reg) * number, options(nostack, preserves_flags)) };
}

/// The thief of a bound: there is none.
pub(super) struct Nobody;

impl Victim for Nobody {
    type Item = Item;

    fn steal_granted(&self) -> Steal<Item> {
        Steal::Empty
    }

    fn granted(&self, _block: usize) -> usize {
        0
    }
}

impl Thief for Nobody {
    fn another(&self) -> Self {
        Self
    }

    fn steal_one(&mut self) -> Option<Item> {
        None
    }
}

struct ArrayStack;

/// The owner's stack.
struct Stack {
    slots: Box<[Item]>,
    len: usize,
}

impl Owner for Stack {
    #[inline(always)]
    fn push(&mut self, item: Item) -> bool {
        let Some(slot) = self.slots.get_mut(self.len) else { return false };
        *slot = item;
        self.len += 1;
        forget(&mut self.len);
        true
    }

    #[inline(always)]
    fn pop(&mut self) -> Option<Item> {
        let below = self.len.checked_sub(1)?;
        let item = *self.slots.get(below)?;
        self.len = below;
        forget(&mut self.len);
        Some(item)
    }
}

impl Kind for ArrayStack {
    const NAME: &'static str = "bound/array_stack";
    const ORDER: Order = Order::Lifo;
    const PEER: bool = false;
    const THIEVES: bool = false;
    type Owner = Stack;
    type Thief = Nobody;

    fn open(Room { capacity, .. }: Room) -> Result<(Stack, Nobody), String> {
        Ok((Stack { slots: vec![Item::MIN; capacity].into_boxed_slice(), len: 0 }, Nobody))
    }
}

struct ArrayRing;

/// The owner's ring.
struct Ring {
    slots: Box<[Item]>,
    back: usize,
    front: usize,
}

impl Owner for Ring {
    #[inline(always)]
    fn push(&mut self, item: Item) -> bool {
        if self.back - self.front == self.slots.len() {
            return false;
        }
        let mask = self.slots.len() - 1;
        self.slots[self.back & mask] = item;
        self.back += 1;
        forget(&mut self.back);
        true
    }

    #[inline(always)]
    fn pop(&mut self) -> Option<Item> {
        if self.back == self.front {
            return None;
        }
        let mask = self.slots.len() - 1;
        let item = self.slots[self.front & mask];
        self.front += 1;
        forget(&mut self.front);
        Some(item)
    }
}

impl Kind for ArrayRing {
    const NAME: &'static str = "bound/array_ring";
    const ORDER: Order = Order::Fifo;
    const PEER: bool = false;
    const THIEVES: bool = false;
    type Owner = Ring;
    type Thief = Nobody;

    fn open(Room { capacity, .. }: Room) -> Result<(Ring, Nobody), String> {
        let slots = vec![Item::MIN; capacity.next_power_of_two()].into_boxed_slice();
        Ok((Ring { slots, back: 0, front: 0 }, Nobody))
    }
}
