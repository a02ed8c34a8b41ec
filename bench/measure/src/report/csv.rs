//! Records as comma-separated values, for spreadsheets: one line per record, and one of headings
//! before.

use std::io::{self, Write};

use super::sheet::payload_word;
use crate::record::Record;

const HEADINGS: [&str; 19] = [
    "bench",
    "queue",
    "role",
    "producers",
    "consumers",
    "capacity",
    "batch",
    "item_by_item",
    "item_bytes",
    "payload",
    "producer_load_ns",
    "consumer_load_ns",
    "producer_cores",
    "consumer_cores",
    "unit",
    "median",
    "min",
    "max",
    "runs",
];

/// Writes the headings and the records. Cores and runs are lists, with spaces between.
///
/// # Errors
/// The errors of `out`.
pub fn write(out: &mut dyn Write, records: &[Record]) -> io::Result<()> {
    line(out, &HEADINGS.map(str::to_owned))?;
    records.iter().try_for_each(|record| line(out, &fields(record)))
}

fn fields(record: &Record) -> [String; HEADINGS.len()] {
    [
        record.bench.to_string(),
        record.queue.to_string(),
        record.role.text().to_owned(),
        record.producers.to_string(),
        record.consumers.to_string(),
        record.capacity.to_string(),
        record.batch.to_string(),
        record.item_by_item.to_string(),
        record.item_bytes.to_string(),
        payload_word(record.payload).to_owned(),
        record.producer_load_ns.to_string(),
        record.consumer_load_ns.to_string(),
        list(&record.placement.producers),
        list(&record.placement.consumers),
        record.unit.to_string(),
        record.median.to_string(),
        record.min.to_string(),
        record.max.to_string(),
        list(&record.runs),
    ]
}

fn list(values: &[impl ToString]) -> String {
    values.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

fn line(out: &mut dyn Write, fields: &[String]) -> io::Result<()> {
    let quoted: Vec<String> = fields.iter().map(|field| quoted(field)).collect();
    writeln!(out, "{}", quoted.join(","))
}

/// Returns the field, in quotes if a reader would take it for several (RFC 4180).
fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::fixture;

    #[test]
    fn each_record_is_a_line_below_the_headings() {
        let mut records = fixture::records()[..1].to_vec();
        records[0].queue = "a,\"b\"".into();
        let mut out = Vec::new();
        write(&mut out, &records).unwrap();
        let text = String::from_utf8(out).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0].split(',').collect::<Vec<_>>(), HEADINGS);
        assert_eq!(
            lines[1..],
            [
                "spsc.throughput,\"a,\"\"b\"\"\",ours,1,1,4096,1,false,8,embedded,0,0,0,1,Mitems/s,420,410,431.5,410 420 431.5"
            ]
        );
    }
}
