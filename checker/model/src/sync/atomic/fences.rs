//! Fences: core's, and pairs of asymmetric ones.

use core::sync::atomic as native;
use core::sync::atomic::Ordering;
use std::panic::Location;

use crate::graph::event::{Kind, Label, Mode};
use crate::runtime::{inside, visible};

/// Executes a fence, as [`core::sync::atomic::fence`] does.
///
/// # Panics
///
/// If `order` is `Relaxed`.
#[track_caller]
pub fn fence(order: Ordering) {
    assert!(order != Ordering::Relaxed, "there is no such thing as a relaxed fence");
    fence_of(Kind::Fence, order);
}

/// Executes the light fence of an asymmetric pair: a `SeqCst` fence with respect to
/// [`heavy_fence`]s, and to no others.
///
/// C++'s proposal P1202 and folly's `asymmetric_thread_fence_light` have it. If the operating
/// system can make all of a process's threads pass a barrier (Linux: `membarrier`), the light fence
/// costs no instruction.
///
/// An order between accesses that needs light fences of several threads is not in the model,
/// because two heavy fences need not reach all threads in one order.
///
/// # Panics
///
/// If `order` is not `SeqCst`, because other orderings have no use.
#[track_caller]
pub fn light_fence(order: Ordering) {
    assert!(order == Ordering::SeqCst, "a light fence is SeqCst to heavy ones, and nothing else");
    fence_of(Kind::LightFence, order);
}

/// Executes the heavy fence of an asymmetric pair: a `SeqCst` fence, with respect to
/// [`light_fence`]s, too.
///
/// It orders atomics. In the model it is not an acquire and release fence, so only Acquire
/// and Release pass data on.
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
