//! Pools that run two closures side by side.

mod pools;

use aqueduct_measure::record::Role;

pub(crate) use pools::{Chili, Ours, Rayon, Sequential};

/// A pool whose threads fork and join.
///
/// Joined closures get a context, because chili's joins are methods of one. Elsewhere it is empty.
pub(crate) trait Pool: Sync + Sized + 'static {
    const NAME: &'static str;
    const ROLE: Role;
    type Context<'s>;

    /// Makes a pool of `threads` threads. If the caller of [`enter`](Self::enter) works, too, it is
    /// one of them.
    fn open(threads: usize) -> Self;

    /// Calls `body` on a thread that can join, and waits for it.
    fn enter<R: Send>(&self, body: impl FnOnce(&mut Self::Context<'_>) -> R + Send) -> R;

    /// Calls both closures, perhaps side by side. (The default is the result of a closure that the
    /// test's wrong pool skips.)
    fn join<A: Send + Default, B: Send + Default>(
        context: &mut Self::Context<'_>,
        a: impl FnOnce(&mut Self::Context<'_>) -> A + Send,
        b: impl FnOnce(&mut Self::Context<'_>) -> B + Send,
    ) -> (A, B);
}

/// An action on each pool.
pub(crate) trait Visit {
    fn visit<P: Pool>(&mut self);
}

pub(crate) fn visit(visitor: &mut impl Visit) {
    visitor.visit::<Ours>();
    visitor.visit::<Rayon>();
    visitor.visit::<Chili>();
    visitor.visit::<Sequential>();
}

/// A pool that calls the first of two closures alone.
#[cfg(test)]
pub(crate) struct Skipping;

#[cfg(test)]
impl Pool for Skipping {
    const NAME: &'static str = "test/skipping";
    const ROLE: Role = Role::Peer;
    type Context<'s> = ();

    fn open(_threads: usize) -> Self {
        Self
    }

    fn enter<R: Send>(&self, body: impl FnOnce(&mut ()) -> R + Send) -> R {
        body(&mut ())
    }

    fn join<A: Send + Default, B: Send + Default>(
        context: &mut (),
        a: impl FnOnce(&mut ()) -> A + Send,
        _b: impl FnOnce(&mut ()) -> B + Send,
    ) -> (A, B) {
        (a(context), B::default())
    }
}
