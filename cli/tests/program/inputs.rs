//! Files that commands cannot read, and output that cannot be written: an error, and never a
//! program that hangs.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::{aqueduct, end, err, folder};

/// Runs the program, which must end by itself. Returns its exit code and its standard error.
fn run(folder: &Path, args: &str) -> (Option<i32>, String) {
    let child = Command::new(env!("CARGO_BIN_EXE_aqueduct"))
        .current_dir(folder)
        .args(args.split_whitespace())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(File::create(folder.join("stderr")).unwrap())
        .spawn()
        .unwrap();
    let code = end(child, args).code();
    (code, fs::read_to_string(folder.join("stderr")).unwrap())
}

#[test]
#[cfg(unix)]
fn pipes_devices_and_folders_are_no_files() {
    let folder = folder("no_files");
    assert!(Command::new("mkfifo").arg(folder.join("pipe.task")).status().unwrap().success());
    fs::create_dir(folder.join("folder.task")).unwrap();
    for command in ["trace", "trace --follow", "report", "vswitch --pcap", "litmus", "verify --task"] {
        for (file, what) in [("pipe.task", "a pipe"), ("/dev/zero", "a device"), ("folder.task", "a folder")] {
            for more in ["", " --dry-run"] {
                let (code, said) = run(&folder, &format!("{command} {file}{more}"));
                let wanted = if command.starts_with("trace") { "not a regular file" } else { what };
                assert!(
                    code == Some(1) && said.contains(file) && said.contains(wanted),
                    "{command} {file}: {code:?} {said}"
                );
            }
        }
    }
}

#[test]
fn the_plan_of_a_divided_exploration_is_no_task() {
    let folder = folder("no_task");
    assert!(aqueduct(&folder, "verify bwos-lifo/thieves --split 4 divided").status.success());
    let output = aqueduct(&folder, "verify --task divided/plan");
    assert_eq!(output.status.code(), Some(2), "{}", err(&output));
    assert!(
        err(&output).contains("divided/plan is no task file") && !err(&output).contains("remove"),
        "{}",
        err(&output)
    );
}

#[test]
fn a_reason_is_said_once() {
    let output = aqueduct(&folder("once"), "trace missing");
    assert_eq!(err(&output).matches("No such file").count(), 1, "{}", err(&output));
}

#[test]
#[cfg(target_os = "linux")]
fn help_that_cannot_be_written_is_a_failure() {
    for args in [&["--help"][..], &["trace", "--help"], &["--version"]] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_aqueduct"));
        let full = File::options().write(true).open("/dev/full").unwrap();
        let output = command.args(args).stdout(full).stderr(Stdio::piped()).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{args:?}");
        assert!(err(&output).contains("standard output: No space left"), "{}", err(&output));
    }
    // The exit code is right where the error cannot be written, too.
    let full = File::options().write(true).open("/dev/full").unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_aqueduct")).args(["report", "missing"]).stderr(full).output();
    assert_eq!(output.unwrap().status.code(), Some(1));
}

#[test]
fn help_names_all_sizes_of_an_item() {
    let sizes = aqueduct_measure::items::possible();
    for command in ["compare", "bench spsc", "bench mpmc"] {
        let output = aqueduct(&folder("sizes"), &format!("{command} --help"));
        let words = String::from_utf8(output.stdout).unwrap().split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains(&sizes.replace(", 4096", " or 4096")), "{command}: {words}");
    }
}
