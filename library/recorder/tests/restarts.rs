//! A program that is killed and restarted with the same file: the traces of its last lives are
//! kept, and a live process keeps its file.

#![cfg(unix)]

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{self, Child, ChildStdout, Command, Stdio};
use std::{env, thread};

use aqueduct_recorder::{Builder, Field, InstallError, Trace, event};

/// The child's file, number, number of kept files, and the greatest size of its files. They are set
/// only in children.
const FILE: &str = "AQUEDUCT_RESTARTS_FILE";
const LIFE: &str = "AQUEDUCT_RESTARTS_LIFE";
const KEPT: &str = "AQUEDUCT_RESTARTS_KEPT";
const LIMIT: &str = "AQUEDUCT_RESTARTS_LIMIT";

fn number(name: &str) -> Option<u64> {
    env::var(name).ok().map(|value| value.parse().expect("a number"))
}

/// The child's side: installs, records, prints the result, and waits to be killed. In the parent it
/// does nothing.
#[test]
fn child_that_lives_until_it_is_killed() {
    let (Some(file), Some(life)) = (env::var_os(FILE), number(LIFE)) else { return };
    if let Some(limit) = number(LIMIT) {
        let limit = libc::rlimit { rlim_cur: limit, rlim_max: limit };
        // SAFETY: the limit is a place of the type that the call reads, and an ignored signal has
        // no handler.
        unsafe {
            libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
            assert_eq!(libc::setrlimit(libc::RLIMIT_FSIZE, &limit), 0);
        }
    }
    let mut builder = Builder::new().rings(1).ring_bytes(1 << 20).file(file);
    if let Some(kept) = number(KEPT) {
        builder = builder.keep_files(kept as usize);
    }
    let said = match builder.install() {
        Ok(_) => {
            event!("life", number = life);
            "recorded".to_owned()
        }
        Err(InstallError::InUse { process }) => format!("in use by {process}"),
        Err(error) => format!("failed: {error}"),
    };
    let mut out = std::io::stdout();
    writeln!(out, "@{said}").and_then(|()| out.flush()).expect("the parent listens");
    loop {
        thread::park();
    }
}

/// A child, which is killed when this is dropped.
struct Life(Child, BufReader<ChildStdout>);

impl Life {
    fn start(file: &Path, life: u64, more: &[(&str, u64)]) -> Self {
        let mut command = Command::new(env::current_exe().expect("a program"));
        command.args(["--exact", "child_that_lives_until_it_is_killed", "--nocapture"]);
        command.env(FILE, file).env(LIFE, life.to_string()).stdout(Stdio::piped());
        command.envs(more.iter().map(|(name, value)| (name, value.to_string())));
        let mut child = command.spawn().expect("a child");
        let out = child.stdout.take().expect("it is piped");
        Self(child, BufReader::new(out))
    }

    /// Returns the child's output about its installation. Empty if it was killed before.
    fn said(&mut self) -> String {
        let mut line = String::new();
        while self.1.read_line(&mut line).expect("the child's output") > 0 {
            if let Some((_, said)) = line.trim_end().split_once('@') {
                return said.to_owned();
            }
            line.clear();
        }
        String::new()
    }

    fn kill(&mut self) {
        self.0.kill().and_then(|()| self.0.wait()).expect("the child is ours");
    }
}

impl Drop for Life {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A folder of its own for each test, which is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Self {
        let folder = env::temp_dir().join(format!("aqueduct-restarts-{test}-{}", process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir(&folder).expect("a folder");
        Self(folder)
    }

    fn file(&self) -> PathBuf {
        self.0.join("trace")
    }

    /// Returns the names of the files, sorted.
    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).expect("the folder").map(|entry| entry.expect("an entry").file_name());
        let mut names: Vec<String> = entries.map(|name| name.into_string().expect("ASCII")).collect();
        names.sort();
        names
    }

