//! The workout of queues that overwrite: producers push at their own pace, readers take the
//! remaining items.

use std::sync::{Arc, Mutex};

use super::checks::{self, Found, History};
use super::ends::{Kept, Refusal, Refused};
use super::log::{Item, Log, Recorder, What, item};
use super::queues::{another, blocks, handles, lap};
use super::records::{DAMAGED, decode, encode, space};
use super::round::Workout;
use crate::bbq::{Multi, Overwritten, Producer, Single, drop_old, records};
use crate::pauses::{Body, Dice, relax, succeeded};

/// A producer's handle.
trait Write: Send {
    fn write(&mut self, item: Item) -> Result<(), Refused>;
}

/// A reader's handle.
trait Read: Send {
    fn read(&mut self) -> Result<Item, Refused>;
    fn is_closed(&self) -> bool;
    /// Returns how many items the reader has lost, if it counts them.
    fn lost(&self) -> Option<u64>;
}

/// A queue with all its handles, and the number of the last items that it keeps.
struct Ends {
    writers: Vec<Box<dyn Write>>,
    readers: Vec<Box<dyn Read>>,
    kept: usize,
}

type Make = fn(&mut Dice, usize, usize) -> Ends;

/// Makes the threads, on a fresh queue.
fn workout(make: Make, dice: &mut Dice, [writing, reading]: [usize; 2]) -> Workout {
    let Ends { writers, readers, kept } = make(dice, writing, reading);
    let each = dice.between(1, 600 / writing);
    let logs = Recorder::new(writing + reading);
    let lost = Arc::new(Mutex::new(Some(0)));
    let mut bodies: Vec<Body> = Vec::new();
    for (number, (end, log)) in writers.into_iter().zip(&logs).enumerate() {
        let log = log.clone();
        bodies.push(Box::new(move || write(Kept::new(end), number, each, &log)));
    }
    for (end, log) in readers.into_iter().zip(&logs[writing..]) {
        let (log, lost) = (log.clone(), Arc::clone(&lost));
        bodies.push(Box::new(move || {
            let of_this = read(Kept::new(end), &log);
            let mut lost = lost.lock().expect("nobody panics with it");
            *lost = lost.zip(of_this).map(|(others, this)| others + this);
        }));
    }
    let check = move |logs: &[Log], is_complete: bool| {
        let lost = *lost.lock().expect("nobody panics with it");
        check(logs, is_complete, &Written { writing, each, kept, lost })
    };
    Workout { bodies, logs, check: Box::new(check) }
}

/// The written items, and the numbers of those that readers report as lost.
struct Written {
    writing: usize,
    each: usize,
    kept: usize,
    lost: Option<u64>,
}

fn check(logs: &[Log], is_complete: bool, written: &Written) -> Result<Found, String> {
    // Items may be lost, so an item that was not read may have been lost at any time.
    let history = History::new(logs, false)?;
    checks::order_of_producers(logs)?;
    let least_k = history.rank(1)?;
    history.empties(logs.iter().flat_map(|log| &log.events), 0)?;
    let (items, &Written { writing, each, kept, lost }) = (history.items(), written);
    if is_complete && let Some(lost) = lost {
        let all = writing * each;
        if items as u64 + lost != all as u64 {
            return Err(format!("of {all} items {items} came, and {lost} were counted as lost"));
        }
        if items < kept.min(all) {
            return Err(format!("{items} of the last {kept} items came"));
        }
        let last = (each.saturating_sub(kept)..each).map(|number| item(0, number));
        if writing == 1
            && let Some(missing) = last.into_iter().find(|&item| history.popped(item).is_none())
        {
            return Err(format!("{} did not come, one of the last {kept}", checks::name(missing)));
        }
    }
    Ok(Found { least_k, items })
}

fn write(mut end: Kept<Box<dyn Write>>, producer: usize, each: usize, log: &Recorder) {
    for item in (0..each).map(|number| item(producer, number)) {
        log.begin_push(&[item]);
        loop {
            let (when, result) = log.time(|| end.write(item));
            if result.is_ok() {
                log.end_push([when.event(What::Pushed(item))]);
                succeeded();
                break;
            }
            relax();
        }
    }
}

