//! The controls: two threads of one process, over shared memory as between processes, and over
//! pointers.

use aqueduct::spsc::ring::{self, Consumer, Producer};
use aqueduct_measure::rounds::Fault;

use crate::control::refused;
use crate::kinds::ours::ItemsLink;
use crate::link::{Came, Link};
use crate::message::{Large, Line, Message, Small};
use crate::plan::Wait;
use crate::process::{Cores, measure_threads};
use crate::work::{Led, Task};

/// The queue of items in regions, between threads: the difference is the cost of separate
/// processes.
pub(crate) const ITEMS: &str = "aqueduct/items_of_threads";
/// The library's ring, between threads: the difference is the cost of offsets.
pub(crate) const RING: &str = "aqueduct/ring_of_threads";

/// A control, by its name and how its sides can wait.
pub(crate) const CONTROLS: [(&str, &[Wait]); 2] = [(ITEMS, &Wait::ALL), (RING, &[Wait::Spin])];

/// Does the task with the control of this name.
pub(crate) fn measure(name: &str, task: Task, cores: Cores) -> Result<Led, Fault> {
    match task.bytes {
        bytes if bytes == size_of::<Small>() => measure_with::<Small>(name, task, cores),
        bytes if bytes == size_of::<Line>() => measure_with::<Line>(name, task, cores),
        _ => measure_with::<Large>(name, task, cores),
    }
}

fn measure_with<M: Message>(name: &str, task: Task, cores: Cores) -> Result<Led, Fault> {
    if name == ITEMS {
        return measure_threads::<M, _>(task, cores, ItemsLink::<M, false>::pair(&task)?);
    }
    let (there, arrived) = ring::new::<M>(task.capacity).map_err(refused)?;
    let (back, returned) = ring::new::<M>(task.capacity).map_err(refused)?;
    let (ours, theirs) = (Ring { out: there, back: returned }, Ring { out: back, back: arrived });
    measure_threads::<M, _>(task, cores, (ours, theirs))
}

/// The ends of two rings.
struct Ring<M> {
    out: Producer<M>,
    back: Consumer<M>,
}

impl<M: Message> Link<M> for Ring<M> {
    #[inline(always)]
    fn try_send(&mut self, number: u64) -> Result<bool, Fault> {
        Ok(self.out.push(M::numbered(number)).is_ok())
    }

    #[inline(always)]
    fn try_receive(&mut self, number: u64) -> Result<Came, Fault> {
        Ok(self.back.pop().map_or(Came::Nothing, |message| Came::is_right(message.has(number))))
    }
}
