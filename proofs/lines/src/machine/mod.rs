//! Simulated cores: coroutines with a clock each. The core with the earliest clock runs.

pub mod counts;
mod lines;
mod streamer;

use std::cell::{Cell, RefCell};
use std::panic::Location;

use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult, Yielder};

pub use counts::{Count, Counts};
use lines::Lines;
use streamer::Streamer;

/// Times, in tenths of a nanosecond.
#[derive(Clone, Copy, Debug)]
pub struct Costs {
    /// The time from a request for a line to its arrival from another core.
    pub transfer: u64,
    /// A locked instruction on a line that the core owns.
    pub locked: u64,
    /// A load or a store that hits.
    pub access: u64,
    /// A spin hint.
    pub hint: u64,
    /// The further work of a call of a queue.
    pub call: u64,
    /// The number of lines that a core requests ahead of loads from adjacent lines.
    pub ahead: usize,
}

impl Default for Costs {
    /// Returns a server processor: 70 ns for a line from another core's cache, about 20 cycles for
    /// a locked instruction.
    fn default() -> Self {
        Self { transfer: 700, locked: 90, access: 5, hint: 160, call: 20, ahead: 0 }
    }
}

/// The kind of an access to an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// A load: the core waits for the line.
    Load,
    /// A store: the core goes on while the line comes.
    Store,
    /// A locked instruction: the core waits for the line, and for its earlier stores.
    Locked,
    /// A prefetch of the line for reading.
    FetchToRead,
    /// A prefetch of the line for writing.
    FetchToWrite,
}

/// The program of a core.
pub type Body = Box<dyn FnOnce()>;

type Channel = Yielder<(), ()>;
type Task = Coroutine<(), (), ()>;

/// Enough for the queues, and for a panic with its message.
const STACK: usize = 1 << 19;

struct Machine {
    costs: Costs,
    lines: Lines,
    clocks: Vec<u64>,
    /// By core: the time at which the last of its stores will be done.
    stores_done: Vec<u64>,
    streamers: Vec<Streamer>,
    running: usize,
    counts: Counts,
}

std::thread_local! {
    static MACHINE: RefCell<Option<Machine>> = const { RefCell::new(None) };
    static CHANNEL: Cell<*const Channel> = const { Cell::new(std::ptr::null()) };
    /// The time up to which the running core may go before another core runs.
    static LIMIT: Cell<u64> = const { Cell::new(0) };
}

/// Runs a body on each core, and returns the counts.
///
/// # Panics
/// If a body panics.
#[must_use]
pub fn run(costs: Costs, bodies: Vec<Body>) -> Counts {
    let cores = bodies.len();
    let machine = Machine {
        costs,
        lines: Lines::new(cores, costs.transfer),
        // The cores do not all start at one moment.
        clocks: (0..cores as u64).collect(),
        stores_done: vec![0; cores],
        streamers: vec![Streamer::default(); cores],
        running: 0,
        counts: Counts::default(),
    };
    MACHINE.with_borrow_mut(|there| assert!(there.replace(machine).is_none(), "one machine at a time"));
    let mut tasks: Vec<Option<(Task, *const Channel)>> =
        bodies.into_iter().map(|body| Some((task(body), std::ptr::null()))).collect();
    while let Some(next) = choose(&tasks) {
        let (task, channel) = tasks[next].as_mut().expect("it is not at its end");
        CHANNEL.set(*channel);
        let ended = matches!(task.resume(()), CoroutineResult::Return(()));
        *channel = CHANNEL.replace(std::ptr::null());
        if ended {
            tasks[next] = None;
        }
    }
    MACHINE.with_borrow_mut(|there| there.take().expect("it is there").counts)
}

fn task(body: Body) -> Task {
    let stack = DefaultStack::new(STACK).expect("there is memory for a stack");
    Coroutine::with_stack(stack, |channel: &Channel, ()| {
        CHANNEL.set(channel);
        body();
    })
}

