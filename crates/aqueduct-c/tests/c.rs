//! The header: its functions are the library's, and a program in C talks with one in Rust.

#![cfg(target_os = "linux")]

use std::ffi::CStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use std::{env, fs, process, ptr};

use aqueduct_c as _;
use aqueduct_shm::{Region, items, records};

fn package(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(file)
}

fn read(file: &str) -> String {
    fs::read_to_string(package(file)).expect("a file can be read")
}

/// Words of a text that begin with `aq_` and stand before a parenthesis.
fn functions(text: &str) -> Vec<String> {
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let mut found: Vec<String> = text
        .match_indices('(')
        .map(|(at, _)| text[..at].rsplit(|letter| !is_name(letter)).next().expect("a word").to_owned())
        .filter(|word| word.starts_with("aq_"))
        .collect();
    found.sort();
    found.dedup();
    found
}

#[test]
fn the_headers_functions_are_the_librarys() {
    let source: String =
        ["status", "region", "records", "numbers"].map(|file| read(&format!("src/{file}.rs"))).concat();
    let defined: Vec<&str> =
        source.split("#[unsafe(no_mangle)]").skip(1).map(|rest| rest.split_once('{').expect("a body").0).collect();
    let defined = functions(&defined.concat());
    assert!(defined.len() > 20, "{defined:?}");
    assert_eq!(functions(&read("include/aqueduct.h")), defined);
}

#[test]
fn the_headers_numbers_have_words() {
    let header = read("include/aqueduct.h");
    let texts: Vec<&str> = (0..13)
        // SAFETY: the texts are C strings that live as long as the program.
        .map(|status| unsafe { CStr::from_ptr(aqueduct_c::aq_status_text(status)) }.to_str().expect("UTF-8"))
        .collect();
    let names: Vec<&str> = header.lines().filter_map(|line| line.trim().strip_prefix("AQ_")).collect();
    assert_eq!(names.len(), texts.len());
    for (number, name) in names.iter().enumerate() {
        assert!(name.contains(&format!(" = {number}")), "{name}");
    }
    assert!(texts[1].contains("empty") && texts[7].contains("has not ended") && texts[12].contains("library"));
    // SAFETY: a C string.
    assert!(unsafe { CStr::from_ptr(aqueduct_c::aq_status_text(99)) }.to_str().expect("UTF-8").contains("no status"));
}

#[test]
fn null_is_refused_and_dropped() {
    // SAFETY: null is allowed everywhere.
    unsafe {
        assert_eq!(aqueduct_c::aq_region_named(ptr::null(), 1, 0, ptr::null_mut()), 11);
        assert_eq!(aqueduct_c::aq_region_anonymous(c"a".as_ptr(), 1 << 14, ptr::null_mut()), 11);
        assert_eq!(aqueduct_c::aq_region_from_fd(-1, &mut ptr::null_mut()), 11);
        assert_eq!((aqueduct_c::aq_region_fd(ptr::null()), aqueduct_c::aq_record_max_len(ptr::null())), (-1, 0));
        assert_eq!(aqueduct_c::aq_record_pop(ptr::null_mut(), ptr::null_mut(), 0, ptr::null_mut()), 11);
        assert_eq!(aqueduct_c::aq_u64_push_slice(ptr::null_mut(), ptr::null(), 3), 0);
        assert_eq!(aqueduct_c::aq_u64_pop_slice(ptr::null_mut(), ptr::null_mut(), 3), 0);
        aqueduct_c::aq_region_drop(ptr::null_mut());
        aqueduct_c::aq_u64_consumer_drop(ptr::null_mut());
    }
}

