//! The system's transports: pipes, and Unix sockets.

use std::os::fd::{AsFd, OwnedFd};

use aqueduct_measure::record::Role;
use aqueduct_measure::rounds::Fault;
use rustix::fs::{OFlags, fcntl_setfl};
use rustix::io::{Errno, read, write};
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
use rustix::pipe::{PipeFlags, fcntl_setpipe_size, pipe_with};

use super::Kind;
use crate::control::{Control, refused};
use crate::link::{Came, Link};
use crate::many::Shared;
use crate::message::Message;
use crate::plan::Wait;
use crate::work::Task;

/// The largest buffer that the system allows for a pipe without privileges.
const LARGEST_PIPE: usize = 1 << 20;

/// A side's files.
pub(crate) struct Files<M> {
    out: OwnedFd,
    back: OwnedFd,
    /// The message that is being read, and the number of its bytes that have arrived.
    message: M,
    came: usize,
    /// The number of sent bytes of the message that is being written.
    sent: usize,
}

impl<M: Message> Files<M> {
    fn new(task: &Task, out: OwnedFd, back: OwnedFd) -> Result<Self, Fault> {
        // Both ends of a socket's direction have a mode of their own; those of a pipe, too.
        if task.wait == Wait::Spin {
            fcntl_setfl(&out, OFlags::NONBLOCK).map_err(refused)?;
            fcntl_setfl(&back, OFlags::NONBLOCK).map_err(refused)?;
        }
        Ok(Self { out, back, message: M::default(), came: 0, sent: 0 })
    }
}

impl<M: Message> Link<M> for Files<M> {
    fn try_send(&mut self, number: u64) -> Result<bool, Fault> {
        let message = M::numbered(number);
        match write(&self.out, &message.as_bytes()[self.sent..]) {
            Ok(written) => self.sent += written,
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(why) => return Err(refused(why)),
        }
        let is_all = self.sent == size_of::<M>();
        if is_all {
            self.sent = 0;
        }
        Ok(is_all)
    }

    fn try_receive(&mut self, number: u64) -> Result<Came, Fault> {
        match read(&self.back, &mut self.message.as_bytes_mut()[self.came..]) {
            Ok(0) => return Err(refused("the other side has ended")),
            Ok(more) => self.came += more,
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(why) => return Err(refused(why)),
        }
        if self.came < size_of::<M>() {
            return Ok(Came::Nothing);
        }
        self.came = 0;
        Ok(Came::is_right(self.message.has(number)))
    }

    /// The files block.
    fn send(&mut self, number: u64) -> Result<(), Fault> {
        while !self.try_send(number)? {}
        Ok(())
    }

    fn receive(&mut self, number: u64) -> Result<Came, Fault> {
        loop {
            match self.try_receive(number)? {
                Came::Nothing => {}
                came => return Ok(came),
            }
        }
    }
}

/// A pipe in each direction.
pub(crate) struct Pipe;

/// Makes a pipe that has room for the messages: its end to read, and its end to write.
fn make_pipe<M>(task: &Task) -> Result<[OwnedFd; 2], Fault> {
    let (read, write) = pipe_with(PipeFlags::CLOEXEC).map_err(refused)?;
    // The system rounds it up, or refuses.
    let _ = fcntl_setpipe_size(&write, (task.capacity * size_of::<M>()).min(LARGEST_PIPE));
    Ok([read, write])
}

/// Messages are short enough for the system to write, and to read, each of them as a whole.
impl Shared for Pipe {
    type Both = [OwnedFd; 4];

    fn make<M: Message>(task: &Task, _processes: usize) -> Result<Self::Both, Fault> {
        let ([read, write], [back_read, back_write]) = (make_pipe::<M>(task)?, make_pipe::<M>(task)?);
        Ok([read, write, back_read, back_write])
    }

    fn give(both: &Self::Both, control: &Control) -> Result<(), Fault> {
        control.send_files(&both.each_ref().map(AsFd::as_fd))
    }

