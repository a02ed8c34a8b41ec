//! A child that records is killed at many moments, and at each instruction. Its file has exactly
//! the committed records.
//!
//! `AQUEDUCT_KILLS` is the number of kills at random moments: 100 by default, 500 with
//! `AQUEDUCT_THOROUGH=1`.

#![cfg(unix)]

mod moments;
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "x86")))]
mod steps;

use std::fs::{self, File, OpenOptions};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::{env, ptr, slice, thread};

use aqueduct_recorder::{Builder, Field, Recorder, Trace, event};

/// The number of words that parent and child share.
const SHARED: usize = 3;
/// The folder of a child's files. It is set only in children.
const FOLDER: &str = "AQUEDUCT_RECORDER_CHILD";
const TEXT: &str = "0123456789abcdef0123456789";

/// Maps the words that parent and child share: the numbers of records that each thread of the child
/// has committed.
fn progress(folder: &Path) -> &'static [AtomicU64] {
    let file = OpenOptions::new().read(true).write(true).open(folder.join("progress")).expect("the parent made it");
    let (access, len) = (libc::PROT_READ | libc::PROT_WRITE, 8 * SHARED);
    // SAFETY: a new mapping, at an address that the system chooses.
    let start = unsafe { libc::mmap(ptr::null_mut(), len, access, libc::MAP_SHARED, file.as_raw_fd(), 0) };
    assert_ne!(start, libc::MAP_FAILED);
    // SAFETY: the file has as many words, and both processes access them as atomics.
    unsafe { slice::from_raw_parts(start.cast(), SHARED) }
}

/// A child, which is killed when this is dropped, and its folder, which is removed then.
struct Running {
    child: Child,
    folder: PathBuf,
    progress: &'static [AtomicU64],
}

impl Running {
    /// Runs one of the tests below as a child.
    fn start(name: &str) -> Self {
        static STARTED: AtomicU64 = AtomicU64::new(0);
        let number = STARTED.fetch_add(1, Relaxed);
        let folder = env::temp_dir().join(format!("aqueduct-recorder-kill-{}-{number}", std::process::id()));
        fs::create_dir(&folder).expect("a folder of its own");
        File::create(folder.join("progress"))
            .and_then(|file| file.set_len(8 * SHARED as u64))
            .expect("a file of counts");
        let mut command = Command::new(env::current_exe().expect("a program"));
        command.args(["--exact", name]).env(FOLDER, &folder).stdout(Stdio::null());
        Self { child: command.spawn().expect("a child"), progress: progress(&folder), folder }
    }

    /// Waits until a shared word is not 0.
    fn wait_for(&mut self, word: usize) {
        while self.progress[word].load(Relaxed) == 0 {
            assert!(self.child.try_wait().expect("a child").is_none(), "the child ended by itself");
            thread::yield_now();
        }
    }

    /// Kills the child at once.
    fn kill(&mut self) {
        self.child.kill().expect("the child is ours");
        self.child.wait().expect("the child is ours");
    }

    fn trace(&self) -> Trace {
        Trace::open(self.folder.join("recorder")).expect("the file can be read")
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_dir_all(&self.folder);
        let start = self.progress.as_ptr().cast_mut().cast();
        // SAFETY: this is the whole mapping of `progress`; the handle of the child is dropped with
        // it.
        unsafe { libc::munmap(start, 8 * SHARED) };
    }
}

/// In a child, returns the recorder that the parent will read, and the shared words.
fn child() -> Option<(Recorder, &'static [AtomicU64])> {
    let folder = PathBuf::from(env::var_os(FOLDER)?);
    let builder = Builder::new().rings(2).ring_bytes(4 << 10).block_bytes(1 << 10).table_bytes(4 << 10);
    let progress = progress(&folder);
    Some((builder.file(folder.join("recorder")).install().expect("a recorder"), progress))
}

/// Records the event of this number: records of 14 to 68 bytes.
fn record(number: u64, which: usize) {
    match number % 3 {
        0 => event!("number", number),
        1 => event!("text", number, text = &TEXT[..(number % 26) as usize]),
        _ => event!("sum", number, which, sum = number + which as u64, half = number as f64 / 2.0),
    }
}

/// Returns the number of bytes of all records before the record of this number.
fn bytes_before(number: u64) -> u64 {
    (0..number).map(|number| 6 + 8 + [0, 6 + number % 26, 24][(number % 3) as usize]).sum()
}

/// Checks a thread's records. Returns their number, overwritten records included.
fn check(trace: &Trace, thread: &aqueduct_recorder::Thread) -> u64 {
    let mut expected = thread.overwritten.records;
    for event in trace.events().iter().filter(|event| event.thread == thread.number) {
        let number = expected;
        assert_eq!(event.number, number, "a record is missing, or there twice");
        assert_eq!(event.values[0], Field::Unsigned(number));
        match number % 3 {
            0 => assert_eq!(event.values.len(), 1),
            1 => assert!(matches!(&event.values[1], Field::Text(text, 0) if *text == TEXT[..(number % 26) as usize])),
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
