//! Each thread's part of the recorder.

use std::cell::{Cell, UnsafeCell};
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::atomic::compiler_fence;

use crate::recorder::{SHARED, Shared};
use crate::ring::Writer;
use crate::sync::Ordering;

/// Returns the calling thread's part.
///
/// It is not inlined: the code of an event is shorter with this call than with the access to a
/// thread local.
#[inline(never)]
pub(crate) fn local() -> *const Local {
    LOCAL.with(ptr::from_ref)
}

/// Whether a ring would be released when the thread ends. False if the thread's destructors have
/// run. Allocates.
pub(crate) fn can_release_at_exit() -> bool {
    LEAVING.try_with(|_| ()).is_ok()
}

/// Registers a ring to be released when the thread ends.
pub(crate) fn release_at_exit(ring: usize) -> Option<()> {
    LEAVING.try_with(|leaving| leaving.0.set(Some(ring))).ok()
}

/// The phase of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Phase {
    /// The thread has no ring yet.
    New,
    Ready,
    /// The thread records, or has the recorder's lock. Records that a signal handler begins
    /// meanwhile are refused.
    Busy,
    /// The thread ends, and has released its ring.
    Over,
}

/// A thread's part of the recorder. It has no destructor, so that access needs no check; `LEAVING`
/// has the destructor.
pub(crate) struct Local {
    pub(crate) phase: Cell<Phase>,
    writer: UnsafeCell<MaybeUninit<Writer<'static>>>,
}

thread_local! {
    static LOCAL: Local = const {
        Local { phase: Cell::new(Phase::New), writer: UnsafeCell::new(MaybeUninit::uninit()) }
    };
    static LEAVING: Leaving = const { Leaving(Cell::new(None)) };
}

/// Releases the thread's ring when the thread ends.
struct Leaving(Cell<Option<usize>>);

impl Drop for Leaving {
    fn drop(&mut self) {
        let (Some(shared), Some(ring)) = (SHARED.get(), self.0.get()) else { return };
        LOCAL.with(|local| {
            local.phase.set(Phase::Over);
            // SAFETY: the thread has a ring, so the writer is initialised; no later record uses it.
            unsafe { (*local.writer.get()).assume_init_drop() };
        });
        shared.release(ring);
    }
}

/// A guard: while it lives, records of handlers in this thread are refused.
pub(crate) struct Busy<'l> {
    local: &'l Local,
    before: Phase,
}

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        // Ordering: pairs with a signal handler in this thread, which must find the thread busy
        // until here.
        compiler_fence(Ordering::SeqCst);
        self.local.phase.set(self.before);
    }
}

impl Local {
    pub(crate) fn busy(&self) -> Busy<'_> {
        let before = self.phase.replace(Phase::Busy);
        // Ordering: pairs with a signal handler in this thread, which must find the thread busy
        // from here on.
        compiler_fence(Ordering::SeqCst);
        Busy { local: self, before }
    }

    /// Calls `write` with the writer of a ready thread, which is busy meanwhile.
    #[inline(always)]
    pub(crate) fn with_writer<R>(&self, write: impl FnOnce(&mut Writer<'static>) -> R) -> R {
        debug_assert_eq!(self.phase.get(), Phase::Ready);
        self.phase.set(Phase::Busy);
        // Ordering: pairs with a signal handler in this thread, which is sequenced with the
        // program's instructions. Without both fences, the compiler may let the handler find the
        // thread ready in the middle of a record.
        compiler_fence(Ordering::SeqCst);
        // SAFETY: the thread was ready, so the writer is initialised; a signal handler finds the
        // thread busy.
        let result = write(unsafe { (*self.writer.get()).assume_init_mut() });
        compiler_fence(Ordering::SeqCst);
        self.phase.set(Phase::Ready);
        result
    }

    /// Claims a ring for a new thread. Returns whether the thread is ready now; if not, the record
    /// is counted as refused.
    #[cold]
    #[inline(never)]
    pub(crate) fn begin(&self, shared: &Shared) -> bool {
        if self.phase.get() == Phase::New {
            self.phase.set(Phase::Busy);
            // Ordering: pairs with a signal handler in this thread. Without both fences, the
            // handler may find the thread new, and wait for the lock that the thread holds.
            compiler_fence(Ordering::SeqCst);
            let writer = shared.claim_ring();
            let is_ready = writer.is_some();
            if let Some(writer) = writer {
                // SAFETY: a signal handler finds the thread busy, so only this call accesses the
                // writer.
                unsafe { (*self.writer.get()).write(writer) };
            }
            compiler_fence(Ordering::SeqCst);
            self.phase.set(if is_ready { Phase::Ready } else { Phase::New });
            if is_ready {
                return true;
            }
        }
        shared.region.refuse();
        false
    }
}

/// Runs the code of a signal handler, so that its records do not claim a ring for its thread.
///
/// The first record of a thread takes a lock and allocates, which a handler must not do, and a
/// handler may run in any thread. Within this call, the records in a thread that has not recorded
/// before are refused, and counted by [`Trace::refused`](crate::Trace::refused). In other threads
/// they are written as usual.
///
/// Wait-free. If `handle` panics, so does this.
///
/// # Examples
/// ```
/// use aqueduct_recorder::{Builder, event, in_handler};
///
/// /// The handler of a signal, for `sigaction`.
/// extern "C" fn handle(signal: i32) {
///     in_handler(|| event!("signal", number = signal));
/// }
///
/// let recorder = Builder::new().install()?;
/// handle(15);
/// assert_eq!(recorder.trace().refused(), 1, "the thread has not recorded yet");
/// event!("started");
/// handle(15);
/// assert_eq!(recorder.trace().events().len(), 2);
/// # Ok::<(), aqueduct_recorder::InstallError>(())
/// ```
pub fn in_handler<R>(handle: impl FnOnce() -> R) -> R {
    // SAFETY: the thread is alive, and its part has no destructor.
    let local = unsafe { &*local() };
    let _busy = (local.phase.get() == Phase::New).then(|| local.busy());
    handle()
}
