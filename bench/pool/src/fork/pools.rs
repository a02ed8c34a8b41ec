//! The pools: ours, rayon's, chili's, and none at all.

use std::num::NonZeroUsize;

use aqueduct_measure::record::Role;

use super::Pool;

/// The pool of `aqueduct-pool`.
pub(crate) struct Ours(aqueduct_pool::ThreadPool);

impl Pool for Ours {
    const NAME: &'static str = "aqueduct/join";
    const ROLE: Role = Role::Ours;
    type Context<'s> = ();

    fn open(threads: usize) -> Self {
        let pool = aqueduct_pool::ThreadPoolBuilder::new().num_threads(threads).build();
        Self(pool.expect("the system has threads"))
    }

    fn enter<R: Send>(&self, body: impl FnOnce(&mut ()) -> R + Send) -> R {
        self.0.install(|| body(&mut ()))
    }

    #[inline(always)]
    fn join<A: Send + Default, B: Send + Default>(
        _context: &mut (),
        a: impl FnOnce(&mut ()) -> A + Send,
        b: impl FnOnce(&mut ()) -> B + Send,
    ) -> (A, B) {
        aqueduct_pool::join(|| a(&mut ()), || b(&mut ()))
    }
}

/// rayon-core's pool.
pub(crate) struct Rayon(rayon::ThreadPool);

impl Pool for Rayon {
    const NAME: &'static str = "rayon/join";
    const ROLE: Role = Role::Peer;
    type Context<'s> = ();

    fn open(threads: usize) -> Self {
        Self(rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("the system has threads"))
    }

    fn enter<R: Send>(&self, body: impl FnOnce(&mut ()) -> R + Send) -> R {
        self.0.install(|| body(&mut ()))
    }

    #[inline(always)]
    fn join<A: Send + Default, B: Send + Default>(
        _context: &mut (),
        a: impl FnOnce(&mut ()) -> A + Send,
        b: impl FnOnce(&mut ()) -> B + Send,
    ) -> (A, B) {
        rayon::join(|| a(&mut ()), || b(&mut ()))
    }
}

/// chili's pool. The caller is one of its threads.
pub(crate) struct Chili(chili::ThreadPool);

impl Pool for Chili {
    const NAME: &'static str = "chili/join";
    const ROLE: Role = Role::Peer;
    type Context<'s> = chili::Scope<'s>;

    fn open(threads: usize) -> Self {
        let thread_count = NonZeroUsize::new(threads);
        Self(chili::ThreadPool::with_config(chili::Config { thread_count, ..chili::Config::default() }))
    }

    fn enter<R: Send>(&self, body: impl FnOnce(&mut chili::Scope<'_>) -> R + Send) -> R {
        body(&mut self.0.scope())
    }

    #[inline(always)]
    fn join<A: Send + Default, B: Send + Default>(
        context: &mut chili::Scope<'_>,
        a: impl FnOnce(&mut chili::Scope<'_>) -> A + Send,
        b: impl FnOnce(&mut chili::Scope<'_>) -> B + Send,
    ) -> (A, B) {
        context.join(a, b)
    }
}

/// No pool: the caller runs all closures.
pub(crate) struct Sequential;

impl Pool for Sequential {
    const NAME: &'static str = "bound/sequential";
    const ROLE: Role = Role::Bound;
    type Context<'s> = ();

    fn open(_threads: usize) -> Self {
        Self
    }

    fn enter<R: Send>(&self, body: impl FnOnce(&mut ()) -> R + Send) -> R {
        body(&mut ())
    }

    #[inline(always)]
    fn join<A: Send + Default, B: Send + Default>(
        context: &mut (),
        a: impl FnOnce(&mut ()) -> A + Send,
        b: impl FnOnce(&mut ()) -> B + Send,
    ) -> (A, B) {
        (a(context), b(context))
    }
}
