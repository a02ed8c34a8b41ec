//! The lock-free queue of `aqueduct-shm`, whose items have at most six bytes.

use std::marker::PhantomData;

use aqueduct_measure::record::Role;
use aqueduct_measure::rounds::Fault;
use aqueduct_shm::nblfq::{Consumer, Geometry, Producer, Queue};
use aqueduct_shm::{Place, PopError, PushError, Region};

use super::Kind;
use super::ours::{accept, offer, regions};
use crate::control::{Control, PATIENCE, refused};
use crate::link::{Came, Link};
use crate::many::Shared;
use crate::message::{Message, Small};
use crate::work::Task;

/// The lower four bytes of the shortest message: an item of this queue leaves its slot a counter.
pub(crate) struct Nblfq;

/// The ends of two queues.
pub(crate) struct Ends<M> {
    out: Producer<u32, Place>,
    back: Consumer<u32, Place>,
    _messages: PhantomData<M>,
}

impl<M: Message> Ends<M> {
    fn geometry(task: &Task) -> Result<Geometry, Fault> {
        Geometry::new(task.capacity).map_err(refused)
    }

    fn open(task: &Task, [out, back]: [Region; 2]) -> Result<Self, Fault> {
        let geometry = Self::geometry(task)?;
        let open = |region| Queue::in_region(region, geometry, 0).map_err(refused);
        Ok(Self {
            out: open(out)?.take_producer().map_err(refused)?,
            back: open(back)?.take_consumer().map_err(refused)?,
            _messages: PhantomData,
        })
    }
}

impl<M: Message> Link<M> for Ends<M> {
    #[inline(always)]
    fn try_send(&mut self, number: u64) -> Result<bool, Fault> {
        match self.out.push(number as u32) {
            Ok(()) => Ok(true),
            Err(PushError::Full(_)) => Ok(false),
            Err(why) => Err(refused(why)),
        }
    }

    #[inline(always)]
    fn try_receive(&mut self, number: u64) -> Result<Came, Fault> {
        match self.back.pop() {
            Ok(found) => Ok(Came::is_right(found == number as u32)),
            Err(PopError::Empty) => Ok(Came::Nothing),
            Err(why) => Err(refused(why)),
        }
    }

    #[inline(always)]
    fn send(&mut self, number: u64) -> Result<(), Fault> {
        self.out.push_wait(number as u32, PATIENCE).map_err(|(why, _)| refused(why))
    }

    #[inline(always)]
    fn receive(&mut self, number: u64) -> Result<Came, Fault> {
        Ok(Came::is_right(self.back.pop_wait(PATIENCE).map_err(refused)? == number as u32))
    }
}

impl Kind for Nblfq {
    const NAME: &'static str = "aqueduct/nblfq";
    const ROLE: Role = Role::Ours;
    const LONGEST: usize = size_of::<Small>();
    type Link<M: Message> = Ends<M>;

    fn lead<M: Message>(task: &Task, control: &Control) -> Result<Self::Link<M>, Fault> {
        Ends::open(task, offer(Ends::<M>::geometry(task)?.bytes(), control)?)
    }

    fn follow<M: Message>(task: &Task, control: &Control) -> Result<Self::Link<M>, Fault> {
        let [there, back] = accept(control)?;
        Ends::open(task, [back, there])
    }
}

impl Shared for Nblfq {
    type Both = [Region; 2];

    fn make<M: Message>(task: &Task, _: usize) -> Result<Self::Both, Fault> {
        regions(Ends::<M>::geometry(task)?.bytes())
    }

    fn give(both: &Self::Both, control: &Control) -> Result<(), Fault> {
        both.iter().try_for_each(|region| region.send(control.socket())).map_err(refused)
    }

    fn take(control: &Control) -> Result<Self::Both, Fault> {
        accept(control)
    }

    fn link<M: Message>(
        task: &Task,
        _: usize,
        [there, back]: Self::Both,
        produces: bool,
    ) -> Result<Self::Link<M>, Fault> {
        Ends::open(task, if produces { [there, back] } else { [back, there] })
    }
}
