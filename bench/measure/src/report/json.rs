//! Records as JSON lines: one object per line, with equal keys for every bench.

use std::fmt;
use std::io::{self, BufRead, Write};

use crate::record::Record;

/// Writes each record as one line.
///
/// # Errors
///
/// The errors of `out`, and [`io::ErrorKind::InvalidData`] if a record holds a figure that JSON
/// cannot express (an infinity or not-a-number).
pub fn write(out: &mut dyn Write, records: &[Record]) -> io::Result<()> {
    for record in records {
        if let Some(fault) = fault_of(record) {
            let what = format!("{} of {}: {fault}", record.bench, record.queue);
            return Err(io::Error::new(io::ErrorKind::InvalidData, what));
        }
        serde_json::to_writer(&mut *out, record)?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// The reason for which a file of JSON lines could not be read.
#[derive(Debug)]
pub enum ReadError {
    /// The file itself could not be read.
    Io(io::Error),
    /// A line is not a record.
    Line {
        /// Number of the line, from 1.
        line: usize,
        /// The error.
        what: String,
    },
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "{error}"),
            Self::Line { line, what } => {
                write!(f, "line {line}: {what}; each line must be one record as `aqueduct bench --json` writes it")
            }
        }
    }
}

impl std::error::Error for ReadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            Self::Line { .. } => None,
        }
    }
}

/// Reads records back. Empty lines are skipped.
///
/// # Errors
///
/// [`ReadError::Line`] with the number of the first line that is not a record, for instance the
/// last line of a truncated file.
pub fn read(input: &mut dyn BufRead) -> Result<Vec<Record>, ReadError> {
    let mut records = Vec::new();
    let mut bytes = Vec::new();
    for line in 1.. {
        bytes.clear();
        if input.read_until(b'\n', &mut bytes).map_err(ReadError::Io)? == 0 {
            break;
        }
        let damaged = |what: String| ReadError::Line { line, what };
        let text = std::str::from_utf8(&bytes).map_err(|_| damaged("not UTF-8 text".to_owned()))?;
        if text.trim().is_empty() {
            continue;
        }
        let record = serde_json::from_str(text).map_err(|error| damaged(without_line(&error)))?;
        if let Some(fault) = fault_of(&record) {
            return Err(damaged(fault));
        }
        records.push(record);
    }
    Ok(records)
}

/// Returns the error with its column alone: the parser counts lines inside one line, and a reader
/// would take that for the file's line.
fn without_line(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let what = text.rsplit_once(" at line ").map_or(text.as_str(), |(what, _)| what);
    format!("{what} (column {})", error.column())
}

fn fault_of(record: &Record) -> Option<String> {
    let figures = || [record.median, record.min, record.max].into_iter().chain(record.runs.iter().copied());
    if let Some(bad) = figures().find(|figure| !figure.is_finite()) {
        return Some(format!("`{bad}` is not a figure"));
    }
    // A name that is printed could move the terminal's cursor.
    for (key, name) in [("bench", record.bench.to_string()), ("queue", record.queue.to_string())] {
        if name.contains(char::is_control) {
            return Some(format!("`{key}` {name:?} has a control character"));
        }
    }
    if record.runs.is_empty() {
        return Some("`runs` is empty".to_owned());
    }
    if !(record.min <= record.median && record.median <= record.max) {
        return Some(format!(
            "`median` {} is not between `min` {} and `max` {}",
            record.median, record.min, record.max
        ));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Placement, Role};
    use crate::report::fixture;

    #[test]
    fn a_line_has_exactly_the_keys_of_the_format() {
        let mut out = Vec::new();
        write(&mut out, &fixture::records()[..1]).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            concat!(
                r#"{"bench":"spsc.throughput","queue":"aqueduct/ring","role":"ours","#,
                r#""producers":1,"consumers":1,"capacity":4096,"batch":1,"item_by_item":false,"item_bytes":8,"payload":"embedded","#,
                r#""producer_load_ns":0,"consumer_load_ns":0,"placement":{"producers":[0],"consumers":[1]},"unit":"Mitems/s","#,
                r#""median":420.0,"min":410.0,"max":431.5,"runs":[410.0,420.0,431.5]}"#,
                "\n"
            )
        );
    }

    #[test]
    fn what_was_written_is_read_back() {
        let records = fixture::records();
        let mut out = Vec::new();
        write(&mut out, &records).unwrap();
        assert_eq!(read(&mut out.as_slice()).unwrap(), records);
    }

    #[test]
    fn a_line_without_the_newer_keys_is_read() {
        let mut out = Vec::new();
        write(&mut out, &fixture::records()[..1]).unwrap();
        let mut older = String::from_utf8(out).unwrap();
        for key in
            ["\"placement\":{\"producers\":[0],\"consumers\":[1]},", "\"item_by_item\":false,", "\"item_bytes\":8,"]
        {
            assert!(older.contains(key), "{key}");
            older = older.replace(key, "");
        }
        let expected = Record { placement: Placement::default(), ..fixture::records()[0].clone() };
        assert_eq!(read(&mut older.as_bytes()).unwrap(), [expected]);

        // Older still: a bound is known by its name.
        for (role, older_line) in [
            (Role::Ours, older.replace(r#""role":"ours""#, r#""peer":false"#)),
            (Role::Peer, older.replace(r#""role":"ours""#, r#""peer":true"#)),
            (Role::Bound, older.replace(r#""role":"ours""#, r#""peer":false"#).replace("aqueduct/", "bound/")),
        ] {
            let read = read(&mut older_line.as_bytes()).unwrap();
            assert_eq!(read[0].role, role, "{older_line}");
        }
        let missing = read(&mut older.replace(r#""role":"ours","#, "").as_bytes()).unwrap_err().to_string();
        assert!(missing.starts_with("line 1: missing field `role`"), "{missing}");
    }

    fn error_of(damage: impl Fn(&str) -> String) -> String {
        let mut out = Vec::new();
        write(&mut out, &fixture::records()[..3]).unwrap();
        let damaged = damage(&String::from_utf8(out).unwrap());
        read(&mut damaged.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn damage_is_reported_with_its_line() {
        let cut = error_of(|text| text[..text.len() - 40].to_owned());
        assert!(cut.starts_with("line 3: EOF while parsing"), "{cut}");
        let missing = error_of(|text| text.replace("\"queue\":\"aqueduct/lamport\",", ""));
        assert!(missing.starts_with("line 2: missing field `queue`"), "{missing}");
        let empty = error_of(|text| text.replace("[410.0,420.0,431.5]", "[]"));
        assert!(empty.starts_with("line 1: `runs` is empty"), "{empty}");
        let moves = error_of(|text| text.replace("aqueduct/lamport", "\\u001b[2J"));
        assert!(moves.starts_with("line 2: `queue` \"\\u{1b}[2J\" has a control character"), "{moves}");
        let swapped = error_of(|text| text.replace("\"min\":410.0", "\"min\":999.0"));
        assert!(swapped.starts_with("line 1: `median` 420 is not between"), "{swapped}");
    }

    #[test]
    fn a_figure_that_json_cannot_express_is_refused() {
        let mut records = fixture::records();
        records[0].median = f64::NAN;
        let error = write(&mut Vec::new(), &records).unwrap_err();
        assert_eq!(error.to_string(), "spsc.throughput of aqueduct/ring: `NaN` is not a figure");
    }
}
