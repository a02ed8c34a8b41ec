//! Programs in C and C++, also under the compiler's sanitizers; in some ways only with
//! `AQUEDUCT_THOROUGH=1`.

use std::process::{self, Command, Stdio};

use aqueduct_shm::Region;

use crate::compiler::Language::{C11, Cpp17, Cpp20};
use crate::compiler::{Folder, Language, build, built, run, success};
use crate::is_thorough;

/// A program in C produces, and one in Rust consumes and answers.
fn c_talks_with_rust(sanitized: bool) {
    let folder = Folder::new();
    let Some(producer) = build(C11, "examples/producer.c", sanitized, &folder) else { return };
    // Cargo builds the examples before it runs a package's tests, beside the folder of the tests.
    let consumer = built().parent().expect("a folder of builds").join("examples/consumer");
    let name = format!("/aqueduct-c-{}-{sanitized}", process::id());
    let start = |program| {
        let mut command = Command::new(program);
        command.args([&name, "500"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it was built")
    };
    let (producer, consumer) = (start(producer), start(consumer));
    assert_eq!(success(producer.wait_with_output().expect("its end"), "C"), "500 records\n");
    assert_eq!(success(consumer.wait_with_output().expect("its end"), "Rust"), "500 answers\n");
    assert_eq!(Region::sweep(&name).expect("the names can be read").len(), 2, "two regions that nobody has");
}

#[test]
fn a_program_in_c_talks_with_one_in_rust() {
    c_talks_with_rust(false);
}

#[test]
fn a_program_in_c_talks_with_one_in_rust_under_sanitizers() {
    if is_thorough() {
        c_talks_with_rust(true);
    }
}

fn workers_share_the_work(sanitized: bool) {
    let folder = Folder::new();
    let Some(program) = build(C11, "examples/workers.c", sanitized, &folder) else { return };
    let output = run(&program, &["1000"]);
    assert!(output.starts_with("1000 tasks, the sum of their answers is 333833500; "), "{output}");
}

#[test]
fn processes_in_c_share_the_work_of_a_dead_one() {
    workers_share_the_work(false);
}

#[test]
fn processes_in_c_share_the_work_of_a_dead_one_under_sanitizers() {
    workers_share_the_work(true);
}

fn a_reactor_waits_for_two_queues(sanitized: bool) {
    let folder = Folder::new();
    let Some(program) = build(C11, "examples/reactor.c", sanitized, &folder) else { return };
    assert_eq!(run(&program, &["5000"]), "5000 records and 5000 numbers came\n");
}

#[test]
fn a_process_in_c_waits_for_the_events_of_two_queues() {
    a_reactor_waits_for_two_queues(false);
}

#[test]
fn a_process_in_c_waits_for_the_events_of_two_queues_under_sanitizers() {
    if is_thorough() {
        a_reactor_waits_for_two_queues(true);
    }
}

fn prices_pass(language: Language, sanitized: bool) {
    let folder = Folder::new();
    let Some(program) = build(language, "examples/prices.cpp", sanitized, &folder) else { return };
    assert_eq!(run(&program, &["1000"]), "1000 prices, their sum is 249750.0\n");
}

#[test]
fn processes_in_cpp17_talk() {
    prices_pass(Cpp17, false);
}

#[test]
fn processes_in_cpp20_talk_under_sanitizers() {
    if is_thorough() {
        prices_pass(Cpp20, true);
    }
}

fn wrapper_is_sound(language: Language, sanitized: bool) {
    let folder = Folder::new();
    let Some(program) = build(language, "tests/wrapper.cpp", sanitized, &folder) else { return };
    assert_eq!(run(&program, &[]), "sound\n");
}

#[test]
fn the_wrapper_is_sound_in_cpp17_under_sanitizers() {
    wrapper_is_sound(Cpp17, true);
}

#[test]
fn the_wrapper_is_sound_in_cpp20() {
    if is_thorough() {
        wrapper_is_sound(Cpp20, false);
    }
}
