//! A process that sends packets back.

use std::sync::atomic::Ordering;
use std::thread::sleep;
use std::time::Duration;

use super::eal::{self, Start};
use super::ffi;
use super::setup::{Board, OVER};

/// The interval at which a client without work looks for some.
const NAP: Duration = Duration::from_micros(200);

/// Joins the bench of that prefix as the client of that number, and works until it is requested to
/// end, or its parent has ended.
///
/// # Errors
/// DPDK's error, or that there is no such bench.
pub(crate) fn work(number: usize, core: usize, prefix: &str, more: &[String]) -> Result<(), String> {
    // SAFETY: it requests a signal, and reads its parent's number.
    let parent = unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        libc::getppid()
    };
    eal::start(&Start::on(core, prefix, true, more))?;
    let board = Board::find()?;
    let ports = board.join(number);
    let mut at = 0;
    // SAFETY: it reads its parent's number.
    while unsafe { libc::getppid() } == parent {
        // Ordering: the task comes after all that the other process has done for it, and the answer
        // after all that was done here: Acquire and Release on both words.
        let task = board.task[number].load(Ordering::Acquire);
        if task != at {
            at = task;
            board.at[number].store(at, Ordering::Release);
        }
        match at {
            0 => sleep(NAP),
            OVER => break,
            // SAFETY: the port is this client's for this task, and the word lives as long as DPDK.
            _ => unsafe {
                ffi::aq_forward(
                    ports[at as usize - 1],
                    &raw const board.task[number],
                    at,
                    &raw const board.beats[number].0,
                );
            },
        }
    }
    Ok(())
}
