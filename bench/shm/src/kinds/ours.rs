//! The queues of `aqueduct-shm`.

use std::time::Duration;

use aqueduct_measure::record::Role;
use aqueduct_measure::rounds::Fault;
use aqueduct_shm::{Place, PopError, PushError, RecordError, Region, items, mpmc, mpsc, records};

use super::Kind;
use crate::control::{Control, PATIENCE, refused};
use crate::link::{Came, Link};
use crate::many::Shared;
use crate::message::Message;
use crate::plan::Wait;
use crate::work::Task;

/// The region of each direction, made by the side that begins.
pub(super) fn regions<const COUNT: usize>(bytes: usize) -> Result<[Region; COUNT], Fault> {
    let mut made = Vec::new();
    for _ in 0..COUNT {
        made.push(Region::anonymous("aqueduct bench", bytes).map_err(refused)?);
    }
    made.try_into().map_err(|_| refused("as many as were made"))
}

/// Makes the regions and sends them to the other side.
pub(super) fn offer<const COUNT: usize>(bytes: usize, control: &Control) -> Result<[Region; COUNT], Fault> {
    let made = regions(bytes)?;
    made.iter().try_for_each(|region| region.send(control.socket())).map_err(refused)?;
    Ok(made)
}

/// Receives the regions from the other side, its own direction first.
pub(super) fn accept(control: &Control) -> Result<[Region; 2], Fault> {
    let receive = || Region::receive(control.socket()).map_err(refused);
    Ok([receive()?, receive()?])
}

/// Names by which figures are compared.
pub(crate) const ITEMS: &str = "aqueduct/items";
pub(crate) const ITEMS_ASLEEP: &str = "aqueduct/items_asleep";

/// Items of a fixed size.
pub(crate) struct Items;

/// The ends of two queues of items. With `AT_ONCE`, a side that waits sleeps without trying some
/// times before.
pub(crate) struct ItemsLink<M, const AT_ONCE: bool> {
    pub(super) out: items::Producer<M, Place>,
    pub(super) back: items::Consumer<M, Place>,
}

impl<M: Message, const AT_ONCE: bool> ItemsLink<M, AT_ONCE> {
    /// Opens the ends of the side that produces in the first region.
    fn open(task: &Task, [out, back]: [Region; 2]) -> Result<Self, Fault> {
        let open = |region| items::Queue::in_region(region, task.capacity, 0).map_err(refused);
        Ok(Self {
            out: open(out)?.take_producer().map_err(refused)?,
            back: open(back)?.take_consumer().map_err(refused)?,
        })
    }

    /// The bytes of a region.
    fn bytes(task: &Task) -> Result<usize, Fault> {
        Ok(8 * items::Geometry::new::<M>(task.capacity).map_err(refused)?.words())
    }

    /// Returns the links of both sides, for two threads of this process.
    pub(crate) fn pair(task: &Task) -> Result<(Self, Self), Fault> {
        let [there, back] = regions(Self::bytes(task)?)?;
        Ok((Self::open(task, [there.clone(), back.clone()])?, Self::open(task, [back, there])?))
    }
}

/// The attempts of ends that push and pop messages one by one.
macro_rules! attempts {
    () => {
        #[inline(always)]
        fn try_send(&mut self, number: u64) -> Result<bool, Fault> {
            match self.out.push(M::numbered(number)) {
                Ok(()) => Ok(true),
                Err(PushError::Full(_)) => Ok(false),
                Err(why) => Err(refused(why)),
            }
        }

        #[inline(always)]
        fn try_receive(&mut self, number: u64) -> Result<Came, Fault> {
            match self.back.pop() {
                Ok(message) => Ok(Came::is_right(message.has(number))),
                Err(PopError::Empty) => Ok(Came::Nothing),
                Err(why) => Err(refused(why)),
            }
        }
    };
}

impl<M: Message, const AT_ONCE: bool> Link<M> for ItemsLink<M, AT_ONCE> {
    attempts!();

    #[inline(always)]
    fn send(&mut self, number: u64) -> Result<(), Fault> {
        if !AT_ONCE {
            return self.out.push_wait(M::numbered(number), PATIENCE).map_err(|(why, _)| refused(why));
        }
        while !self.try_send(number)? {
            self.out.wait(SLICE);
        }
        self.out.wake();
        Ok(())
    }

    #[inline(always)]
    fn receive(&mut self, number: u64) -> Result<Came, Fault> {
        if !AT_ONCE {
            return Ok(Came::is_right(self.back.pop_wait(PATIENCE).map_err(refused)?.has(number)));
        }
        loop {
            match self.try_receive(number)? {
                Came::Nothing => self.back.wait(SLICE),
                came => {
                    self.back.wake();
                    return Ok(came);
                }
            }
        }
    }
}

