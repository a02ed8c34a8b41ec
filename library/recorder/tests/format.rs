//! A second reader of the file, which follows `FORMAT.md` and uses no code of the library.

use std::{env, fs, process, thread};

use aqueduct_recorder::{Builder, event, span};

struct File(Vec<u8>);

/// An entry of the table of names.
#[derive(PartialEq, Eq, Debug)]
struct Entry {
    number: u64,
    kind: u64,
    types: u64,
    name: String,
    fields: Vec<String>,
}

impl File {
    fn word(&self, offset: usize) -> u64 {
        u64::from_ne_bytes(self.0[offset..offset + 8].try_into().expect("8 bytes"))
    }

    /// Returns a number of some bytes, the lowest one first. Words are read as bytes, the lowest
    /// one first.
    fn number(&self, offset: usize, bytes: usize) -> u64 {
        (offset..offset + bytes).rev().fold(0, |number, at| {
            let byte = self.word(at & !7) >> (8 * (at & 7)) & 0xff;
            number << 8 | byte
        })
    }

    fn text(&self, offset: &mut usize) -> String {
        let len = self.word(*offset) as usize;
        let text = &self.0[*offset + 8..*offset + 8 + len];
        *offset += 8 + len.next_multiple_of(8);
        String::from_utf8(text.to_vec()).expect("UTF-8")
    }
}

#[test]
fn the_file_is_as_the_page_of_its_format_says() {
    let path = env::temp_dir().join(format!("aqueduct-recorder-format-{}", process::id()));
    let recorder = Builder::new().rings(3).ring_bytes(1 << 10).block_bytes(256).install().expect("the first one");
    let body = || {
        for number in 0..100_u64 {
            let _span = span!("span");
            event!("event", number, text = "nine char");
        }
    };
    thread::Builder::new().name("writer".to_owned()).spawn(body).expect("a thread").join().expect("its end");
    recorder.dump(&path).unwrap();
    let file = File(fs::read(&path).unwrap());
    fs::remove_file(&path).unwrap();

    assert_eq!((&file.0[..8], file.word(8), file.word(80)), (&b"AQRECORD"[..], 2, u64::from(process::id())));
    let [rings, blocks, block_words, table_words, table_used] = [16, 24, 32, 40, 48].map(|offset| file.word(offset));
    assert_eq!((rings, blocks, block_words), (3, 4, 32));
    assert_eq!(file.0.len() as u64, 8 * (16 + table_words + rings * (8 + blocks * block_words)));

    let mut names = Vec::new();
    let mut offset = 128;
    while offset < 128 + 8 * table_used as usize {
        let (number, kind, types) = (file.word(offset + 8), file.word(offset + 16), file.word(offset + 24));
        let mut at = offset + 40;
        let texts: Vec<String> = (0..3 + (kind >> 8)).map(|_| file.text(&mut at)).collect();
        names.push(Entry { number, kind: kind & 0xff, types, name: texts[0].clone(), fields: texts[3..].to_vec() });
        offset += 8 * file.word(offset) as usize;
        assert_eq!(offset, at);
    }
    let fields = vec!["number".to_owned(), "text".to_owned()];
    let expected = [
        Entry { number: 1, kind: 2, types: 0, name: "span".to_owned(), fields: vec![] },
        Entry { number: 2, kind: 1, types: 0x51, name: "event".to_owned(), fields },
    ];
    assert_eq!(names, expected);

    let ring = 128 + 8 * table_words as usize;
    let end = file.word(ring + 8);
    let block_bytes = 8 * block_words;
    let last = (end - 1) / block_bytes;
    let mut lines = Vec::new();
    let mut before = None;
    let mut time = 0;
    for number in (last + 1 - blocks).max(blocks)..=last {
        let block = ring + 64 + 8 * ((number % blocks) * block_words) as usize;
        if file.word(block) != number {
            (lines, before) = (Vec::new(), None);
            continue;
        }
        before = before.or(Some(file.word(block + 8)));
        assert_eq!(file.word(block + 8), before.unwrap() + lines.len() as u64);
        assert_eq!((file.word(block + 32), file.word(block + 40), file.word(block + 48)), (1, 0, 0));
        assert_eq!(file.0[block + 56..block + 88], *b"writer\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
        assert!(time <= file.word(block + 24));
        time = file.word(block + 24);
        let stop = block + if number == last { end - last * block_bytes } else { block_bytes - 8 } as usize;
        let mut at = block + 88;
        while at < stop && file.0[at] != 0 {
            let head = file.number(at, 6);
            assert_eq!(head & 3, 1, "all records are short");
            let (len, is_end, place, passed) = (head >> 2 & 0x3f, head >> 8 & 1, head >> 9 & 0x7ff, head >> 20);
            time += passed;
            match (place, is_end) {
                (1, _) => assert_eq!(len, 0),
                (2, 0) => {
                    assert_eq!((len, file.number(at + 14, 2), file.number(at + 16, 4)), (23, 9, 9));
                    assert_eq!(&file.0[at + 20..at + 29], b"nine char");
                }
                other => panic!("{other:?}"),
            }
            let value = if place == 2 { file.number(at + 6, 8) } else { is_end };
            lines.push((place, value));
            at += 6 + len as usize;
        }
    }
    let before = before.expect("a block is left");
    assert_eq!(before + lines.len() as u64, 300);
    let all = (0..100_u64).flat_map(|number| [(1, 0), (2, number), (1, 1)]);
    assert!(all.skip(before as usize).eq(lines));
}
