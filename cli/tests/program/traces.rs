//! `aqueduct trace`: the events in a recorder's file.

use std::fs;

use std::path::Path;
use std::process::{self, Child, Command, Stdio};
use std::sync::atomic::Ordering::Relaxed;
use std::thread;
use std::time::Duration;

use aqueduct_recorder::ring::Word;
use aqueduct_recorder::{BareRecorder, Builder, Epoch, Kind, Level, Sizes, event, span};

use super::{aqueduct, end, err, folder, out};

/// Records into a file for a while, if the test below has started this process.
#[test]
fn child_that_records() {
    let Some(file) = std::env::var_os("AQUEDUCT_TEST_RECORDS") else { return };
    Builder::new().rings(2).ring_bytes(4 << 10).file(file).install().unwrap();
    let begin = std::time::Instant::now();
    let mut number = 0_u64;
    // More than a ring holds between two looks, in the middle.
    while begin.elapsed() < Duration::from_millis(900) {
        let some = if begin.elapsed().as_millis().abs_diff(450) < 50 { 1000 } else { 1 };
        (0..some).for_each(|_| {
            event!("tick", number);
            number += 1;
        });
        thread::sleep(Duration::from_millis(5));
    }
    event!("last", number);
}

#[test]
fn a_running_process_is_followed_to_its_end() {
    let folder = folder("follow");
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "traces::child_that_records"])
        .env("AQUEDUCT_TEST_RECORDS", folder.join("file"))
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    while aqueduct(&folder, "trace file").status.code() != Some(0) {
        thread::sleep(Duration::from_millis(10));
    }
    // A process exists until its parent has waited for it.
    let waits = thread::spawn(move || child.wait().unwrap());
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
        ("trace dump --out ./dump", 2, "dump is the recorder's file itself"),
        ("trace missing", 1, "missing"),
    ] {
        let output = aqueduct(&folder, args);
        assert_eq!(output.status.code(), Some(code), "{args}");
        assert!(err(&output).contains(wanted), "{args}: {}", err(&output));
    }
}

/// The words in front of the first block, with `rings` 1 and the table of `dump`.
const BEFORE: usize = 16 + 256 + 8;

