//! The queue of items of `aqueduct-shm`, whose sides wait in `poll` for an event, as in a reactor.

use aqueduct_measure::record::Role;
use aqueduct_measure::rounds::Fault;
use aqueduct_shm::Event;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::Kind;
use super::ours::{Items, ItemsLink};
use crate::control::{Control, PATIENCE, refused};
use crate::link::{Came, Link};
use crate::message::Message;
use crate::plan::Wait;
use crate::work::Task;

/// Items of a fixed size, with events.
pub(crate) struct ItemsEvent;

/// The ends of two queues, and the events for which this side waits.
pub(crate) struct EventLink<M> {
    ends: ItemsLink<M, false>,
    /// The events for items, and for room.
    items: Event,
    room: Event,
}

/// Items there, room there, items back, room back.
type Events = [Event; 4];

impl<M: Message> EventLink<M> {
    /// Makes the link of the side that sends by the queue of the first two events.
    fn new(ends: ItemsLink<M, false>, [items_there, room_there, items_back, room_back]: Events) -> Self {
        ends.out.set_event(items_there);
        ends.back.set_event(room_back);
        Self { ends, items: items_back, room: room_there }
    }
}

/// Waits until the event is signalled.
fn wait(event: &Event) -> Result<(), Fault> {
    let mut files = [PollFd::new(event, PollFlags::IN)];
    let time = Timespec { tv_sec: PATIENCE.as_secs().cast_signed(), tv_nsec: 0 };
    match poll(&mut files, Some(&time)) {
        Ok(0) => Err(refused("the event was not signalled in time")),
        Ok(_) => Ok(()),
        Err(why) => Err(refused(why)),
    }
}

impl<M: Message> Link<M> for EventLink<M> {
    #[inline(always)]
    fn try_send(&mut self, number: u64) -> Result<bool, Fault> {
        self.ends.try_send(number)
    }

    #[inline(always)]
    fn try_receive(&mut self, number: u64) -> Result<Came, Fault> {
        self.ends.try_receive(number)
    }

    fn send(&mut self, number: u64) -> Result<(), Fault> {
        while !self.try_send(number)? {
            self.room.clear().map_err(refused)?;
            if self.ends.out.arm() {
                wait(&self.room)?;
            }
        }
        self.ends.out.wake();
        Ok(())
    }

    fn receive(&mut self, number: u64) -> Result<Came, Fault> {
        loop {
            match self.try_receive(number)? {
                Came::Nothing => {}
                came => {
                    self.ends.back.wake();
                    return Ok(came);
                }
            }
            self.items.clear().map_err(refused)?;
            if self.ends.back.arm() {
                wait(&self.items)?;
            }
        }
    }
}

impl Kind for ItemsEvent {
    const NAME: &'static str = "aqueduct/items_event";
    const ROLE: Role = Role::Ours;
    const WAITS: &'static [Wait] = &[Wait::Sleep];
    type Link<M: Message> = EventLink<M>;

    fn lead<M: Message>(task: &Task, control: &Control) -> Result<EventLink<M>, Fault> {
        let ends = Items::lead(task, control)?;
        let make = || Event::new().map_err(refused);
        let events = [make()?, make()?, make()?, make()?];
        events.iter().try_for_each(|event| event.send(control.socket())).map_err(refused)?;
        Ok(EventLink::new(ends, events))
    }

    fn follow<M: Message>(task: &Task, control: &Control) -> Result<EventLink<M>, Fault> {
        let ends = Items::follow(task, control)?;
        let receive = || Event::receive(control.socket()).map_err(refused);
        let [items_there, room_there, items_back, room_back] = [receive()?, receive()?, receive()?, receive()?];
        Ok(EventLink::new(ends, [items_back, room_back, items_there, room_there]))
    }
}
