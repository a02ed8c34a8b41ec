//! Dumps: old ones are removed, a panic makes one, and a window of time is cut out.

use std::path::{Path, PathBuf};
use std::{env, fs, process, thread};

use aqueduct_recorder::{Builder, Dumps, Field, Trace, event};

fn dumps_in(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).expect("the directory").map(|entry| entry.expect("an entry").path());
    let mut dumps: Vec<_> = entries.filter(|path| path.extension().is_some_and(|it| it == "aqueduct")).collect();
    dumps.sort();
    dumps
}

fn numbers(trace: &Trace) -> Vec<Field> {
    trace.events().iter().map(|event| event.values[0].clone()).collect()
}

#[test]
fn the_newest_dumps_are_kept_and_a_panic_makes_one() {
    let recorder = Builder::new().rings(2).ring_bytes(4 << 10).table_bytes(4 << 10).install().expect("the first one");
    let directory = env::temp_dir().join(format!("aqueduct-dumps-{}", process::id()));
    let _ = fs::remove_dir_all(&directory);

    // By number. A file of another name is kept.
    let dumps = Dumps::new(&directory).keep_files(3);
    let mut paths = Vec::new();
    for number in 0..5_u64 {
        event!("step", number);
        paths.push(dumps.write(recorder).expect("a dump"));
        fs::write(directory.join("notes"), "not a dump").expect("a file");
    }
    assert_eq!(dumps_in(&directory), paths[2..]);
    assert!(directory.join("notes").exists());
    assert_eq!(fs::read_dir(&directory).expect("the directory").count(), 4, "no partial file is left");
    for (path, last) in paths[2..].iter().zip(2..) {
        let trace = Trace::open(path).expect("a dump");
        assert!(numbers(&trace).into_iter().eq((0..=last).map(Field::Unsigned)));
    }

    // By size: there is room for two dumps and not for a third. The newest dump is kept even if it
    // is too large.
    let len = fs::metadata(&paths[4]).expect("its size").len();
    let newest = Dumps::new(&directory).keep_bytes(3 * len - 1).write(recorder).expect("a dump");
    assert_eq!(dumps_in(&directory), [paths[4].clone(), newest]);
    let newest = Dumps::new(&directory).keep_bytes(1).write(recorder).expect("a dump");
    assert_eq!(dumps_in(&directory), [newest]);

    // A window includes its first nanosecond and excludes its end.
    let trace = recorder.trace();
    let (from, to) = (trace.events()[1].nanos, trace.events()[3].nanos);
    let window = trace.clone().window(from..to);
    let inside: Vec<_> = trace.events().iter().filter(|it| it.nanos >= from && it.nanos < to).cloned().collect();
    assert!(!inside.is_empty() && inside.len() < trace.events().len());
    assert_eq!((window.events(), window.threads()), (&*inside, trace.threads()));
    let last = trace.clone().last_nanos(trace.events()[4].nanos - from);
    assert_eq!(last.events(), trace.events().iter().filter(|it| it.nanos >= from).cloned().collect::<Vec<_>>());

    // A panic.
    Dumps::new(&directory).keep_files(1).on_panic(recorder);
    let result = thread::spawn(|| {
        event!("step", number = 77_u64);
        panic!("on purpose");
    });
    result.join().expect_err("it panics");
    let [dump] = &*dumps_in(&directory) else { panic!("one dump") };
    let trace = Trace::open(dump).expect("a dump");
    assert_eq!(numbers(&trace).last(), Some(&Field::Unsigned(77)));
    fs::remove_dir_all(&directory).expect("the directory goes");
}