fn read(mut end: Kept<Box<dyn Read>>, log: &Recorder) -> Option<u64> {
    loop {
        // `is_closed` comes before the read: all items of the last producer are then visible.
        let last_look = end.is_closed();
        match log.time(|| end.read()) {
            (when, Ok(item)) => {
                log.note([when.event(What::Popped(item))]);
                succeeded();
            }
            (when, Err(why)) => {
                if why == Refused::Empty {
                    log.note([when.event(What::Empty)]);
                    if last_look {
                        return end.lost();
                    }
                }
                relax();
            }
        }
    }
}

/// An item of several words. A reader must not see a mixture of old and new words.
type Words = [u64; 3];

fn words(item: Item) -> Words {
    [item, !item, item.rotate_left(32)]
}

/// A handle to a queue of records, and their greatest length.
struct OfRecords<H> {
    handle: H,
    longest: usize,
    buffer: Vec<u8>,
}

impl<H> OfRecords<H> {
    fn new(handle: H, longest: usize) -> Self {
        Self { handle, longest, buffer: vec![0; longest] }
    }
}

macro_rules! forms {
    ($($producers:ident: $items:path => $of_items:ident, $records:path => $of_records:ident;)*) => {$(
        impl Write for Producer<Words, $producers, Overwritten> {
            fn write(&mut self, item: Item) -> Result<(), Refused> {
                self.push(words(item)).map_err(Refusal::why)
            }
        }

        impl Read for drop_old::Reader<Words, $producers> {
            fn read(&mut self) -> Result<Item, Refused> {
                let came = drop_old::Reader::read(self).map_err(Refusal::why)?;
                Ok(if came == words(came[0]) { came[0] } else { DAMAGED })
            }

            fn is_closed(&self) -> bool {
                self.is_closed()
            }

            fn lost(&self) -> Option<u64> {
                Some(self.lost())
            }
        }

        impl Write for OfRecords<records::Producer<$producers, Overwritten>> {
            fn write(&mut self, item: Item) -> Result<(), Refused> {
                self.handle.push(&encode(item, self.longest)).map_err(Refusal::why)
            }
        }

        impl Read for OfRecords<records::drop_old::Reader<$producers>> {
            fn read(&mut self) -> Result<Item, Refused> {
                let longest = self.longest;
                let record = self.handle.read(&mut self.buffer).map_err(Refusal::why)?;
                Ok(decode(record, longest))
            }

            fn is_closed(&self) -> bool {
                self.handle.is_closed()
            }

            /// Returns `None`, because a reader of records counts bytes.
            fn lost(&self) -> Option<u64> {
                None
            }
        }

        pub(super) fn $of_items(dice: &mut Dice, threads: [usize; 2]) -> Workout {
            workout(
                |dice, writing, reading| {
                    let geometry = blocks(dice);
                    let spare = dice.below(geometry.blocks() - 1) * geometry.block_size();
                    let kept = geometry.capacity() - spare;
                    let (producer, reader) = $items(geometry, kept, lap(dice)).expect("a small queue");
                    let writers = handles(producer, writing, another!($producers));
                    let readers = handles(reader, reading, Clone::clone);
                    Ends {
                        writers: writers.into_iter().map(|handle| Box::new(handle) as Box<dyn Write>).collect(),
                        readers: readers.into_iter().map(|handle| Box::new(handle) as Box<dyn Read>).collect(),
                        kept,
                    }
                },
                dice,
                threads,
            )
        }

        pub(super) fn $of_records(dice: &mut Dice, threads: [usize; 2]) -> Workout {
            workout(
                |dice, writing, reading| {
                    let (producer, reader) = $records(space(dice), lap(dice)).expect("a small queue");
                    let longest = reader.longest();
                    let writers = handles(producer, writing, another!($producers)).into_iter();
                    let readers = handles(reader, reading, Clone::clone).into_iter();
                    let writers = writers.map(|handle| Box::new(OfRecords::new(handle, longest)) as Box<dyn Write>);
                    let readers = readers.map(|handle| Box::new(OfRecords::new(handle, longest)) as Box<dyn Read>);
                    Ends { writers: writers.collect(), readers: readers.collect(), kept: 0 }
                },
                dice,
                threads,
            )
        }
    )*};
}

forms! {
    Single: drop_old::spmc::starting_at => spmc, records::drop_old::spmc::starting_at => records_spmc;
    Multi: drop_old::mpmc::starting_at => mpmc, records::drop_old::mpmc::starting_at => records_mpmc;
}
