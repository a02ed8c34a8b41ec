//! Starting DPDK in this process.

use std::ffi::{CStr, CString};

use super::ffi;

/// The parameters of DPDK's start.
#[derive(Clone, Debug)]
pub(crate) struct Start<'a> {
    /// DPDK's threads in this process, and their cores.
    pub(crate) lcores: String,
    /// The prefix that distinguishes the processes of one run from those of others.
    pub(crate) prefix: &'a str,
    /// Whether the process joins another one, which has made the queues.
    pub(crate) joins: bool,
    /// More options for DPDK.
    pub(crate) more: &'a [String],
}

impl<'a> Start<'a> {
    /// With one thread, on that core.
    pub(crate) fn on(core: usize, prefix: &'a str, joins: bool, more: &'a [String]) -> Self {
        Self { lcores: format!("0@{core}"), prefix, joins, more }
    }
}

/// Starts DPDK, and pins this thread to the core.
///
/// # Errors
/// DPDK's error, and its requirements.
pub(crate) fn start(start: &Start<'_>) -> Result<(), String> {
    let kind = if start.joins { "secondary" } else { "primary" };
    let mut words: Vec<String> =
        ["aqueduct-dpdk", "--no-pci", "--no-telemetry", "--log-level=4", "--proc-type", kind].map(str::to_owned).into();
    words.extend(["--lcores", &start.lcores, "--file-prefix", start.prefix].map(str::to_owned));
    words.extend_from_slice(start.more);
    let words: Result<Vec<CString>, _> = words.into_iter().map(CString::new).collect();
    let words = words.map_err(|_| "an option for DPDK has a zero byte".to_owned())?;
    // DPDK keeps the texts, and changes their order.
    let mut arguments: Vec<_> = words.into_iter().map(CString::into_raw).collect();
    // SAFETY: the texts end with a zero and are never freed.
    let taken = unsafe { ffi::rte_eal_init(arguments.len() as i32, arguments.as_mut_ptr()) };
    arguments.leak();
    if taken < 0 {
        return Err(format!(
            "DPDK does not start: {}. It needs memory in huge pages, as root: `echo 256 > /proc/sys/vm/nr_hugepages`, \
             and `mount -t hugetlbfs nodev /mnt`",
            why()
        ));
    }
    Ok(())
}

/// Returns the text of DPDK's last error.
pub(crate) fn why() -> String {
    // SAFETY: DPDK's texts end with a zero and live until the next one of this thread.
    unsafe { CStr::from_ptr(ffi::aq_why()) }.to_string_lossy().into_owned()
}

/// Returns the processor's clock, in ticks.
pub(crate) fn now() -> u64 {
    // SAFETY: it reads the clock.
    unsafe { ffi::aq_now() }
}

/// Returns the ticks of the processor's clock in a second.
pub(crate) fn ticks_in_a_second() -> u64 {
    // SAFETY: DPDK has been started, by all that measures.
    unsafe { ffi::rte_get_tsc_hz() }
}