/// Returns the core with the earliest clock, and sets how far it may go.
fn choose(tasks: &[Option<(Task, *const Channel)>]) -> Option<usize> {
    MACHINE.with_borrow_mut(|machine| {
        let machine = machine.as_mut().expect("it is there");
        let live = || (0..tasks.len()).filter(|&core| tasks[core].is_some());
        let next = live().min_by_key(|&core| machine.clocks[core])?;
        LIMIT.set(live().filter(|&core| core != next).map(|core| machine.clocks[core]).min().unwrap_or(u64::MAX));
        machine.running = next;
        Some(next)
    })
}

/// Lets the other cores reach this core's time, if a core runs here.
fn take_turn(clock: u64) {
    if clock > LIMIT.get() {
        // SAFETY: the pointer is set while this coroutine runs, on whose stack the channel lies.
        unsafe { &*CHANNEL.get() }.suspend(());
    }
}

/// Calls `act` with the machine, if a core runs here.
fn on_core<R>(act: impl FnOnce(&mut Machine, usize) -> R) -> Option<R> {
    if CHANNEL.get().is_null() {
        return None;
    }
    MACHINE.with_borrow_mut(|machine| {
        let machine = machine.as_mut().expect("it is there");
        let core = machine.running;
        Some(act(machine, core))
    })
}

/// Returns the running core's time, in tenths of a nanosecond; 0 outside of a machine.
#[must_use]
pub fn now() -> u64 {
    on_core(|machine, core| machine.clocks[core]).unwrap_or(0)
}

/// Lets time pass on the running core.
pub fn spend(time: u64) {
    if let Some(clock) = on_core(|machine, core| {
        machine.clocks[core] += time;
        machine.clocks[core]
    }) {
        take_turn(clock);
    }
}

/// Executes `times` spin hints.
#[track_caller]
pub fn hint(times: u32) {
    let site = Location::caller();
    let spent = on_core(|machine, _| {
        let spent = machine.costs.hint * u64::from(times);
        machine.counts.of(site).paused += spent;
        spent
    });
    spend(spent.unwrap_or(0));
}

/// Does the further work of a call of a queue.
pub fn call() {
    let each = on_core(|machine, _| machine.costs.call);
    spend(each.unwrap_or(0));
}

/// Waits until the access can take effect, which it does before anything else on this core.
#[track_caller]
pub(crate) fn touch(address: usize, access: Access) {
    let Some(clock) = on_core(|machine, core| machine.clocks[core]) else { return };
    take_turn(clock);
    let site = Location::caller();
    let clock = on_core(|machine, core| machine.access(core, address, access, site)).expect("a core runs");
    take_turn(clock);
    on_core(|machine, core| machine.clocks[core] += machine.costs.of(access));
}

/// Counts a failed exchange.
#[track_caller]
pub(crate) fn note_failed() {
    let site = Location::caller();
    on_core(|machine, _| machine.counts.of(site).failed += 1);
}

impl Costs {
    const fn of(&self, access: Access) -> u64 {
        match access {
            Access::Locked => self.locked,
            _ => self.access,
        }
    }
}

impl Machine {
    /// Returns the time at which the access takes effect.
    fn access(&mut self, core: usize, address: usize, access: Access, site: &'static Location<'static>) -> u64 {
        let began = self.clocks[core];
        let is_exclusive = matches!(access, Access::Store | Access::Locked | Access::FetchToWrite);
        let arrival = self.lines.request(core, address, is_exclusive, began);
        let count = self.counts.of(site);
        count.accesses += 1;
        count.transfers += u64::from(arrival.is_transfer);
        if access == Access::Load {
            for ahead in self.streamers[core].loaded(address, self.costs.ahead) {
                count.transfers += u64::from(self.lines.request(core, ahead, false, began).is_transfer);
            }
        }
        match access {
            Access::Load => self.clocks[core] = arrival.at,
            Access::Locked => {
                count.locked += 1;
                self.clocks[core] = arrival.at.max(self.stores_done[core]);
            }
            Access::Store => self.stores_done[core] = self.stores_done[core].max(arrival.at),
            Access::FetchToRead | Access::FetchToWrite => {}
        }
        count.waited += self.clocks[core] - began;
        self.clocks[core]
    }
}
