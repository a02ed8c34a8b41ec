//! A child that records is killed at many moments. Its file has each record that was committed, and no other.
//!
//! `AQUEDUCT_KILLS` is the number of kills, 60 without it.

#![cfg(unix)]

use std::fs::{self, File, OpenOptions};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};
use std::{env, hint, ptr, slice, thread};

use aqueduct_recorder::{Builder, Field, Trace, event};

const THREADS: usize = 2;
const CHILD: &str = "AQUEDUCT_RECORDER_CHILD";

/// How many records each thread of the child has committed, in memory that parent and child share.
fn progress(path: &Path) -> &'static [AtomicU64] {
    let file = OpenOptions::new().read(true).write(true).open(path).expect("the parent made it");
    let (access, len) = (libc::PROT_READ | libc::PROT_WRITE, 8 * THREADS);
    // SAFETY: a new mapping, at an address that the system chooses.
    let start = unsafe { libc::mmap(ptr::null_mut(), len, access, libc::MAP_SHARED, file.as_raw_fd(), 0) };
    assert_ne!(start, libc::MAP_FAILED);
    // SAFETY: the file has as many words, and both processes access them as atomics.
    unsafe { slice::from_raw_parts(start.cast(), THREADS) }
}

/// What the child does until it is killed, and what the test does in the parent: nothing.
#[test]
fn child() {
    let Some(folder) = env::var_os(CHILD).map(PathBuf::from) else { return };
    let file = folder.join("recorder");
    Builder::new().rings(4).ring_bytes(8 << 10).block_bytes(1 << 10).file(file).install().expect("a recorder");
    let progress = progress(&folder.join("progress"));
    thread::scope(|scope| {
        for (which, committed) in progress.iter().enumerate() {
            scope.spawn(move || {
                for number in 0_u64.. {
                    // Records of one word to seven.
                    match number % 3 {
                        0 => event!("number", number),
                        1 => event!("text", number, text = &"0123456789abcdef0123456789"[..(number % 26) as usize]),
                        _ => event!("sum", number, which, sum = number + which as u64, half = number as f64 / 2.0),
                    }
                    committed.store(number + 1, Relaxed);
                }
            });
        }
    });
}

/// A child that is killed when the test ends, however it ends.
struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Checks a thread's records: `first` of them were overwritten. Returns how many there were.
fn check(trace: &Trace, thread: &aqueduct_recorder::Thread) -> u64 {
    let mut expected = thread.overwritten.records;
    for event in trace.events().iter().filter(|event| event.thread == thread.number) {
        let number = expected;
        assert_eq!(event.number, number, "a record is missing, or there twice");
        assert_eq!(event.values[0], Field::Unsigned(number));
        match number % 3 {
            0 => assert_eq!(event.values.len(), 1),
            1 => assert!(matches!(&event.values[1], Field::Text(text, 0)
                if *text == "0123456789abcdef0123456789"[..(number % 26) as usize])),
            _ => {
                let Field::Unsigned(which) = event.values[1] else { panic!("{event:?}") };
                assert_eq!(event.values[2..], [Field::Unsigned(number + which), Field::Float(number as f64 / 2.0)]);
            }
        }
        expected += 1;
    }
    assert_eq!(expected - thread.overwritten.records, thread.kept.records);
    expected
}

#[test]
fn a_killed_process_leaves_every_record_that_it_committed() {
    let kills: u64 = env::var("AQUEDUCT_KILLS").map_or(60, |kills| kills.parse().expect("a number"));
    let folder = env::temp_dir().join(format!("aqueduct-recorder-kill-{}", std::process::id()));
    fs::create_dir(&folder).expect("a folder of its own");
    for kill in 0..kills {
        let counts = folder.join("progress");
        File::create(&counts).and_then(|file| file.set_len(8 * THREADS as u64)).expect("a file of counts");
        let progress = progress(&counts);
        let mut child = Command::new(env::current_exe().expect("a program"));
        child.args(["--exact", "child"]).env(CHILD, &folder).stdout(Stdio::null());
        let mut child = Killed(child.spawn().expect("a child"));
        let start = Instant::now();
        while progress.iter().any(|count| count.load(Relaxed) == 0) {
            assert!(child.0.try_wait().expect("a child").is_none(), "the child ended by itself");
            thread::yield_now();
        }
        // Another moment each time, some of them in the first lap of the rings.
        let moment = start.elapsed() + Duration::from_nanos(kill * 7919 % 400_000);
        while start.elapsed() < moment {
            hint::spin_loop();
        }
        child.0.kill().expect("the child is ours");
        child.0.wait().expect("the child is ours");
        let trace = Trace::open(folder.join("recorder")).expect("the file can be read");
        assert_eq!((trace.damaged(), trace.refused(), trace.gone().records), (0, 0, 0), "kill {kill}");
        let mut found: Vec<u64> = trace.threads().iter().map(|thread| check(&trace, thread)).collect();
        let mut committed: Vec<u64> = progress.iter().map(|count| count.load(Relaxed)).collect();
        found.sort_unstable();
        committed.sort_unstable();
        // The kill may have come between a commit and the count.
        let is_exact = found.iter().zip(&committed).all(|(found, count)| (*count..=count + 1).contains(found));
        assert!(is_exact && found.len() == THREADS, "kill {kill}: {found:?} records, and {committed:?} were counted");
    }
    fs::remove_dir_all(&folder).expect("the folder is ours");
}

#[test]
fn the_file_of_a_process_that_records_can_be_read() {
    let folder = env::temp_dir().join(format!("aqueduct-recorder-live-{}", std::process::id()));
    fs::create_dir(&folder).expect("a folder of its own");
    let counts = folder.join("progress");
    File::create(&counts).and_then(|file| file.set_len(8 * THREADS as u64)).expect("a file of counts");
    let progress = progress(&counts);
    let mut child = Command::new(env::current_exe().expect("a program"));
    child.args(["--exact", "child"]).env(CHILD, &folder).stdout(Stdio::null());
    let child = Killed(child.spawn().expect("a child"));
    while progress.iter().any(|count| count.load(Relaxed) == 0) {
        thread::yield_now();
    }
    for _ in 0..200 {
        let least = progress.iter().map(|count| count.load(Relaxed)).min().expect("two threads");
        let trace = Trace::open(folder.join("recorder")).expect("the file can be read");
        assert_eq!(trace.damaged(), 0);
        assert!(trace.threads().iter().all(|thread| check(&trace, thread) >= least));
    }
    drop(child);
    fs::remove_dir_all(&folder).expect("the folder is ours");
}
