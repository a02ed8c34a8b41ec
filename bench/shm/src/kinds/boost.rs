//! boost.interprocess' message queue: a heap of messages by priority under a lock, in shared
//! memory.

use std::ffi::{CStr, CString, c_char, c_int, c_void};

use aqueduct_measure::record::Role;
use aqueduct_measure::rounds::Fault;

use super::Kind;
use crate::control::{Control, refused};
use crate::link::{Came, Link};
use crate::message::Message;
use crate::work::Task;

unsafe extern "C" {
    fn aqueduct_boost_make(name: *const c_char, capacity: usize, bytes: usize) -> *mut c_void;
    fn aqueduct_boost_open(name: *const c_char) -> *mut c_void;
    fn aqueduct_boost_send(queue: *mut c_void, message: *const c_void, bytes: usize, waits: c_int) -> c_int;
    fn aqueduct_boost_receive(queue: *mut c_void, message: *mut c_void, bytes: usize, waits: c_int) -> c_int;
    fn aqueduct_boost_drop(queue: *mut c_void, name: *const c_char);
}

/// A message queue in each direction.
pub(crate) struct MessageQueue;

/// A side's queues.
pub(crate) struct Ends {
    out: Queue,
    back: Queue,
}

/// An open queue, whose maker removes its name in the end.
struct Queue {
    queue: *mut c_void,
    made: Option<CString>,
}

impl Queue {
    fn make(name: &CStr, capacity: usize, bytes: usize) -> Result<Self, Fault> {
        // SAFETY: the name is text.
        let queue = unsafe { aqueduct_boost_make(name.as_ptr(), capacity, bytes) };
        Self { queue, made: Some(name.to_owned()) }.checked()
    }

    fn open(name: &CStr) -> Result<Self, Fault> {
        // SAFETY: the name is text.
        let queue = unsafe { aqueduct_boost_open(name.as_ptr()) };
        Self { queue, made: None }.checked()
    }

    fn checked(self) -> Result<Self, Fault> {
        if self.queue.is_null() { Err(refused("boost: a message queue cannot be made or opened")) } else { Ok(self) }
    }

    fn send<M: Message>(&self, number: u64, waits: bool) -> Result<bool, Fault> {
        let message = M::numbered(number);
        // SAFETY: the queue is open, and the message has that number of bytes.
        let sent =
            unsafe { aqueduct_boost_send(self.queue, (&raw const message).cast(), size_of::<M>(), waits.into()) };
        judge(sent)
    }

    fn receive<M: Message>(&self, number: u64, waits: bool) -> Result<Came, Fault> {
        let mut message = M::default();
        // SAFETY: the queue is open, and the message has that number of bytes.
        let came =
            unsafe { aqueduct_boost_receive(self.queue, (&raw mut message).cast(), size_of::<M>(), waits.into()) };
        Ok(if judge(came)? { Came::is_right(message.has(number)) } else { Came::Nothing })
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        let name = self.made.as_ref().map_or(std::ptr::null(), |name| name.as_ptr());
        // SAFETY: the queue is open or null, and is not used any more.
        unsafe { aqueduct_boost_drop(self.queue, name) }
    }
}

fn judge(answer: c_int) -> Result<bool, Fault> {
    if answer < 0 { Err(refused("boost: the message queue failed")) } else { Ok(answer > 0) }
}

fn in_time<T>(came: Result<T, Fault>, is_late: impl Fn(&T) -> bool) -> Result<T, Fault> {
    match came {
        Ok(found) if is_late(&found) => Err(refused("the other side did nothing in time")),
        other => other,
    }
}

impl<M: Message> Link<M> for Ends {
    fn try_send(&mut self, number: u64) -> Result<bool, Fault> {
        self.out.send::<M>(number, false)
    }

    fn try_receive(&mut self, number: u64) -> Result<Came, Fault> {
        self.back.receive::<M>(number, false)
    }

    fn send(&mut self, number: u64) -> Result<(), Fault> {
        in_time(self.out.send::<M>(number, true), |sent| !sent).map(drop)
    }

    fn receive(&mut self, number: u64) -> Result<Came, Fault> {
        in_time(self.back.receive::<M>(number, true), |came| *came == Came::Nothing)
    }
}

/// The names of a measurement's two queues.
fn names(leader: &str) -> Result<[CString; 2], Fault> {
    let name = |way: &str| CString::new(format!("aqueduct_{leader}_{way}")).map_err(refused);
    Ok([name("there")?, name("back")?])
}

impl Kind for MessageQueue {
    const NAME: &'static str = "boost/message_queue";
    const ROLE: Role = Role::Peer;
    type Link<M: Message> = Ends;

    fn lead<M: Message>(task: &Task, control: &Control) -> Result<Ends, Fault> {
        let leader = std::process::id().to_string();
        let [there, back] = names(&leader)?;
        let make = |name| Queue::make(name, task.capacity, size_of::<M>());
        let ends = Ends { out: make(&there)?, back: make(&back)? };
        control.send_text(&leader)?;
        Ok(ends)
    }

    fn follow<M: Message>(_: &Task, control: &Control) -> Result<Ends, Fault> {
        let [there, back] = names(&control.receive_text()?)?;
        Ok(Ends { out: Queue::open(&back)?, back: Queue::open(&there)? })
    }
}
