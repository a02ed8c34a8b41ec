//! Progress on the standard error stream.

use std::io::{IsTerminal, Write, stderr};
use std::time::Duration;

/// Shows the number of explored executions, and of all. On a terminal the line replaces
/// the old one.
pub(crate) fn show(executions: u64, all: &str, elapsed: Duration) {
    show_line(&format!("{executions} executions in {}, of {all}", describe(elapsed.as_secs_f64())));
}

/// Returns the words for a number of random executions. Under a time limit alone, that number is
/// the largest one.
pub(crate) fn aim(executions: u64) -> String {
    if executions == u64::MAX { "those that the time limit allows".to_owned() } else { executions.to_string() }
}

/// Shows an estimate so far.
pub(crate) fn show_estimate(estimate: &str, elapsed: Duration) {
    show_line(&format!("{estimate} in {}", describe(elapsed.as_secs_f64())));
}

fn show_line(line: &str) {
    let mut out = stderr().lock();
    // A failure to show progress is ignored.
    let _ = if out.is_terminal() { write!(out, "\r\x1b[K{line}") } else { writeln!(out, "{line}") };
    let _ = out.flush();
}

/// Erases the line.
pub(crate) fn clear() {
    let mut out = stderr().lock();
    if out.is_terminal() {
        let _ = write!(out, "\r\x1b[K");
        let _ = out.flush();
    }
}

fn describe(seconds: f64) -> String {
    if seconds < 120.0 {
        format!("{seconds:.1} s")
    } else if seconds < 7200.0 {
        format!("{:.0} min", seconds / 60.0)
    } else {
        format!("{:.0} h", seconds / 3600.0)
    }
}

/// Returns the most memory that the process has used so far, in bytes, if the system reports it.
pub(crate) fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn executions_under_a_time_limit_have_no_number() {
        assert_eq!(aim(1_000), "1000");
        assert_eq!(aim(u64::MAX), "those that the time limit allows");
    }
}
