//! Fences: core's, and pairs of asymmetric ones.

use core::sync::atomic as native;
use core::sync::atomic::Ordering;
use std::panic::Location;

use crate::graph::event::{Kind, Label, Mode};
use crate::runtime::{inside, visible};

/// A fence, as [`core::sync::atomic::fence`].
///
/// # Panics
///
/// If `order` is `Relaxed`.
#[track_caller]
pub fn fence(order: Ordering) {
    assert!(order != Ordering::Relaxed, "there is no such thing as a relaxed fence");
    fence_of(Kind::Fence, order);
}

/// The light one of a pair of asymmetric fences, as C++'s proposal P1202 and folly's `asymmetric_thread_fence_light`
/// have them: one `SeqCst` fence to [`heavy_fence`]s, and nothing at all to other light ones, other fences and
/// accesses. Where the operating system can make all of a process's threads pass a barrier (Linux: `membarrier`), the
/// light one costs no instruction.
///
/// An order between accesses that needs light fences of several threads is not in the model: nobody promises that two
/// heavy fences reach all threads in the same order.
///
/// # Panics
///
/// If `order` is not `SeqCst`: there is no use for others.
#[track_caller]
pub fn light_fence(order: Ordering) {
    assert!(order == Ordering::SeqCst, "a light fence is SeqCst to heavy ones, and nothing else");
    fence_of(Kind::LightFence, order);
}

/// The heavy one of a pair of asymmetric fences: a `SeqCst` fence, to [`light_fence`]s, too. It orders atomics; the
/// model does not take it for an acquire and release fence, so data is handed on by Acquire and Release alone.
///
/// # Panics
///
/// If `order` is not `SeqCst`.
#[track_caller]
pub fn heavy_fence(order: Ordering) {
    assert!(order == Ordering::SeqCst, "a heavy fence is SeqCst: for less, a fence will do");
    fence_of(Kind::HeavyFence, order);
}

#[track_caller]
fn fence_of(kind: Kind, order: Ordering) {
    if inside() {
        let label = Label::new(kind, Mode::of(order), Location::caller());
        visible(|engine| engine.fence(label));
    } else {
        native::fence(order);
    }
}
