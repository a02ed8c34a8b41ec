//! From the operations of the atomics to the engine's labels.

use super::Ordering;
use crate::graph::event::{Kind, Label, Mode, RmwOp, Site};
use crate::runtime::place::Place;
use crate::runtime::state::Found;
use crate::runtime::{driver, visible};

fn load_mode(order: Ordering) -> Mode {
    match order {
        Ordering::Release => panic!("there is no such thing as a release load"),
        Ordering::AcqRel => panic!("there is no such thing as an acquire-release load"),
        _ => Mode::of(order),
    }
}

fn store_mode(order: Ordering) -> Mode {
    match order {
        Ordering::Acquire => panic!("there is no such thing as an acquire store"),
        Ordering::AcqRel => panic!("there is no such thing as an acquire-release store"),
        _ => Mode::of(order),
    }
}

/// Returns a value that the thread could load, without an event.
pub(super) fn peek(place: &Place<'_>) -> u64 {
    driver::with_engine(|engine| engine.peek(place))
}

pub(super) fn load(place: &Place<'_>, order: Ordering, site: Site) -> u64 {
    let mut label = Label::new(Kind::Read, load_mode(order), site);
    label.bits = place.bits;
    visible(|engine| engine.read(place, label)).value
}

/// Makes a load in a wait that fails below `least`. The value only grows.
pub(super) fn await_load(place: &Place<'_>, least: u64, order: Ordering, site: Site) -> u64 {
    let mut label = Label::new(Kind::Read, load_mode(order), site);
    label.bits = place.bits;
    (label.op, label.expected) = (RmwOp::Await, least);
    visible(|engine| engine.read(place, label)).value
}

pub(super) fn store(place: &Place<'_>, value: u64, order: Ordering, site: Site) {
    let mut label = Label::new(Kind::Write, store_mode(order), site);
    label.bits = place.bits;
    label.operand = value;
    visible(|engine| engine.write(place, label));
}

pub(super) fn modify(place: &Place<'_>, op: RmwOp, operand: u64, order: Ordering, site: Site) -> u64 {
    let mut label = Label::new(Kind::Read, Mode::of(order), site);
    label.bits = place.bits;
    label.op = op;
    label.operand = operand;
    visible(|engine| engine.read(place, label)).value
}

/// Adds `by`, and continues the release sequence of the thread's write `carried`, if there is one.
/// Returns the old value and the new write.
pub(super) fn pass(place: &Place<'_>, by: u64, carried: Option<usize>, site: Site) -> (u64, usize) {
    let mut label = Label::new(Kind::Read, Mode::Release, site);
    label.bits = place.bits;
    label.operand = by;
    (label.op, label.expected) = match carried {
        Some(write) => (RmwOp::Carry, write as u64),
        None => (RmwOp::Add, label.expected),
    };
    let old = visible(|engine| engine.read(place, label)).value;
    // The write is the last event of the thread.
    (old, driver::with_engine(|engine| engine.position()).saturating_sub(1))
}

/// Adds 1 with Acquire, unless the value is zero. Returns whether it did.
pub(super) fn add_unless_zero(place: &Place<'_>, site: Site) -> bool {
    let mut label = Label::new(Kind::Read, Mode::Acquire, site);
    label.failure = Mode::Relaxed;
    label.bits = place.bits;
    (label.op, label.expected, label.operand) = (RmwOp::AddUnless, 0, 1);
    visible(|engine| engine.read(place, label)).wrote
}

/// The values and orderings of a compare-exchange.
pub(super) struct Exchange {
    pub(super) op: RmwOp,
    pub(super) expected: u64,
    pub(super) new: u64,
    pub(super) success: Ordering,
    pub(super) failure: Ordering,
}

pub(super) fn compare(place: &Place<'_>, exchange: &Exchange, site: Site) -> Found {
    let mut label = Label::new(Kind::Read, Mode::of(exchange.success), site);
    label.failure = load_mode(exchange.failure);
    label.bits = place.bits;
    label.op = exchange.op;
    label.operand = exchange.new;
    label.expected = exchange.expected;
    visible(|engine| engine.read(place, label))
}

/// The way in which an operation takes a lock: see [`RmwOp`].
pub(super) struct Lock {
    pub(super) op: RmwOp,
    pub(super) expected: u64,
    pub(super) operand: u64,
    pub(super) success: Ordering,
}

/// Takes a lock, or fails if it is not open.
pub(super) fn lock(place: &Place<'_>, lock: &Lock, site: Site) -> bool {
    let mut label = Label::new(Kind::Read, Mode::of(lock.success), site);
    label.failure = Mode::Relaxed;
    label.bits = place.bits;
    (label.op, label.expected, label.operand) = (lock.op, lock.expected, lock.operand);
    visible(|engine| engine.read(place, label)).wrote
}

pub(super) fn own(place: &Place<'_>, kind: Kind, site: Site) -> u64 {
    let label = Label::new(kind, Mode::NonAtomic, site);
    visible(|engine| engine.own(place, label))
}
