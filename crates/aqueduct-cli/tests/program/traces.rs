//! `aqueduct trace`: what a recorder has left in a file.

use std::fs;

use aqueduct_recorder::{Builder, event, span};

use super::{aqueduct, err, folder, out};

/// Records into a file for a while, if the test below has started this process.
#[test]
fn child_that_records() {
    let Some(file) = std::env::var_os("AQUEDUCT_TEST_RECORDS") else { return };
    Builder::new().rings(2).ring_bytes(4 << 10).file(file).install().unwrap();
    let begin = std::time::Instant::now();
    let mut number = 0_u64;
    // More than a ring holds between two looks, in the middle.
    while begin.elapsed() < std::time::Duration::from_millis(900) {
        let some = if begin.elapsed().as_millis().abs_diff(450) < 50 { 1000 } else { 1 };
        (0..some).for_each(|_| {
            event!("tick", number);
            number += 1;
        });
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    event!("last", number);
}

#[test]
fn a_running_process_is_followed_to_its_end() {
    let folder = folder("follow");
    let mut child = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "traces::child_that_records"])
        .env("AQUEDUCT_TEST_RECORDS", folder.join("file"))
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    while aqueduct(&folder, "trace file").status.code() != Some(0) {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    // Only a process that is waited for is gone.
    let waits = std::thread::spawn(move || child.wait().unwrap());
    let text = out(&aqueduct(&folder, "trace file --follow"));
    assert!(waits.join().unwrap().success());
    let numbers: Vec<u64> = text
        .lines()
        .filter_map(|line| line.split(" tick number=").nth(1))
        .map(|number| number.parse().unwrap())
        .collect();
    assert!(numbers.windows(2).all(|two| two[0] < two[1]), "twice, or out of order: {text}");
    let last: u64 = text.split(" last number=").nth(1).and_then(|rest| rest.lines().next()).unwrap().parse().unwrap();
    let lost: u64 = text
        .lines()
        .filter_map(|line| line.strip_suffix(" records were overwritten before they were seen"))
        .map(|line| line.rsplit(' ').next().unwrap().parse::<u64>().unwrap())
        .sum();
    assert!(lost > 0, "{text}");
    assert_eq!(numbers.len() as u64 + lost, last, "{text}");
    assert!(text.ends_with(&format!("# {} records of 1 threads, {lost} of them not seen\n", last + 1)), "{text}");
}

#[test]
fn a_recorders_file_is_listed_filtered_counted_measured_and_converted() {
    let folder = folder("trace");
    let recorder = Builder::new().rings(2).ring_bytes(16 << 10).install().unwrap();
    for number in 0..7_u64 {
        let _outer = span!("outer", number);
        let _inner = span!("inner");
        event!("step", number);
    }
    recorder.dump(folder.join("dump")).unwrap();

    let text = out(&aqueduct(&folder, "trace dump"));
    assert_eq!(text.lines().filter(|line| !line.starts_with('#')).count(), 7 * 5, "{text}");
    let text = out(&aqueduct(&folder, "trace dump --name step"));
    assert_eq!(text.lines().filter(|line| line.contains(" step number=")).count(), 7, "{text}");
    assert!(!text.contains("outer"), "{text}");
    let text = out(&aqueduct(&folder, "trace dump --thread 1 --last 0s"));
    assert!(text.contains("< outer") && !text.contains("step"), "{text}");
    let text = out(&aqueduct(&folder, "trace dump --count"));
    assert_eq!(text.lines().filter(|line| line.trim_start().starts_with("7  ")).count(), 3, "{text}");
    let text = out(&aqueduct(&folder, "trace dump --spans"));
    assert_eq!(text.lines().filter(|line| line.contains(": 7 spans, min ")).count(), 2, "{text}");

    let json = out(&aqueduct(&folder, "trace dump --to chrome"));
    assert!(serde_json::from_str::<serde_json::Value>(&json).is_ok(), "{json}");
    assert!(aqueduct(&folder, "trace dump --to perfetto --out it.pftrace").status.success());
    let mut expected = Vec::new();
    recorder.trace().write_perfetto(&mut expected).unwrap();
    assert_eq!(fs::read(folder.join("it.pftrace")).unwrap(), expected);

    assert!(aqueduct(&folder, "trace dump --to ctf --out folder").status.success());
    assert!(fs::read_to_string(folder.join("folder/metadata")).unwrap().contains("name = \"outer begin\""));
    let page = out(&aqueduct(&folder, "trace dump --to html"));
    assert!(page.contains("const bars = [") && page.trim_end().ends_with("</html>"), "{page}");
    let picture = out(&aqueduct(&folder, "trace dump --to svg"));
    assert_eq!(picture.matches("<title>outer number=").count(), 7, "{picture}");

    for (args, code, wanted) in [
        ("trace dump --to ctf", 2, "--out FOLDER"),
        ("trace dump --to ctf --out folder", 1, "folder"),
        ("trace dump --to perfetto", 2, "--out FILE"),
        ("trace dump --thread nobody", 2, "\"nobody\""),
        ("trace missing", 1, "missing"),
    ] {
        let output = aqueduct(&folder, args);
        assert_eq!(output.status.code(), Some(code), "{args}");
        assert!(err(&output).contains(wanted), "{args}: {}", err(&output));
    }
}