/// The longest sleep.
const SLICE: Duration = Duration::from_millis(20);

impl Kind for Items {
    const NAME: &'static str = ITEMS;
    const ROLE: Role = Role::Ours;
    type Link<M: Message> = ItemsLink<M, false>;

    fn lead<M: Message>(task: &Task, control: &Control) -> Result<Self::Link<M>, Fault> {
        ItemsLink::open(task, offer(ItemsLink::<M, false>::bytes(task)?, control)?)
    }

    fn follow<M: Message>(task: &Task, control: &Control) -> Result<Self::Link<M>, Fault> {
        let [there, back] = accept(control)?;
        ItemsLink::open(task, [back, there])
    }
}

/// Items of a fixed size; a side that waits sleeps at once.
pub(crate) struct ItemsAsleep;

impl Kind for ItemsAsleep {
    const NAME: &'static str = ITEMS_ASLEEP;
    const ROLE: Role = Role::Ours;
    const WAITS: &'static [Wait] = &[Wait::Sleep];
    type Link<M: Message> = ItemsLink<M, true>;

    fn lead<M: Message>(task: &Task, control: &Control) -> Result<Self::Link<M>, Fault> {
        ItemsLink::open(task, offer(ItemsLink::<M, true>::bytes(task)?, control)?)
    }

    fn follow<M: Message>(task: &Task, control: &Control) -> Result<Self::Link<M>, Fault> {
        let [there, back] = accept(control)?;
        ItemsLink::open(task, [back, there])
    }
}

/// Records: bytes of any length.
pub(crate) struct Records;

/// The ends of two queues of records.
pub(crate) struct RecordsLink {
    out: records::Producer<Place>,
    back: records::Consumer<Place>,
}

impl RecordsLink {
    fn open<M>(task: &Task, [out, back]: [Region; 2]) -> Result<Self, Fault> {
        let open = |region| records::Queue::in_region(region, Self::room::<M>(task), 0).map_err(refused);
        Ok(Self {
            out: open(out)?.take_producer().map_err(refused)?,
            back: open(back)?.take_consumer().map_err(refused)?,
        })
    }

    /// The bytes of the task's records, with their heads.
    fn room<M>(task: &Task) -> usize {
        task.capacity.saturating_mul(size_of::<M>() + 8)
    }
}

impl<M: Message> Link<M> for RecordsLink {
    #[inline(always)]
    fn try_send(&mut self, number: u64) -> Result<bool, Fault> {
        match self.out.push(M::numbered(number).as_bytes()) {
            Ok(()) => Ok(true),
            Err(RecordError::Full) => Ok(false),
            Err(why) => Err(refused(why)),
        }
    }

    #[inline(always)]
    fn try_receive(&mut self, number: u64) -> Result<Came, Fault> {
        let mut message = M::default();
        match self.back.pop(message.as_bytes_mut()) {
            Ok(len) => Ok(Came::is_right(len == size_of::<M>() && message.has(number))),
            Err(PopError::Empty) => Ok(Came::Nothing),
            Err(why) => Err(refused(why)),
        }
    }

    #[inline(always)]
    fn send(&mut self, number: u64) -> Result<(), Fault> {
        self.out.push_wait(M::numbered(number).as_bytes(), PATIENCE).map_err(refused)
    }

    #[inline(always)]
    fn receive(&mut self, number: u64) -> Result<Came, Fault> {
        let mut message = M::default();
        let len = self.back.pop_wait(message.as_bytes_mut(), PATIENCE).map_err(refused)?;
        Ok(Came::is_right(len == size_of::<M>() && message.has(number)))
    }
}

impl Kind for Records {
    const NAME: &'static str = "aqueduct/records";
    const ROLE: Role = Role::Ours;
    type Link<M: Message> = RecordsLink;

    fn lead<M: Message>(task: &Task, control: &Control) -> Result<RecordsLink, Fault> {
        let geometry = records::Geometry::new(RecordsLink::room::<M>(task)).map_err(refused)?;
        RecordsLink::open::<M>(task, offer(8 * geometry.words(), control)?)
    }

    fn follow<M: Message>(task: &Task, control: &Control) -> Result<RecordsLink, Fault> {
        let [there, back] = accept(control)?;
        RecordsLink::open::<M>(task, [back, there])
    }
}

/// Items of the queue of many producers, with one producer.
pub(crate) struct Lanes;

