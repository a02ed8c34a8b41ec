// The interface of `std::sync` and `std::thread`, compiled against `std` and against the model:
// `sync`, `thread` and `thread_local` are those of one of them. Nothing here runs. An atomic's
// `as_ptr` and `from_ptr` are left out: the model does not see accesses through them.

use sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use sync::atomic::{AtomicBool, AtomicI64, AtomicPtr, AtomicU8, AtomicU32, AtomicU64, AtomicUsize};
use sync::mpsc::{self, RecvTimeoutError, TryRecvError, TrySendError};
use sync::{Arc, Barrier, Condvar, LazyLock, Mutex, Once, OnceLock, RwLock, TryLockError, Weak};

trait Shape {
    fn sides(&self) -> usize;
}

impl Shape for usize {
    fn sides(&self) -> usize {
        *self
    }
}

fn owners() {
    let mut first = Arc::new(1);
    let weak: Weak<i32> = Arc::downgrade(&first);
    let _ = (weak.upgrade(), weak.clone().ptr_eq(&weak), weak.strong_count(), weak.weak_count(), weak.as_ptr());
    let _ = (Arc::strong_count(&first), Arc::weak_count(&first), Arc::ptr_eq(&first, &first.clone()));
    let _ = (Arc::get_mut(&mut first).is_some(), Arc::as_ptr(&first), *Arc::make_mut(&mut first));
    let _ = (first == first.clone(), first < first.clone(), first.max(Arc::new(2)), format!("{weak:?}"));
    let _ = (Arc::try_unwrap(Arc::new(1)), Arc::into_inner(Arc::new(1)), Arc::unwrap_or_clone(Arc::new(1)));
    let _: Arc<str> = "text".into();
    let _: Arc<str> = String::new().into();
    let slice: Arc<[i32]> = vec![1].into();
    let _: Arc<[i32]> = slice.iter().copied().collect();
    let shape: Arc<dyn Shape + Send> = Arc::from(Box::new(3_usize) as Box<dyn Shape + Send>);
    let _ = shape.sides();
    let any: Arc<dyn std::any::Any + Send + Sync> = Arc::from(Box::new(3) as Box<dyn std::any::Any + Send + Sync>);
    let _ = any.downcast::<i32>().is_ok();
    let _ = (Arc::new_cyclic(|_: &Weak<i32>| 1), Arc::<i32>::default(), Arc::from(1), Arc::pin(1), Weak::<i32>::new());
    // SAFETY: Each address came from `into_raw` and is used once.
    unsafe {
        let raw = Arc::into_raw(Arc::new(1));
        Arc::increment_strong_count(raw);
        Arc::decrement_strong_count(raw);
        let _ = Weak::from_raw(Arc::downgrade(&Arc::from_raw(raw)).into_raw());
    }
    let _ = std::collections::HashSet::from([Arc::new(1)]).contains(&1);
}

fn threads() {
    let handle = thread::Builder::new().name("a".into()).stack_size(1 << 16).spawn(|| 1).unwrap();
    let _ = (handle.thread().id() == thread::current().id(), handle.thread().name().is_some(), handle.is_finished());
    handle.thread().unpark();
    let _: thread::Result<i32> = handle.join();
    let mut number = 1;
    thread::scope(|scope| {
        let inner = scope.spawn(|| number += 1);
        let _ = inner.is_finished();
        inner.join().unwrap();
        thread::Builder::new().spawn_scoped(scope, || 1).unwrap();
    });
    thread::park();
    thread::park_timeout(Duration::ZERO);
    thread::sleep(Duration::ZERO);
    thread::yield_now();
    let _ = (thread::panicking(), thread::available_parallelism().is_ok(), number);
    thread_local! {
        static CELL: Cell<i32> = const { Cell::new(1) };
        static SET: RefCell<i32> = const { RefCell::new(1) };
    }
    let _ = (CELL.get(), CELL.take(), CELL.replace(1), CELL.with(Cell::get), SET.with_borrow(|set| *set));
    let _: Result<i32, thread::AccessError> = CELL.try_with(Cell::get);
    SET.with_borrow_mut(|set| *set += 1);
}

