//! Statuses: the header's numbers, and their texts.

use std::ffi::{CStr, c_char, c_int};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};

use aqueduct_shm::{OpenError, PlaceError, PopError, PushError, RecordError, WaitError};

/// The result of a function: the values of the header's `enum aq_status`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Status {
    Ok = 0,
    Empty = 1,
    Full = 2,
    TooLong = 3,
    Damaged = 4,
    TimedOut = 5,
    Died = 6,
    Held = 7,
    Mismatch = 8,
    Capacity = 9,
    System = 10,
    Argument = 11,
    Panic = 12,
    Contended = 13,
    Ready = 14,
    Left = 15,
}

/// The texts of the statuses, in the order of their numbers.
const TEXTS: [&CStr; 16] = [
    c"success",
    c"the queue is empty",
    c"the queue has no room now",
    c"the record is longer than the longest that fits, or than the buffer",
    c"the queue's memory was overwritten by a process that does not keep to the protocol",
    c"the other side did nothing before the timeout",
    c"the process of the other side died",
    c"a live process has this side of the queue",
    c"the region has another queue",
    c"the size is not valid, or the queue does not fit into the region",
    c"the system refuses: errno has the reason",
    c"a pointer is null, a text is not UTF-8, or a name is not `/` and a file's name",
    c"an error of the library",
    c"other handles overtook this call in each attempt: try again",
    c"the queue is ready, so the event is not armed",
    c"the other side has left",
];

/// Returns the text for a status.
#[unsafe(no_mangle)]
pub extern "C" fn aq_status_text(status: c_int) -> *const c_char {
    let text = usize::try_from(status).ok().and_then(|status| TEXTS.get(status));
    text.copied().unwrap_or(c"not a status of this library").as_ptr()
}

/// Runs the body of a function, and catches a panic.
///
/// It is inlined, because a further call would cost as much as a push.
#[inline(always)]
pub(crate) fn guard(body: impl FnOnce() -> Result<(), Status>) -> c_int {
    let status = match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => Status::Ok,
        Ok(Err(status)) => status,
        Err(_) => Status::Panic,
    };
    status as c_int
}

/// A handle behind a pointer of C.
///
/// # Safety
/// The pointer is null, or that of a live handle that no other thread uses during `'h`.
pub(crate) unsafe fn handle<'h, T>(pointer: *mut T) -> Result<&'h mut T, Status> {
    // SAFETY: the caller keeps the contract.
    unsafe { pointer.as_mut() }.ok_or(Status::Argument)
}

/// Makes a handle, and stores its pointer for C.
///
/// # Safety
/// `to` is null, or points to memory for a pointer.
pub(crate) unsafe fn give<T>(to: *mut *mut T, make: impl FnOnce() -> Result<T, Status>) -> Result<(), Status> {
    if to.is_null() {
        return Err(Status::Argument);
    }
    let made = Box::into_raw(Box::new(make()?));
    // SAFETY: the caller keeps the contract.
    unsafe { to.write(made) };
    Ok(())
}

/// Drops a handle.
///
/// # Safety
/// The pointer is null, or that of a handle that is not used afterwards.
pub(crate) unsafe fn drop_handle<T>(pointer: *mut T) {
    if !pointer.is_null() {
        // SAFETY: `give` made it from a box, and the caller keeps the contract.
        let handle = unsafe { Box::from_raw(pointer) };
        // A panic does not unwind into C.
        let _ = catch_unwind(AssertUnwindSafe(|| drop(handle)));
    }
}

impl From<io::Error> for Status {
    /// Leaves the system's number in `errno`.
    fn from(error: io::Error) -> Self {
        let Some(number) = error.raw_os_error() else {
            return match error.kind() {
                io::ErrorKind::TimedOut => Self::TimedOut,
                io::ErrorKind::InvalidFilename => Self::Argument,
                _ => Self::Capacity,
            };
        };
        // SAFETY: the C library's `errno` of this thread.
        unsafe { *errno() = number };
        Self::System
    }
}

unsafe extern "C" {
    /// The C library's function, which std links.
    #[link_name = "__errno_location"]
    safe fn errno() -> *mut c_int;
}

impl From<OpenError> for Status {
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::Capacity(_) => Self::Capacity,
            OpenError::System(error) => error.into(),
            _ => Self::Mismatch,
        }
    }
}

impl From<PlaceError> for Status {
    fn from(error: PlaceError) -> Self {
        match error {
            PlaceError::Held => Self::Held,
            PlaceError::Contended => Self::Contended,
            PlaceError::System(error) => error.into(),
            _ => Self::Damaged,
        }
    }
}

impl From<PopError> for Status {
    fn from(error: PopError) -> Self {
        match error {
            PopError::Empty => Self::Empty,
            PopError::Contended => Self::Contended,
            PopError::TooLong { .. } => Self::TooLong,
            _ => Self::Damaged,
        }
    }
}

impl<T> From<PushError<T>> for Status {
    fn from(error: PushError<T>) -> Self {
        match error {
            PushError::Full(_) => Self::Full,
            PushError::Contended(_) => Self::Contended,
            _ => Self::Damaged,
        }
    }
}

impl From<RecordError> for Status {
    fn from(error: RecordError) -> Self {
        match error {
            RecordError::Full => Self::Full,
            RecordError::TooLong { .. } => Self::TooLong,
            _ => Self::Damaged,
        }
    }
}

impl From<WaitError> for Status {
    fn from(error: WaitError) -> Self {
        match error {
            WaitError::TimedOut => Self::TimedOut,
            WaitError::Died => Self::Died,
            WaitError::Left => Self::Left,
            WaitError::TooLong { .. } => Self::TooLong,
            _ => Self::Damaged,
        }
    }
}