    /// Returns the numbers of the lives that a file has records of.
    fn lives(&self, name: &str) -> Vec<u64> {
        let trace = Trace::open(self.0.join(name)).expect("a trace");
        let life = |event: &aqueduct_recorder::Event| match event.values[..] {
            [Field::Unsigned(number)] => number,
            _ => panic!("{event:?}"),
        };
        trace.events().iter().map(life).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn the_traces_of_the_last_lives_are_kept() {
    for (kept, expected) in [
        (None, &["trace", "trace.1", "trace.2", "trace.3"][..]),
        (Some(1), &["trace", "trace.1"]),
        (Some(0), &["trace"]),
    ] {
        let folder = Folder::new(&format!("kept-{kept:?}"));
        for life in 0..6 {
            let more: Vec<_> = kept.map(|kept| (KEPT, kept)).into_iter().collect();
            let mut child = Life::start(&folder.file(), life, &more);
            assert_eq!(child.said(), "recorded");
            child.kill();
        }
        assert_eq!(folder.names(), expected);
        for (age, name) in (0..).zip(expected) {
            assert_eq!(folder.lives(name), [5 - age], "{name}");
        }
    }
}

#[test]
fn a_process_that_lives_keeps_its_file() {
    let folder = Folder::new("lives");
    let mut first = Life::start(&folder.file(), 1, &[]);
    assert_eq!(first.said(), "recorded");
    assert_eq!(Life::start(&folder.file(), 2, &[]).said(), format!("in use by {}", first.0.id()));
    assert_eq!((folder.names(), folder.lives("trace")), (vec!["trace".to_owned()], vec![1]));
    first.kill();
    assert_eq!(Life::start(&folder.file(), 3, &[]).said(), "recorded");
    assert_eq!((folder.lives("trace"), folder.lives("trace.1")), (vec![3], vec![1]));
}

#[test]
fn of_processes_that_start_at_once_one_gets_the_file() {
    let folder = Folder::new("at-once");
    for round in 0..20 {
        let mut lives: Vec<Life> = (0..3).map(|which| Life::start(&folder.file(), 3 * round + which, &[])).collect();
        let said: Vec<String> = lives.iter_mut().map(Life::said).collect();
        let winner = said.iter().position(|said| said == "recorded").expect("one of them records");
        assert_eq!(said.iter().filter(|said| said.starts_with("in use by ")).count(), 2, "{said:?}");
        assert_eq!(folder.lives("trace"), [3 * round + winner as u64]);
    }
}

/// Each file is complete or has its first name, whatever the step at which a process was killed.
#[test]
fn a_kill_at_any_moment_of_the_start_loses_no_earlier_trace() {
    let folder = Folder::new("kills");
    let mut recorded = Vec::new();
    for life in 0..150 {
        let mut child = Life::start(&folder.file(), life, &[(KEPT, 1000)]);
        thread::sleep(std::time::Duration::from_micros(life * 211 % 25_000));
        child.kill();
        if child.said() == "recorded" {
            recorded.push(life);
        }
    }
    let names = folder.names();
    let mut found: Vec<u64> =
        names.iter().filter(|name| *name != "trace.new").flat_map(|name| folder.lives(name)).collect();
    found.sort_unstable();
    assert!(!recorded.is_empty() && names.len() < 150, "kills before and after the start");
    assert!(found.windows(2).all(|two| two[0] < two[1]), "a trace is there twice: {found:?}");
    assert!(recorded.iter().all(|life| found.contains(life)), "{recorded:?} recorded, and {found:?} are there");
    assert_eq!(Life::start(&folder.file(), 1000, &[]).said(), "recorded");
    assert!(!folder.names().contains(&"trace.new".to_owned()), "what a kill left is gone");
}

#[test]
fn without_room_or_permission_earlier_files_stay() {
    let folder = Folder::new("full");
    assert_eq!(Life::start(&folder.file(), 1, &[]).said(), "recorded");
    let said = Life::start(&folder.file(), 2, &[(LIMIT, 1 << 19)]).said();
    assert!(said.starts_with("failed: the recorder's file cannot be made: "), "{said}");
    assert_eq!((folder.names(), folder.lives("trace")), (vec!["trace".to_owned()], vec![1]));
    for missing in [folder.0.join("missing/trace"), PathBuf::from("/proc/aqueduct")] {
        let said = Life::start(&missing, 3, &[]).said();
        assert!(said.starts_with("failed: the recorder's file cannot be made: "), "{said}");
    }
    // Anything but a regular file is not renamed, and not waited for.
    let other = Folder::new("other");
    assert!(Command::new("mkfifo").arg(other.file()).status().expect("mkfifo").success());
    let said = Life::start(&other.file(), 4, &[]).said();
    assert!(said.ends_with("the name belongs to something other than a regular file"), "{said}");
    assert_eq!(other.names(), ["trace"]);
    // A dangling link is kept, as a file is.
    fs::remove_file(other.file()).and_then(|()| std::os::unix::fs::symlink("nowhere", other.file())).expect("a link");
    assert_eq!(Life::start(&other.file(), 5, &[]).said(), "recorded");
    assert_eq!((other.names(), other.lives("trace")), (vec!["trace".to_owned(), "trace.1".to_owned()], vec![5]));
}
