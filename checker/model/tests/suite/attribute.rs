//! Tests by `#[model]`: the effect of each option, and the line that replays a failure. Tests that
//! have to fail are ignored, and run in a process of their own.

use std::env;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use aqueduct_model::sync::atomic::AtomicUsize;
use aqueduct_model::sync::atomic::Ordering::Relaxed;
use aqueduct_model::{hint, model, thread};

/// Two threads count, by a load and a store if `is_careless`.
fn count(is_careless: bool) -> usize {
    let count = Arc::new(AtomicUsize::new(0));
    let threads = [(); 2].map(|()| {
        let count = Arc::clone(&count);
        thread::spawn(move || {
            if is_careless {
                count.store(count.load(Relaxed) + 1, Relaxed);
            } else {
                count.fetch_add(1, Relaxed);
            }
        })
    });
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    count.load(Relaxed)
}

#[model(exhaustive)]
fn nothing_is_lost() {
    assert_eq!(count(false), 2);
}

#[model(fails)]
fn something_is_lost() {
    assert_eq!(count(true), 2);
}

#[model(fails = "one is missing", time_limit = Duration::from_secs(60), max_events = 20_000,)]
fn something_is_lost_with_a_message() {
    assert_eq!(count(true), 2, "one is missing");
}

#[model]
#[should_panic(expected = "one is missing")]
fn other_attributes_stay() {
    assert_eq!(count(true), 2, "one is missing");
}

#[model(exhaustive, crate = ::aqueduct_model)]
pub(crate) fn a_result_is_returned() -> Result<(), std::num::ParseIntError> {
    assert_eq!(count(false), "2".parse::<usize>()?);
    Ok(())
}

#[model(fails = "InvalidDigit")]
fn an_error_fails() -> Result<(), Box<dyn std::error::Error>> {
    if count(true) == 1 {
        "two".parse::<usize>()?;
    }
    Ok(())
}

macro_rules! tests {
    ($(#[$attribute:meta])* $visibility:vis $name:ident $body:block) => {
        $(#[$attribute])*
        $visibility fn $name() $body
    };
}

tests!(#[model(exhaustive)] pub(super) a_macro_makes_a_test { assert_eq!(count(false), 2) });

/// The number of choices in each execution.
const CHOICES: usize = 8;

/// Returns whether all choices are `false`: true in one of 256 executions.
fn is_rare() -> bool {
    // All choices are made, whatever the results are.
    [(); CHOICES].map(|()| hint::either()).iter().all(|choice| !choice)
}

#[model(max_executions = CHOICES)]
fn part() {
    is_rare();
}

#[model(random = 20)]
fn chance() {
    is_rare();
}

mod ignored {
    use super::*;

    #[model]
    #[ignore = "fails"]
    fn lost() {
        assert_eq!(count(true), 2, "one is missing");
    }

    #[model(fails = "two are missing")]
    #[ignore = "fails"]
    fn otherwise() {
        assert_eq!(count(true), 2, "one is missing");
    }

    #[model(fails)]
    #[ignore = "fails"]
    fn found() {
        assert_eq!(count(false), 2);
    }

    #[model(fails, max_events = 1)]
    #[ignore = "fails"]
    fn runaway() {
        let x = AtomicUsize::new(0);
        while x.fetch_add(0, Relaxed) == 0 {}
    }

    #[model(exhaustive, max_executions = 2)]
    #[ignore = "fails"]
    fn part() {
        is_rare();
    }

    #[model(exhaustive)]
    #[ignore = "fails"]
    fn error() -> Result<(), String> {
        Err("as told".to_owned())
    }
}

/// Runs a test of this module, and returns whether it passed, and its output.
fn run(name: &str, variables: &[(&str, &str)]) -> (bool, String) {
    let mut child = Command::new(env::current_exe().expect("this test's path"));
    child.args(["--include-ignored", "--exact", &format!("attribute::{name}")]);
    let output = child.envs(variables.iter().copied()).output().expect("it can be started");
    let text = [output.stdout, output.stderr].map(|text| String::from_utf8(text).expect("text")).concat();
    assert!(text.contains("running 1 test"), "{name}: {text}");
    (output.status.success(), text)
}

#[test]
fn tests_fail_and_say_why() {
    for (name, why) in [
        ("lost", "one is missing"),
        ("otherwise", "should fail with \"two are missing\", and one fails otherwise:\nmain panicked"),
        ("found", "an execution should fail, and 2 passed"),
        ("runaway", "more than 10000 events"),
        ("part", "NOT EXHAUSTIVE, nothing found in 2 executions"),
        ("error", "the test returned an error: \"as told\""),
    ] {
        let (passed, text) = run(&format!("ignored::{name}"), &[]);
        assert!(!passed && text.contains(why), "{name}: {text}");
    }
}

#[test]
fn a_part_says_so() {
    let (passed, text) = run("part", &[]);
    let line = "attribute::part: NOT EXHAUSTIVE, nothing found in 8 executions";
    assert!(passed && text.contains(line) && text.contains("a limit ended"), "{text}");
    let (passed, text) = run("chance", &[]);
    assert!(passed && text.contains("in 20 executions") && text.contains("picked by chance"), "{text}");
}

#[test]
fn the_attribute_comes_before_the_environment() {
    let (passed, text) = run("part", &[("LOOM_MAX_PERMUTATIONS", "3")]);
    assert!(passed && text.contains("in 8 executions"), "{text}");
    let (passed, text) = run("chance", &[("AQUEDUCT_MODEL_RANDOM", "3")]);
    assert!(passed && text.contains("in 20 executions"), "{text}");
    let (passed, text) = run("nothing_is_lost", &[("AQUEDUCT_MODEL_RANDOM", "3")]);
    assert!(!passed && text.contains("in 3 executions"), "a part is not exhaustive: {text}");
}

/// The printed command is given to a shell, which runs this program in cargo's place.
#[test]
fn the_printed_line_replays_the_failure() {
    for name in ["ignored::lost", "ignored::otherwise"] {
        let (_, text) = run(name, &[]);
        let (_, line) = text.split_once("to replay: ").expect("a command");
        let line = line.lines().next().expect("a line");
        let (variable, arguments) = line.split_once(" cargo test -p aqueduct-model -- ").expect("cargo's arguments");
        assert_eq!(arguments, format!("--exact attribute::{name}"));
        let program = env::current_exe().expect("this test's path");
        let command = format!("{variable} {} {arguments} --include-ignored", program.display());
        let output = Command::new("sh").args(["-c", &command]).output().expect("a shell");
        let again = String::from_utf8(output.stdout).expect("text");
        assert!(!output.status.success() && again.contains("one is missing"), "{command}: {again}");
        // The table of the failure is there again, and the string has not changed.
        assert!(again.contains(line), "{again}");
    }
}

/// A test that has to be exhaustive passes when one of its executions is replayed.
#[test]
fn a_replay_need_not_be_exhaustive() {
    let (passed, text) = run("nothing_is_lost", &[("AQUEDUCT_REPLAY", "aq1:0")]);
    assert!(passed && text.contains("one execution was replayed"), "{text}");
}
