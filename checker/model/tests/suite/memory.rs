//! Memory: lifetimes, initialisation, leaks.

use std::sync::Arc;

use aqueduct_model::FailureKind::{DoubleFree, Leak, Race, Unallocated, Uninitialized, UseAfterFree};
use aqueduct_model::alloc::{Layout, Track, alloc, alloc_zeroed, dealloc};
use aqueduct_model::sync::atomic::Ordering::{self, Acquire, Relaxed, Release};
use aqueduct_model::sync::atomic::{AtomicPtr, AtomicUsize};
use aqueduct_model::{Config, cell, thread};

use crate::support::kind;

const PAIR: Layout = Layout::new::<[u32; 2]>();

fn pair() -> *mut u32 {
    // SAFETY: The layout is not empty.
    unsafe { alloc(PAIR).cast() }
}

fn free(memory: *mut u32) {
    // SAFETY: Inside a model a wrong free is reported.
    unsafe { dealloc(memory.cast(), PAIR) }
}

fn write(memory: *mut u32, value: u32) {
    // SAFETY: Inside a model a wrong access is reported before it happens.
    unsafe { cell::write(memory, value) }
}

fn read(memory: *mut u32) -> u32 {
    // SAFETY: Inside a model a wrong access is reported before it happens.
    unsafe { cell::read(memory) }
}

#[test]
fn lifetimes_of_one_thread() {
    assert_eq!(kind(|| free(pair())), None);
    assert_eq!(kind(|| assert!(!pair().is_null())), Some(Leak));
    assert_eq!(
        kind(|| {
            let p = pair();
            free(p);
            free(p);
        }),
        Some(DoubleFree)
    );
    assert_eq!(
        kind(|| {
            let p = pair();
            free(p);
            write(p, 1);
        }),
        Some(UseAfterFree)
    );
    assert_eq!(kind(|| write(&raw mut *Box::new(0), 1)), Some(Unallocated));
    assert_eq!(kind(|| free(&raw mut *Box::new(0))), Some(Unallocated));
}

#[test]
fn initialisation_is_tracked_by_the_byte() {
    assert_eq!(
        kind(|| {
            let p = pair();
            write(p, 1);
            assert_eq!(read(p), 1);
            read(p.wrapping_add(1));
        }),
        Some(Uninitialized)
    );
    assert_eq!(
        kind(|| {
            let p = pair();
            write(p, 1);
            write(p.wrapping_add(1), 2);
            // SAFETY: Both halves have been written.
            let both = unsafe { cell::read(p.cast::<[u32; 2]>()) };
            assert_eq!(both, [1, 2]);
            free(p);
        }),
        None
    );
    assert_eq!(
        kind(|| {
            // SAFETY: The layout is not empty.
            let p: *mut u32 = unsafe { alloc_zeroed(PAIR) }.cast();
            assert_eq!(read(p), 0);
            free(p);
        }),
        None
    );
}

/// Shares a pointer with another thread.
#[derive(Clone, Copy)]
struct Shared(*mut u32);

// SAFETY: The model reports errors.
unsafe impl Send for Shared {}

impl Shared {
    fn get(self) -> *mut u32 {
        self.0
    }
}

#[test]
fn raw_memory_races_by_the_byte() {
    let program = |second: usize| {
        move || {
            let p = Shared(pair());
            let other = thread::spawn(move || write(p.get(), 1));
            write(p.get().wrapping_add(second), 2);
            other.join().unwrap();
            free(p.get());
        }
    };
    assert_eq!(kind(program(0)), Some(Race));
    assert_eq!(kind(program(1)), None);
}

#[test]
fn a_free_has_to_be_ordered_after_every_use() {
    let program = |order: Ordering| {
        move || {
            let p = Shared(pair());
            let done = Arc::new(AtomicUsize::new(0));
            let theirs = Arc::clone(&done);
            let other = thread::spawn(move || {
                write(p.get(), 1);
                theirs.store(1, order);
            });
            let freed = done.load(Acquire) == 1;
            if freed {
                free(p.get());
            }
            other.join().unwrap();
            if !freed {
                free(p.get());
            }
        }
    };
    assert_eq!(kind(program(Release)), None);
    assert_eq!(kind(program(Relaxed)), Some(UseAfterFree));
}

#[test]
fn an_atomic_in_memory_has_to_be_published() {
    let program = |order: Ordering| {
        move || {
            let layout = Layout::new::<AtomicUsize>();
            let slot = Arc::new(AtomicPtr::<AtomicUsize>::default());
            let theirs = Arc::clone(&slot);
            let other = thread::spawn(move || {
                // SAFETY: The layout is that of an `AtomicUsize` and not empty.
                let p = unsafe {
                    let p: *mut AtomicUsize = alloc(layout).cast();
                    p.write(AtomicUsize::new(5));
                    p
                };
                theirs.store(p, order);
            });
            let p = slot.load(Acquire);
            if !p.is_null() {
                // SAFETY: It is not freed before the join; the model finds whether it is published.
                assert_eq!(unsafe { (*p).load(Relaxed) }, 5);
            }
            other.join().unwrap();
            // SAFETY: The other thread allocated it with this layout.
            unsafe { dealloc(slot.load(Relaxed).cast(), layout) };
        }
    };
    assert_eq!(kind(program(Release)), None);
    assert_eq!(kind(program(Relaxed)), Some(Unallocated));
}

#[test]
fn tracked_values() {
    assert_eq!(kind(|| std::mem::forget(Track::new(1))), Some(Leak));
    assert_eq!(
        kind(|| {
            let mut tracked = Track::new(1);
            *tracked.get_mut() += 1;
            assert_eq!((*tracked.get_ref(), tracked.into_inner()), (2, 2));
        }),
        None
    );
    let leaky = || std::mem::forget(Track::new(1));
    assert!(Config::new().finds_leaks(false).check(leaky).failure.is_none());
}