#[test]
fn a_record_that_is_too_long_stays() {
    let mut region = ptr::null_mut();
    let (mut producer, mut consumer) = (ptr::null_mut(), ptr::null_mut());
    let (mut buffer, mut len) = ([0_u8; 20], 0);
    // SAFETY: handles are made, used by this thread, and dropped; pointers lead to what lives.
    unsafe {
        assert_eq!(aqueduct_c::aq_region_anonymous(c"a".as_ptr(), 1 << 14, &mut region), 0);
        assert!(aqueduct_c::aq_region_fd(region) > 0);
        assert_eq!(aqueduct_c::aq_record_producer_take(region, 1000, 0, &mut producer), 0);
        assert_eq!(aqueduct_c::aq_record_consumer_take(region, 1000, 0, &mut consumer), 0);
        assert_eq!(aqueduct_c::aq_record_push(producer, c"eleven byte".as_ptr().cast(), 11), 0);
        assert_eq!((aqueduct_c::aq_record_pop(consumer, buffer.as_mut_ptr().cast(), 10, &mut len), len), (3, 11));
        assert_eq!((aqueduct_c::aq_record_pop(consumer, buffer.as_mut_ptr().cast(), 20, &mut len), len), (0, 11));
        assert_eq!(&buffer[..11], b"eleven byte");
        assert_eq!(aqueduct_c::aq_record_pop(consumer, buffer.as_mut_ptr().cast(), 20, &mut len), 1);
        assert_eq!(aqueduct_c::aq_record_pop_wait(consumer, buffer.as_mut_ptr().cast(), 20, 1000, &mut len), 5);
        aqueduct_c::aq_region_drop(region);
        aqueduct_c::aq_record_producer_drop(producer);
        aqueduct_c::aq_record_consumer_drop(consumer);
    }
}

/// The static library, which cargo builds for this test.
fn library() -> PathBuf {
    let test = env::current_exe().expect("a program has a path");
    let folder = test.parent().expect("a folder");
    let entries = fs::read_dir(folder).expect("a folder can be listed").map(|entry| entry.expect("a file").path());
    let is_library = |path: &PathBuf| {
        let name = path.file_name().expect("a name").to_string_lossy();
        name.starts_with("libaqueduct_c") && name.ends_with(".a")
    };
    let written = |path: &PathBuf| fs::metadata(path).and_then(|file| file.modified()).expect("a file has a time");
    entries.filter(is_library).max_by_key(written).expect("the library was built")
}

#[test]
fn a_program_in_c_talks_with_one_in_rust() {
    let folder = env::temp_dir().join(format!("aqueduct-c-{}", process::id()));
    fs::create_dir(&folder).expect("a folder of its own");
    let program = folder.join("producer");
    let mut compiler = Command::new(env::var_os("CC").unwrap_or("cc".into()));
    compiler.args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-I"]).arg(package("include"));
    compiler.arg("-o").arg(&program).arg(package("examples/producer.c")).arg(library());
    match compiler.args(["-lpthread", "-ldl", "-lm"]).status() {
        Err(error) => return println!("skipped: the machine has no C compiler ({error})"),
        Ok(status) => assert!(status.success(), "the example compiles"),
    }
    let name = format!("/aqueduct-c-{}", process::id());
    let child = Command::new(&program).args([&name, "500"]).stdout(Stdio::piped()).spawn().expect("it was built");
    let region = |end: &str| Region::named(&format!("{name}-{end}"), 1 << 16, 0o600).expect("a region");
    let there = records::Queue::in_region(region("there"), 4000, 7).expect("a queue");
    let mut consumer = there.take_consumer().expect("free");
    let back = items::Queue::<u64, _>::in_region(region("back"), 100, 0).expect("a queue");
    let mut producer = back.take_producer().expect("free");
    let (long, mut buffer) = (Duration::from_secs(60), [0; 100]);
    for number in 0..500_u64 {
        let len = consumer.pop_wait(&mut buffer, long).expect("the other side pushes");
        assert_eq!(buffer[..len], *format!("record {number}").as_bytes());
        producer.push_wait(number * number, long).expect("the other side pops");
    }
    let output = child.wait_with_output().expect("its end");
    assert!(output.status.success());
    assert_eq!(output.stdout, b"500 records\n");
    for end in ["there", "back"] {
        Region::unlink(&format!("{name}-{end}")).expect("it is there");
    }
    fs::remove_dir_all(folder).expect("the folder is ours");
}