    fn take(control: &Control) -> Result<Self::Both, Fault> {
        control.receive_files()
    }

    fn link<M: Message>(task: &Task, _: usize, both: Self::Both, produces: bool) -> Result<Files<M>, Fault> {
        let [read, write, back_read, back_write] = both;
        if produces { Files::new(task, write, back_read) } else { Files::new(task, back_write, read) }
    }
}

impl Kind for Pipe {
    const NAME: &'static str = "unix/pipe";
    const ROLE: Role = Role::Peer;
    type Link<M: Message> = Files<M>;

    fn lead<M: Message>(task: &Task, control: &Control) -> Result<Files<M>, Fault> {
        let ([there_read, there_write], [back_read, back_write]) = (make_pipe::<M>(task)?, make_pipe::<M>(task)?);
        control.send_files(&[there_read.as_fd(), back_write.as_fd()])?;
        Files::new(task, there_write, back_read)
    }

    fn follow<M: Message>(task: &Task, control: &Control) -> Result<Files<M>, Fault> {
        let [there_read, back_write] = control.receive_files()?;
        Files::new(task, back_write, there_read)
    }
}

/// The side that begins has one end of a pair of sockets.
fn pair<M: Message>(kind: SocketType, task: &Task, control: &Control) -> Result<Files<M>, Fault> {
    let (ours, theirs) = socketpair(AddressFamily::UNIX, kind, SocketFlags::CLOEXEC, None).map_err(refused)?;
    control.send_files(&[theirs.as_fd()])?;
    let copy = ours.try_clone().map_err(refused)?;
    Files::new(task, ours, copy)
}

fn other<M: Message>(task: &Task, control: &Control) -> Result<Files<M>, Fault> {
    let [socket] = control.receive_files()?;
    let copy = socket.try_clone().map_err(refused)?;
    Files::new(task, socket, copy)
}

/// A pair of stream sockets.
pub(crate) struct UnixStream;

impl Kind for UnixStream {
    const NAME: &'static str = "unix/stream";
    const ROLE: Role = Role::Peer;
    type Link<M: Message> = Files<M>;

    fn lead<M: Message>(task: &Task, control: &Control) -> Result<Files<M>, Fault> {
        pair(SocketType::STREAM, task, control)
    }

    fn follow<M: Message>(task: &Task, control: &Control) -> Result<Files<M>, Fault> {
        other(task, control)
    }
}

/// A pair of sockets of packets.
pub(crate) struct UnixSeqPacket;

/// All producers have one socket of the pair, and all consumers the other one.
impl Shared for UnixSeqPacket {
    type Both = [OwnedFd; 2];

    fn make<M: Message>(_task: &Task, _processes: usize) -> Result<Self::Both, Fault> {
        let made = socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None);
        made.map(<[OwnedFd; 2]>::from).map_err(refused)
    }

    fn give(both: &Self::Both, control: &Control) -> Result<(), Fault> {
        control.send_files(&both.each_ref().map(AsFd::as_fd))
    }

    fn take(control: &Control) -> Result<Self::Both, Fault> {
        control.receive_files()
    }

    fn link<M: Message>(task: &Task, _: usize, both: Self::Both, produces: bool) -> Result<Files<M>, Fault> {
        let [there, back] = both;
        let socket = if produces { there } else { back };
        let copy = socket.try_clone().map_err(refused)?;
        Files::new(task, socket, copy)
    }
}

impl Kind for UnixSeqPacket {
    const NAME: &'static str = "unix/seqpacket";
    const ROLE: Role = Role::Peer;
    type Link<M: Message> = Files<M>;

    fn lead<M: Message>(task: &Task, control: &Control) -> Result<Files<M>, Fault> {
        pair(SocketType::SEQPACKET, task, control)
    }

    fn follow<M: Message>(task: &Task, control: &Control) -> Result<Files<M>, Fault> {
        other(task, control)
    }
}
