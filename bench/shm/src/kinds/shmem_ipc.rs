//! The crate `shmem-ipc`: a ring in a memory file, with an event of the system for each side.

use std::fmt::Display;
use std::fs::File;
use std::os::fd::AsFd;

use aqueduct_measure::record::Role;
use aqueduct_measure::rounds::Fault;
use shmem_ipc::sharedring::{Receiver, Sender};

use super::Kind;
use crate::control::{Control, refused};
use crate::link::{Came, Link};
use crate::message::Message;
use crate::work::Task;

/// A shared ring in each direction.
pub(crate) struct SharedRing;

/// A side's ends.
pub(crate) struct Ends<M> {
    out: Sender<M>,
    back: Receiver<M>,
}

fn failed(why: impl Display) -> Fault {
    refused(format!("shmem-ipc: {why}"))
}

impl<M: Message> Link<M> for Ends<M> {
    #[inline(always)]
    fn try_send(&mut self, number: u64) -> Result<bool, Fault> {
        let mut sent = false;
        let put = |place: *mut M, _| {
            sent = true;
            // SAFETY: there is room for an item, and no other thread writes there.
            unsafe { place.write(M::numbered(number)) };
            1
        };
        self.out.sender_mut().send(put).map_err(failed)?;
        Ok(sent)
    }

    #[inline(always)]
    fn try_receive(&mut self, number: u64) -> Result<Came, Fault> {
        let mut came = Came::Nothing;
        let take = |place: *const M, _| {
            // SAFETY: an item is there, which no other thread writes.
            came = Came::is_right(unsafe { (*place).has(number) });
            1
        };
        self.back.receiver_mut().recv(take).map_err(failed)?;
        Ok(came)
    }

    #[inline(always)]
    fn send(&mut self, number: u64) -> Result<(), Fault> {
        loop {
            let mut sent = false;
            let put = |place: *mut M, _| {
                sent = true;
                // SAFETY: there is room for an item, and no other thread writes there.
                unsafe { place.write(M::numbered(number)) };
                1
            };
            self.out.send_raw(put).map_err(failed)?;
            if sent {
                return Ok(());
            }
            self.out.block_until_writable().map_err(failed)?;
        }
    }

    #[inline(always)]
    fn receive(&mut self, number: u64) -> Result<Came, Fault> {
        loop {
            let mut came = Came::Nothing;
            let take = |place: *const M, _| {
                // SAFETY: an item is there, which no other thread writes.
                came = Came::is_right(unsafe { (*place).has(number) });
                1
            };
            self.back.receive_raw(take).map_err(failed)?;
            if came != Came::Nothing {
                return Ok(came);
            }
            self.back.block_until_readable().map_err(failed)?;
        }
    }
}

impl Kind for SharedRing {
    const NAME: &'static str = "shmem-ipc/sharedring";
    const ROLE: Role = Role::Peer;
    type Link<M: Message> = Ends<M>;

    fn lead<M: Message>(task: &Task, control: &Control) -> Result<Ends<M>, Fault> {
        let (out, back) = (Sender::<M>::new(task.capacity), Receiver::<M>::new(task.capacity));
        let ends = Ends { out: out.map_err(failed)?, back: back.map_err(failed)? };
        let Ends { out, back } = &ends;
        control.send_files(&[
            out.memfd().as_file().as_fd(),
            out.empty_signal().as_fd(),
            out.full_signal().as_fd(),
            back.memfd().as_file().as_fd(),
            back.empty_signal().as_fd(),
            back.full_signal().as_fd(),
        ])?;
        Ok(ends)
    }

    fn follow<M: Message>(task: &Task, control: &Control) -> Result<Ends<M>, Fault> {
        let [there, there_empty, there_full, back, back_empty, back_full] = control.receive_files()?.map(File::from);
        let out = Sender::open(task.capacity, back, back_empty, back_full).map_err(failed)?;
        let back = Receiver::open(task.capacity, there, there_empty, there_full).map_err(failed)?;
        Ok(Ends { out, back })
    }
}
