//! System calls: files as memory, the kernel's locks, and passing files over sockets.

use core::ops::Range;
use std::ffi::CString;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::ptr::{self, NonNull};

use crate::sync::Word;

/// Turns a system call's -1 into an error.
fn check(result: libc::c_int) -> io::Result<libc::c_int> {
    if result == -1 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

/// Repeats a system call that a signal has interrupted.
fn repeat(mut call: impl FnMut() -> libc::c_int) -> io::Result<libc::c_int> {
    loop {
        match check(call()) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}

/// Takes ownership of a file that a system call has just opened.
fn owned(fd: io::Result<libc::c_int>) -> io::Result<OwnedFd> {
    // SAFETY: the descriptor is new, and has no other owner.
    fd.map(|fd| unsafe { OwnedFd::from_raw_fd(fd) })
}

fn text(name: &str) -> io::Result<CString> {
    CString::new(name).map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, "a name must not contain a zero byte"))
}

/// Opens a file without a name, in memory.
pub(super) fn memfd(name: &str) -> io::Result<OwnedFd> {
    let name = text(name)?;
    // SAFETY: the name is a C string.
    owned(repeat(|| unsafe { libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING) }))
}

/// The name of shared memory: a `/`, and a file's name without a slash.
fn shm_name(name: &str) -> io::Result<CString> {
    let is_name = |file: &str| !matches!(file, "" | "." | "..") && !file.contains(['/', '\0']);
    if name.strip_prefix('/').is_some_and(is_name) {
        return text(name);
    }
    let why = std::format!("a region's name is `/` and a file's name without a slash, and {name:?} is not");
    Err(io::Error::new(io::ErrorKind::InvalidFilename, why))
}

/// Opens shared memory by its name.
pub(super) fn shm_open(name: &str, creates: bool, mode: u32) -> io::Result<OwnedFd> {
    let name = shm_name(name)?;
    let flags = libc::O_RDWR | libc::O_CLOEXEC | if creates { libc::O_CREAT } else { 0 };
    // SAFETY: the name is a C string.
    owned(repeat(|| unsafe { libc::shm_open(name.as_ptr(), flags, mode as libc::mode_t) }))
}

/// Removes a name of shared memory.
pub(super) fn shm_unlink(name: &str) -> io::Result<()> {
    let name = shm_name(name)?;
    // SAFETY: the name is a C string.
    check(unsafe { libc::shm_unlink(name.as_ptr()) }).map(drop)
}

/// Opens an open file once more: the kernel's locks belong to the open file description that this
/// makes.
pub(super) fn reopen(file: BorrowedFd<'_>) -> io::Result<OwnedFd> {
    let path = text(&std::format!("/proc/self/fd/{}", file.as_raw_fd()))?;
    // SAFETY: the path is a C string.
    owned(repeat(|| unsafe { libc::open(path.as_ptr(), libc::O_RDWR | libc::O_CLOEXEC | libc::O_NOCTTY) }))
}

/// Status of a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Status {
    /// Its size in bytes, and the bytes of its reserved pages.
    pub(super) bytes: u64,
    reserved: u64,
    /// Its device and inode number. They are unique among files that are open or have a name.
    pub(super) identity: (u64, u64),
    pub(super) has_name: bool,
}

/// Returns the status of a file. An error if it is not a regular file.
pub(super) fn status(file: BorrowedFd<'_>) -> io::Result<Status> {
    // SAFETY: all-zero is a valid `stat`, which the call fills.
    let stat = unsafe {
        let mut stat: libc::stat = core::mem::zeroed();
        check(libc::fstat(file.as_raw_fd(), &raw mut stat))?;
        stat
    };
    if stat.st_mode & libc::S_IFMT != libc::S_IFREG {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "a region must be a regular file, not a device, pipe or socket",
        ));
    }
    let bytes = u64::try_from(stat.st_size).unwrap_or(0);
    // The system counts blocks of 512 bytes.
    let reserved = u64::try_from(stat.st_blocks).unwrap_or(0).saturating_mul(512);
    Ok(Status { bytes, reserved, identity: (stat.st_dev, stat.st_ino), has_name: stat.st_nlink > 0 })
}