/// Writes a file of a process with this number, and of records that `record` makes, as words.
fn dump(rings: usize, block_words: usize, process: u64, record: impl FnOnce(&mut BareRecorder<'_>)) -> Vec<u64> {
    let sizes = Sizes { rings, blocks: 2, block_words, table_words: 256 };
    let words: Vec<Word> = (0..sizes.words().unwrap()).map(|_| Word::new(0)).collect();
    let epoch = Epoch { ticks_per_second: 1_000_000_000, start: 0, start_unix_nanos: process, process };
    record(&mut BareRecorder::new(&words, sizes, epoch).unwrap());
    words.iter().map(|word| word.load(Relaxed)).collect()
}

fn save(path: &Path, words: &[u64]) {
    fs::write(path, words.iter().flat_map(|word| word.to_ne_bytes()).collect::<Vec<u8>>()).unwrap();
}

fn start(folder: &Path, args: &str) -> Child {
    let out = fs::File::create(folder.join("out")).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_aqueduct"));
    command.current_dir(folder).args(args.split_whitespace()).stdout(out).stderr(Stdio::inherit()).spawn().unwrap()
}

#[test]
fn the_spans_of_a_long_file_are_measured() {
    const SPANS: u64 = 300_000;
    let folder = folder("trace_long");
    let words = dump(1, 2 * SPANS as usize, 1, |recorder| {
        let mut place = |name| recorder.place::<()>(Kind::Span, None, name, "target", &[]).unwrap();
        let (begins, ends) = (place("begins"), place("ends"));
        let mut writer = recorder.writer(0, 1, "thread").unwrap();
        (0..SPANS).for_each(|tick| assert!(writer.record(tick, begins, ())));
        (0..SPANS).for_each(|tick| writer.end_span(SPANS + tick, ends));
        writer.end_span(2 * SPANS, begins);
    });
    save(&folder.join("dump"), &words);
    assert!(end(start(&folder, "trace dump --spans"), "trace --spans").success());
    let text = fs::read_to_string(folder.join("out")).unwrap();
    assert!(text.starts_with("begins (:0): 1 spans, min 300001 ns"), "{text}");
}

#[test]
fn a_level_chooses_the_places_of_that_level_and_of_more_severe_ones() {
    let folder = folder("trace_levels");
    // No process has this number: the program would follow a running one.
    let words = dump(1, 64, u64::MAX, |recorder| {
        let places = [("failed", Some(Level::Error)), ("doubted", Some(Level::Warn)), ("told", Some(Level::Info))];
        let places = places.into_iter().chain([("plain", None)]).enumerate();
        let places: Vec<_> = places
            .map(|(at, (name, level))| (at, recorder.place::<()>(Kind::Event, level, name, "target", &[]).unwrap()))
            .collect();
        let mut writer = recorder.writer(0, 1, "thread").unwrap();
        places.into_iter().for_each(|(at, place)| assert!(writer.record(at as u64, place, ())));
    });
    save(&folder.join("dump"), &words);
    for args in ["trace dump --level warn", "trace dump --level WARN --count", "trace dump --level warn --follow"] {
        let text = out(&aqueduct(&folder, args));
        let found = ["failed", "doubted", "told", "plain"].map(|name| text.contains(name));
        assert_eq!(found, [true, true, false, false], "{args}: {text}");
    }
    let output = aqueduct(&folder, "trace dump --level loud");
    assert_eq!(output.status.code(), Some(2));
    assert!(err(&output).contains("the levels are error, warn, info, debug and trace"), "{}", err(&output));
}

#[test]
fn names_cannot_move_the_cursor_or_begin_a_line() {
    let folder = folder("trace_names");
    // No process has this number: the program would follow a running one.
    let words = dump(1, 64, u64::MAX, |recorder| {
        let name = "a \"red\"\u{1b}[31m\nforged";
        let event = recorder.place::<(&u8,)>(Kind::Event, None, name, "target", &["key\u{1b}[2J"]).unwrap();
        let span = recorder.place::<()>(Kind::Span, None, name, "target", &[]).unwrap();
        let mut writer = recorder.writer(0, 1, "thread\u{1b}[1m").unwrap();
        assert!(writer.record(1, event, (&7_u8,)) && writer.record(2, span, ()));
        writer.end_span(3, span);
    });
    save(&folder.join("dump"), &words);
    let name = "a \"red\"\\u{1b}[31m\\nforged";
    for (args, wanted) in [
        ("trace dump", format!("   1 {name} key\\u{{1b}}[2J=7\n")),
        ("trace dump --count", format!("         2  {name} (:0)\n")),
        ("trace dump --spans", format!("{name} (:0): 1 spans, ")),
        ("trace dump --follow", format!("   1 {name} key")),
    ] {
        // The program takes escapes out where it prints into a pipe, so the file is looked at as a
        // library does.
        let text = out(&aqueduct(&folder, args));
        assert!(text.contains(&wanted) && !text.contains("\nforged"), "{args}: {text}");
    }
    let text = aqueduct_recorder::Trace::open(folder.join("dump")).unwrap().text().to_string();
    assert!(text.contains(name) && !text.contains('\u{1b}'), "{text:?}");
}

#[test]
fn a_damaged_file_is_followed_with_whatever_numbers_it_has() {
    let folder = folder("follow_damaged");
    let mut words = dump(2, 64, u64::MAX, |recorder| {
        let event = recorder.place::<()>(Kind::Event, None, "event", "target", &[]).unwrap();
        for ring in 0..2 {
            assert!(recorder.writer(ring, 1 + ring as u64, "thread").unwrap().record(1, event, ()));
        }
    });
    for ring in 0..2 {
        words[BEFORE + ring * (8 + 2 * 64) + 1] = u64::MAX;
    }
    save(&folder.join("dump"), &words);
    let output = aqueduct(&folder, "trace dump --follow");
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let sum = 2 * (u128::from(u64::MAX) + 1);
    assert!(out(&output).contains(&format!("# {sum} records of 2 threads")), "{}", out(&output));
}

#[test]
fn a_file_that_another_recording_replaces_is_followed_no_longer() {
    let folder = folder("follow_replaced");
    let of = |start: u64| {
        let mut words = dump(1, 64, u64::from(process::id()), |recorder| {
            let event = recorder.place::<(&u64,)>(Kind::Event, None, "event", "target", &["start"]).unwrap();
            assert!(recorder.writer(0, 1, "thread").unwrap().record(1, event, (&start,)));
        });
        words[9] = start;
        save(&folder.join(format!("{start}")), &words);
    };
    of(1);
    of(2);
    fs::rename(folder.join("1"), folder.join("file")).unwrap();
    let child = start(&folder, "trace file --follow");
    while !fs::read_to_string(folder.join("out")).unwrap().contains("event start=1") {
        thread::sleep(Duration::from_millis(10));
    }
    fs::rename(folder.join("2"), folder.join("file")).unwrap();
    assert!(end(child, "trace --follow").success());
    let text = fs::read_to_string(folder.join("out")).unwrap();
    assert!(text.contains("# the file is another recording's now\n") && !text.contains("start=2"), "{text}");
}
