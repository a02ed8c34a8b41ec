//! Memory whose pages are mapped twice, the second copy right behind the first.
//!
//! (Maffione, Lettieri and Rizzo, 2018, section 2.2.) A slice that starts in the first copy may
//! continue in the second, so a ring in it never wraps in the middle of a slice.

use core::alloc::Layout;
use core::ptr::NonNull;

use crate::error::CapacityError;
use crate::sync;

/// A doubled mapping, unmapped on drop.
///
/// The pages are shared mappings. A forked child would share them with its parent, but have copies
/// of the indices and cursors beside them, so that each would overwrite the other's items. So
/// children do not get the pages.
pub(super) struct Mirror {
    begin: NonNull<u8>,
    bytes: usize,
    /// The id of the process that has the pages.
    process: u32,
}

impl Mirror {
    /// Returns the number of bytes of one copy.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns the start of the first copy, which is page-aligned.
    pub(super) fn begin(&self) -> NonNull<u8> {
        self.begin
    }

    /// Whether this process has the pages. A forked child does not have them.
    pub(super) fn is_here(&self) -> bool {
        self.process == system::process()
    }

    /// Maps at least `capacity + spare` slots of the given layout: whole slots, and whole pages.
    pub(super) fn new(capacity: usize, spare: usize, slot: Layout) -> Result<Self, CapacityError> {
        if capacity == 0 {
            return Err(CapacityError::Zero);
        }
        if sync::IS_MODEL {
            return Err(CapacityError::Mirror(
                "the model checker follows no memory that is mapped twice; use `queue` there",
            ));
        }
        let page = system::page_size()?;
        if slot.size() == 0 {
            return Err(CapacityError::Mirror("the items have no size, so there is nothing to map"));
        }
        if slot.align() > page {
            return Err(CapacityError::Mirror("the items need more alignment than a page has"));
        }
        let half = isize::MAX as usize / 2;
        let whole = lcm(page, slot.size()).filter(|&whole| whole <= half);
        let most = whole.map_or(0, |whole| half - half % whole);
        let bytes = capacity.checked_add(spare).and_then(|len| len.checked_mul(slot.size()));
        let (Some(whole), Some(bytes)) = (whole, bytes.filter(|&bytes| bytes <= most)) else {
            let max = (most / slot.size()).saturating_sub(spare);
            return Err(CapacityError::TooLarge { asked: capacity, max });
        };
        let bytes = bytes.next_multiple_of(whole);
        system::map_twice(bytes).map(|begin| Self { begin, bytes, process: system::process() })
    }
}

impl Drop for Mirror {
    fn drop(&mut self) {
        // In a child, another mapping may have these addresses by now.
        if self.is_here() {
            // SAFETY: `map_twice` mapped it with this size, and it is not used any more.
            unsafe { system::unmap(self.begin, self.bytes) }
        }
    }
}

fn lcm(a: usize, b: usize) -> Option<usize> {
    let (mut x, mut y) = (a, b);
    while y != 0 {
        (x, y) = (y, x % y);
    }
    (a / x).checked_mul(b)
}

#[cfg(all(feature = "mirrored", target_os = "linux", not(miri)))]
mod system {
    use core::ptr::{NonNull, null_mut};

    use rustix::fs::{MemfdFlags, ftruncate, memfd_create};
    use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap, mmap_anonymous, munmap};

    use crate::error::CapacityError;

    pub(super) fn page_size() -> Result<usize, CapacityError> {
        Ok(rustix::param::page_size())
    }

    pub(super) fn process() -> u32 {
        std::process::id()
    }

    /// Reserves twice `bytes` of addresses, then maps one memory file over either half, for this
    /// process only.
    pub(super) fn map_twice(bytes: usize) -> Result<NonNull<u8>, CapacityError> {
        let out_of_memory = |_| CapacityError::OutOfMemory { bytes };
        let file = memfd_create(c"aqueduct-ring", MemfdFlags::CLOEXEC)
            .map_err(|_| CapacityError::Mirror("the kernel refused a memory file (memfd_create)"))?;
        ftruncate(&file, bytes as u64).map_err(out_of_memory)?;
        // SAFETY: the kernel picks the addresses, so the call replaces no mapping.
        let begin = unsafe { mmap_anonymous(null_mut(), 2 * bytes, ProtFlags::empty(), MapFlags::PRIVATE) }
            .map_err(out_of_memory)?;
        let give_up = |reason| {
            // SAFETY: this is the reservation above, which is not used any more.
            let _ = unsafe { munmap(begin, 2 * bytes) };
            Err(CapacityError::Mirror(reason))
        };
        for half in 0..2 {
            let flags = MapFlags::SHARED | MapFlags::FIXED;
            // SAFETY: the call replaces one half of the reservation above, which is not in use yet.
            let mapped = unsafe {
                mmap(begin.byte_add(half * bytes), bytes, ProtFlags::READ | ProtFlags::WRITE, flags, &file, 0)
            };
            if mapped.is_err() {
                return give_up("the kernel refused to map the ring twice (mmap)");
            }
        }
        // SAFETY: the mapping above. The advice concerns children only.
        if unsafe { madvise(begin, 2 * bytes, Advice::LinuxDontFork) }.is_err() {
            return give_up("the kernel refused to keep the ring out of forked children (madvise)");
        }
        NonNull::new(begin.cast()).ok_or(CapacityError::OutOfMemory { bytes })
    }

    /// # Safety
    /// `begin` came from `map_twice(bytes)` and is not used any more.
    pub(super) unsafe fn unmap(begin: NonNull<u8>, bytes: usize) {
        // SAFETY: the caller's promise. A failure would leave the mapping in place, which does no
        // harm.
        let _ = unsafe { munmap(begin.as_ptr().cast(), 2 * bytes) };
    }
}

/// The fallback of systems without a double mapping.
#[cfg(not(all(feature = "mirrored", target_os = "linux", not(miri))))]
mod system {
    use core::ptr::NonNull;

    use crate::error::CapacityError;

    const MISSING: &str = if cfg!(miri) {
        "Miri maps no memory files; use `queue` here"
    } else {
        "it needs Linux and the feature `mirrored` of this crate; use `queue` here"
    };

    pub(super) fn page_size() -> Result<usize, CapacityError> {
        Err(CapacityError::Mirror(MISSING))
    }

    pub(super) fn process() -> u32 {
        0
    }

    pub(super) fn map_twice(_: usize) -> Result<NonNull<u8>, CapacityError> {
        Err(CapacityError::Mirror(MISSING))
    }

    pub(super) unsafe fn unmap(_: NonNull<u8>, _: usize) {}
}
