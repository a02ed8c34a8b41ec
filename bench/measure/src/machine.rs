//! The machine that the figures come from: its description, its cores, pinning to them.

use std::fmt;
use std::time::{Duration, Instant};

use crate::crew::Step;

use core_affinity::CoreId;

use crate::record::Placement;
use crate::topology;

/// The machine, as its system describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// The processor's model name.
    pub processor: String,
    /// The cores that this process may use, by number.
    pub cores: Vec<usize>,
    /// The operating system and the architecture.
    pub system: String,
    /// Bytes of the first core's caches, as `(name, size)`, where the system reports them.
    pub caches: Vec<(String, String)>,
}

impl Machine {
    /// Describes the machine that this process runs on.
    #[must_use]
    pub fn here() -> Self {
        let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
        let system = format!("{} {} {}", std::env::consts::OS, kernel.trim(), std::env::consts::ARCH);
        Self {
            processor: processor().unwrap_or_else(|| "unknown processor".into()),
            cores: usable_cores(),
            system: system.replace("  ", " "),
            caches: caches(),
        }
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.cores.len();
        let plural = if count == 1 { "" } else { "s" };
        write!(formatter, "{}, {count} core{plural}, {}", self.processor, self.system)?;
        for (name, size) in &self.caches {
            write!(formatter, ", {name} {size}")?;
        }
        Ok(())
    }
}

fn processor() -> Option<String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_string())
}

fn caches() -> Vec<(String, String)> {
    let read = |index: usize, file: &str| {
        let path = format!("/sys/devices/system/cpu/cpu0/cache/index{index}/{file}");
        std::fs::read_to_string(path).ok().map(|text| text.trim().to_string())
    };
    (0..8)
        .filter_map(|index| {
            let level = read(index, "level")?;
            let kind = match read(index, "type")?.as_str() {
                "Data" => "d",
                "Instruction" => "i",
                _ => "",
            };
            Some((format!("L{level}{kind}"), read(index, "size")?))
        })
        .collect()
}

/// Returns the bytes of memory that this process can still take without any other process losing
/// its own.
///
/// Linux reports them. Elsewhere the result is [`ASSUMED_MEMORY`].
#[must_use]
pub fn free_memory() -> u64 {
    let number = |text: &str| text.trim().parse::<u64>().ok();
    let available = std::fs::read_to_string("/proc/meminfo").ok().and_then(|text| {
        let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
        Some(number(line.trim().strip_suffix("kB")?)? << 10)
    });
    // The limit of the process's control group, if it has one.
    let group =
        |file| std::fs::read_to_string(format!("/sys/fs/cgroup/memory.{file}")).ok().as_deref().and_then(number);
    let left = group("max").zip(group("current")).map(|(most, taken)| most.saturating_sub(taken));
    available.unwrap_or(ASSUMED_MEMORY).min(left.unwrap_or(u64::MAX))
}

/// The memory that is assumed to be free where the system does not report it.
pub const ASSUMED_MEMORY: u64 = 4 << 30;

/// Returns the cores that this process may use, by number, in rising order.
#[must_use]
pub fn usable_cores() -> Vec<usize> {
    let mut cores: Vec<usize> =
        core_affinity::get_core_ids().unwrap_or_default().into_iter().map(|core| core.id).collect();
    cores.sort_unstable();
    cores
}

/// Returns the cores that threads take, in their order: those asked for, or all of this process's,
/// see [`topology::order`].
///
/// # Errors
/// A sentence that names the usable cores, when one asked for is not among them.
pub fn cores(wanted: &[usize]) -> Result<Vec<usize>, String> {
    let usable = usable_cores();
    if let Some(core) = wanted.iter().find(|core| !usable.contains(core)) {
        return Err(format!("--cores: core {core} is not usable here; the usable cores are {usable:?}"));
    }
    Ok(if wanted.is_empty() { topology::order(&topology::here(&usable)) } else { wanted.to_vec() })
}

/// The two cores of a pair of threads, or none if the system places them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cores {
    /// The producer's core.
    pub producer: Option<usize>,
    /// The consumer's core.
    pub consumer: Option<usize>,
}

impl Cores {
    /// Returns the first two of [`cores`].
    ///
    /// With a single core, both threads share it, and figures mean little.
    ///
    /// # Errors
    /// A sentence, when a core asked for is not usable, or only one was asked for.
    pub fn choose(wanted: &[usize]) -> Result<Self, String> {
        let cores = cores(wanted)?;
        if wanted.len() == 1 {
            return Err("--cores: two core numbers are needed, such as 0,1".to_owned());
        }
        let producer = cores.first().copied();
        Ok(Self { producer, consumer: cores.get(1).copied().or(producer) })
    }

    /// Returns the placement of a record.
    #[must_use]
    pub fn placement(self) -> Placement {
        Placement { producers: self.producer.into_iter().collect(), consumers: self.consumer.into_iter().collect() }
    }
}

/// Binds the calling thread to `core`. Without a core, or where the system refuses, it runs
/// anywhere.
pub fn pin(core: Option<usize>) {
    if let Some(id) = core {
        core_affinity::set_for_current(CoreId { id });
    }
}

/// Has the calling thread, and those that it makes from now on, run on these cores only. With none,
/// or where the system does not do so, they run anywhere.
#[cfg(target_os = "linux")]
pub fn keep_to(cores: &[usize]) {
    if cores.is_empty() {
        return;
    }
    // SAFETY: a `cpu_set_t` of zeros is an empty set.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    for &core in cores.iter().filter(|&&core| core < libc::CPU_SETSIZE as usize) {
        // SAFETY: the set has room for that number.
        unsafe { libc::CPU_SET(core, &mut set) };
    }
    // SAFETY: the set has the given length. Where the call fails, the thread runs anywhere.
    unsafe { libc::sched_setaffinity(0, size_of_val(&set), &raw const set) };
}

