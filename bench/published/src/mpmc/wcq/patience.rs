//! The numbers of attempts that a wCQ is made with.

/// The numbers of attempts of the threads.
pub trait Patience: Send + Sync + 'static {
    /// Attempts of a push before it requests help.
    const PUSHES: u32;
    /// Attempts of a pop before it requests help.
    const POPS: u32;
    /// Operations after which a thread looks whether another one needs help.
    const HELPS_AFTER: u32;
    /// The number of times that a pop looks again at an entry that a push is about to fill.
    const LOOKS: u32;
    /// Whether a step has the record that the paper gives it: one for both counters, and a thread
    /// that has read it does not check again whether the name is still there. Then an item can be
    /// lost: a test keeps that form to find it.
    const AS_PUBLISHED: bool = false;
}
