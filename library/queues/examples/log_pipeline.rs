//! Many threads log lines; one thread writes them. The writer sleeps while there is nothing to
//! write, threads that log sleep while the queue is full, no line is lost, and the writer ends when
//! the last of the other threads is gone.
//!
//! cargo run -p aqueduct --example log_pipeline

#[path = "waiting/channel.rs"]
mod channel;

use std::error::Error;
use std::io::{self, Write};
use std::thread;
use std::time::{Duration, Instant};

/// A message to the writer.
struct Line {
    at: Duration,
    thread: usize,
    text: String,
}

const THREADS: usize = 4;
const BURSTS: usize = 5;
const LINES: usize = 200;

fn main() -> Result<(), Box<dyn Error>> {
    let start = Instant::now();
    let (sender, mut receiver) = channel::channel::<Line>(64)?;

    let writer = thread::spawn(move || -> io::Result<[usize; THREADS]> {
        // A program would open a file here.
        let mut file = io::BufWriter::new(io::sink());
        let mut counts = [0; THREADS];
        while let Some(line) = receiver.recv() {
            writeln!(file, "{:?} [{}] {}", line.at, line.thread, line.text)?;
            if line.text.ends_with("done") {
                println!("{:>12?} [{}] {}", line.at, line.thread, line.text);
            }
            counts[line.thread] += 1;
        }
        file.flush()?;
        Ok(counts)
    });

    thread::scope(|scope| {
        for thread in 0..THREADS {
            let mut sender = sender.clone();
            scope.spawn(move || {
                let mut log = |text| {
                    let line = Line { at: start.elapsed(), thread, text };
                    if let Err(line) = sender.send(line) {
                        // The writer has failed: its error is reported when it is joined.
                        eprintln!("not logged: {}", line.text);
                    }
                };
                for burst in 0..BURSTS {
                    (1..LINES).for_each(|number| log(format!("burst {burst}: request {number}")));
                    log(format!("burst {burst}: done"));
                    thread::sleep(Duration::from_millis(2));
                }
            });
        }
    });
    drop(sender);
    let counts = writer.join().map_err(|_| "the writer panicked")??;
    println!("lines written for each thread: {counts:?}");
    assert_eq!(counts, [BURSTS * LINES; THREADS], "no line is lost");
    Ok(())
}
