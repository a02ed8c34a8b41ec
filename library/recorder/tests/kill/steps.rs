//! A child is stopped after each of its instructions. Its file then has the contents that a kill at
//! that instruction would leave.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::atomic::Ordering::Relaxed;
use std::{io, ptr};

use super::{Running, bytes_before, check, child, record};

/// The number of records that the child makes before it is traced: all of its places have recorded,
/// and its ring is full.
const BEFORE: u64 = 200;
/// The number of records that it makes instruction by instruction: more than a block holds.
const STEPPED: u64 = 45;

/// The shared words: the number of committed records, the child's number, and the reason for which
/// it cannot be traced.
const COMMITTED: usize = 0;
const NUMBER: usize = 1;
const REFUSED: usize = 2;

/// Makes some records and has its parent trace the rest.
fn be_traced(before: u64, stepped: u64) {
    let Some((_, progress)) = child() else { return };
    (0..before).for_each(|number| record(number, 0));
    progress[COMMITTED].store(before, Relaxed);
    // SAFETY: these are system calls that access no memory of this process.
    unsafe {
        if libc::ptrace(libc::PTRACE_TRACEME, 0, 0, 0) != 0 {
            progress[REFUSED].store(io::Error::last_os_error().raw_os_error().unwrap_or(-1) as u64, Relaxed);
        }
        progress[NUMBER].store(libc::syscall(libc::SYS_gettid) as u64, Relaxed);
        libc::raise(libc::SIGSTOP);
    }
    for number in before..before + stepped {
        record(number, 0);
        progress[COMMITTED].store(number + 1, Relaxed);
    }
    loop {
        std::thread::park();
    }
}

/// The child's side, with a full ring. In the parent it does nothing.
#[test]
fn child_with_a_full_ring() {
    be_traced(BEFORE, STEPPED);
}

/// The child's side, before its first record. In the parent it does nothing.
#[test]
fn child_that_begins() {
    be_traced(0, 4);
}

/// A child that is stopped after each instruction.
struct Traced {
    running: Running,
    thread: libc::pid_t,
}

impl Traced {
    /// Starts a child and waits until it has stopped. `None` if the system does not allow tracing.
    fn start(name: &str) -> Option<Self> {
        let mut running = Running::start(name);
        running.wait_for(NUMBER);
        let refused = running.progress[REFUSED].load(Relaxed);
        if refused != 0 {
            println!("skipped: the system refuses to trace ({})", io::Error::from_raw_os_error(refused as i32));
            return None;
        }
        let thread = running.progress[NUMBER].load(Relaxed) as libc::pid_t;
        let traced = Self { running, thread };
        traced.wait();
        Some(traced)
    }

    fn wait(&self) {
        let mut status = 0;
        // SAFETY: `status` is a place for the result.
        let waited = unsafe { libc::waitpid(self.thread, &raw mut status, libc::__WALL) };
        assert!(waited == self.thread && libc::WIFSTOPPED(status), "the child does not stop: {status:#x}");
    }

    /// Lets the child execute one instruction.
    fn step(&self) {
        let none = ptr::null_mut::<libc::c_void>();
        // SAFETY: the child is ours, and stopped.
        assert_eq!(unsafe { libc::ptrace(libc::PTRACE_SINGLESTEP, self.thread, none, none) }, 0);
        self.wait();
    }

    /// Kills the child. The end of a traced thread is reported to its tracer first, and then to the
    /// process's parent.
    fn kill(&mut self) {
        let _ = self.running.child.kill();
        let mut status = 0;
        // SAFETY: `status` is a place for the result.
        while unsafe { libc::waitpid(self.thread, &raw mut status, libc::__WALL) } == self.thread
            && libc::WIFSTOPPED(status)
        {}
        let _ = self.running.child.wait();
    }

    fn committed(&self) -> u64 {
        self.running.progress[COMMITTED].load(Relaxed)
    }

    /// Reads the file, which has all committed records. Returns the numbers of all records ever
    /// made, and of those left.
    fn check(&self) -> (u64, u64) {
        let (trace, committed) = (self.running.trace(), self.committed());
        assert_eq!((trace.damaged(), trace.refused(), trace.gone().records), (0, 0, 0));
        let Some(thread) = trace.threads().first() else {
            assert_eq!(committed, 0, "a record is lost");
            return (0, 0);
        };
        let found = check(&trace, thread);
        assert!((committed..=committed + 1).contains(&found), "{found} records, and {committed} were counted");
        assert_eq!(thread.overwritten.bytes, bytes_before(thread.overwritten.records));
        (found, thread.kept.records)
    }

    /// Steps until the child has committed `committed` records, and checks the file after each
    /// instruction. Returns the number of instructions, and the smallest number of records in the
    /// file meanwhile.
    fn step_until(&mut self, committed: u64) -> (u64, u64) {
        let file = File::open(self.running.folder.join("recorder")).expect("the child has made it");
        let mut bytes = vec![0; file.metadata().expect("it is there").len() as usize];
        file.read_exact_at(&mut bytes, 0).expect("all of it");
        let (mut before, mut counted) = (bytes.clone(), self.committed());
        let (mut last, mut kept) = self.check();
        let mut steps = 0;
        while counted < committed {
            self.step();
            steps += 1;
            file.read_exact_at(&mut bytes, 0).expect("all of it");
            // A file that has not changed since its last check is not checked again.
            if bytes == before && self.committed() == counted {
                continue;
            }
            (before, counted) = (bytes.clone(), self.committed());
            let (found, left) = self.check();
            assert!((last..=last + 1).contains(&found), "{last} records, then {found}");
            (last, kept) = (found, kept.min(left));
        }
        // This kill is real.
        self.kill();
        assert_eq!(self.check().0, committed);
        (steps, kept)
    }
}

impl Drop for Traced {
    fn drop(&mut self) {
        self.kill();
    }
}

#[test]
fn each_instruction_of_a_record_leaves_the_file_whole() {
    let Some(mut traced) = Traced::start("steps::child_with_a_full_ring") else { return };
    let (steps, kept) = traced.step_until(BEFORE + STEPPED);
    println!("{steps} instructions of {STEPPED} records");
    // A record has 60 instructions or more; the ring has four blocks, and loses one at a time.
    assert!(steps > 60 * STEPPED, "{steps}");
    assert!(kept > 60, "{kept}");
}

#[test]
fn each_instruction_of_the_first_records_leaves_the_file_whole() {
    let Some(mut traced) = Traced::start("steps::child_that_begins") else { return };
    let (steps, _) = traced.step_until(4);
    println!("{steps} instructions of a thread's first records");
}
