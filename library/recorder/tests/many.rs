//! Traces of many records of one shape: writing files of them takes linear time.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use aqueduct_recorder::ring::Word;
use aqueduct_recorder::{BareRecorder, Epoch, Kind, Sizes, Trace};

const SPANS: u64 = 300_000;

/// Returns a trace of many spans that begin, and of as many ends of the same place, or of another
/// one.
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

/// Returns a trace of many places, with some records of each.
fn trace_of_many_places() -> Trace {
    const PLACES: usize = 60_000;
    let sizes = Sizes { rings: 1, blocks: 2, block_words: 16 * PLACES, table_words: 16 * PLACES };
    let words: Vec<Word> = (0..sizes.words().unwrap()).map(|_| Word::new(0)).collect();
    let epoch = Epoch { ticks_per_second: 1_000_000_000, start: 0, start_unix_nanos: 0, process: 1 };
    let mut recorder = BareRecorder::new(&words, sizes, epoch).unwrap();
    let place = |_| recorder.place::<()>(Kind::Event, None, "event", "target", &[]).unwrap();
    let places: Vec<_> = (0..PLACES).map(place).collect();
    let mut writer = recorder.writer(0, 1, "thread").unwrap();
    for tick in 0..5 {
        places.iter().for_each(|place| assert!(writer.record(tick, *place, ())));
    }
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
fn many_open_spans_and_many_places_are_written() {
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
        let trace = trace_of_many_places();
        assert_eq!((trace.events().len(), trace.damaged()), (300_000, 0));
        let folder = std::env::temp_dir().join(format!("aqueduct-many-{}", std::process::id()));
        trace.write_ctf(&folder).unwrap();
        trace.write_perfetto(&mut Count(0)).unwrap();
        trace.write_chrome_json(&mut Count(0)).unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
        done.send(()).unwrap();
    });
    ended.recv_timeout(Duration::from_secs(300)).expect("it fails, or hangs");
}
