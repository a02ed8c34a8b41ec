//! The Common Trace Format, as Babeltrace reads it.
//!
//! Without `babeltrace2` (a package of Debian), the test prints that it was skipped. `BABELTRACE`
//! names the program.

use std::process::{Command, Stdio};
use std::{env, fs, process, thread};

use aqueduct_recorder::{Builder, counter, event, span};

fn spawn(name: &str, body: impl FnOnce() + Send + 'static) {
    thread::Builder::new().name(name.to_owned()).spawn(body).expect("a thread").join().expect("its end");
}

#[test]
fn babeltrace_reads_all_records_and_what_was_lost() {
    let recorder = Builder::new().rings(2).ring_bytes(512).block_bytes(256).install().expect("the first one");
    spawn("worker", || {
        for number in 0..2_i32 {
            let _outer = span!("outer", number = -number, text = "grüße \"\0\"");
            event!("inner", half = 0.5, yes = true, large = u64::MAX);
            counter!("level", -3);
        }
    });
    spawn("loser", || (0..100).for_each(|_| event!("tick")));
    let trace = recorder.trace();
    let lost = trace.threads().iter().find(|thread| thread.name == "loser").expect("it has records").overwritten;
    assert!(lost.records > 0);
    let folder = env::temp_dir().join(format!("aqueduct-recorder-ctf-{}", process::id()));
    trace.write_ctf(&folder).expect("a new folder");
    assert!(trace.write_ctf(&folder).is_err(), "the folder is there");

    let program = env::var("BABELTRACE").unwrap_or_else(|_| "babeltrace2".to_owned());
    let is_there = Command::new(&program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok();
    if !is_there {
        fs::remove_dir_all(&folder).expect("it was written");
        eprintln!("skipped: there is no program {program}");
        return;
    }
    let read = |args: &[&str]| {
        let output = Command::new(&program).args(args).arg(&folder).output().expect("it has run before");
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{err}");
        (out.into_owned(), err.into_owned())
    };
    let (events, warnings) = read(&["--names", "none", "--clock-seconds"]);
    let (details, _) = read(&["convert", "-c", "sink.text.details"]);
    fs::remove_dir_all(&folder).expect("it was written");

    let start = trace.start_unix_nanos();
    let lines: Vec<&str> = events.lines().collect();
    assert_eq!(lines.len(), trace.events().len(), "{events}");
    for (line, event) in lines.iter().zip(trace.events()) {
        let nanos = start + event.nanos;
        let time = format!("[{}.{:09}]", nanos / 1_000_000_000, nanos % 1_000_000_000);
        assert!(line.starts_with(&time), "{time}: {line}");
    }
    let of_worker: Vec<&str> = lines
        .iter()
        .filter(|line| !line.contains("tick"))
        .map(|line| line.rsplit("}, { ").next().unwrap_or(""))
        .collect();
    let inner = format!("0.5, 1, {} }}", u64::MAX);
    assert_eq!(of_worker.iter().filter(|line| **line == inner).count(), 2, "{of_worker:#?}");
    for (event, count) in [("outer begin", 2), ("outer end", 2), ("level", 2), ("inner", 2)] {
        assert_eq!(lines.iter().filter(|line| line.contains(&format!(" {event}"))).count(), count, "{event}: {events}");
    }
    assert!(events.contains("{ -1, \"grüße \\\"\u{2400}\\\"\" }"), "{events}");
    // Babeltrace prints a warning, and sends a message to programs.
    assert!(warnings.contains(&format!("discarded {} events", lost.records)), "{warnings}");
    assert!(details.contains(&format!("Discarded events ({} events)", lost.records)), "{details}");
}
