//! Three workers answer requests, and one of them waits for a lock, as the timeline shows.
//!
//! `cargo run -p aqueduct-recorder --example timeline -- OUT` writes `OUT.html` and `OUT.svg`.

use std::fs::File;
use std::io::BufWriter;
use std::sync::{Barrier, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use aqueduct_recorder::{Builder, counter, event, span};

/// Works for `micros` microseconds.
fn work(micros: u64) {
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_micros(micros) {
        std::hint::spin_loop();
    }
}

fn answer(request: u64, table: &Mutex<u64>) {
    let _request = span!("request", number = request);
    {
        let _parse = span!("parse");
        work(40);
    }
    let mut rows = {
        let _lock = span!("wait for lock");
        table.lock().expect("no worker panics")
    };
    {
        let _lookup = span!("lookup", rows = *rows);
        work(if request.is_multiple_of(5) { 150 } else { 50 });
        *rows += 1;
    }
    drop(rows);
    if request.is_multiple_of(4) {
        event!("cache miss", request);
    }
    let _reply = span!("reply");
    work(60);
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let out = std::env::args().nth(1).unwrap_or_else(|| "timeline".to_owned());
    let recorder = Builder::new().install()?;
    let (table, begin) = (Mutex::new(0), Barrier::new(3));
    thread::scope(|scope| {
        for worker in 0..3_u64 {
            let (table, begin) = (&table, &begin);
            let run = move || {
                begin.wait();
                for request in 0..4 {
                    answer(3 * request + worker, table);
                    counter!("answered", request + 1);
                }
            };
            thread::Builder::new().name(format!("worker {worker}")).spawn_scoped(scope, run).expect("a thread");
        }
    });
    let trace = recorder.trace();
    trace.write_timeline(BufWriter::new(File::create(format!("{out}.html"))?))?;
    trace.write_timeline_svg(BufWriter::new(File::create(format!("{out}.svg"))?), 900)?;
    println!("{} records in {out}.html and {out}.svg", trace.events().len());
    Ok(())
}
