//! Regions.

use std::ffi::{CStr, c_char, c_int, c_uint};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};

use crate::status::{Status, drop_handle, give, guard};

/// A region behind a pointer of C.
#[derive(Debug)]
pub struct Region(pub(crate) aqueduct_shm::Region);

/// A text of C, as a `str`.
///
/// # Safety
/// The pointer is null, or that of a C string that lives during `'t`.
unsafe fn text<'t>(pointer: *const c_char) -> Result<&'t str, Status> {
    if pointer.is_null() {
        return Err(Status::Argument);
    }
    // SAFETY: the caller keeps the contract.
    unsafe { CStr::from_ptr(pointer) }.to_str().map_err(|_| Status::Argument)
}

/// Makes a region without a name.
///
/// # Safety
/// `label` is null or a C string; `region` is null, or points to memory for a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_region_anonymous(label: *const c_char, bytes: usize, region: *mut *mut Region) -> c_int {
    guard(|| {
        // SAFETY: the caller keeps the contract.
        unsafe { give(region, || Ok(Region(aqueduct_shm::Region::anonymous(text(label)?, bytes)?))) }
    })
}

/// Opens the region with this name, or makes it.
///
/// # Safety
/// `name` is null or a C string; `region` is null, or points to memory for a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_region_named(
    name: *const c_char,
    bytes: usize,
    mode: c_uint,
    region: *mut *mut Region,
) -> c_int {
    guard(|| {
        // SAFETY: the caller keeps the contract.
        unsafe { give(region, || Ok(Region(aqueduct_shm::Region::named(text(name)?, bytes, mode)?))) }
    })
}

/// Makes a region from an open file.
///
/// # Safety
/// `file` is negative, or is open during the call; `region` is null, or points to memory for a
/// pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_region_from_fd(file: c_int, region: *mut *mut Region) -> c_int {
    guard(|| {
        if file < 0 {
            return Err(Status::Argument);
        }
        // SAFETY: the caller keeps the contract.
        unsafe { give(region, || Ok(Region(aqueduct_shm::Region::from_fd(BorrowedFd::borrow_raw(file))?))) }
    })
}

/// Returns the region's file, or -1.
///
/// # Safety
/// `region` is null, or that of a live region.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_region_fd(region: *const Region) -> c_int {
    // SAFETY: the caller keeps the contract.
    unsafe { region.as_ref() }.map_or(-1, |region| region.0.as_fd().as_raw_fd())
}

/// Removes a name.
///
/// # Safety
/// `name` is null or a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_region_unlink(name: *const c_char) -> c_int {
    // SAFETY: the caller keeps the contract.
    guard(|| Ok(aqueduct_shm::Region::unlink(unsafe { text(name) }?)?))
}

/// Drops a region's handle.
///
/// # Safety
/// `region` is null, or that of a region that is not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_region_drop(region: *mut Region) {
    // SAFETY: the caller keeps the contract.
    unsafe { drop_handle(region) };
}
