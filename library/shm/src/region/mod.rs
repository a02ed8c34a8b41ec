//! Regions: memory that processes share, with places that the kernel keeps by locks.
//!
//! A region is a file in memory or on a disk, which each of its processes maps. A side of a queue
//! in it is a *place*. The process that has the place holds a lock of the kernel (an
//! open-file-description lock on a byte of the file). The kernel frees the lock when the process
//! has ended for any reason, and not earlier.
//!
//! # Examples
//! ```
//! use aqueduct_shm::{Region, items};
//! use std::time::Duration;
//!
//! // One process makes the region. The others open it by its name, or receive its file.
//! let name = format!("/aqueduct-example-{}", std::process::id());
//! let region = Region::named(&name, 1 << 16, 0o600)?;
//! let queue = items::Queue::<u64, _>::in_region(region, 1000, 0)?;
//! let mut producer = queue.take_producer()?;
//!
//! // This would be another process.
//! let queue = items::Queue::<u64, _>::in_region(Region::named(&name, 1 << 16, 0o600)?, 1000, 0)?;
//! let mut consumer = queue.take_consumer()?;
//!
//! producer.push_wait(7, Duration::from_secs(1)).map_err(|(why, _)| why)?;
//! assert_eq!(consumer.pop_wait(Duration::from_secs(1))?, 7);
//! # drop((producer, consumer, queue));
//! Region::unlink(&name)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Limits
//! A region that is not sealed (one with a name, or in a file) can be truncated by a process that
//! may write it. An access to a page that is gone ends this process (`SIGBUS`). With processes that
//! you do not trust, use anonymous regions: [`Region::receive`] refuses files that are not sealed.
//!
//! A child of `fork` that does not `exec` shares its parent's locks: a place stays taken until both
//! have ended.

mod drop_old;
pub mod event;
mod handles;
mod lanes;
mod mpmc;
mod nblfq;
mod places;
mod sys;

use std::borrow::ToOwned;
use std::format;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::string::String;
use std::sync::Arc;
use std::time::Duration;
use std::vec::Vec;

use crate::layout::Memory;
use crate::sync::Word;
use sys::Hold;

pub use event::Event;
pub use lanes::Queue as LaneQueue;
pub use places::{OpenError, Place, PlaceError};

/// The bytes of the file that are locked. The kernel writes nothing there.
mod byte {
    pub(super) const PRODUCER: i64 = 0;
    pub(super) const CONSUMER: i64 = 1;
    /// Held while a process makes the queue, or gives the file its size.
    pub(super) const MAKER: i64 = 2;
    /// Held by all processes that have the region.
    pub(super) const USER: i64 = 3;
    /// The first place of a queue that has many: the producers' places come first, then the
    /// consumers'.
    pub(super) const MANY: i64 = 16;
}

/// Memory that processes share.
///
/// A clone is another handle of the region, which is unmapped when the last clone and the last
/// handle are dropped.
#[derive(Clone, Debug)]
pub struct Region(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    mapping: sys::Mapping,
    file: OwnedFd,
}

impl Region {
    /// Makes a region without a name. Its file is sealed: no process can change its size.
    ///
    /// `/proc` shows the region under `label`.
    ///
    /// # Errors
    /// The system's error; [`io::ErrorKind::OutOfMemory`] if the machine has less memory, and
    /// [`io::ErrorKind::InvalidInput`] if the region would have fewer than eight bytes.
    pub fn anonymous(label: &str, bytes: usize) -> io::Result<Self> {
        let file = sys::memfd(label)?;
        sys::fill(file.as_fd(), bytes as u64)?;
        sys::seal(file.as_fd())?;
        Self::map(file)
    }

