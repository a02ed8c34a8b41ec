//! The destinations of results: the terminal, a file of JSON lines, the page.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, Result};
use aqueduct_measure::record::Record;
use aqueduct_measure::report::html::{self, About};
use aqueduct_measure::report::{csv, json};

use crate::guides::GUIDES;

/// Prints `text` on the standard output, with colours if they are wanted.
///
/// A closed pipe (`| head`) ends the printing, not the program.
pub(crate) fn print(text: &str) -> Result<()> {
    let mut out = anstream::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written.context("standard output"),
    }
}

/// The files of results.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct Files {
    /// Write every record as one line of JSON to this file
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// Write every record as one line of comma-separated values to this file
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: Option<PathBuf>,
    /// Write a page with plots to this file; it needs no other file and no network
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
}

impl Files {
    /// Checks that the files can be written, before a minute of measuring. An existing file does
    /// not change.
    pub(crate) fn check(&self) -> Result<()> {
        for path in [&self.json, &self.csv, &self.html].into_iter().flatten() {
            let is_new = !path.exists();
            OpenOptions::new()
                .append(true)
                .create(true)
                .open(path)
                .with_context(|| format!("cannot write {}", path.display()))?;
            if is_new {
                fs::remove_file(path).with_context(|| format!("cannot write {}", path.display()))?;
            }
        }
        Ok(())
    }

    /// Writes the files and prints where they are.
    pub(crate) fn write(&self, records: &[Record], about: &About) -> Result<()> {
        if let Some(path) = &self.json {
            write_file(path, |out| json::write(out, records))?;
            print(&format!("JSON lines: {}\n", path.display()))?;
        }
        if let Some(path) = &self.csv {
            write_file(path, |out| csv::write(out, records))?;
            print(&format!("CSV: {}\n", path.display()))?;
        }
        if let Some(path) = &self.html {
            write_file(path, |out| out.write_all(html::render(records, about, GUIDES).as_bytes()))?;
            print(&format!("Page: {}\n", path.display()))?;
        }
        Ok(())
    }
}

fn write_file(path: &Path, content: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    let write = || {
        let mut out = BufWriter::new(File::create(path)?);
        content(&mut out)?;
        out.flush()
    };
    write().with_context(|| format!("cannot write {}", path.display()))
}

/// Returns the time of day in UTC, in a form for people and programs.
pub(crate) fn now() -> String {
    humantime::format_rfc3339_seconds(SystemTime::now()).to_string()
}
