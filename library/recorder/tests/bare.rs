//! A recorder in a caller's memory: its records are read as those of any recorder.

use std::sync::atomic::Ordering::Relaxed;
use std::thread;

use aqueduct_recorder::ring::Word;
use aqueduct_recorder::{BareRecorder, Epoch, Field, Kind, Level, Sizes, Trace};

const SIZES: Sizes = Sizes { rings: 2, blocks: 4, block_words: 32, table_words: 64 };
const EPOCH: Epoch = Epoch { ticks_per_second: 1000, start: 100, start_unix_nanos: 7, process: 9 };

fn memory() -> Vec<Word> {
    (0..SIZES.words().expect("they are small")).map(|number| Word::new(number as u64)).collect()
}

fn read(words: &[Word]) -> Trace {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.load(Relaxed).to_ne_bytes()).collect();
    Trace::read(&bytes).expect("a recorder's memory")
}

#[test]
fn what_two_writers_record_is_read_and_losses_are_exact() {
    const EVENTS: u64 = 500;
    let words = memory();
    let mut recorder = BareRecorder::new(&words, SIZES, EPOCH).expect("it is large enough");
    let sample = recorder
        .place::<(&u64, &str)>(Kind::Event, Some(Level::Debug), "sample", "adc", &["number", "text"])
        .expect("room");
    let work = recorder.place::<()>(Kind::Span, None, "work", "main", &[]).expect("room");
    assert_eq!(recorder.place::<(&u8,)>(Kind::Event, None, "fields", "main", &[]), None, "a value without a name");
    thread::scope(|scope| {
        for number in 0..2 {
            let mut writer =
                recorder.writer(number, number as u64 + 1, ["main", "handler"][number]).expect("it is free");
            assert!(recorder.writer(number, 3, "").is_none(), "one writer at a time");
            scope.spawn(move || {
                for number in 0..EVENTS {
                    assert!(writer.record(100 + number, sample, (&number, "text")));
                }
                assert!(!writer.record(0, sample, (&1_u8, "text")), "another type");
                assert!(!writer.record(0, sample, (&1, &*"x".repeat(300))), "too long");
                writer.record(1100, work, ());
                writer.end_span(1200, work);
            });
        }
    });
    assert!(recorder.writer(2, 1, "").is_none(), "there are two rings");
    let trace = read(&words);
    assert_eq!((trace.process(), trace.start_unix_nanos(), trace.damaged(), trace.refused()), (9, 7, 0, 4));
    let names: Vec<&str> = trace.threads().iter().map(|thread| &*thread.name).collect();
    assert_eq!(names, ["main", "handler"]);
    for thread in trace.threads() {
        assert_eq!(thread.kept.records + thread.overwritten.records, EVENTS + 2);
        let events: Vec<_> = trace.events().iter().filter(|event| event.thread == thread.number).collect();
        let (spans, samples) = (&events[events.len() - 2..], &events[..events.len() - 2]);
        for (event, number) in samples.iter().zip(thread.overwritten.records..) {
            assert_eq!(event.values, [Field::Unsigned(number), Field::Text("text".to_owned(), 0)]);
            assert_eq!((event.nanos, event.place.level), (number * 1_000_000, Some(Level::Debug)));
        }
        assert_eq!(
            [spans[0], spans[1]].map(|event| (event.nanos, event.is_end)),
            [(1_000_000_000, false), (1_100_000_000, true)]
        );
    }
}

#[test]
fn what_has_no_room_is_refused() {
    let words = memory();
    assert!(BareRecorder::new(&words[1..], SIZES, EPOCH).is_err(), "a word too few");
    for wrong in [Sizes { rings: 0, ..SIZES }, Sizes { blocks: 1, ..SIZES }, Sizes { block_words: 12, ..SIZES }] {
        assert!(BareRecorder::new(&words, wrong, EPOCH).is_err(), "{wrong:?}");
    }
    assert_eq!(Sizes { rings: usize::MAX, ..SIZES }.words(), None);
    let mut recorder = BareRecorder::new(&words, SIZES, EPOCH).expect("it is large enough");
    let places = (0..9).map_while(|_| recorder.place::<()>(Kind::Event, None, "name", "main", &[])).count();
    // A place has five words of numbers, three lengths, and a word each for the name and the
    // target.
    assert_eq!(places, SIZES.table_words / 10);
    assert!(read(&words).events().is_empty());
    assert!(Trace::read(b"").is_err() && Trace::read(&[0; 128]).is_err());
}