    /// Opens the region with this name, or makes it with `bytes` bytes. `mode` has the permissions,
    /// as for a file.
    ///
    /// A name starts with `/` and contains no further slash. All pages of the region are reserved.
    /// If there is no room for them, this fails and leaves the region as it was.
    ///
    /// # Errors
    /// The system's error, such as [`io::ErrorKind::StorageFull`];
    /// [`io::ErrorKind::InvalidFilename`] if the name is not valid, [`io::ErrorKind::OutOfMemory`]
    /// if the machine has less memory, [`io::ErrorKind::TimedOut`] if another process has not
    /// finished making or removing the region within a second, and [`io::ErrorKind::InvalidInput`]
    /// if the region exists with fewer bytes, or would have fewer than eight.
    pub fn named(name: &str, bytes: usize, mode: u32) -> io::Result<Self> {
        Self::made(bytes, || sys::shm_open(name, true, mode))
    }

    /// Opens the region with this name.
    ///
    /// # Errors
    /// The system's error, such as [`io::ErrorKind::NotFound`].
    pub fn open(name: &str) -> io::Result<Self> {
        Self::made(0, || sys::shm_open(name, false, 0))
    }

    /// Opens the region in a file, or makes it with `bytes` bytes. `mode` has the permissions.
    ///
    /// # Errors
    /// Those of [`named`](Self::named).
    pub fn in_file(path: impl AsRef<Path>, bytes: usize, mode: u32) -> io::Result<Self> {
        Self::made(bytes, || {
            let mut options = std::fs::OpenOptions::new();
            options.read(true).write(true).create(true).truncate(false).mode(mode);
            options.open(&path).map(OwnedFd::from)
        })
    }