/// The ends of two queues of many producers.
pub(crate) struct LanesLink<M> {
    out: mpsc::Producer<M, Place, Region>,
    back: mpsc::Consumer<M, Place, Region>,
}

/// The number of producers, or consumers, that such a queue has room for.
const LANES: usize = 4;

impl<M: Message> LanesLink<M> {
    fn open(task: &Task, [out, back]: [Region; 2]) -> Result<Self, Fault> {
        let open = |region| mpsc::Queue::in_region(region, LANES, task.capacity, 0).map_err(refused);
        Ok(Self {
            out: open(out)?.take_producer().map_err(refused)?,
            back: open(back)?.take_consumer().map_err(refused)?,
        })
    }
}

/// The link of ends that push and pop messages one by one.
macro_rules! link {
    ($link:ident) => {
        impl<M: Message> Link<M> for $link<M> {
            attempts!();

            #[inline(always)]
            fn send(&mut self, number: u64) -> Result<(), Fault> {
                self.out.push_wait(M::numbered(number), PATIENCE).map_err(|(why, _)| refused(why))
            }

            #[inline(always)]
            fn receive(&mut self, number: u64) -> Result<Came, Fault> {
                Ok(Came::is_right(self.back.pop_wait(PATIENCE).map_err(refused)?.has(number)))
            }
        }
    };
}

link! { LanesLink }
link! { MpmcLink }

impl Kind for Lanes {
    const NAME: &'static str = "aqueduct/mpsc";
    const ROLE: Role = Role::Ours;
    type Link<M: Message> = LanesLink<M>;

    fn lead<M: Message>(task: &Task, control: &Control) -> Result<Self::Link<M>, Fault> {
        let bytes = mpsc::Queue::<M>::bytes(LANES, task.capacity).map_err(refused)?;
        LanesLink::open(task, offer(bytes, control)?)
    }

    fn follow<M: Message>(task: &Task, control: &Control) -> Result<Self::Link<M>, Fault> {
        let [there, back] = accept(control)?;
        LanesLink::open(task, [back, there])
    }
}

/// Items of the queue of many producers and many consumers, with one each.
pub(crate) struct Mpmc;

/// The ends of two queues of many producers and consumers.
pub(crate) struct MpmcLink<M> {
    out: mpmc::Producer<M, Place>,
    back: mpmc::Consumer<M, Place>,
}

impl<M: Message> MpmcLink<M> {
    /// Each process may be on either side.
    fn geometry(task: &Task, processes: usize) -> Result<mpmc::Geometry, Fault> {
        mpmc::Geometry::new::<M>(processes, processes, task.capacity).map_err(refused)
    }

    fn open(task: &Task, processes: usize, [out, back]: [Region; 2]) -> Result<Self, Fault> {
        let geometry = Self::geometry(task, processes)?;
        let open = |region| mpmc::Queue::in_region(region, geometry, 0).map_err(refused);
        Ok(Self {
            out: open(out)?.take_producer().map_err(refused)?,
            back: open(back)?.take_consumer().map_err(refused)?,
        })
    }
}

impl Kind for Mpmc {
    const NAME: &'static str = "aqueduct/mpmc";
    const ROLE: Role = Role::Ours;
    type Link<M: Message> = MpmcLink<M>;

    fn lead<M: Message>(task: &Task, control: &Control) -> Result<Self::Link<M>, Fault> {
        MpmcLink::open(task, LANES, offer(MpmcLink::<M>::geometry(task, LANES)?.bytes(), control)?)
    }

    fn follow<M: Message>(task: &Task, control: &Control) -> Result<Self::Link<M>, Fault> {
        let [there, back] = accept(control)?;
        MpmcLink::open(task, LANES, [back, there])
    }
}

impl Shared for Mpmc {
    type Both = [Region; 2];

    fn make<M: Message>(task: &Task, processes: usize) -> Result<Self::Both, Fault> {
        regions(MpmcLink::<M>::geometry(task, processes)?.bytes())
    }

    fn give(both: &Self::Both, control: &Control) -> Result<(), Fault> {
        both.iter().try_for_each(|region| region.send(control.socket())).map_err(refused)
    }

    fn take(control: &Control) -> Result<Self::Both, Fault> {
        accept(control)
    }

    fn link<M: Message>(
        task: &Task,
        processes: usize,
        [there, back]: Self::Both,
        produces: bool,
    ) -> Result<Self::Link<M>, Fault> {
        MpmcLink::open(task, processes, if produces { [there, back] } else { [back, there] })
    }
}