/// Reserves pages for a file of this size, which stays as it is. Without that, an access to a page
/// without memory would kill the process. Existing pages are kept.
pub(super) fn reserve(file: BorrowedFd<'_>, bytes: u64) -> io::Result<()> {
    if bytes < size_of::<Word>() as u64 {
        return Err(too_short());
    }
    let all = memory()?;
    // Where a file system has no limit of its own, the kernel would use up all memory.
    if bytes > all && has_type(file, libc::TMPFS_MAGIC)? {
        let why = std::format!("a region of {bytes} bytes does not fit into the machine's memory of {all} bytes");
        return Err(io::Error::new(io::ErrorKind::OutOfMemory, why));
    }
    let bytes = libc::off_t::try_from(bytes).map_err(|_| io::Error::from(io::ErrorKind::FileTooLarge))?;
    // SAFETY: a plain system call.
    repeat(|| unsafe { libc::fallocate(file.as_raw_fd(), libc::FALLOC_FL_KEEP_SIZE, 0, bytes) }).map(drop)
}

/// Reserves the pages that a file lacks for its size.
pub(super) fn reserve_rest(file: BorrowedFd<'_>, found: &Status) -> io::Result<()> {
    // In memory, the call would look at each page, and the count of pages is exact.
    if found.reserved >= found.bytes && has_type(file, libc::TMPFS_MAGIC)? {
        return Ok(());
    }
    reserve(file, found.bytes)
}

/// Reserves an empty file's pages, then sets its size. A kill in between, or a refusal of the
/// system, leaves an empty file.
pub(super) fn fill(file: BorrowedFd<'_>, bytes: u64) -> io::Result<()> {
    let made = reserve(file, bytes).and_then(|()| resize(file, bytes));
    if made.is_err() {
        // This frees pages behind the end of the file. The first error tells more than one of this
        // call.
        let _ = resize(file, 0);
    }
    made
}

fn resize(file: BorrowedFd<'_>, bytes: u64) -> io::Result<()> {
    let bytes = libc::off_t::try_from(bytes).map_err(|_| io::Error::from(io::ErrorKind::FileTooLarge))?;
    // SAFETY: a plain system call.
    repeat(|| unsafe { libc::ftruncate(file.as_raw_fd(), bytes) }).map(drop)
}

fn too_short() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "a region has at least eight bytes")
}

/// Returns the machine's memory in bytes, swap space included.
fn memory() -> io::Result<u64> {
    // SAFETY: all-zero is a valid `sysinfo`, which the call fills.
    let info = unsafe {
        let mut info: libc::sysinfo = core::mem::zeroed();
        check(libc::sysinfo(&raw mut info))?;
        info
    };
    #[allow(clippy::useless_conversion, reason = "these numbers have 32 bits on some machines")]
    let [pages, unit] = [u64::from(info.totalram).saturating_add(info.totalswap.into()), info.mem_unit.into()];
    Ok(pages.saturating_mul(unit))
}

/// Whether the file lies in a file system of this type.
#[allow(clippy::unnecessary_cast, reason = "the type of the number is not the same on all machines")]
fn has_type(file: BorrowedFd<'_>, magic: libc::c_long) -> io::Result<bool> {
    // SAFETY: all-zero is a valid `statfs`, which the call fills.
    let found = unsafe {
        let mut found: libc::statfs = core::mem::zeroed();
        repeat(|| libc::fstatfs(file.as_raw_fd(), &raw mut found))?;
        found.f_type
    };
    Ok(found as u32 == magic as u32)
}

/// Whether the file has huge pages. They come from a pool that may be empty, and any process that
/// has the file can return them to it. Then an access ends the process, despite seals.
pub(super) fn has_huge_pages(file: BorrowedFd<'_>) -> io::Result<bool> {
    has_type(file, libc::HUGETLBFS_MAGIC)
}

/// Seals the file: its size cannot change.
pub(super) fn seal(file: BorrowedFd<'_>) -> io::Result<()> {
    let seals = libc::F_SEAL_SHRINK | libc::F_SEAL_GROW | libc::F_SEAL_SEAL;
    // SAFETY: a plain system call.
    check(unsafe { libc::fcntl(file.as_raw_fd(), libc::F_ADD_SEALS, seals) }).map(drop)
}

/// Whether the file cannot be truncated, nor lose pages for good.
pub(super) fn is_sealed(file: BorrowedFd<'_>) -> bool {
    // SAFETY: a plain system call.
    let seals = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_GET_SEALS) };
    seals != -1 && seals & libc::F_SEAL_SHRINK != 0 && has_huge_pages(file).is_ok_and(|has| !has)
}

