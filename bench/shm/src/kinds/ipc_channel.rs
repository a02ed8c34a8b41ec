//! The crate `ipc-channel`: channels of bytes, over sockets of the system.

use std::fmt::Display;

use aqueduct_measure::record::Role;
use aqueduct_measure::rounds::Fault;
use ipc_channel::TryRecvError;
use ipc_channel::ipc::{self, IpcBytesReceiver, IpcBytesSender, IpcOneShotServer, IpcSender};

use super::Kind;
use crate::control::{Control, refused};
use crate::link::{Came, Link};
use crate::message::Message;
use crate::work::Task;

/// A channel of bytes in each direction.
pub(crate) struct BytesChannel;

/// A side's ends.
pub(crate) struct Ends {
    out: IpcBytesSender,
    back: IpcBytesReceiver,
}

fn failed(why: impl Display) -> Fault {
    refused(format!("ipc-channel: {why}"))
}

/// Whether those bytes are the message with this number.
fn are<M: Message>(bytes: &[u8], number: u64) -> Came {
    let mut message = M::default();
    let is_whole = bytes.len() == size_of::<M>();
    if is_whole {
        message.as_bytes_mut().copy_from_slice(bytes);
    }
    Came::is_right(is_whole && message.has(number))
}

impl<M: Message> Link<M> for Ends {
    /// Waits for room.
    fn try_send(&mut self, number: u64) -> Result<bool, Fault> {
        self.out.send(M::numbered(number).as_bytes()).map_err(failed)?;
        Ok(true)
    }

    fn try_receive(&mut self, number: u64) -> Result<Came, Fault> {
        match self.back.try_recv() {
            Ok(bytes) => Ok(are::<M>(&bytes, number)),
            Err(TryRecvError::Empty) => Ok(Came::Nothing),
            Err(why) => Err(failed(why)),
        }
    }

    fn receive(&mut self, number: u64) -> Result<Came, Fault> {
        Ok(are::<M>(&self.back.recv().map_err(failed)?, number))
    }
}

impl Kind for BytesChannel {
    const NAME: &'static str = "ipc-channel/bytes";
    const ROLE: Role = Role::Peer;
    type Link<M: Message> = Ends;

    fn lead<M: Message>(_: &Task, control: &Control) -> Result<Ends, Fault> {
        let (server, name) = IpcOneShotServer::<(IpcBytesSender, IpcBytesReceiver)>::new().map_err(failed)?;
        control.send_text(&name)?;
        // Without this text, the server would wait for a process that has died.
        control.receive_text()?;
        let (_, (out, back)) = server.accept().map_err(failed)?;
        Ok(Ends { out, back })
    }

    fn follow<M: Message>(_: &Task, control: &Control) -> Result<Ends, Fault> {
        let server = IpcSender::connect(control.receive_text()?).map_err(failed)?;
        let (there, back) = ipc::bytes_channel().map_err(failed)?;
        let (out, returned) = ipc::bytes_channel().map_err(failed)?;
        server.send((there, returned)).map_err(failed)?;
        control.send_text("connected")?;
        Ok(Ends { out, back })
    }
}
