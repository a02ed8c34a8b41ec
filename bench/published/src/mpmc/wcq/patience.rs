//! The numbers of attempts that a wCQ is made with.

/// How patient the threads are.
pub trait Patience: Send + Sync + 'static {
    /// Attempts of a push before it asks for help.
    const PUSHES: u32;
    /// Attempts of a pop, likewise.
    const POPS: u32;
    /// Operations after which a thread looks whether another one needs help.
    const HELPS_AFTER: u32;
    /// How many times a pop looks again at an entry that a push is about to fill.
    const LOOKS: u32;
    /// Whether a step has the record that the paper gives it: one for both counters, and a thread that has read it does
    /// not look again whether the name is still there. Then an item can be lost: a test keeps that form to find it.
    const AS_PUBLISHED: bool = false;
}
