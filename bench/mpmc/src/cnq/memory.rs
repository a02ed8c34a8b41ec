//! The peak memory of a piece of work, as the system counts it.

/// Runs `work` and returns the greatest growth of the process's resident memory meanwhile, in KiB,
/// or `None` if the system does not report it.
///
/// This counts all memory that any thread touched: the queue, and the stacks of the run's threads.
/// Memory that the allocator keeps for later is returned to the system first, so that it is counted
/// again. The system's own count is inexact, by several KiB for each core.
pub(super) fn peak_growth_kib<T>(work: impl FnOnce() -> T) -> (T, Option<u64>) {
    let before = begin();
    let result = work();
    let grown = before.and_then(|before| Some(resident_kib("VmHWM:")?.saturating_sub(before)));
    (result, grown)
}

/// Returns free memory to the system, resets the peak, and returns the resident memory.
#[cfg(target_os = "linux")]
fn begin() -> Option<u64> {
    // SAFETY: it may be called at any time.
    #[cfg(target_env = "gnu")]
    unsafe {
        libc::malloc_trim(0);
    }
    // 5 is the system's number for the peak of resident memory.
    std::fs::write("/proc/self/clear_refs", "5").ok()?;
    resident_kib("VmRSS:")
}

#[cfg(not(target_os = "linux"))]
fn begin() -> Option<u64> {
    None
}

/// Returns a line of the process's status, in KiB.
fn resident_kib(name: &str) -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

/// Whether this system reports it.
pub(super) fn is_known() -> bool {
    begin().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::hint::black_box;

    #[test]
    fn what_is_touched_is_counted_and_what_is_freed_before_is_not() {
        const MIB: usize = 1 << 20;
        if !is_known() {
            return;
        }
        for _ in 0..2 {
            let (_, grown) = peak_growth_kib(|| black_box(vec![1_u8; 32 * MIB]).len());
            let grown = grown.expect("the system tells");
            // Other tests of this process may free meanwhile, or allocate.
            assert!((20 * 1024..300 * 1024).contains(&grown), "{grown} KiB");
        }
    }
}
