//! Wakers whose `clone` and `drop` use the channel that they wait for: no lock is held meanwhile.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex, Weak};
use std::task::{Context, Poll, RawWaker, RawWakerVTable, Wake, Waker};

use aqueduct_channel::{Event, Receiver, Select, Sender, bounded, rendezvous, unbounded};

use super::attempts::within;

type Handles = (Sender<u32>, Receiver<u32>);

/// Wakers that only look at the channel, and take nothing from it.
const LOOKS: usize = 2;

/// Uses both ends, and every method that takes a lock.
fn use_both<const KIND: usize>(handles: &Handles) {
    let (sender, receiver) = handles;
    if KIND != LOOKS {
        let _ = sender.try_send(1);
        let _ = receiver.try_recv();
    }
    let _ = (receiver.len(), sender.clone().downgrade().upgrade().is_some());
}

/// The vtables of wakers whose data is the address of the handles, which outlive them. They behave
/// alike, but `will_wake` tells them apart.
static TABLES: [RawWakerVTable; 3] = [table::<0>(), table::<1>(), table::<LOOKS>()];

const fn table<const KIND: usize>() -> RawWakerVTable {
    RawWakerVTable::new(clone_waker::<KIND>, drop_waker::<KIND>, |_| (), drop_waker::<KIND>)
}

fn clone_waker<const KIND: usize>(data: *const ()) -> RawWaker {
    drop_waker::<KIND>(data);
    RawWaker::new(data, &TABLES[KIND])
}

fn drop_waker<const KIND: usize>(data: *const ()) {
    // SAFETY: the handles outlive the wakers.
    use_both::<KIND>(unsafe { &*data.cast::<Handles>() });
}

fn waker(handles: &Handles, kind: usize) -> Waker {
    // SAFETY: the functions of the vtables need the address of handles that live longer.
    unsafe { Waker::from_raw(RawWaker::new((&raw const *handles).cast(), &TABLES[kind])) }
}

/// Polls the future with each waker in turn, and drops it.
fn poll_by_both<F: Future>(handles: &Handles, future: F) {
    let wakers = [0, 1].map(|kind| waker(handles, kind));
    let mut future = pin!(future);
    for turn in 0..4 {
        if future.as_mut().poll(&mut Context::from_waker(&wakers[turn % 2])).is_ready() {
            return;
        }
    }
}

const KINDS: [fn() -> Handles; 3] = [rendezvous, || bounded(1).unwrap(), unbounded];

#[test]
fn the_clone_and_the_drop_of_a_waker_may_use_the_channel() {
    for make in KINDS {
        within(move || {
            let handles = make();
            poll_by_both(&handles, handles.1.recv_async());
            while handles.0.capacity().is_some() && handles.0.try_send(1).is_ok() {}
            if handles.0.capacity().is_some() {
                poll_by_both(&handles, handles.0.send_async(7));
                poll_by_both(&handles, handles.0.reserve_async());
            }
            let (_open, silent) = rendezvous::<u32>();
            let select = Select::new().on(handles.1.recv_async(), drop).on(silent.recv_async(), drop);
            poll_by_both(&handles, select);
        });
    }
}

/// A waker of safe code, whose last clone uses the channel when it is dropped.
struct UsesWhenDropped(Weak<Handles>);

impl Wake for UsesWhenDropped {
    fn wake(self: Arc<Self>) {}
}

impl Drop for UsesWhenDropped {
    fn drop(&mut self) {
        if let Some(handles) = self.0.upgrade() {
            use_both::<0>(&handles);
        }
    }
}

/// A select that waits is polled by another task: the first task's waker is dropped.
#[test]
fn the_drop_of_a_waker_of_a_select_may_use_the_channel() {
    within(|| {
        let handles = Arc::new(rendezvous::<u32>());
        // It is polled before the channel, whose list has the last clone of the waker then.
        let event = Event::new();
        let receives = Select::new().on(handles.1.recv_async(), |_| ()).on(event.wait_async(|| None), |()| ());
        let sends = Select::new().on(handles.0.send_async(7), |_| ()).on(event.wait_async(|| None), |()| ());
        for select in [receives, sends] {
            let mut select = pin!(select);
            let waker = Waker::from(Arc::new(UsesWhenDropped(Arc::downgrade(&handles))));
            assert!(select.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
            drop(waker);
            let _ = select.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        }
    });
}

/// A partner comes while a listed select makes its attempts: the select finds it, and its own entry
/// is removed.
#[test]
fn a_waker_may_use_the_channel_when_its_select_finds_a_partner() {
    within(|| {
        let handles = rendezvous::<u32>();
        let (event, comes) = (Event::new(), AtomicBool::new(false));
        let waker = waker(&handles, LOOKS);
        for receives in [true, false] {
            let partner = Mutex::new(match receives {
                true => Box::pin(async { handles.0.send_async(8).await.is_ok() })
                    as Pin<Box<dyn Future<Output = bool> + Send>>,
                false => Box::pin(async { handles.1.recv_async().await.is_ok() }),
            });
            let listed = event.wait_async(|| {
                if comes.swap(false, SeqCst) {
                    let mut partner = partner.lock().unwrap();
                    assert!(partner.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
                }
                None::<()>
            });
            let select = match receives {
                true => Select::new().on(handles.1.recv_async(), |result| result.is_ok()),
                false => Select::new().on(handles.0.send_async(7), |result| result.is_ok()),
            };
            let mut select = pin!(select.on(listed, |()| false));
            comes.store(false, SeqCst);
            assert!(select.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
            comes.store(true, SeqCst);
            event.notify();
            assert_eq!(select.as_mut().poll(&mut Context::from_waker(&waker)), Poll::Ready(true));
            assert!(!comes.load(SeqCst));
        }
    });
}

#[test]
fn a_waker_that_is_dropped_is_not_woken() {
    let handles = bounded::<u32>(1).unwrap();
    let mut receiving = handles.1.recv_async();
    assert_eq!(Pin::new(&mut receiving).poll(&mut Context::from_waker(Waker::noop())), Poll::Pending);
    poll_by_both(&handles, &mut receiving);
}