    /// Receives a region from the process at the other end of the socket, which calls
    /// [`send`](Self::send).
    ///
    /// # Errors
    /// The system's error; [`io::ErrorKind::InvalidData`] if no file was received, if it is not
    /// sealed (another process could truncate it), or if it has huge pages (another process could
    /// take them away).
    pub fn receive(socket: &UnixStream) -> io::Result<Self> {
        let file = sys::receive(socket)?;
        if sys::has_huge_pages(file.as_fd())? {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "the file has huge pages, which another process may take away",
            ));
        }
        if !sys::is_sealed(file.as_fd()) {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "the file is not sealed: another process may truncate it",
            ));
        }
        Self::from_fd(file)
    }

    /// Sends the region to the process at the other end of the socket.
    ///
    /// # Errors
    /// The system's error.
    pub fn send(&self, socket: &UnixStream) -> io::Result<()> {
        sys::send(socket, self.0.file.as_fd())
    }

    /// Makes a region from a file that this process has, such as an inherited one.
    ///
    /// It opens the file once more, because locks belong to an open file description, which
    /// processes may share. A file that is not [sealed](Self::is_sealed) must be trusted.
    ///
    /// # Errors
    /// The system's error, such as [`io::ErrorKind::PermissionDenied`].
    pub fn from_fd(file: impl AsFd) -> io::Result<Self> {
        sys::status(file.as_fd())?;
        Self::map(sys::reopen(file.as_fd())?)
    }

    /// Whether no process can truncate the region, or take away pages for good.
    #[must_use]
    pub fn is_sealed(&self) -> bool {
        sys::is_sealed(self.0.file.as_fd())
    }

    /// Returns the names of regions and of other shared memory that start with `start`.
    ///
    /// # Errors
    /// The system's error.
    pub fn names(start: &str) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in std::fs::read_dir("/dev/shm")? {
            let name = format!("/{}", entry?.file_name().to_string_lossy());
            if name.starts_with(start) {
                names.push(name);
            }
        }
        names.sort();
        Ok(names)
    }

    /// Removes the name if no process has the region: all have ended, or dropped it. Returns
    /// whether it was removed.
    ///
    /// Any number of processes may do so, while others make and open regions of that name.
    /// [`unlink`](Self::unlink) must not run at the same time: it takes no lock, so the name may
    /// already be that of another region.
    ///
    /// # Errors
    /// The system's error.
    pub fn unlink_unused(name: &str) -> io::Result<bool> {
        loop {
            let file = sys::shm_open(name, false, 0)?;
            if !sys::try_lock(file.as_fd(), byte::USER, Hold::Alone)? {
                return Ok(false);
            }
            // Before the lock, another process may have removed the name and given it to a new
            // region. With it, the name stays: a process that opens the file now waits, and then
            // finds it without a name.
            let [locked, named] = [sys::status(file.as_fd())?, sys::status(sys::shm_open(name, false, 0)?.as_fd())?];
            if locked.identity == named.identity {
                sys::shm_unlink(name)?;
                return Ok(true);
            }
        }
    }

    /// Removes the names that start with `start` of all regions that no process has. Returns these
    /// names.
    ///
    /// # Errors
    /// The system's error, except that a name is gone, or belongs to another user.
    pub fn sweep(start: &str) -> io::Result<Vec<String>> {
        let mut swept = Vec::new();
        for name in Self::names(start)? {
            match Self::unlink_unused(&name) {
                Ok(true) => swept.push(name.to_owned()),
                Ok(false) => {}
                Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(swept)
    }

    /// Removes the name. Processes that have the region keep it.
    ///
    /// # Errors
    /// The system's error.
    pub fn unlink(name: &str) -> io::Result<()> {
        sys::shm_unlink(name)
    }

    /// Opens a file, and gives it its size if it has none.
    fn made(bytes: usize, open: impl Fn() -> io::Result<OwnedFd>) -> io::Result<Self> {
        loop {
            let file = open()?;
            lock_as_user(file.as_fd())?;
            lock_as_maker(file.as_fd())?;
            let found = sys::status(file.as_fd())?;
            if !found.has_name {
                continue;
            }
            match found.bytes {
                0 if bytes == 0 => {
                    let why = "the region has no bytes: its maker has not finished, or was killed";
                    return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
                }
                0 => sys::fill(file.as_fd(), bytes as u64)?,
                size if size < bytes as u64 => {
                    let why = format!("the region has {size} bytes, and at least {bytes} are needed");
                    return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
                }
                // A file that was not made here may lack pages.
                _ => sys::reserve_rest(file.as_fd(), &found)?,
            }
            sys::try_lock(file.as_fd(), byte::MAKER, Hold::Free)?;
            return Self::map(file);
        }
    }

    /// Maps a file. Its open file description must belong to this call alone.
    fn map(file: OwnedFd) -> io::Result<Self> {
        let bytes = sys::status(file.as_fd())?.bytes;
        lock_as_user(file.as_fd())?;
        let words = usize::try_from(bytes / 8).map_err(|_| io::Error::from(io::ErrorKind::OutOfMemory))?;
        let mapping = sys::Mapping::new(file.as_fd(), words)?;
        Ok(Self(Arc::new(Shared { mapping, file })))
    }

    /// Calls `make` while no other process makes a queue in the region.
    fn as_maker<R>(&self, make: impl FnOnce() -> R) -> io::Result<R> {
        // With an open file of its own, threads of this process exclude each other, too.
        let file = sys::reopen(self.0.file.as_fd())?;
        lock_as_maker(file.as_fd())?;
        Ok(make())
    }
}

/// Waits for a lock, for about a second: a stopped process does not block others forever.
fn lock(file: BorrowedFd<'_>, byte: i64, hold: Hold, what: &str) -> io::Result<()> {
    for _ in 0..1000 {
        if sys::try_lock(file, byte, hold)? {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    Err(io::Error::new(io::ErrorKind::TimedOut, what))
}

fn lock_as_maker(file: BorrowedFd<'_>) -> io::Result<()> {
    lock(file, byte::MAKER, Hold::Alone, "another process has been making the region for a second")
}

fn lock_as_user(file: BorrowedFd<'_>) -> io::Result<()> {
    lock(file, byte::USER, Hold::Shared, "another process has been removing the region for a second")
}

impl Memory for Region {
    #[inline(always)]
    fn words(&self) -> &[Word] {
        self.0.mapping.words()
    }

    fn page(&self) -> u64 {
        sys::page()
    }

    fn is_kept(&self) -> bool {
        true
    }
}

impl AsFd for Region {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.file.as_fd()
    }
}