pub(super) fn page() -> u64 {
    // SAFETY: a plain call.
    u64::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(0)
}

/// A file's pages in this process.
#[derive(Debug)]
pub(super) struct Mapping {
    start: NonNull<Word>,
    words: usize,
}

// SAFETY: it is memory of atomic words, which is unmapped when this is dropped.
unsafe impl Send for Mapping {}
// SAFETY: the reason for `Send` holds.
unsafe impl Sync for Mapping {}

impl Mapping {
    pub(super) fn new(file: BorrowedFd<'_>, words: usize) -> io::Result<Self> {
        if words == 0 {
            return Err(too_short());
        }
        let access = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new mapping, at an address that the system chooses.
        let start = unsafe { libc::mmap(ptr::null_mut(), 8 * words, access, libc::MAP_SHARED, file.as_raw_fd(), 0) };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let start = NonNull::new(start.cast()).ok_or(io::ErrorKind::AddrNotAvailable)?;
        Ok(Self { start, words })
    }

    #[inline(always)]
    pub(super) fn words(&self) -> &[Word] {
        // SAFETY: the pages are mapped while this lives, aligned, and accessed by atomics only.
        // They have that many words.
        unsafe { core::slice::from_raw_parts(self.start.as_ptr(), self.words) }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: this is the whole mapping, and references to it do not outlive `self`.
        unsafe { libc::munmap(self.start.as_ptr().cast(), 8 * self.words) };
    }
}

/// Makes an event: a counter of the system that is readable while it is not 0.
pub(super) fn eventfd() -> io::Result<OwnedFd> {
    // SAFETY: a plain system call.
    owned(check(unsafe { libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK) }))
}

/// Whether the file is an event in non-blocking mode.
pub(super) fn is_event(file: BorrowedFd<'_>) -> bool {
    let name = std::fs::read_link(std::format!("/proc/self/fd/{}", file.as_raw_fd()));
    // SAFETY: a plain system call.
    let flags = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_GETFL) };
    let access = flags & libc::O_ACCMODE;
    name.is_ok_and(|name| name.as_os_str() == "anon_inode:[eventfd]")
        && flags != -1
        && flags & libc::O_NONBLOCK != 0
        && access == libc::O_RDWR
}

/// Adds 1 to an event. An event whose counter is full is readable already.
pub(super) fn signal(event: BorrowedFd<'_>) -> io::Result<()> {
    let one = 1_u64.to_ne_bytes();
    // SAFETY: a system call that reads eight bytes.
    let written = repeat(|| unsafe { libc::write(event.as_raw_fd(), one.as_ptr().cast(), one.len()) as libc::c_int });
    match written {
        Err(error) if error.kind() != io::ErrorKind::WouldBlock => Err(error),
        _ => Ok(()),
    }
}

/// Resets an event to 0. Returns whether it was signalled.
pub(super) fn clear(event: BorrowedFd<'_>) -> io::Result<bool> {
    let mut count = [0_u8; 8];
    // SAFETY: a system call that writes eight bytes.
    let read =
        repeat(|| unsafe { libc::read(event.as_raw_fd(), count.as_mut_ptr().cast(), count.len()) as libc::c_int });
    match read {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(false),
        Err(error) => Err(error),
    }
}

/// Mode of a lock.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Hold {
    Shared = libc::F_RDLCK as isize,
    Alone = libc::F_WRLCK as isize,
    Free = libc::F_UNLCK as isize,
}

fn flock(byte: i64, hold: Hold) -> libc::flock {
    // SAFETY: all-zero is a valid `flock`.
    let mut lock: libc::flock = unsafe { core::mem::zeroed() };
    lock.l_type = hold as libc::c_short;
    lock.l_whence = libc::SEEK_SET as libc::c_short;
    lock.l_start = byte as libc::off_t;
    lock.l_len = 1;
    lock
}

