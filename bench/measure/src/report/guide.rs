//! A bench's texts for reports, on its measurements and its queues. Reports contain no bench's or
//! queue's name: they get these texts as data.

use std::borrow::Cow;
use std::fmt;

use super::analysis::Analysis;
use crate::names::{Bench, Queue};
use crate::record::{Payload, Record};

/// A bench's texts for reports.
#[derive(Clone, Copy)]
pub struct Guide {
    /// The users' needs in the order of the advice, each with the bench's queues for it.
    pub needs: &'static [Need],
    /// Returns the title and the description of a measurement, if it is one of the bench's.
    pub topic: fn(&Bench) -> Option<Topic>,
    /// Returns a table of formulas beside the figures, if the bench has one and `records` have
    /// figures for it.
    pub analysis: fn(&[Record]) -> Option<Analysis>,
}

impl fmt::Debug for Guide {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let needs: Vec<&str> = self.needs.iter().map(|need| need.words).collect();
        f.debug_struct("Guide").field("needs", &needs).finish_non_exhaustive()
    }
}

/// The title and the description of a measurement, for users without its source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topic {
    /// The title; the measurement's name if it is empty.
    pub title: Cow<'static, str>,
    /// The description: one or more sentences.
    pub words: &'static str,
}

/// A row of a table of topics: a name, its title, and its description.
///
/// The name is that of a bench without its facet, and `*` in it stands for any letters. The first
/// row that fits counts.
pub type Row = (&'static str, &'static str, &'static str);

impl Topic {
    /// Returns the topic of `bench` in a table.
    #[must_use]
    pub fn of(bench: &Bench, table: &[Row]) -> Option<Self> {
        let name = Bench { facet: None, ..bench.clone() }.to_string();
        let (_, title, words) = table.iter().find(|(pattern, ..)| fits(&name, pattern))?;
        Some(Self { title: (*title).into(), words })
    }
}

fn fits(name: &str, pattern: &str) -> bool {
    match pattern.split_once('*') {
        None => name == pattern,
        Some((start, end)) => name.strip_prefix(start).is_some_and(|rest| rest.ends_with(end)),
    }
}

/// Returns the title of a measurement, or its name if it has no title.
#[must_use]
pub fn title<'b>(guides: &[Guide], bench: &'b Bench) -> Cow<'b, str> {
    let title = guides.iter().find_map(|guide| (guide.topic)(bench)).map(|topic| topic.title);
    title.filter(|title| !title.is_empty()).unwrap_or_else(|| bench.name.as_str().into())
}

/// Returns the description of a measurement, or nothing.
#[must_use]
pub fn words(guides: &[Guide], bench: &Bench) -> &'static str {
    guides.iter().find_map(|guide| (guide.topic)(bench)).map_or("", |topic| topic.words)
}

/// A need, and the measurement that answers it.
#[derive(Clone, Copy)]
pub struct Need {
    /// The need, as a heading.
    pub words: &'static str,
    /// The need in a word or two, if the summary has it.
    pub short: Option<&'static str>,
    /// The measurement.
    pub bench: &'static str,
    /// The place of the values.
    pub payload: Payload,
    /// The use of the queue.
    pub usage: Usage,
    /// Whether a number of producers and one of consumers are those of the need.
    pub threads: fn(usize, usize) -> bool,
    /// The queues that may answer it.
    pub takes: &'static [Offer],
    /// A note for users, or nothing.
    pub note: &'static str,
}

impl fmt::Debug for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Need").field("words", &self.words).field("takes", &self.takes).finish_non_exhaustive()
    }
}

impl Need {
    /// The need for one thread on either side that pushes and pops single items.
    pub const PAIR: Self = Self {
        words: "",
        short: None,
        bench: "",
        payload: Payload::Embedded,
        usage: Usage::Single,
        threads: |producers, consumers| (producers, consumers) == (1, 1),
        takes: &[],
        note: "",
    };

    /// Returns the offer of a queue, if the need takes it.
    #[must_use]
    pub fn offer(&self, queue: &Queue) -> Option<&'static Offer> {
        self.takes.iter().find(|offer| queue.name == offer.queue)
    }
}

/// The use of a queue that lines to paste show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Usage {
    /// Push and pop single items.
    Single,
    /// Push and pop batches.
    Batch,
    /// Push and pop pointers.
    Pointer,
    /// Requests through one queue, confirmations through another one.
    Exchange,
}

/// A queue of ours that an answer may name.
#[derive(Clone, Copy)]
pub struct Offer {
    /// Its name in records, without parameters.
    pub queue: &'static str,
    /// Its path in the library.
    pub path: &'static str,
    /// Whether it carries pointers and non-zero words only.
    pub words_only: bool,
    /// Whether it is recommended where another one is as good, because it demands nothing of the
    /// items.
    pub usual: bool,
    /// Returns the lines that make the queue and use it. A test of the bench compiles and runs
    /// them.
    pub code: fn(&Sketch<'_>) -> String,
}

impl fmt::Debug for Offer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Offer").field("queue", &self.queue).field("path", &self.path).finish_non_exhaustive()
    }
}

/// The parameters of lines to paste.
#[derive(Clone, Copy, Debug)]
pub struct Sketch<'a> {
    /// The queue's path in the library.
    pub path: &'static str,
    /// The queue with its parameters.
    pub queue: &'a Queue,
    /// The use that is shown.
    pub usage: Usage,
    /// Items that the queue can hold.
    pub capacity: usize,
}

impl Offer {
    /// Returns the lines to paste.
    #[must_use]
    pub fn lines(&self, queue: &Queue, usage: Usage, capacity: usize) -> String {
        (self.code)(&Sketch { path: self.path, queue, usage, capacity })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::Facet;

    #[test]
    fn the_first_row_that_fits_is_the_topic_whatever_the_facet() {
        const TABLE: &[Row] = &[
            ("tides.flow_distribution", "Distribution", "How late?"),
            ("tides.flow", "Flow", "Water comes."),
            ("tides.ebb.*.mud", "Mud", "What is left."),
            ("tides.ebb.*", "", "Water goes."),
        ];
        let of = |bench: Bench| Topic::of(&bench, TABLE).map(|topic| topic.words);
        assert_eq!(of(Bench::distribution("tides.flow")), Some("How late?"));
        assert_eq!(of(Bench::side("tides.flow", Facet::P99)), Some("Water comes."));
        assert_eq!(of("tides.ebb.3.mud".into()), Some("What is left."));
        assert_eq!(of("tides.ebb.3".into()), Some("Water goes."));
        assert_eq!(of("tides.slack".into()), None);
        let guides = [Guide { needs: &[], topic: |bench| Topic::of(bench, TABLE), analysis: |_| None }];
        assert_eq!(title(&guides, &"tides.flow".into()), "Flow");
        assert_eq!(title(&guides, &"tides.ebb.3".into()), "tides.ebb.3");
        assert_eq!((title(&[], &"tides.flow".into()), words(&[], &"tides.flow".into())), ("tides.flow".into(), ""));
    }
}
