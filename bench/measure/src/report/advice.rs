//! The recommendations as text for a terminal of 80 columns, and a summary of them.

use std::fmt::Write;

use anstyle::{AnsiColor, Style};

use super::recommend::{Beside, DEPENDENCY, Recommendation, TITLE, UNRELEASED};

/// The columns of a terminal.
const COLUMNS: usize = 80;

const HEADING: Style = Style::new().bold();
const NAME: Style = AnsiColor::Cyan.on_default().bold();

/// Returns the recommendations with their lines to paste, and the summary; nothing if there are
/// none.
pub fn render(picks: &[Recommendation]) -> String {
    if picks.is_empty() {
        return String::new();
    }
    let mut out = format!("{HEADING}{TITLE}{HEADING:#}\n\n");
    for line in DEPENDENCY.lines() {
        let _ = writeln!(out, "    {line}");
    }
    out += &wrapped(UNRELEASED, "  ", Style::new());
    for pick in picks {
        let _ = writeln!(out, "\n{HEADING}{}{HEADING:#}", pick.need);
        out += &wrapped(&pick.answer(), "  ", NAME);
        // The two points of a spread, as in `1 .. 2`, end no sentence.
        for sentence in pick.why.replace(". ", ".\n").replace("..\n", ".. ").lines() {
            out += &wrapped(sentence, "  ", Style::new());
        }
        for line in [""].into_iter().chain(pick.code.lines()) {
            let indent = if line.is_empty() { "" } else { "    " };
            let _ = writeln!(out, "{indent}{line}");
        }
    }
    out + &summary(picks)
}

/// Returns the text in lines of that style that a terminal does not break.
fn wrapped(text: &str, indent: &str, style: Style) -> String {
    let mut lines: Vec<String> = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().expect("there is a line");
        if line.is_empty() || indent.len() + line.len() + 1 + word.len() <= COLUMNS {
            let gap = if line.is_empty() { "" } else { " " };
            let _ = write!(line, "{gap}{word}");
        } else {
            lines.push(word.to_owned());
        }
    }
    lines.into_iter().map(|line| format!("{indent}{style}{line}{style:#}\n")).collect()
}

/// Returns the most common needs in a line each, and the advice for undecided ones.
fn summary(picks: &[Recommendation]) -> String {
    /// The columns of a queue's path. A longer path shifts the rest of its line.
    const WIDEST: usize = 16;
    let mut out = format!("\n{HEADING}In short{HEADING:#}\n");
    let mut rows: Vec<[String; 3]> = Vec::new();
    for pick in picks {
        let Some(short) = pick.short else { continue };
        let beside = match &pick.peer {
            Beside::Nobody => String::new(),
            Beside::Undecided(peer) => format!("like {peer}: too noisy to tell"),
            Beside::Times(ratio, peer) if *ratio >= 1.0 => format!("{ratio:.1} x {peer}"),
            Beside::Times(ratio, peer) => format!("but {peer} is {:.1} x as fast", ratio.recip()),
        };
        let module = pick.path.split(" over ").next().unwrap_or(pick.path).to_owned();
        rows.push([format!("{short}:"), module, beside]);
    }
    let width = |at: usize| rows.iter().map(|row| row[at].len()).max().unwrap_or(0);
    let (needs, queues) = (width(0), width(1).min(WIDEST));
    for [need, queue, beside] in &rows {
        let start = format!("  {need:needs$} {NAME}{queue}{NAME:#}");
        let gap = " ".repeat(queues.saturating_sub(queue.len()) + 2);
        if 2 + needs + 1 + queue.len() + gap.len() + beside.len() <= COLUMNS {
            let _ = writeln!(out, "{}", format!("{start}{gap}{beside}").trim_end());
        } else {
            let _ = writeln!(out, "{start}");
            out += &wrapped(beside, &" ".repeat(needs + 3), Style::new());
        }
    }
    let undecided = picks.iter().filter(|pick| matches!(pick.peer, Beside::Undecided(_))).count();
    if undecided > 0 {
        let words = format!(
            "Too noisy to tell from the best peer: {undecided} of {}. Measure again with nothing else at work, or for longer: \
             cargo run --release -- compare --seconds 300",
            picks.len()
        );
        out += &wrapped(&words, "  ", Style::new());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Record;
    use crate::report::fixture::{self, plain};
    use crate::report::recommend::recommend;
    use crate::unit::Unit;

    #[test]
    fn without_advice_there_is_no_text() {
        assert_eq!(render(&[]), "");
    }

    #[test]
    fn a_text_is_broken_between_words_before_a_terminal_breaks_it() {
        let text = format!("{} {} end", "a".repeat(40), "b".repeat(37));
        assert_eq!(wrapped(&text, "  ", Style::new()), format!("  {} {}\n  end\n", "a".repeat(40), "b".repeat(37)));
    }

    #[test]
    fn each_sentence_has_a_line_and_a_spread_is_none() {
        let mut records = fixture::records();
        records.push(fixture::record("spsc.throughput", "kanal/bounded", Unit::Mitems, &[280.0, 410.0, 430.0]));
        let text = plain(&render(&recommend(&records, &[fixture::GUIDE])));
        let wanted = "\nMany single items\n  Take spsc::ring\n  420 Mitems/s.\n  Too noisy to tell it from the best peer: 410 .. 432 \
                      here, 410 (280 .. 430)\n  with kanal/bounded;";
        assert!(text.contains(wanted), "{text}");
    }

    #[test]
    fn a_long_name_does_not_widen_a_line() {
        let mut records = fixture::records();
        for queue in ["aqueduct/bbq_mpmc", "published/a_queue_with_a_name_of_forty_letters"] {
            let record = fixture::record("mpmc.throughput", queue, Unit::Mitems, &[1000.0, 1100.0, 1200.0]);
            records.push(Record { producers: 2, consumers: 2, ..record });
        }
        let text = plain(&render(&recommend(&records, &[fixture::GUIDE])));
        assert!(text.contains("a_queue_with_a_name_of_forty_letters"), "{text}");
        for line in text.lines() {
            assert!(line.chars().count() <= COLUMNS, "{} columns: {line}", line.chars().count());
        }
    }

    #[test]
    fn the_summary_has_a_line_for_each_common_need_and_says_what_to_do_about_noise() {
        let mut records = fixture::records();
        let mut add = |queue: &str, producers, runs: [f64; 3]| {
            let record = fixture::record("mpmc.throughput", queue, Unit::Mitems, &runs);
            records.push(Record { producers, consumers: 2, ..record });
        };
        add("aqueduct/bbq_mpmc", 2, [19.0, 20.0, 21.0]);
        add("kanal/bounded", 2, [18.0, 20.0, 22.0]);
        add("aqueduct/bbq_spmc", 1, [9.0, 10.0, 11.0]);
        add("moodycamel/concurrent_queue", 1, [29.0, 30.0, 31.0]);
        let text = plain(&render(&recommend(&records, &[fixture::GUIDE])));
        let (_, summary) = text.split_once("\nIn short\n").expect("a summary");
        assert_eq!(
            summary,
            "  one to one:     spsc::ring  1.5 x ringbuf/heap
  lowest latency: spsc::ring  1.5 x rtrb/ring
  one to many:    spmc        but moodycamel/concurrent_queue is 3.0 x as fast
  many to many:   mpmc        like kanal/bounded: too noisy to tell
  Too noisy to tell from the best peer: 1 of 5. Measure again with nothing else
  at work, or for longer: cargo run --release -- compare --seconds 300
"
        );
    }
}
