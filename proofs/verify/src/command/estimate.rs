//! `aqueduct verify --estimate`: about how many executions there are.

use std::io::{self, IsTerminal, Write};
use std::time::Duration;

use aqueduct_model::{Config, Estimate};
use serde_json::json;

use super::expected;
use crate::clients::Client;

/// Estimates the number of executions of each client in the given time, and writes it with its
/// interval.
///
/// # Errors
/// If `out` cannot be written.
pub(super) fn write(
    is_json: bool,
    config: &Config,
    time: Duration,
    clients: &[Client],
    out: &mut dyn Write,
) -> io::Result<()> {
    let config = config.clone().progress(io::stderr().is_terminal());
    let width = clients.iter().map(|client| client.name.len()).max().unwrap_or(0);
    if !is_json {
        writeln!(
            out,
            "{:width$} {:>11} {:>11} {:>11} {:>8} {:>11}",
            "client", "about", "from", "to", "probes", "known"
        )?;
    }
    for client in clients {
        let Estimate { probes, executions, error, low, high, .. } = client.estimate_for(&config, time);
        let known = expected(client);
        if is_json {
            // JSON has no infinity.
            let high = high.is_finite().then_some(high);
            let (name, probes) = (&client.name, probes);
            let row = json!({
                "name": name, "about": executions, "error": error, "from": low, "to": high, "probes": probes, "known": known,
            });
            writeln!(out, "{row}")?;
        } else {
            let known = known.map_or_else(|| "-".to_owned(), |known| known.to_string());
            let [about, from, to] = [executions, low, high].map(rounded);
            writeln!(out, "{:width$} {about:>11} {from:>11} {to:>11} {probes:>8} {known:>11}", client.name)?;
        }
        out.flush()?;
    }
    if !is_json {
        writeln!(
            out,
            "9 of 10 intervals hold the number; one probe explores everything; `?` if the probes differ too much"
        )?;
    }
    Ok(())
}

/// Returns a number of executions in a few characters.
fn rounded(number: f64) -> String {
    match number {
        _ if number.is_infinite() => "?".to_owned(),
        _ if number < 1e6 => format!("{number:.0}"),
        _ => format!("{number:.2e}"),
    }
}