/// Has the calling thread, and those that it makes from now on, run on these cores only. With none,
/// or where the system does not do so, they run anywhere.
#[cfg(not(target_os = "linux"))]
pub fn keep_to(_cores: &[usize]) {}

/// Runs `work` on the calling thread. Returns its result, and the share of the time for which the
/// system let it run.
///
/// Elsewhere than on Linux the share is unknown, and the answer is 1. The time that a virtual
/// machine's host takes away does not show.
pub fn share_on_core<T>(work: Step<'_, T>) -> (T, f64) {
    let (begin, ran_before) = (Instant::now(), time_on_core());
    let result = work();
    let ran = time_on_core().zip(ran_before).map(|(after, before)| after.saturating_sub(before));
    let share = ran.map_or(1.0, |ran| ran.as_secs_f64() / begin.elapsed().as_secs_f64().max(1e-9));
    (result, share.min(1.0))
}

/// Returns the time for which the calling thread has run so far. Elsewhere than on Linux, it is not
/// known.
#[cfg(target_os = "linux")]
#[must_use]
pub fn time_on_core() -> Option<Duration> {
    time_of(libc::CLOCK_THREAD_CPUTIME_ID)
}

/// Returns the time for which all threads of this process have run so far. Elsewhere than on Linux,
/// it is not known.
#[cfg(target_os = "linux")]
#[must_use]
pub fn time_on_cores() -> Option<Duration> {
    time_of(libc::CLOCK_PROCESS_CPUTIME_ID)
}

#[cfg(target_os = "linux")]
fn time_of(clock: libc::clockid_t) -> Option<Duration> {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a live `timespec` to write to.
    let status = unsafe { libc::clock_gettime(clock, &raw mut time) };
    let seconds = u64::try_from(time.tv_sec).ok()?;
    let nanoseconds = u32::try_from(time.tv_nsec).ok()?;
    (status == 0).then(|| Duration::new(seconds, nanoseconds))
}

/// Returns the time for which the calling thread has run so far. Elsewhere than on Linux, it is not
/// known.
#[cfg(not(target_os = "linux"))]
#[must_use]
pub fn time_on_core() -> Option<Duration> {
    None
}

/// Returns the time for which all threads of this process have run so far. Elsewhere than on Linux,
/// it is not known.
#[cfg(not(target_os = "linux"))]
#[must_use]
pub fn time_on_cores() -> Option<Duration> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crew::step;

    #[test]
    fn a_core_that_is_not_there_is_refused_with_the_list_of_those_that_are() {
        let refusal = cores(&[0, 99_999]).expect_err("no machine has that core");
        assert!(refusal.contains("core 99999"), "{refusal}");
        assert!(refusal.contains(&format!("{:?}", usable_cores())), "{refusal}");
        assert_eq!(Cores::choose(&[0, 99_999]), Err(refusal));
    }

    #[test]
    fn cores_are_taken_in_the_order_asked_for_or_each_once() {
        let usable = usable_cores();
        let mut all = cores(&[]).expect("nothing was asked for");
        all.sort_unstable();
        assert_eq!(all, usable);
        let backwards: Vec<usize> = usable.iter().rev().copied().collect();
        assert_eq!(cores(&backwards), Ok(backwards));
        let refusal = Cores::choose(&usable[..1]).expect_err("one core is too few");
        assert!(refusal.contains("two core numbers are needed"), "{refusal}");
    }

    #[test]
    fn the_machine_is_described_in_one_line() {
        let machine = Machine::here();
        let line = machine.to_string();
        assert!(line.contains(&format!("{} core", machine.cores.len())), "{line}");
        assert!(!line.contains('\n'), "{line}");
    }

    #[test]
    fn some_memory_is_free_and_not_all_that_can_be_addressed() {
        assert!((1 << 20..1 << 56).contains(&free_memory()), "{}", free_memory());
    }

    #[test]
    fn threads_keep_to_the_cores_of_the_one_that_made_them() {
        let last = usable_cores().pop().expect("this thread has a core");
        let allowed = std::thread::spawn(move || {
            keep_to(&[last]);
            std::thread::spawn(usable_cores).join().expect("it does not panic")
        });
        let allowed = allowed.join().expect("it does not panic");
        assert!(allowed == [last] || cfg!(not(target_os = "linux")), "{allowed:?}");
    }

    #[test]
    fn the_time_of_all_threads_has_that_of_threads_that_have_ended() {
        let before = time_on_cores();
        let work = || {
            let begin = time_on_core();
            while time_on_core().zip(begin).is_some_and(|(now, begin)| now - begin < Duration::from_millis(2)) {}
        };
        std::thread::spawn(work).join().expect("it does not panic");
        let known =
            before.zip(time_on_cores()).is_some_and(|(before, after)| after - before >= Duration::from_millis(2));
        assert!(known || cfg!(not(target_os = "linux")));
    }

    #[test]
    fn a_thread_that_sleeps_is_not_on_its_core() {
        let ((), asleep) = share_on_core(step(|| std::thread::sleep(Duration::from_millis(20))));
        let known = cfg!(target_os = "linux");
        assert!(asleep < 0.5 || !known, "{asleep}");
    }
}
