//! Traces of many records of one shape: what makes files of them takes time in proportion.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use aqueduct_recorder::ring::Word;
use aqueduct_recorder::{BareRecorder, Epoch, Kind, Sizes, Trace};

const SPANS: u64 = 300_000;

/// Returns a trace of many spans that begin, and of as many ends of the same place, or of another one.
fn trace(ends_its_own: bool) -> Trace {
    let sizes = Sizes { rings: 1, blocks: 2, block_words: SPANS as usize * 2, table_words: 256 };
    let words: Vec<Word> = (0..sizes.words().unwrap()).map(|_| Word::new(0)).collect();
    let epoch = Epoch { ticks_per_second: 1_000_000_000, start: 0, start_unix_nanos: 0, process: 1 };
    let mut recorder = BareRecorder::new(&words, sizes, epoch).unwrap();
    let begins = recorder.place::<()>(Kind::Span, None, "begins", "target", &[]).unwrap();
    let ends = recorder.place::<()>(Kind::Span, None, "ends", "target", &[]).unwrap();
    let mut writer = recorder.writer(0, 1, "thread").unwrap();
    (0..SPANS).for_each(|tick| assert!(writer.record(tick, begins, ())));
    (0..SPANS).for_each(|tick| writer.end_span(SPANS + tick, if ends_its_own { begins } else { ends }));
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.load(Relaxed).to_ne_bytes()).collect();
    Trace::read(&bytes).unwrap()
}

/// A vector of bytes takes longer in a debug build.
struct Count(usize);

impl std::io::Write for Count {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn spans_without_an_end_and_ends_without_a_span_are_drawn() {
    let (done, ended) = mpsc::channel();
    thread::spawn(move || {
        for ends_its_own in [false, true] {
            let trace = trace(ends_its_own);
            assert_eq!((trace.events().len() as u64, trace.damaged()), (2 * SPANS, 0));
            let (mut page, mut picture) = (Count(0), Count(0));
            trace.write_timeline(&mut page).unwrap();
            trace.write_timeline_svg(&mut picture, 1000).unwrap();
            // A line for each span.
            assert!(page.0.min(picture.0) > SPANS as usize * 20, "{} and {} bytes", page.0, picture.0);
        }
        done.send(()).unwrap();
    });
    ended.recv_timeout(Duration::from_secs(120)).expect("it fails, or hangs");
}
