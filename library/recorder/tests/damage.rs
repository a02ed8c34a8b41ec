//! Damaged files: they are read as far as they are valid, and never make a reader panic.

use std::{env, fs, process, thread};

use aqueduct_recorder::{Builder, Trace, TraceError, counter, event, span};

#[test]
fn no_change_of_a_file_makes_a_reader_fail() {
    let path = env::temp_dir().join(format!("aqueduct-recorder-damage-{}", process::id()));
    let builder = Builder::new().rings(3).ring_bytes(1 << 10).block_bytes(256).table_bytes(1 << 10);
    let recorder = builder.install().expect("the first one");
    for which in 0..6 {
        let body = move || {
            for number in 0..10 {
                let _span = span!("span", which);
                event!("event", number, text = "some text");
                counter!("counter", 0.5);
            }
        };
        thread::spawn(body).join().expect("its end");
    }
    recorder.dump(&path).unwrap();
    let whole = fs::read(&path).unwrap();
    let trace = Trace::open(&path).unwrap();
    assert_eq!(trace.damaged(), 0);
    assert!(trace.events().len() > 20);
    let mut state = 9_u64;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 20) as usize % below
    };
    let mut readable = 0;
    for _ in 0..600 {
        let mut bytes = whole.clone();
        for _ in 0..1 + random(4) {
            let at = 8 * random(bytes.len() / 8);
            let value = match random(4) {
                0 => u64::MAX,
                1 => 0,
                2 => random(100) as u64,
                _ => u64::from_ne_bytes(bytes[at..at + 8].try_into().unwrap()) ^ 1 << random(64),
            };
            bytes[at..at + 8].copy_from_slice(&value.to_ne_bytes());
        }
        bytes.truncate(bytes.len() - random(2) * random(300));
        fs::write(&path, &bytes).unwrap();
        if let Ok(trace) = Trace::open(&path) {
            readable += 1;
            let _ = trace.overwritten();
            let _ = trace.text().to_string();
            trace.write_chrome_json(Vec::new()).unwrap();
            trace.write_perfetto(Vec::new()).unwrap();
        }
    }
    assert!(readable > 100, "{readable}");
    fs::write(&path, b"").unwrap();
    assert!(matches!(Trace::open(&path), Err(TraceError::Format)));
    fs::remove_file(&path).unwrap();
    assert!(matches!(Trace::open(&path), Err(TraceError::File(_))));
}
