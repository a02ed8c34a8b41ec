//! Methods that the queues of several kinds share: those of their memory and geometry, and of sides
//! that have one handle each.

/// Implements the methods of every `Queue`. `on_heap` takes these numbers, from which `$geometry`
/// is made.
macro_rules! queue {
    ([$($item:ident)?], ($($number:ident),*), $geometry:expr) => {
        impl<$($item,)? M> Queue<$($item,)? M> {
            /// Returns the geometry.
            pub fn geometry(&self) -> Geometry {
                self.geometry
            }

            /// Returns the memory.
            pub fn memory(&self) -> &M {
                &self.memory
            }

            /// Returns the memory. The queue stays in it.
            pub fn into_memory(self) -> M {
                self.memory
            }
        }

        impl<$($item: Pod)?> Queue<$($item,)? alloc::sync::Arc<[crate::sync::Word]>> {
            /// Makes a queue on the heap, for threads of this process.
            ///
            /// # Errors
            /// [`CapacityError`] if a number is 0 or too large.
            pub fn on_heap($($number: usize,)* tag: u64) -> Result<Self, CapacityError> {
                let geometry = $geometry?;
                let words = (0..geometry.words()).map(|_| crate::sync::Word::new(0)).collect();
                Self::create(words, geometry, tag)
            }
        }

        impl<$($item,)? M: Clone> Clone for Queue<$($item,)? M> {
            fn clone(&self) -> Self {
                let (memory, geometry) = (self.memory.clone(), self.geometry);
                Self { memory, geometry $(, _items: core::marker::PhantomData::<fn() -> $item>)? }
            }
        }

        impl<$($item,)? M> core::fmt::Debug for Queue<$($item,)? M> {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.debug_struct("Queue").field("geometry", &self.geometry).finish_non_exhaustive()
            }
        }
    };
}

/// Implements the methods of a `Queue` whose producer's side has one handle.
macro_rules! producers_side {
    ($($item:ident)?) => {
        impl<$($item: Pod,)? M: Memory> Queue<$($item,)? M> {
            /// Takes the producer's side.
            ///
            /// # Errors
            /// [`ClaimError::Taken`] if a handle has it; [`ClaimError::Damaged`] if the positions
            /// in the memory contradict each other; [`ClaimError::Kept`] in a region, where
            /// `take_producer` and `take_consumer` take the kernel's lock.
            pub fn producer(&self) -> Result<Producer<$($item,)? M>, ClaimError>
            where
                M: Clone,
            {
                layout::unless_kept(&self.memory)?;
                Producer::new(self.memory.clone(), self.geometry, Claim::Free)
            }

            /// Takes the producer's side from a dead handle, whose thread or process has ended.
            ///
            /// The new handle has the number `owner`, which is not 0. With two live producers,
            /// items or records get lost or mixed up. In regions (on Linux), `take_producer` asks
            /// the kernel instead.
            ///
            /// # Errors
            /// [`ClaimError::Damaged`] if the positions in the memory contradict each other.
            pub fn replace_producer(&self, owner: u32) -> Result<Producer<$($item,)? M>, ClaimError>
            where
                M: Clone,
            {
                layout::unless_kept(&self.memory)?;
                Producer::new(self.memory.clone(), self.geometry, Claim::Replace(owner))
            }

            /// Returns the number of the handle that has the producer's side, or 0. Any process may
            /// have overwritten it.
            pub fn producers_owner(&self) -> u64 {
                self.memory.words()[head::PRODUCER].load(Ordering::Relaxed) & layout::OWNER
            }
        }
    };
}

/// Implements the methods of a `Queue` whose consumer's side has one handle.
macro_rules! consumers_side {
    ($($item:ident)?) => {
        impl<$($item: Pod,)? M: Memory> Queue<$($item,)? M> {
            /// Takes the consumer's side.
            ///
            /// # Errors
            /// [`ClaimError::Taken`] if a handle has it; [`ClaimError::Damaged`] if the positions
            /// in the memory contradict each other; [`ClaimError::Kept`] in a region, where
            /// `take_producer` and `take_consumer` take the kernel's lock.
            pub fn consumer(&self) -> Result<Consumer<$($item,)? M>, ClaimError>
            where
                M: Clone,
            {
                layout::unless_kept(&self.memory)?;
                Consumer::new(self.memory.clone(), self.geometry, Claim::Free)
            }

            /// Takes the consumer's side from a dead handle, whose thread or process has ended.
            ///
            /// The new handle has the number `owner`, which is not 0. With two live consumers,
            /// items or records get lost or are popped twice. In regions (on Linux),
            /// `take_consumer` asks the kernel instead.
            ///
            /// # Errors
            /// [`ClaimError::Damaged`] if the positions in the memory contradict each other.
            pub fn replace_consumer(&self, owner: u32) -> Result<Consumer<$($item,)? M>, ClaimError>
            where
                M: Clone,
            {
                layout::unless_kept(&self.memory)?;
                Consumer::new(self.memory.clone(), self.geometry, Claim::Replace(owner))
            }

            /// Returns the number of the handle that has the consumer's side, or 0. Any process may
            /// have overwritten it.
            pub fn consumers_owner(&self) -> u64 {
                self.memory.words()[head::CONSUMER].load(Ordering::Relaxed) & layout::OWNER
            }
        }
    };
}

pub(crate) use {consumers_side, producers_side, queue};