fn locks() {
    let (mutex, changed) = (Mutex::new(1), Condvar::new());
    *mutex.lock().unwrap() += 1;
    let _ = match mutex.try_lock() {
        Ok(guard) => *guard,
        Err(TryLockError::WouldBlock) => 0,
        Err(TryLockError::Poisoned(poisoned)) => *poisoned.into_inner(),
    };
    let guard: sync::MutexGuard<'_, i32> = changed.wait(mutex.lock().unwrap()).unwrap();
    let guard = changed.wait_while(guard, |value| *value > 0).unwrap();
    let (guard, result): (_, sync::WaitTimeoutResult) = changed.wait_timeout(guard, Duration::ZERO).unwrap();
    let (guard, _) = changed.wait_timeout_while(guard, Duration::ZERO, |value| *value > 0).unwrap();
    let _ = (result.timed_out(), mutex.is_poisoned(), format!("{guard:?}{guard}{mutex:?}{changed:?}"));
    drop(guard);
    mutex.clear_poison();
    changed.notify_one();
    changed.notify_all();
    let mut both = RwLock::new(1);
    let _ = (both.try_read().is_ok(), both.try_write().is_ok(), *both.read().unwrap(), both.is_poisoned());
    let read: sync::RwLockReadGuard<'_, i32> = sync::RwLockWriteGuard::downgrade(both.write().unwrap());
    drop(read);
    both.clear_poison();
    *both.get_mut().unwrap() = 2;
    let _ = (both.into_inner().unwrap(), mutex.into_inner().unwrap());
    let (once, cell) = (Once::new(), OnceLock::new());
    once.call_once(|| {});
    once.call_once_force(|state: &sync::OnceState| assert!(!state.is_poisoned()));
    once.wait();
    let _ = (once.is_completed(), cell.set(1), cell.get_or_init(|| 2), cell.get(), cell.wait());
    let lazy: LazyLock<i32> = LazyLock::new(|| 1);
    let _ = (*lazy, *LazyLock::force(&lazy), cell.clone().into_inner());
    let _: sync::LockResult<()> = Err(sync::PoisonError::new(()));
    let barrier: sync::BarrierWaitResult = Barrier::new(1).wait();
    let _ = barrier.is_leader();
}

fn channels() {
    let (sender, receiver): (mpsc::Sender<i32>, mpsc::Receiver<i32>) = mpsc::channel();
    let _: Result<(), mpsc::SendError<i32>> = sender.clone().send(1);
    let _ = (receiver.recv(), receiver.try_recv() == Err(TryRecvError::Empty), receiver.iter().next());
    let _ = (receiver.recv_timeout(Duration::ZERO) == Err(RecvTimeoutError::Timeout), receiver.try_iter().next());
    let _: mpsc::IntoIter<i32> = receiver.into_iter();
    let (sender, _) = mpsc::sync_channel(1);
    let _ = (sender.send(1), sender.try_send(1) == Err(TrySendError::Full(1)), format!("{sender:?}"));
}

fn atomics() {
    let (mut number, flag, byte) = (AtomicUsize::new(1), AtomicBool::new(true), AtomicU8::from(1));
    let _ = (number.load(Acquire), number.swap(1, AcqRel), number.fetch_add(1, Relaxed), number.fetch_sub(1, Release));
    let _ = (number.fetch_max(1, SeqCst), number.fetch_min(1, SeqCst), number.fetch_nand(1, SeqCst));
    let _ = (number.fetch_and(1, SeqCst), number.fetch_or(1, SeqCst), number.fetch_xor(1, SeqCst));
    let _ = number.compare_exchange(1, 2, AcqRel, Acquire).or_else(|_| number.compare_exchange_weak(1, 2, AcqRel, Acquire));
    let _ = (number.fetch_update(SeqCst, Relaxed, Some), *number.get_mut(), number.into_inner());
    let _ = (byte.update(SeqCst, Relaxed, |byte| byte + 1), byte.try_update(SeqCst, Relaxed, Some));
    let _ = (flag.fetch_not(SeqCst), flag.fetch_and(true, SeqCst), flag.fetch_update(SeqCst, Relaxed, Some));
    let _ = (AtomicU32::default(), AtomicI64::new(1).fetch_max(1, Relaxed), AtomicU64::new(1));
    let pointer: AtomicPtr<i32> = AtomicPtr::default();
    let _ = (pointer.load(Relaxed), pointer.fetch_update(SeqCst, Relaxed, Some), format!("{pointer:?}{flag:?}"));
    let _ = (pointer.fetch_ptr_add(1, Relaxed), pointer.fetch_byte_sub(1, Relaxed), pointer.fetch_or(1, Relaxed));
    sync::atomic::fence(SeqCst);
    sync::atomic::compiler_fence(SeqCst);
}

pub(super) const ALL: [fn(); 5] = [owners, threads, locks, channels, atomics];