/// Locks a byte of the file, for this open file. Returns false if another open file has a
/// conflicting lock. The kernel frees the lock when the open file is closed, at the latest when its
/// process has ended.
pub(super) fn try_lock(file: BorrowedFd<'_>, byte: i64, hold: Hold) -> io::Result<bool> {
    let lock = flock(byte, hold);
    // SAFETY: a system call that reads the lock.
    match repeat(|| unsafe { libc::fcntl(file.as_raw_fd(), libc::F_OFD_SETLK, &raw const lock) }) {
        Ok(_) => Ok(true),
        Err(error) if matches!(error.raw_os_error(), Some(libc::EAGAIN | libc::EACCES)) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Whether another open file has a lock on one of the bytes.
pub(super) fn is_locked(file: BorrowedFd<'_>, bytes: &Range<i64>) -> io::Result<bool> {
    let mut lock = flock(bytes.start, Hold::Alone);
    lock.l_len = (bytes.end - bytes.start) as libc::off_t;
    // SAFETY: a system call that reads and writes the lock.
    repeat(|| unsafe { libc::fcntl(file.as_raw_fd(), libc::F_OFD_GETLK, &raw mut lock) })?;
    Ok(lock.l_type != libc::F_UNLCK as libc::c_short)
}

/// Buffer for the control message that carries a file, with the alignment that the system needs.
#[repr(C, align(8))]
struct Control([u8; 64]);

/// Sends a file to the process at the other end of the socket, with one byte.
pub(super) fn send(socket: &UnixStream, file: BorrowedFd<'_>) -> io::Result<()> {
    let (mut byte, mut control) = ([0_u8], Control([0; 64]));
    let mut part = libc::iovec { iov_base: byte.as_mut_ptr().cast(), iov_len: 1 };
    // SAFETY: all pointers refer to objects that live until the end of the call; the control
    // message fits into its buffer.
    unsafe {
        let mut message: libc::msghdr = core::mem::zeroed();
        message.msg_iov = &raw mut part;
        message.msg_iovlen = 1;
        message.msg_control = control.0.as_mut_ptr().cast();
        message.msg_controllen = libc::CMSG_SPACE(size_of::<libc::c_int>() as u32) as _;
        let header = libc::CMSG_FIRSTHDR(&raw const message);
        (*header).cmsg_level = libc::SOL_SOCKET;
        (*header).cmsg_type = libc::SCM_RIGHTS;
        (*header).cmsg_len = libc::CMSG_LEN(size_of::<libc::c_int>() as u32) as _;
        libc::CMSG_DATA(header).cast::<libc::c_int>().write_unaligned(file.as_raw_fd());
        let flags = libc::MSG_NOSIGNAL;
        repeat(|| libc::sendmsg(socket.as_fd().as_raw_fd(), &raw const message, flags) as libc::c_int)?;
    }
    Ok(())
}

/// Receives a file from the process at the other end of the socket.
pub(super) fn receive(socket: &UnixStream) -> io::Result<OwnedFd> {
    let (mut byte, mut control) = ([0_u8], Control([0; 64]));
    let mut part = libc::iovec { iov_base: byte.as_mut_ptr().cast(), iov_len: 1 };
    let none = || io::Error::new(io::ErrorKind::InvalidData, "the other side sent no file, or more than one");
    // SAFETY: all pointers refer to objects that live until the end of the call. Headers are read
    // by the system's macros, within the part that it has filled. Each received descriptor is new,
    // and has no other owner.
    unsafe {
        let mut message: libc::msghdr = core::mem::zeroed();
        message.msg_iov = &raw mut part;
        message.msg_iovlen = 1;
        message.msg_control = control.0.as_mut_ptr().cast();
        // Room for one file: the kernel closes further ones.
        message.msg_controllen = libc::CMSG_SPACE(size_of::<libc::c_int>() as u32) as _;
        let flags = libc::MSG_CMSG_CLOEXEC;
        repeat(|| libc::recvmsg(socket.as_fd().as_raw_fd(), &raw mut message, flags) as libc::c_int)?;
        let header = libc::CMSG_FIRSTHDR(&raw const message);
        if header.is_null() || (*header).cmsg_level != libc::SOL_SOCKET || (*header).cmsg_type != libc::SCM_RIGHTS {
            return Err(none());
        }
        // On 64-bit machines, the room is rounded up to that of two files. All received files must
        // be closed here.
        let bytes = ((*header).cmsg_len as usize).saturating_sub(libc::CMSG_LEN(0) as usize);
        let data = libc::CMSG_DATA(header).cast::<libc::c_int>();
        let mut files = (0..bytes / size_of::<libc::c_int>())
            .map(|file| OwnedFd::from_raw_fd(data.add(file).read_unaligned()))
            .collect::<std::vec::Vec<_>>();
        if files.len() == 1 { files.pop().ok_or_else(none) } else { Err(none()) }
    }
}
