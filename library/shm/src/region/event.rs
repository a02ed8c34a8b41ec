//! Waiting in a reactor (`poll`, `epoll`, tokio): a file that becomes readable when the other side
//! makes progress.
//!
//! The waiting side makes an [`Event`] and sends it to the other side, which passes it to its
//! handle (`set_event`). Before the waiting side waits for the file, it *arms* the event (`arm`):
//! the other side's next `wake`, also that of `push_wait` and `pop_wait`, signals it. A wake of a
//! side that is not armed costs one load and no system call.
//!
//! # Examples
//! ```
//! use aqueduct_shm::{Event, Peer, PopError, Region, items};
//! use std::os::fd::AsRawFd;
//! use std::os::unix::net::UnixStream;
//! use std::thread;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let (ours, theirs) = UnixStream::pair()?;
//! // The producer would be another process.
//! let producing = thread::spawn(move || -> Result<(), std::io::Error> {
//!     let (region, event) = (Region::receive(&theirs)?, Event::receive(&theirs)?);
//!     let queue = items::Queue::<u64, _>::in_region(region, 1000, 0).map_err(std::io::Error::other)?;
//!     let mut producer = queue.take_producer().map_err(std::io::Error::other)?;
//!     producer.set_event(event);
//!     for number in 0..100 {
//!         assert!(producer.push(number).is_ok(), "there is room for all");
//!         producer.wake();
//!     }
//!     Ok(())
//! });
//!
//! let region = Region::anonymous("example", 1 << 16)?;
//! let queue = items::Queue::<u64, _>::in_region(region.clone(), 1000, 0)?;
//! let mut consumer = queue.take_consumer()?;
//! let event = Event::new()?;
//! region.send(&ours)?;
//! event.send(&ours)?;
//!
//! let mut sum = 0;
//! for _ in 0..100 {
//!     let number = loop {
//!         match consumer.pop() {
//!             Err(PopError::Empty) => {}
//!             item => break item?,
//!         }
//!         // In this order, a signal between the two calls is not lost.
//!         event.clear()?;
//!         if consumer.arm() {
//!             // After the arm: a producer that leaves later signals the event.
//!             // All that it pushed can be popped.
//!             if consumer.peer() == Peer::Left && consumer.is_empty() {
//!                 return Err("the producer has left".into());
//!             }
//!             // With tokio, `AsyncFd::new(event)?.readable().await` stands here.
//!             let mut file = libc::pollfd { fd: event.as_raw_fd(), events: libc::POLLIN, revents: 0 };
//!             // SAFETY: the call reads and writes one entry.
//!             if unsafe { libc::poll(&mut file, 1, 1000) } == 0 && consumer.peer() == Peer::Died {
//!                 return Err("the producer died".into());
//!             }
//!         }
//!     };
//!     sum += number;
//! }
//! assert_eq!(sum, (0..100).sum());
//! producing.join().expect("its end")?;
//! # Ok(())
//! # }
//! ```
//!
//! # Guarantees
//! * An item pushed before a `wake` is not missed: `arm` returns `false`, or the event is
//!   signalled.
//! * A signal may be old: its item may have been popped. An event stays readable until it is
//!   cleared.
//! * A side that leaves signals as a `wake` does: `peer` returns [`Left`](crate::Peer::Left), or
//!   the event is signalled.
//! * `wake` does not block.
//!
//! # Limits
//! * A process that is killed in a `wake` may not have signalled the event, and one that is killed
//!   at another time does not signal it: wait with a timeout, and check `peer` afterwards.
//! * Where a side has many handles ([`mpmc`](crate::mpmc), [`nblfq`](crate::nblfq),
//!   [`drop_old`](crate::drop_old)), each waiting handle has an event of its own, and each handle
//!   of the other side has all these events (`set_events`). A process that is stopped or killed in
//!   a wake delays the waiting handles until the next arm, or until their timeout.
//! * If the system refuses `membarrier` to only one of the two processes, a signal may be missed:
//!   wait with a timeout.
//! * A hostile process that has the event can keep it readable. It can also clear the file's
//!   non-blocking mode and fill the counter, so that a `wake` blocks. Give an event only to
//!   processes that you trust, or that you can kill.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;

use super::sys;

/// An event of the system (`eventfd`): one side of a queue waits for it, and the other side signals
/// it.
///
/// The file is readable from a signal until the event is [cleared](Self::clear).
#[derive(Debug)]
pub struct Event(OwnedFd);

impl Event {
    /// Makes an event that is not signalled.
    ///
    /// # Errors
    /// The system's error.
    pub fn new() -> io::Result<Self> {
        sys::eventfd().map(Self)
    }

    /// Sends the event to the process at the other end of the socket, which calls
    /// [`receive`](Self::receive).
    ///
    /// # Errors
    /// The system's error.
    pub fn send(&self, socket: &UnixStream) -> io::Result<()> {
        sys::send(socket, self.0.as_fd())
    }

    /// Receives an event from the process at the other end of the socket, which calls
    /// [`send`](Self::send).
    ///
    /// # Errors
    /// The system's error; [`io::ErrorKind::InvalidData`] if no file was received, or one that is
    /// not such an event.
    pub fn receive(socket: &UnixStream) -> io::Result<Self> {
        Self::from_fd(sys::receive(socket)?)
    }

    /// Makes an event from a file that this process has, such as an inherited one.
    ///
    /// # Errors
    /// [`io::ErrorKind::InvalidData`] if it is not an `eventfd`, or is not in non-blocking mode.
    pub fn from_fd(file: OwnedFd) -> io::Result<Self> {
        if sys::is_event(file.as_fd()) {
            return Ok(Self(file));
        }
        Err(io::Error::new(io::ErrorKind::InvalidData, "the file is not an `eventfd` in non-blocking mode"))
    }

    /// Returns another handle of this event.
    ///
    /// # Errors
    /// The system's error.
    pub fn try_clone(&self) -> io::Result<Self> {
        self.0.try_clone().map(Self)
    }

    /// Clears the event: takes all its signals. Returns whether there were any.
    ///
    /// # Errors
    /// The system's error.
    pub fn clear(&self) -> io::Result<bool> {
        sys::clear(self.0.as_fd())
    }

    /// Signals the event.
    pub(super) fn signal(&self) {
        // The file was checked on receipt. If its mode has changed since, the other side's timeout
        // helps.
        let _ = sys::signal(self.0.as_fd());
    }
}

impl AsFd for Event {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

impl AsRawFd for Event {
    fn as_raw_fd(&self) -> RawFd {
        self.0.as_raw_fd()
    }
}

impl From<Event> for OwnedFd {
    fn from(event: Event) -> Self {
        event.0
    }
}
