//! The socket between the two processes of a measurement, which carries the requests for work.

use std::io::{self, IoSlice, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use aqueduct_measure::rounds::Fault;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags,
    recvmsg, sendmsg,
};

/// The time without a message after which a side gives up.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);
/// Bytes of the longest text.
const LONGEST: u32 = 1 << 16;

/// One end of the socket.
#[derive(Debug)]
pub(crate) struct Control(UnixStream);

/// Returns the fault of a call that the system refused.
pub(crate) fn refused(why: impl std::fmt::Display) -> Fault {
    Fault::Refused(why.to_string())
}

impl Control {
    pub(crate) fn new(socket: UnixStream) -> io::Result<Self> {
        socket.set_read_timeout(Some(PATIENCE))?;
        Ok(Self(socket))
    }

    pub(crate) fn socket(&self) -> &UnixStream {
        &self.0
    }

    /// Sends a text.
    pub(crate) fn send_text(&self, text: &str) -> Result<(), Fault> {
        let len = u32::try_from(text.len()).ok().filter(|len| *len <= LONGEST).ok_or_else(|| refused("a long text"))?;
        let message = [&len.to_ne_bytes(), text.as_bytes()].concat();
        (&self.0).write_all(&message).map_err(refused)
    }

    /// Receives a text.
    pub(crate) fn receive_text(&self) -> Result<String, Fault> {
        let mut len = [0; 4];
        (&self.0).read_exact(&mut len).map_err(|why| Fault::Refused(format!("the other process is silent: {why}")))?;
        let len = u32::from_ne_bytes(len);
        if len > LONGEST {
            return Err(refused("another text than was expected"));
        }
        let mut text = vec![0; len as usize];
        (&self.0).read_exact(&mut text).map_err(refused)?;
        String::from_utf8(text).map_err(refused)
    }

    /// Sends open files.
    pub(crate) fn send_files(&self, files: &[BorrowedFd<'_>]) -> Result<(), Fault> {
        let mut room = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(8))];
        let mut ancillary = SendAncillaryBuffer::new(&mut room);
        if !ancillary.push(SendAncillaryMessage::ScmRights(files)) {
            return Err(refused("too many files at once"));
        }
        sendmsg(self.0.as_fd(), &[IoSlice::new(&[0])], &mut ancillary, SendFlags::NOSIGNAL).map_err(refused)?;
        Ok(())
    }

    /// Receives `COUNT` open files.
    pub(crate) fn receive_files<const COUNT: usize>(&self) -> Result<[OwnedFd; COUNT], Fault> {
        let mut room = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(8))];
        let mut ancillary = RecvAncillaryBuffer::new(&mut room);
        let mut byte = [0];
        recvmsg(self.0.as_fd(), &mut [IoSliceMut::new(&mut byte)], &mut ancillary, RecvFlags::CMSG_CLOEXEC)
            .map_err(refused)?;
        let mut files = Vec::new();
        for message in ancillary.drain() {
            if let RecvAncillaryMessage::ScmRights(some) = message {
                files.extend(some);
            }
        }
        files.try_into().map_err(|files: Vec<OwnedFd>| Fault::Refused(format!("{} files came", files.len())))
    }
}
