//! Files with holes, which claim great sizes: a reader takes memory and time in proportion to their
//! contents only.

#![cfg(target_os = "linux")]

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{self, Command, Stdio};
use std::{env, thread};

use aqueduct_recorder::Trace;

/// The child's file. It is set only in the child.
const FILE: &str = "AQUEDUCT_SPARSE_FILE";
/// Set in the child if it can open the file.
const OPENS: &str = "AQUEDUCT_SPARSE_OPENS";
/// Memory limit: more than the reader needs, and far less than the file claims.
const MEMORY: u64 = 256 << 20;

/// Reads a file with little memory: more would end the child. In the parent it does nothing.
#[test]
fn child_that_reads() {
    let Some(file) = env::var_os(FILE) else { return };
    // If the read does not end, the child is ended.
    thread::spawn(|| {
        thread::sleep(std::time::Duration::from_secs(60));
        process::abort();
    });
    // The mapping takes as many addresses as the file has bytes. The limit counts writable memory
    // only.
    let limit = libc::rlimit { rlim_cur: MEMORY, rlim_max: MEMORY };
    // SAFETY: the limit is a place of the type that the call reads.
    unsafe { assert_eq!(libc::setrlimit(libc::RLIMIT_DATA, &limit), 0) };
    let trace = Trace::open(file);
    assert_eq!(trace.is_ok(), env::var_os(OPENS).is_some(), "{:?}", trace.err());
    let Ok(trace) = trace else { return };
    let _ = trace.text().to_string();
    trace.write_timeline(std::io::sink()).expect("a sink takes all");
}

/// Writes words at a place of a file.
fn put(file: &File, at: u64, words: &[u64]) {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
    file.write_all_at(&bytes, 8 * at).expect("a file");
}

/// Makes a file with this head, and a ring whose end is `end` words behind its start.
fn file(path: &Path, [rings, blocks, block_words, table_words]: [u64; 4], end: u64) -> File {
    let file = File::options().read(true).write(true).create(true).truncate(true).open(path).expect("a file");
    let magic = u64::from_le_bytes(*b"AQRECORD");
    put(&file, 0, &[magic, 2, rings, blocks, block_words, table_words, table_words, 1_000_000_000]);
    put(&file, 16 + table_words, &[0, 8 * end]);
    file.set_len(8 * (16 + table_words + rings * (8 + blocks * block_words))).expect("holes cost nothing");
    file
}

#[test]
fn what_a_file_claims_takes_neither_memory_nor_time() {
    let folder = env::temp_dir().join(format!("aqueduct-sparse-{}", process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    let path: PathBuf = folder.join("file");
    // A block of 4 TB with a stamp, up to its last word.
    let big = 1 << 39;
    let one = file(&path, [1, 2, big, 0], 3 * big - 1);
    put(&one, 16 + 8, &[2]);
    let mut cases = vec![("a block", one)];
    // A block of 2 TB which was overwritten, before a small last one.
    let half = 1 << 38;
    cases.push(("two blocks", file(&folder.join("two"), [1, 2, half, 0], 3 * half + 20)));
    // Blocks without stamps.
    let blocks = 1 << 36;
    cases.push(("blocks", file(&folder.join("blocks"), [1, blocks, 16, 0], 2 * blocks * 16)));
    // Rings without a head: more than there can be.
    let rings = 1 << 34;
    cases.push(("rings", file(&folder.join("rings"), [rings, 2, 16, 0], 40)));
    // A table of 4 TB: without entries, with an entry of that size, and with a text of that size.
    let table = 1 << 39;
    cases.push(("a table", file(&folder.join("table"), [1, 2, 16, table], 33)));
    let entry = file(&folder.join("entry"), [1, 2, 16, table], 33);
    put(&entry, 16, &[table]);
    cases.push(("an entry", entry));
    let text = file(&folder.join("text"), [1, 2, 16, table], 33);
    put(&text, 16, &[table, 1, 1, 0, 0, 8 * (table - 100)]);
    cases.push(("a text", text));
    for (what, file) in cases {
        let link = format!("/proc/{}/fd/{}", process::id(), std::os::fd::AsRawFd::as_raw_fd(&file));
        let mut command = Command::new(env::current_exe().expect("a program"));
        command.args(["--exact", "child_that_reads"]).env(FILE, link).stdout(Stdio::null());
        if what != "rings" {
            command.env(OPENS, "1");
        }
        let status = command.status().expect("a child");
        assert!(status.success(), "{what}: {status}");
    }
    fs::remove_dir_all(&folder).expect("the folder goes");
}
